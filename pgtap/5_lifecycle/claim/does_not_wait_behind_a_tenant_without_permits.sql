-- sluice.claim
begin;
\ir ../../_helpers.sql
select plan(4);

select given_model() as m \gset
select given_tenant(rpm => 60) as t \gset
select given_worker() as w \gset
select array_agg(given_task(:'m', tenant => :'t')) as limited from generate_series(1, 8) \gset
select array_agg(given_task(:'m')) as free from generate_series(1, 2) \gset
select set_eq(format('select unnest(%L::bigint[])', claimed(:w, 3, at(1))),
  (:'limited'::bigint[])[1:1] || :'free'::bigint[], 'his one permit is used, and the others go on');
select is((select array_agg(places(x)) from unnest((:'limited'::bigint[])[2:]) x),
  array_fill('queue'::text, array[7]),
  'those without a permit keep their places: they are in nobody''s way');
select is(claimed(:w, 3, at(1.1)), '{}', 'when nothing else is there');
select is(claimed(:w, 3, at(2.2)), (:'limited'::bigint[])[2:2],
  'they have their turn with their permits, in their order');

select * from finish();
rollback;
