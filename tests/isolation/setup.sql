-- The common setup of the specs: three models, a task, two workers, and each move as one step that
-- prints nothing. A permutation is judged by its verdict. Model t counts tokens. Worker 1 has not
-- been heard of for an hour; worker 2 is well and judges.
create schema isolation;
set search_path = isolation;
insert into sluice.models (name, url, tpm) values
  ('m', 'http://127.0.0.1:1', null), ('n', 'http://127.0.0.1:1', null),
    ('t', 'http://127.0.0.1:1', 6000000);
-- With a mark, as a lane has that has given rows.
set role sluice_owner;
select sluice.set_mark(id, 0::smallint, sluice.tenant_key('default'), '-infinity')
from sluice.models where name = 'm';
reset role;
-- The completions applied by complete(), in the transaction that did it.
create table applied (worker bigint, kind text);
-- The tokens reserved by the first claim of a task of model t.
create table reserved (tokens bigint);

create function task() returns bigint language sql as $$ select max(id) from sluice.task $$;

-- queued: a queued task, and nothing else.
create function queued() returns void language plpgsql
as $$
declare
  v_long_ago timestamptz := clock_timestamp() - interval '1 hour';
begin
  delete from sluice.task; delete from sluice.result; delete from sluice.later;
    delete from sluice.queue;
  delete from sluice.lease; delete from sluice.attempt; delete from sluice.worker;
    delete from sluice.cancellation;
  delete from sluice.job; delete from sluice.spent; delete from isolation.applied;
    delete from isolation.reserved;
  perform sluice.register_worker('1', 10, p_now => v_long_ago),
    sluice.register_worker('2', 10, p_now => v_long_ago);
  update sluice.worker set id = name::bigint, seen = case name when '2' then clock_timestamp()
    else seen end;
  -- The clock is set back for this: so are the marks.
  perform sluice.lower_marks(id, '{0}', array[sluice.tenant_key('default')],
    array[v_long_ago - interval '1 minute']) from sluice.models;
  perform sluice.submit('question', 'm', p_now => v_long_ago - interval '1 second');
end
$$;

-- two_leased: worker 1 has one task of each model.
create function two_leased() returns void language plpgsql
as $$
begin
  perform isolation.queued();
  perform sluice.submit('question', 'n', p_now => clock_timestamp() - interval '1 hour 1 second');
  perform sluice.claim(1, array[name], 1, clock_timestamp() - interval '1 hour') from sluice.models
    where name in ('m', 'n');
end
$$;

-- leased: the task is with worker 1.
create function leased() returns void language plpgsql
as $$
begin
  perform isolation.queued();
  perform sluice.claim(1, p_now => clock_timestamp() - interval '1 hour');
end
$$;

-- leased_tokens: a task of model t, and nothing else, is with worker 1, since just now: what is an
-- hour old is not booked.
create function leased_tokens() returns void language plpgsql
as $$
begin
  perform isolation.queued();
  delete from sluice.queue;
  delete from sluice.task;
  perform sluice.submit('question', 't');
  perform sluice.claim(1, array['t']);
  insert into isolation.reserved select reserved_tokens from sluice.lease;
end
$$;

-- held: the queued task is of a tenant without a permit for the next minute: a claim passes it
-- over.
create function held() returns void language plpgsql
as $$
begin
  perform isolation.queued();
  delete from sluice.tenants where name = 'limited';
  insert into sluice.tenants (name) values ('limited');
  delete from sluice.queue;
  delete from sluice.task;
  perform sluice.submit('question', 'm', tenant => 'limited',
    p_now => clock_timestamp() - interval '1 second');
  update sluice.tenants set rpm = 1 where name = 'limited';
end
$$;

-- failed: the task is among the dead letters.
create function failed() returns void language plpgsql
as $$
begin
  perform isolation.leased();
  perform isolation.complete(1, 'failed');
end
$$;

-- redrive: that the task is not finished (any more) is no news.
create function redrive() returns void language plpgsql
as $$
begin
  perform sluice.redrive(isolation.task());
exception when sqlstate 'SL004' then
  null;
end
$$;

create function claim() returns void language plpgsql
as $$ begin perform sluice.wake(), sluice.claim(2); end $$;
create function recover() returns void
  language plpgsql as $$ begin perform sluice.recover(2); end $$;
create function cancel() returns void
  language plpgsql as $$ begin perform sluice.cancel(isolation.task()); end $$;

-- move: a step of a job that moves the tasks of model m to model n.
create function move() returns void language plpgsql
as $$
begin
  perform sluice.start_job('move', '{"model": "m"}', target => 'n');
  perform sluice.advance_job(j, clock_timestamp()) from sluice.job j;
end
$$;

-- complete: a worker reports on the first claim: 30 tokens.
create function complete(p_worker bigint, p_kind text) returns void language plpgsql
as $$
begin
  insert into isolation.applied
  select p_worker, p_kind from sluice.complete(p_worker,
    array[row(isolation.task(), 1, p_kind, 'answer', null, null, null,
    null, null, 10, 20, null)::sluice.outcome]) where applied;
end
$$;

-- complete_both: a worker reports on both calls, the later task first.
create function complete_both(p_kind text) returns void language plpgsql
as $$
begin
  perform sluice.complete(1,
    (select array_agg(row(l.task_id, 1, p_kind, 'answer', null, null, null, null, null, null, null,
    null)::sluice.outcome order by l.task_id desc) from sluice.lease l));
end
$$;

-- verdict: where the task is now; and what must never be. STUCK: neither at its end nor to be
-- claimed again.
create function verdict() returns text language plpgsql
as $$
declare
  v_places text[] := array(
    select 'later' from sluice.later union all select 'queue' from sluice.queue
    union all select 'lease of ' || worker from sluice.lease union all select status
      from sluice.result);
  -- a repeat is no second end
  v_ends int := (select count(distinct worker) from isolation.applied where kind = 'solved');
begin
  -- A claim passed over a row that a cancel had locked and gave back: that is for the sweep to
  -- find.
  perform setval('sluice.sweep_after', 0), sluice.sweep();
  perform isolation.recover();
  perform isolation.claim();
  return array_to_string(v_places, ' and ')
    || case when cardinality(v_places) = 0 then 'LOST' when cardinality(v_places) > 1
      then ': TWICE' else '' end
    || case when not exists (select from sluice.lease where worker = 2
      union all select from sluice.result) then ': STUCK'
       else '' end
    || case when v_ends > 1 then ': SOLVED TWICE' else '' end
    || case when (v_ends = 1) <> ('solved' = any (v_places)) then ': APPLIED IS NOT STORED'
      else '' end;
end
$$;

-- held_verdict: the verdict, when the tenant has no quota any more; and NOT HELD: it was started
-- without a permit.
create function held_verdict() returns text language plpgsql
as $$
declare
  v_started boolean := exists (select from sluice.lease);
begin
  update sluice.tenants set rpm = null where name = 'limited';
  return isolation.verdict() || case when v_started then ': NOT HELD' else '' end;
end
$$;

-- tokens_verdict: the verdict; and whether what is booked is what was used or, where nobody told,
-- reserved.
create function tokens_verdict() returns text language plpgsql
as $$
declare
  v_verdict text := isolation.verdict();
  v_booked bigint := (select coalesce(sum(tokens), 0) from sluice.spent);
  v_used bigint := (select case when exists (select from isolation.applied) then 30
    else tokens end from isolation.reserved)
    + (select coalesce(sum(reserved_tokens), 0) from sluice.lease where fence > 1);
begin
  return v_verdict || case when v_booked <> v_used then format(': BOOKED %s, NOT %s', v_booked,
    v_used) else '' end;
end
$$;
