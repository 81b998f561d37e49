-- What a worker of test_budget_history.py does in its session: steps at random, each of which is a
-- transaction. In SQL, because 10,000 histories have some half a million steps.
create schema history;

-- Calls of workers that died, whose outcomes may come late.
create table history.lost (worker bigint, task_id bigint, fence int);
-- How often what was done.
create table history.done (what text);

-- pick: 0 to p_count - 1, by a text. Not by random(), which Sluice's functions draw from, too.
create function history.pick(p_text text, p_count int) returns int language sql immutable
as $$ select (hashtextextended(p_text, 0) & 9223372036854775807) % p_count $$;

create function history.choose(p_text text, p_words text[]) returns text language sql immutable
as $$ select p_words[1 + history.pick(p_text, cardinality(p_words))] $$;

-- prepare: prices, one to three hard budgets, tasks, of the history p_run.
create procedure history.prepare(p_run int) language plpgsql
as $$
declare
  v_scopes text[] := array['tag', 'tenant', 'model'];
  v_subjects text[] := array[format('run=%s', p_run), format('s%s', p_run), 'a'];
  v_period text;
begin
  perform history.set_price(m, format('%s first %s', p_run, m), clock_timestamp())
  from unnest(array['a', 'b']) m;
  for n in 1 .. 1 + history.pick(format('%s budgets', p_run), 3) loop
    v_period := history.choose(format('%s %s period', p_run, n), array['day', 'month', 'rolling']);
    insert into sluice.budgets (name, scope, subject, period, rolling, zone, limit_nanos, at_limit)
    values (v_scopes[n], v_scopes[n], v_subjects[n], v_period,
      case v_period when 'rolling' then interval '1 day' end,
      -- seldom, for to check it takes 0.2 s
      case history.pick(format('%s %s zone', p_run, n), 20) when 0 then 'Asia/Kathmandu'
        else 'UTC' end,
      1000 + history.pick(format('%s %s limit', p_run, n), case p_run % 2 when 0 then 3000
        else 15000 end),
      history.choose(format('%s %s at limit', p_run, n), array['park', 'refuse']));
  end loop;
  perform history.submit(p_run, format('%s first %s', p_run, n)) from generate_series(1, 8) n;
end
$$;

-- set_price: other prices, which do not come into force while this transaction is open: no claim
-- could know them, and its calls may cost by them.
create function history.set_price(
  p_model text, p_seed text, p_from timestamptz default clock_timestamp() + interval '100 ms')
returns void language sql
as $$
  insert into sluice.prices (model, valid_from, input, cached_input, cache_write, output,
    per_request)
  select p_model, p_from, p[1], p[2], p[3], p[4], history.pick(p_seed || ' call', 51)
  from (select array(select 1000000 * (1 + history.pick(p_seed || n, 9))
    from generate_series(1, 4) n) as p) x
  on conflict do nothing
$$;

create function history.submit(p_run int, p_seed text) returns void language sql
as $$
  select sluice.submit(repeat('x', 1 + history.pick(p_seed || ' bytes', 100)),
    history.choose(p_seed || ' model', array['a', 'b']),
    tenant => history.choose(p_seed || ' tenant', array[format('s%s', p_run),
      format('t%s', p_run)]),
    max_output_tokens => 1 + history.pick(p_seed || ' answer', 50),
    metadata => jsonb_build_object('run', p_run::text))
$$;

-- complete: a call ends somehow, with at most the tokens that it may have.
create function history.complete(p_worker bigint, p_task bigint, p_fence int, p_seed text)
returns void language plpgsql
as $$
declare
  v_task sluice.task := (select t from sluice.task t where t.id = p_task);
  v_input int := history.pick(p_seed || ' in', octet_length(v_task.prompt) + 65);
  v_output int := history.pick(p_seed || ' out', v_task.max_output_tokens + 1);
  v_cached int := history.pick(p_seed || ' cached', v_input + 1);
  v_written int := history.pick(p_seed || ' written', v_input - v_cached + 1);
  v_kind text := history.choose(p_seed || ' kind', array['solved', 'solved', 'solved untold',
    'retry', 'retry untold', 'failed', 'returned']);
  v_told boolean := v_kind in ('solved', 'retry');
begin
  perform sluice.complete_with_usage(p_worker, array[row(p_task, p_fence, split_part(v_kind, ' ',
      1), 'a', null, 'e', case split_part(v_kind, ' ', 1) when 'retry' then 'http_500'
      when 'failed' then 'http_400' end, 200, null, case when v_told then v_input end,
      case when v_told then v_output end, case v_kind when 'solved' then true when 'failed'
      then false end)::sluice.outcome],
    array[row(case when v_told then v_cached end, case when v_told then v_written end,
      null)::sluice.usage]);
end
$$;

-- bury: what a worker had is lost, and taken back.
create function history.bury(p_worker bigint) returns void language plpgsql
as $$
begin
  insert into history.lost select l.worker, l.task_id, l.fence from sluice.lease l
  where l.worker = p_worker;
  update sluice.worker set dead_at = clock_timestamp() where id = p_worker;
  perform sluice.recover();
end
$$;

-- step: one step of a worker; returns the worker that goes on.
create function history.step(p_run int, p_worker bigint, p_what text, p_seed text)
returns bigint language plpgsql
as $$
declare
  v record;
begin
  case p_what
    when 'submit' then perform history.submit(p_run, p_seed);
    when 'claim', 'undone claim' then
      perform count(*) from sluice.claim(p_worker, array['a', 'b'], 1 + history.pick(p_seed, 5));
    when 'price' then
      perform history.set_price(history.choose(p_seed, array['a', 'b']), p_seed);
    when 'wake' then
      perform sluice.look_at_budgets(clock_timestamp()), sluice.wake();
    when 'crash' then
      perform history.bury(p_worker);
      insert into history.done values (p_what);
      return sluice.register_worker((select w.name from sluice.worker w where w.id = p_worker), 8,
        array['a', 'b']);
    when 'late' then
      delete from history.lost l where l.ctid = (select o.ctid from history.lost o
        order by o.task_id desc limit 1 for update skip locked)
      returning l.* into v;
      if found then
        perform history.complete(v.worker, v.task_id, v.fence, p_seed);
      end if;
    else
      select l.task_id, l.fence into v from (select l.*, row_number() over (order by l.task_id) - 1
          as n, count(*) over () as count from sluice.lease l where l.worker = p_worker) l
      where l.n = history.pick(p_seed, l.count::int);
      if found and p_what = 'hedge' then
        perform sluice.hedge(p_worker, v.task_id, v.fence);
      elsif found then
        perform history.complete(p_worker, v.task_id, v.fence, p_seed);
      end if;
  end case;
  insert into history.done values (p_what);
  return p_worker;
end
$$;

-- work: a worker's part in the history p_run. One whose session was terminated begins again with
-- the rest of its steps; it buries who it was.
-- What a caller may meet is passed over: a dead worker (SL010).
create procedure history.work(p_run int, p_number int, p_first int, p_last int) language plpgsql
as $$
declare
  c_steps constant text[] := array['submit', 'submit', 'claim', 'claim', 'claim', 'claim', 'claim',
    'undone claim', 'complete', 'complete', 'complete', 'complete', 'complete', 'hedge', 'hedge',
    'price', 'crash', 'late', 'late', 'wake', 'wake'];
  v_name text := format('w%s', p_number);
  v_worker bigint;
  v_seed text;
  v_what text;
  v_lease sluice.lease;
begin
  perform history.bury(w.id) from sluice.worker w where w.name = v_name and w.dead_at is null;
  v_worker := sluice.register_worker(v_name, 8, array['a', 'b']);
  commit;
  for v_step in p_first .. p_last loop
    v_seed := format('%s %s %s', p_run, p_number, v_step);
    v_what := history.choose(v_seed || ' what', c_steps);
    begin
      v_worker := history.step(p_run, v_worker, v_what, v_seed);
    exception when sqlstate 'SL010' then
      v_worker := sluice.register_worker(v_name, 8, array['a', 'b']);
    end;
    if v_what = 'undone claim' then
      rollback;
    else
      commit;
    end if;
  end loop;
  foreach v_lease in array array(select l from sluice.lease l where l.worker = v_worker) loop
    if history.pick(v_seed || v_lease.task_id, 3) > 0 then
      perform history.complete(v_worker, v_lease.task_id, v_lease.fence, v_seed || v_lease.task_id);
      commit;
    end if;
  end loop;
  perform sluice.unregister_worker(v_worker);
end
$$;

-- finish: the next history has budgets of its own, and few tasks of others.
create procedure history.finish(p_run int) language plpgsql
as $$
begin
  if p_run % 20 = 0 then
    perform sluice.cancel_all('a'), sluice.cancel_all('b');
  end if;
  delete from sluice.budgets;
  delete from history.lost;
end
$$;
