begin;
\ir ../_helpers.sql
select plan(4);

select given_model() as m \gset
select given_route(:'m') as r \gset
select 'queue_' || id_of(:'m') as line, sluice.tenant_key('default') as tenant, 'backlog_' || id_of(:'m') as backlog \gset
select given_task(:'m', p_now => at(5)), given_task(:'m', p_now => at(3)), given_task(:'m', 1, p_now => at(1)) \g /dev/null
insert into sluice.backlog (task_id, ready_at, model, request_bytes, fence, rank, attempts, due, route, tenant) values
  (1, at(2), id_of(:'m'), 1, 0, 0, 0, true, null, 'default'), (2, at(1), id_of(:'m'), 1, 0, 0, 0, false, null, 'default'),
  (4, at(1), id_of(:'m'), 1, 0, 0, 0, true, null, 'another'),
  (3, at(4), null, 1, 0, 0, 0, true, :'r', 'default');
select is(sluice.first_below_mark(:'line', 0::smallint, :tenant, at(9)), at(3), 'the first of its rank');
select is(sluice.first_below_mark(:'line', 0::smallint, :tenant, at(3)), null, 'a row at the mark is not below it');
select is(sluice.first_below_mark(:'backlog', 0::smallint, :tenant, at(9)), at(2), 'a model''s backlog: only what is due, of that tenant');
select is(sluice.first_below_mark('route_' || :'r', 0::smallint, :tenant, at(9)), at(4), 'a route''s backlog');

select * from finish();
rollback;
