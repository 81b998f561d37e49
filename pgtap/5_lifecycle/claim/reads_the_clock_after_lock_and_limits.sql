begin;
\set alone
\ir ../../_helpers.sql
select plan(2);

-- The limit changes, by the clock, at the very moment at which the model's lock is asked for. Read
-- earlier, the clock would put the change into the future, where it does not count, and the full
-- bucket would be granted.
select given_model(rpm => 600) as m \gset
select given_worker() as w \gset
select given_tasks(:'m', 5, clock_timestamp() - interval '1 second') \g /dev/null
select is(sluice.permits_now(model_row(:'m'), clock_timestamp()) > 0, true,
  'the bucket is not empty');
create or replace function sluice.lock_class(p_name text) returns int language plpgsql volatile
as $$
begin
  if p_name = 'model' then
    update sluice.models set rpm = 1200 where rpm = 600;
  end if;
  return 731999;
end
$$;
select is((select count(*) from unnest(sluice.claim_from(id_of(:'m'), :w, 5, null))), 0::bigint,
  'after the change it is');

select * from finish();
rollback;
