-- sluice.explain
begin;
\ir ../../_helpers.sql
select plan(1);

select string_agg(md5(n::text || random()), '') as noise from generate_series(1, 9600) n \gset
select given_task(given_model(), prompt => :'noise') as t \gset
create function blocks() returns bigint language sql as $$
  select pg_stat_get_xact_blocks_fetched(reltoastrelid) from pg_class
  where oid = 'sluice.task'::regclass
$$;
select blocks() as before \gset
select sluice.explain(:t, at(1)) \g /dev/null
select is(blocks(), :before::bigint, 'a long prompt is not read');

select * from finish();
rollback;
