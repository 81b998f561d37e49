begin;
\set alone
\ir ../_helpers.sql
select plan(8);

select given_tenant('sluice_submitter') as a \gset
select given_model() as m \gset
select array_agg(sluice.submit('x', :'m', tenant => :'a', p_now => at(100 * n)) order by n) as ids
from generate_series(1, 9) n \gset
create or replace function sluice.search_looks_max(p_reads_texts boolean) returns int
language sql as 'select case when p_reads_texts then 2 else 4 end';
create function page(p_conditions sluice.search_conditions, p_max int default 50,
  out found int, out looked_at int, out next_before bigint) language sql
as $$
  select cardinality(s.ids), s.looked_at, s.next_before
  from sluice.search_ids(p_conditions, p_max) s
$$;
create function conditions(p_conditions jsonb) returns sluice.search_conditions language sql
as $$ select jsonb_populate_record(null::sluice.search_conditions, p_conditions) $$;
set local role :"a";
select id as before from sluice.find_tasks(max_tasks => 1) \gset
reset role;
select is((page(conditions(jsonb_build_object('tenant', :'a', 'before', :before + 1)))),
  (4, 4, (:'ids'::bigint[])[6]), 'four tasks of nine, and where to go on');
select is((page(conditions(jsonb_build_object('tenant', :'a', 'before', :before + 1,
  'text', 'x')))).looked_at, 2, 'two where it reads texts');
select is((page(conditions(jsonb_build_object('tenant', :'a', 'before', :before + 1)), 1)),
  (1, 1, (:'ids'::bigint[])[9]), 'up to the last that was asked for');
select is((page(conditions(jsonb_build_object('tenant', :'a', 'since', at(700),
  'until', at(9000))))),
  (3, 3, null::bigint), 'all of a time: it is complete');
-- id_at
select is(sluice.id_at(at(500)), (:'ids'::bigint[])[5], 'the first of a time');
select is(sluice.id_at(at(99999)), (select max(id) + 1 from sluice.task), 'after the last');
select is((error_of('select * from sluice.find_tasks(status => ''lost'')')).code, 'SL004',
  'no other status');
select is((error_of('select * from sluice.find_tasks(max_tasks => 201)')).code, 'SL004',
  'no more than 200');

select * from finish();
rollback;
