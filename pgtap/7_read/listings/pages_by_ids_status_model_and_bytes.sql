begin;
\ir ../../_helpers.sql
select plan(10);

-- As a tenant of its own: other tests' tasks are not its.
select given_tenant('sluice_submitter') as a, given_tenant('sluice_submitter') as b \gset
select given_model() as m, given_model() as other \gset
select given_worker(array[:'m']) as w \gset
select array_agg(sluice.submit(repeat('x', 1000), :'m', tenant => :'a', p_now => at(n / 10.0),
  max_attempts => 1) order by n) as ids
from generate_series(1, 5) n \gset
select sluice.submit('x', :'other', tenant => :'a') as foreign_model,
  sluice.submit('x', :'other', tenant => :'b') as foreign \gset
select claimed(:w, 2) \g /dev/null
select completed(:w, told((:'ids'::bigint[])[1], 'solved')),
  completed(:w, told((:'ids'::bigint[])[2], 'failed')) \g /dev/null
select claimed(:w, 1) \g /dev/null
set local role :"a";

create function pg_temp.places(p_places int[]) returns bigint[] language sql
as $$
  select array_agg(id order by id desc)
  from (select id, row_number() over (order by id) n from sluice.tasks) t
  where n = any (p_places)
$$;
select is(array(select t.id from sluice.list_tasks(1) t), pg_temp.places(array[1, 2, 3, 4, 5, 6]),
  'all of the tenant''s, newest first');
select bag_eq('select * from sluice.list_tasks(1)', 'select * from sluice.tasks',
  'with the fields of sluice.tasks');
select is(array(select t.id from sluice.list_tasks(1, null, status) t),
  pg_temp.places(places), status)
from (values ('solved', '{1}'::int[]), ('failed', '{2}'), ('processing', '{3}'),
  ('queued', '{4,5,6}')) v(status, places);
select is(array(select t.id from sluice.list_tasks((:'ids'::bigint[])[2], (:'ids'::bigint[])[4]) t),
  pg_temp.places(array[2, 3]), 'a range');
select is(array(select t.id from sluice.list_tasks(1, null, null, :'other') t),
  array[:foreign_model]::bigint[], 'of a model');
select is(array(select t.id from sluice.list_tasks(1, :foreign_model, max_bytes => 2000) t),
  pg_temp.places(array[4, 5]), 'no more than the bytes asked for');
select is((select count(*) from sluice.list_tasks(1, :foreign_model, max_bytes => 1)),
  1::bigint, 'but one');

select * from finish();
rollback;
