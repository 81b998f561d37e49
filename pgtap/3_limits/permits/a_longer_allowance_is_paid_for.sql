-- sluice.take_permits
begin;
\ir ../../_helpers.sql
select plan(6);

-- The greediest workers there can be for three minutes: everything that is granted at the moment
-- when it can be granted, now and then by a worker whose calls may go out a second later. A call
-- arrives at any time from its grant to 50 ms after its send-by time. Of tokens each has p_tokens.
create function granted(p_quota sluice.quota, p_tokens int default null)
returns table (first_at timestamptz, last_at timestamptz, units bigint) language plpgsql
as $$
declare
  v_now timestamptz := at(0);
begin
  while v_now < at(180) loop
    perform set_config('sluice.send_within_ms', case when random() < 0.1 then '1200' else '' end,
      true);
    units := coalesce(p_tokens, sluice.permits_now(p_quota, v_now));
    first_at := v_now;
    last_at := v_now + (sluice.send_within_ms() + 50) * interval '1 ms';
    perform sluice.take_permits(p_quota, units, v_now);
    return next;
    v_now := sluice.permit_at(p_quota, v_now);
  end loop;
end
$$;
-- The most units that may arrive in one window of a minute.
create function worst(p_grants regclass) returns bigint language plpgsql
as $$
declare
  v_worst bigint;
begin
  execute format('select max(n) from (select distinct last_at as s from %1$s) w cross join lateral
    (select sum(g.units) as n from %1$s g
     where g.last_at >= w.s and g.first_at < w.s + interval ''60 s'') x', p_grants) into v_worst;
  return v_worst;
end
$$;

select setseed(0.5) \g /dev/null
select given_model(rpm => 120) as m, given_model(tpm => 6000) as t \gset
create temp table calls on commit drop as
select g.* from granted(quota_of(:'m')) g;
select cmp_ok(count(*) filter (where last_at > first_at + interval '1 s'), '>', 5::bigint,
  'some had a longer allowance') from calls;
select cmp_ok(worst('calls'), '<=', 120::bigint, 'no window of a minute has more than rpm');
select cmp_ok(sum(units), '>', 240::numeric, 'and two thirds of the quota are used at least')
from calls;
create temp table tokens on commit drop as
select g.* from granted(sluice.token_quota(model_row(:'t')), 100) g;
select cmp_ok(worst('tokens'), '<', 6100::bigint,
  'nor one of tokens more than tpm and one request');

select set_config('sluice.send_within_ms', '3600000', true) \g /dev/null
select is(sluice.send_within_ms(), sluice.send_within_max_ms(), 'an allowance has an end');
select sluice.take_permits(quota_of(:'m'), sluice.permits_now(quota_of(:'m'), at(1000)), at(1000))
\g /dev/null
select cmp_ok(sluice.permit_at(quota_of(:'m'), at(1000)), '>', at(1004.8),
  'and its debt is not taken for that of a later clock');

select * from finish();
rollback;
