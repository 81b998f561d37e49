begin;
\ir ../_helpers.sql
select plan(5);

select given_model() as m \gset
select given_route(:'m') as r \gset
insert into sluice.backlog (task_id, ready_at, model, request_bytes, fence, rank, attempts, due, route, tenant) values
  (1, at(2), id_of(:'m'), 1, 0, 0, 0, true, null, 'a'), (2, at(1), id_of(:'m'), 1, 0, 0, 0, true, null, 'a'),
  (3, at(3), id_of(:'m'), 1, 0, 0, 0, true, null, 'b'), (4, at(9), id_of(:'m'), 1, 0, -5, 0, true, null, 'a'),
  (5, at(0), id_of(:'m'), 1, 0, 0, 0, false, null, 'c'), (6, at(0), null, 1, 0, 7, 0, true, :'r', 'a');
create function heads(p_line text) returns setof text language sql
as $$ select format('%s %s %s', h.rank, case h.tenant when sluice.tenant_key('a') then 'a' when sluice.tenant_key('b') then 'b' end,
        extract(epoch from h.ready_at - at(0))::int) from sluice.lane_heads(p_line, 100, null, null, null) h $$;
select 'backlog_' || id_of(:'m') as line \gset
select set_eq(format('select heads(%L)', :'line'), array['-5 a 9', '0 a 1', '0 b 3'], 'one for each rank and tenant that is due');
select is((select array_agg(rank::int) from sluice.lane_heads(:'line', 100, null, null, null)), array[-5, 0, 0], 'by rank');
select set_eq(format('select heads(%L)', 'route_' || :'r'), array['7 a 0'], 'a route has lanes of its own');
select is((select count(*) from sluice.lane_heads(:'line', 2, null, null, null)), 2::bigint, 'no more than asked for');
select given_lanes(:'line', -5, 0, 3) \g /dev/null
select make_lanes from sluice.make_lanes(:'line', '{0,0}', array[sluice.tenant_key('a'), sluice.tenant_key('b')]) \g /dev/null
select set_eq(format('select heads(%L)', :'line'), array['-5 a 9', '0 a 1', '0 b 3'], 'lanes with marks hide nothing');

select * from finish();
rollback;
