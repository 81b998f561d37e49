-- sluice.claim
begin;
\ir ../../_helpers.sql
select plan(1);

select given_model() as m \gset
select given_tenant(rpm => 120) as t \gset
select given_worker() as w \gset
select sluice.submit_many(
  (select jsonb_agg(jsonb_build_object('prompt', 'question', 'model', :'m', 'tenant', :'t'))
  from generate_series(1, 300) n), at(0)) \g /dev/null
-- As a worker does: admits and claims, and wakes when the next of the held tasks can begin.
create function drive(p_model text, p_tenant text, p_worker bigint) returns bigint language plpgsql
as $$
declare
  v_now timestamptz := at(1);
begin
  while v_now < at(121) loop
    perform sluice.wake(v_now);
    perform claimed(p_worker, 5, v_now);
    v_now := greatest(v_now + interval '1 millisecond',
      (sluice.next_work(array[id_of(p_model)], v_now)).wake_at);
  end loop;
  return (select count(*) from sluice.lease where tenant = p_tenant);
end
$$;
select cmp_ok(drive(:'m', :'t', :w), '>=', (2 * 120 * 0.98)::bigint, 'two minutes use 98 % of it');

select * from finish();
rollback;
