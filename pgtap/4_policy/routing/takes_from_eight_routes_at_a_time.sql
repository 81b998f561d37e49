begin;
\ir ../../_helpers.sql
select plan(3);

-- The attack: tasks for 30 routes over 20 models. Each claim of a model looked into every line, 100
-- ms long, and all other models waited.
select given_model() as m \gset
select given_worker() as w \gset
create temp table ours on commit drop as select given_route(:'m') as route
  from generate_series(1, 12);
select count(given_task(o.route)) from ours o, generate_series(1, 2) \g /dev/null
create temp table first on commit drop as select claimed(:w, 100, at(1)) as ids;
select is((select count(*) from first, unnest(ids)), 16::bigint, 'two of each of eight routes');
select is((select count(distinct t.route) from first, unnest(ids) i join sluice.task t on t.id = i),
  8::bigint, 'and no others''');
-- Eight are drawn: a route may be passed over a few times.
select count(claimed(:w, 100, at(n))) from generate_series(2, 21) n \g /dev/null
select is((select count(*) from sluice.lease l where l.worker = :w), 24::bigint,
  'the next claims take from the others');

select * from finish();
rollback;
