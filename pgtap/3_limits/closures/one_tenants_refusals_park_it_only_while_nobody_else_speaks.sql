-- sluice.may_be_tenants_fault, sluice.witness_interval, sluice.refused_tasks_max
begin;
\ir ../../_helpers.sql
select plan(13);

-- refused_of: tasks of p_tenant are submitted, claimed and refused with 403, each by itself.
-- Returns whether the model is parked then, how many tasks were refused in a row, and its witness.
create function refused_of(p_worker bigint, p_model text, p_tenant text, p_now numeric,
  p_count int default 2) returns text language plpgsql
as $$
begin
  perform sluice.submit('q', p_model, tenant => p_tenant, p_now => at(p_now))
  from generate_series(1, p_count);
  perform claimed(p_worker, p_count, at(p_now));
  perform completed(p_worker, refused(l.task_id, l.fence, 403), at(p_now)) from sluice.lease l;
  return (select concat_ws(' ', case when m.closed_until = 'infinity' then 'parked' else 'open' end,
      cardinality(r.tasks), r.witness) from sluice.refusal r join sluice.models m on m.id = r.model
    where m.name = p_model);
end
$$;
create function served(p_worker bigint, p_model text, p_tenant text, p_now numeric) returns text
language plpgsql
as $$
begin
  perform sluice.submit('q', p_model, tenant => p_tenant, p_now => at(p_now));
  perform claimed(p_worker, 1, at(p_now));
  perform completed(p_worker, told(l.task_id, 'solved', l.fence, answer => 'a'), at(p_now))
  from sluice.lease l;
  return (select witness from sluice.refusal where model = id_of(p_model));
end
$$;
create function resumed(p_model text) returns text language sql
as $$
  select sluice.resume(p_model);
  update sluice.breaker set heeded_change = m.calls_changed_at from sluice.models m
  where m.id = model;  -- as if its first call had gone alone
  select p_model;
$$;
select given_worker() as w \gset
select given_model() as m \gset
update sluice.models set backoff_base = '1 day', backoff_max = '1 day' where name = :'m';

select is(refused_of(:w, :'m', 'a', 1), 'parked 0', 'nobody else is there: parked');
select resumed(:'m') \g /dev/null
select is(refused_of(:w, :'m', 'a', 2, 1), 'open 1', 'refused once');
select is(served(:w, :'m', 'b', 3), 'b', 'who is served then is the witness');
select is(refused_of(:w, :'m', 'a', 4), 'open 2 b', 'and what another is refused is his own fault');
select is(refused_of(:w, :'m', 'a', 1800), 'open 2 b', 'for half an hour');
select is(served(:w, :'m', 'a', 1801), 'b', 'nobody takes the place of a witness');
select is(refused_of(:w, :'m', 'a', 1802), 'open 2 b', 'so no success of his own helps him');
select is(refused_of(:w, :'m', 'a', 1804), 'parked 0 b', 'then its word has lapsed');
select resumed(:'m') \g /dev/null
select is(refused_of(:w, :'m', 'a', 1805, 1), 'open 1 b', 'refused again');
select is(served(:w, :'m', 'c', 1806), 'c', 'and a new witness');
select is(refused_of(:w, :'m', 'c', 1807), 'parked 0', 'which is refused itself: parked');
select resumed(:'m') \g /dev/null
select refused_of(:w, :'m', 'a', 1808, 1), served(:w, :'m', 'b', 1808) \g /dev/null
select refused_of(:w, :'m', 'a', 1809, 1) \g /dev/null
select is(refused_of(:w, :'m', 'c', 1809, 1), 'open 2 b', 'two tenants may be to blame');
select is(refused_of(:w, :'m', 'd', 1810, 1), 'parked 0 b', 'three are not');

select * from finish();
rollback;
