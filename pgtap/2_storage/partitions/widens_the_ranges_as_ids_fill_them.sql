begin;
\set alone
\ir ../../_helpers.sql
select plan(5);

select last_value as before, is_called from sluice.task_id \gset
select given_model() as m \gset
select sluice.make_partitions(20000000);
select results_eq('select end_id - first_id from sluice.id_range order by n',
  'values (1000000::bigint), (1000000), (1000000), (67108864), (268435456)',
    'from half of what is to be ahead each is four times as wide');
select is((select count(*) from sluice.id_range a join sluice.id_range b on b.n = a.n + 1
  where b.first_id <> a.end_id), 0::bigint, 'without gaps');
create or replace function sluice.id_ranges_max()
returns int language sql immutable as $$ select 5 $$;
select sluice.make_partitions(300000000);
select is((select count(*) from sluice.id_range), 5::bigint, 'never more than id_ranges_max');
select setval('sluice.task_id', 343000000) \g /dev/null
select code, hint from error_of(format('select sluice.submit(''x'', %L)', :'m')) \gset
select is(:'code'::text, 'SL003', 'a task beyond them is refused with SL003');
select matches(:'hint'::text, 'retention', 'and a hint');
select setval('sluice.task_id', :before, :'is_called') \g /dev/null

select * from finish();
rollback;
