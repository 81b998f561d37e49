begin;
\ir ../_helpers.sql
select plan(5);

select given_model() as m, given_model() as other \gset
select given_route(:'m', :'other') as r \gset
update sluice.routes set weight = 0 where route = :'r' and model = :'other';
select given_tenant(rpm => 60) as t \gset
select given_task(:'m', tenant => :'t', priority => 3, p_now => at(5), deadline => at(100)) as named \gset
select given_task(:'r', tenant => :'t', p_now => at(6)) as routed \gset
select sluice.hold_rows(id_of(:'m'), sluice.peek_rows(id_of(:'m'), 10));
select results_eq(format('select task_id, ready_at, rank::int, due, attempts::int, fence, deadline, route, model, tenant
    from sluice.backlog where tenant = %L order by task_id', :'t'),
  format('values (%s::bigint, at(5), -3, true, 0, 0, at(100), null, %s, %L), (%s, at(6), 0, true, 0, 0, null, %L, null, %3$L)',
    :named, id_of(:'m'), :'t', :routed, :'r'), 'in their lines, uncharged');
select is((select count(*) from sluice.queue where model = id_of(:'m')), 0::bigint, 'and nowhere else');
select is(sluice.counter('room', id_of(:'m')), 1000::bigint, 'submits find no room and queue behind them');
select is(sluice.counter('room', id_of(:'other')), 1000::bigint, 'in no model of the route');
select is(places(given_task(:'m', tenant => :'t')), 'backlog', 'indeed');

select * from finish();
rollback;
