-- sluice.route_weight
begin;
\ir ../../_helpers.sql
select plan(2);

select array[given_model(), given_model(), given_model()] as ms \gset
insert into sluice.routes (route, model, weight) select 'r', m, 3.4e38 from unnest(:'ms'::text[]) m;
select given_worker() as w \gset
select given_tasks('r', 30) \g /dev/null
select claimed(:w, 3) \g /dev/null
select ok(sluice.route_weight(-l.n, m.id, at(1)) > 3.4e38, 'those of the others are summed up')
from sluice.route_line l, sluice.models m where l.route = 'r' and l.api is null
  and m.name = (:'ms'::text[])[1];
select lives_ok('select sluice.explain(min(id)) from sluice.task', 'a task can be explained');

select * from finish();
rollback;
