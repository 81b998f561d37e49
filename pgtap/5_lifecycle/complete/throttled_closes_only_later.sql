-- sluice.complete
begin;
\ir ../../_helpers.sql
select plan(7);

select given_model() as m \gset
select given_worker() as w \gset
create function throttled(p_worker bigint, p_model text, p_ms bigint) returns timestamptz
  language plpgsql
as $$
declare
  v_lease sluice.lease;
begin
  select l.* into v_lease from sluice.lease l where l.worker = p_worker order by l.task_id limit 1;
  perform completed(p_worker, told(v_lease.task_id, 'throttled', v_lease.fence,
    retry_after_ms => p_ms));
  return (select closed_until from sluice.models where name = p_model);
end
$$;
select given_tasks(:'m', 7) \g /dev/null
select claimed(:w, 7) \g /dev/null
select is(throttled(:w, :'m', 0), at(2.1), '"at once" means a tenth of a second');
update sluice.models set closed_until = null where name = :'m';
select is(throttled(:w, :'m', null), at(3), 'a backend that names no time: one second');
select is(throttled(:w, :'m', 30000), at(32), 'later');
select is(throttled(:w, :'m', 10000), at(32), 'never sooner');
select is(throttled(:w, :'m', 30500), at(32), 'less than a second is not worth a write');
select is(throttled(:w, :'m', 999999999999), at(3602), 'an absurd time: an hour');
update sluice.models set closed_until = 'infinity' where name = :'m';
select is(throttled(:w, :'m', 30000), 'infinity', 'a parked model stays parked');

select * from finish();
rollback;
