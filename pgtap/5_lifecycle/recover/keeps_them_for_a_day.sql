begin;
\ir ../../_helpers.sql
select plan(3);

select given_model() as m \gset
select given_worker() as dead \gset
select given_worker() as holding \gset
select given_worker() as alive \gset
select given_task(:'m') \g /dev/null
select claimed(:holding, 1) \g /dev/null
update sluice.worker set dead_at = at(0) where id in (:dead, :holding);
select sluice.forget_dead_workers(at(86400));
select is((select count(*) from sluice.worker where id = :dead), 1::bigint,
  'a claim of it may commit late');
select sluice.forget_dead_workers(at(86401));
select is((select count(*) from sluice.worker where id = :dead), 0::bigint, 'then it goes');
select is((select array_agg(id order by id) from sluice.worker
  where id in (:dead, :holding, :alive)),
  (select array_agg(id order by id) from unnest(array[:holding, :alive]) id),
    'but not while it holds a lease');

select * from finish();
rollback;
