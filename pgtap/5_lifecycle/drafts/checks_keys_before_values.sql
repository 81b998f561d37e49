begin;
\ir ../../_helpers.sql
select plan(5);

select given_model() as m \gset
create function checked(p_item text) returns text language sql as
  $$ select format('select sluice.read_drafts(%L, at(0))', jsonb_build_array(p_item::jsonb)) $$;
select lives_ok(checked(format('{"prompt": "p", "model": "%s", "priority": 3}', :'m')),
  'a good one');
select throws_ok(checked('[]'), 'SL004', null, 'an array');
select throws_like(checked('{"promt": "p", "priority": "x"}'), '%promt%',
  'the key that is unknown is named');
select throws_ok(checked('{"prompt": "p", "request": "{}"}'), 'SL004', null,
  'check_task is asked as well');
select throws_ok(checked('{"request": "[]"}'), 'SL004', null, 'and about requests');

select * from finish();
rollback;
