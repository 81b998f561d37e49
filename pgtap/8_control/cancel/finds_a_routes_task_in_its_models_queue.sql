begin;
\ir ../../_helpers.sql
select plan(2);

select given_model() as a \gset
select given_model() as b \gset
select given_route(:'a', :'b') as r \gset
select given_task(:'r') from generate_series(1, 10) \g /dev/null
select is((select array_agg(distinct sluice.cancel(id)) from sluice.task where route = :'r'),
  array['cancelled'], 'whichever of the route''s models it was given to');
select is((select count(*) from sluice.queue where model in (id_of(:'a'), id_of(:'b'))), 0::bigint,
  'none is left');

select * from finish();
rollback;
