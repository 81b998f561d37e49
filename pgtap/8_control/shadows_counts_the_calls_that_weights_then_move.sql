-- sluice.count_moved
begin;
\set alone
\ir ../_helpers.sql
\ir ../_shadows.sql
\ir ../4_policy/routing/_served.sql
select plan(5);

select given_model() as a, given_model() as b, given_model() as c, given_model() as shut \gset
select given_route(:'a', :'b', :'c', :'shut') as r \gset
update sluice.routes set weight = case model when :'a' then 9 when :'b' then 1 else 0 end
where route = :'r';
update sluice.models set paused = true where name = :'shut';
select given_worker(array[:'a', :'b', :'c']) as w \gset
-- had: how many calls each model had in ninety rounds of claims, from 2.5 s after p_from on: at
-- first each is ahead of its share by the slack.
create function had(p_route text, p_worker bigint, p_from numeric) returns jsonb language sql
as $$
  select given_tasks(p_route, 12000, at(p_from));
  select served(p_worker, null, 100, 100, p_from);
  select jsonb_object_agg(c.model, c.calls) from (
    select m.name as model, count(*) as calls
    from (
      select r.model from sluice.result r where r.started_at > at(p_from + 2.5)
      union all
      select m.name from sluice.lease l join sluice.models m on m.id = l.model
      where l.started_at > at(p_from + 2.5)) e join sluice.models m on m.name = e.model
    group by 1) c
$$;
select sluice.start_shadow('routes', :'r', jsonb_build_object(:'b', 3, :'c', 2, :'shut', 5),
  p_now => at(2.5)) as shadow \gset
select had(:'r', :w, 0) as before \gset
select sluice.look_at_shadows(at(60)) \g /dev/null
select * from sluice.shadows(:shadow) \gset counted_
select is((select sum(v::int) from jsonb_each_text(:'before') e(k, v)), :counted_calls::bigint,
  'each call counts');
select sluice.apply_shadow(:shadow, p_now => at(3600)) \g /dev/null
select had(:'r', :w, 3600) as after \gset
select format('%s before, %s after', :'before', :'after') as told \gset
select ok(near(:counted_moved * 1.0 / :counted_calls * 1000, (
    select sum(greatest(0, b.value::int * n.all_after / n.all_before
      - coalesce((:'after'::jsonb ->> b.key)::int, 0))) / n.all_after * 1000
    from jsonb_each_text(:'before') b, (
      select (select sum(v::numeric) from jsonb_each_text(:'before') e(k, v)) as all_before,
        (select sum(v::numeric) from jsonb_each_text(:'after') e(k, v)) as all_after) n
    group by n.all_after)), format('%s of %s would move: %s', :counted_moved, :counted_calls,
    :'told'));
select is((select moved from sluice.shadow_hours(:shadow) where model = :'c'), 0::bigint,
  'to a model that had none');
select is((select count(*) from sluice.shadow_hours(:shadow) where model = :'shut'), 0::bigint,
  'none to one that is paused');
select is((select jsonb_object_agg(model, weight) from sluice.routes where route = :'r'),
  jsonb_build_object(:'a', 9, :'b', 3, :'c', 2, :'shut', 5), 'weights that were not named stay');

select * from finish();
rollback;
