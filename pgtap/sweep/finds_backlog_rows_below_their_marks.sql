begin;
\set alone
\ir ../_helpers.sql
select plan(3);

select setval('sluice.sweep_after', 0, false) \g /dev/null
select given_model() as m \gset
select given_route(:'m') as r \gset
select given_tasks(:'m', 2, at(0)), given_tasks(:'r', 1, at(0)) \g /dev/null
select given_lanes('backlog_' || id_of(:'m'), 0),
  given_lanes('route_' || :'r', 0) \g /dev/null
select sluice.set_mark(id, at(10)) from sluice.lane where line in ('backlog_' || id_of(:'m'), 'route_' || :'r') \g /dev/null

select ok(not sluice.is_waiting(sluice.backlog_lines(id_of(:'m'))), 'the marks hide the rows');
select is(sluice.sweep(at(11)), 2, 'the sweep finds one in the model''s line, one in the route''s');
select is((select count(*) from unnest(sluice.backlog_lines(id_of(:'m'))) l, sluice.lane_heads(l, 9, null, null, null)), 2::bigint,
  'now admission sees them');

select * from finish();
rollback;
