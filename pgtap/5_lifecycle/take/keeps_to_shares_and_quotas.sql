begin;
\ir ../../_helpers.sql
select plan(3);

select given_model() as m \gset
select given_tenant(rpm => 60) as t \gset
select given_route(:'m') as r \gset
select count(given_task(:'m', tenant => :'t')) from generate_series(1, 5) \g /dev/null
select given_tasks(:'r', 5) \g /dev/null
create function turns(p_model text, p_route text, p_most int, p_limited boolean, out ids bigint[],
  out lines int[], out cut boolean) language sql
as $$ select array(select u.task_id from unnest(t.turns) u),
  array(select u.line from unnest(t.turns) u), t.cut
  from sluice.turns_within(model_row(p_model),
  sluice.lane_heads(id_of(p_model), 9) || sluice.lane_heads(own_line(p_route), 9),
  '{}', array[row(own_line(p_route), p_most, null, null, null),
    row(id_of(p_model), null, null, null, null)]::sluice.claim_share[], 20,
    p_limited, at(1)) t $$;
select is(cardinality(ids), 10, 'all') from turns(:'m', :'r', null, false);
select is(array_positions(lines, own_line(:'r')) is not null
  and cardinality(array_positions(lines, own_line(:'r'))) = 2 and cut, true, 'two of the route')
from turns(:'m', :'r', 2, false);
select is(cardinality(array_positions(lines, id_of(:'m'))), 1, 'one of who has one permit')
from turns(:'m', :'r', null, true);

select * from finish();
rollback;
