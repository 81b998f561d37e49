-- sluice.reopen_refused, sluice.others_wait, sluice.refusing_tenants_max
begin;
\ir ../../_helpers.sql
select plan(8);

select given_worker() as w \gset
select given_model() as m \gset
update sluice.models set backoff_base = '1 day', backoff_max = '1 day' where name = :'m';
create function waits(p_model text, variadic p_tenants text[]) returns boolean language sql
as $$ select sluice.others_wait(model_row(p_model), p_tenants) $$;
create function closed(p_model text) returns boolean language plpgsql
as $$
begin
  perform sluice.reopen_refused();
  return (model_row(p_model)).closed_until is not null;
end
$$;
select sluice.submit('q', :'m', tenant => 'a', p_now => at(1)) from generate_series(1, 4)
  \g /dev/null
select is(waits(:'m', 'b'), true, 'who waits');
select is(waits(:'m', 'a'), false, 'is not another');
select claimed(:w, 2) \g /dev/null
select is(waits(:'m', 'b'), true, 'nor who is called');
select completed(:w, refused(l.task_id, l.fence, 403)) from sluice.lease l \g /dev/null
select is((model_row(:'m')).closed_until, 'infinity', 'one tenant has parked it');
select is(closed(:'m'), true, 'and it stays so for that tenant');
select sluice.submit('q', :'m', tenant => 'b', p_now => at(3)) \g /dev/null
select is(closed(:'m'), false, 'not for another');
update sluice.models set closed_until = 'infinity', closed_reason = 'by hand' where name = :'m';
select is(closed(:'m'), true, 'what somebody closed stays closed');
update sluice.models set closed_until = 'infinity', closed_reason = 'refused: HTTP 403'
where name = :'m';
update sluice.refusal set tenants = '{x,y,z}';
select is(closed(:'m'), true, 'and what three were refused');

select * from finish();
rollback;
