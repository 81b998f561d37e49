begin;
\ir ../../_helpers.sql
select plan(8);

-- read_by: how many results a step reads.
create function results_read() returns bigint language sql
as $$ select sum(pg_stat_get_xact_tuples_fetched(p.relid)) from pg_partition_tree('sluice.result') p
  where p.isleaf $$;

select given_model() as m, given_model() as n \gset
select given_tasks(:'m', 60) as ids \gset
select sluice.cancel(id, at(1)) from unnest(:'ids'::bigint[]) id
where id <> (:'ids'::bigint[])[2] \g /dev/null
create or replace function sluice.forget_step()
returns int language sql immutable as $$ select 20 $$;
select is(sluice.forget_all(:'m', p_now => at(2)), 20::bigint, 'a step');
select is(sluice.forget_all(:'m', p_now => at(2)), 20::bigint, 'another one');
select results_read() as before \gset
select is(sluice.forget_all(:'m', p_now => at(2), until => at(9)), 19::bigint,
  'the last, with a later end');
select cmp_ok(results_read() - :before, '<', 60::bigint, 'read nothing that was forgotten');
select sluice.cancel((:'ids'::bigint[])[2], at(3)) \g /dev/null
select is(sluice.forget_all(:'m', p_now => at(4)), 1::bigint, 'what ended behind it is found');
select is(sluice.forget_all(:'m', p_now => at(4)), 0::bigint, 'then none is left');
select sluice.cancel(id, at(5)) from unnest(given_tasks(:'n', 1)) id \g /dev/null
select is(sluice.forget_all(:'n', p_now => at(6)), 1::bigint,
  'other conditions begin at the first');
select set_config('sluice.forget_from', 'whatever', true) \g /dev/null
select is(sluice.forget_all(:'n', p_now => at(6)), 0::bigint,
  'a setting of another''s making is none');

select * from finish();
rollback;
