begin;
\ir ../../_helpers.sql
select plan(5);

select throws_ok($$select sluice.begin_file('assistants', 'x', null)$$, '23514', null,
  'a purpose that is not known');
select throws_ok($$select sluice.begin_file('batch', '', null)$$, '23514', null, 'no name');
select throws_ok($$select sluice.begin_file('batch', repeat('x', 256), null)$$, '23514', null,
  'a name that is too long');
select lives_ok($$select sluice.begin_file('batch', repeat('ü', 255), null)$$,
  'characters count, not bytes');
select throws_ok($$select sluice.begin_file('batch', null, null)$$, '23502', null,
  'a name that is missing');

select * from finish();
rollback;
