begin;
\ir ../../_helpers.sql
select plan(5);

select is(sluice.checked_values('closing', '{"until": "2030-01-01", "reason": null}'),
  '{"until": "2030-01-01", "reason": null}', 'they fit');
select throws_ok($$select sluice.checked_values('closing', '{"until": "soon"}')$$, 'SL004',
  'until "soon" is not a time', 'no time');
select throws_ok($$select sluice.checked_values('closing', '{"when": 1}')$$, 'SL004',
  'unknown key "when"', 'no such column');
select throws_ok($$select sluice.checked_values('closing', '[]')$$, 'SL004',
  'the body is a JSON array, not an object', 'no object');
select throws_ok($$select sluice.checked_values('no_type', '{"when": 1}')$$, 'SL004',
  null, 'no type');

select * from finish();
rollback;
