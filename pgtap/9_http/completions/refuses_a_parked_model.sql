-- sluice.require_open, sluice.refuse_parked
begin;
\ir ../../_helpers.sql
select plan(11);

select given_model() as m, given_model() as n, format('route-%s', pg_backend_pid()) as r \gset
select sluice.configure_route(:'r', jsonb_build_object(:'m', 1, :'n', 1)) \g /dev/null
-- refused: how a completion for p_name is refused.
create function refused(p_name text, p_tenant text default 'default', p_key text default null)
returns text language sql
as $$ select concat_ws(' ', e.code, e.message) from error_of(format(
  'select sluice.task_of_body(%L, %L, %L)', jsonb_build_object('api', 'solve', 'request',
  jsonb_build_object('model', p_name)), p_tenant, p_key)) e $$;

select is(refused(:'m'), '', 'one that is open is not');
select sluice.close_model(:'m', now() + interval '1 hour') \g /dev/null
select is(refused(:'m'), '', 'nor one that opens by itself');
select sluice.close_until(:'m', 'infinity', 'credential: HTTP 401', 'hush') \g /dev/null
select is(refused(:'m'), format('SL003 model "%1$s" is parked until somebody runs sluice model '
  'resume %1$s (credential: HTTP 401)', :'m'), 'a parked one is, with the reason for everybody');
select is(refused(:'r'), '', 'not a route of which a model is open');
update sluice.routes set weight = 0 where route = :'r' and model = :'n';
select matches(refused(:'r'), 'SL003 all models of route', 'but where none may take it');
update sluice.routes set weight = 1 where route = :'r' and model = :'n';
select sluice.close_model(:'n', 'infinity') \g /dev/null
select matches(refused(:'r'), 'SL003 all models of route', 'or none at all');
insert into sluice.fallbacks values (:'r', 'breaker_open', :'m');
select is(refused(:'r'), '', 'unless another may take over');
select sluice.submit('x', :'m', idempotency_key => 'k') \g /dev/null
select is(refused(:'m', 'default', 'k'), '', 'a repeated task is let through');
select matches(refused(:'m', 'default', 'other'), 'SL003', 'and no other');

select sluice.close_until(:'m', 'infinity', 'refused: HTTP 403', 'hush') \g /dev/null
update sluice.models set closed_reason = 'refused: HTTP 403' where name = :'m';
insert into sluice.refusal (model, tasks, tenants) values (id_of(:'m'), '{}', '{default}')
on conflict (model) do update set tenants = excluded.tenants;
select matches(refused(:'m'), 'SL003', 'its own refusal');
select is(refused(:'m', 'other'), '', 'not that of others: it opens the model');

select * from finish();
rollback;
