-- Procedures generated for each line that store a new task (generated.sql).

-- prefix_time_text: the text of prefix_time_<l>: when a new task is ready, as the order goes
-- (4_policy/prefix_order.sql). A line has it once its order is by prefix. It stays when that is
-- taken back, for submits that are about to call it.
create or replace function sluice.prefix_time_text(p_by_prefix boolean) returns text
language sql immutable
as $$
  select format($sql$
    create or replace function sluice.prefix_time_%%1$s(
      p_affinity_key text, p_prompt text, p_request text, p_at timestamptz) returns timestamptz
    language plpgsql stable
    as $body$
    begin
      return %s;
    end
    $body$
    $sql$, case when p_by_prefix then 'sluice.prefix_time(sluice.prefix_of(p_affinity_key,
        p_prompt, p_request), p_at, (select prefix_wait from sluice.settings))' else 'p_at' end)
$$;

-- add_text: the text of add_<l>, which stores one new task, puts it into the line, or into later
-- until its time, and takes headroom for it in the gauges. It locks the queue or the model's gauge,
-- so no model is deleted under an open submit; of a version's line, submit holds both. It is a
-- procedure because EXECUTE need not plan a CALL, and has one argument because each costs 5,000
-- instructions. One statement inserts both rows: 17,000 instructions less than two.
-- Params:  p_version: of the payloads of this line's tasks; null: they have none; p_by_prefix: its
--          order is by prefix, so ready_at is not the time of the submit. Then the fence of a row
--          begins with 1, and that of its first lease is 2: for leases with fence 1 end_solved
--          takes ready_at as the time of the submit.
create or replace function sluice.add_text(
  p_line int, p_version text default null, p_by_prefix boolean default false)
returns text
language sql immutable
as $$
  select format($sql$
    create or replace procedure sluice.add_%%1$s(p_new sluice.submission)
    language plpgsql
    as $body$
    begin
      %s
      if p_new.max_queue is not null then
        if nextval('sluice.waits_%%1$s') > p_new.max_queue then
          perform sluice.accept('line', '%%2$s', 1, p_new.max_queue, 1, p_new.created_at);
        end if;
      end if;
      if p_new.later then
        %s
        insert into sluice.later (task_id, ready_at, deadline, model, request_bytes, fence, rank,
          attempts, route, tenant)
        values (p_new.id, greatest(p_new.run_at, p_new.created_at), p_new.deadline, p_new.model,
          p_new.request_bytes, 0, -p_new.priority, 0, p_new.route, p_new.tenant);
        %s;
      else
        with waiting as (
          insert into sluice.queue_%%1$s (task_id, ready_at, deadline, model, request_bytes, fence,
            rank, attempts, tenant)
          values (p_new.id, %s, p_new.deadline, p_new.model, p_new.request_bytes, %s,
            -p_new.priority, 0, p_new.tenant))
        %s;
      end if;
    end
    $body$
    $sql$, case when p_line > 0 then $sql$if p_new.full_at is not null then
        if nextval('sluice.load_%1$s') > p_new.full_at then
          perform sluice.accept('model', '%2$s', 1, null, 1, p_new.created_at);
        end if;
      end if;$sql$ end,
        case when p_line > 0 then $sql$perform pg_sequence_last_value('sluice.load_%1$s');$sql$ end,
        t.stored, case when p_by_prefix then 'sluice.prefix_time_%1$s(null, p_new.prompt,
            p_new.request, p_new.created_at)' else 'p_new.created_at' end, p_by_prefix::int,
        t.stored)
  from (values ($sql$insert into sluice.task (id, created_at, run_at, deadline, batch_id, model,
          max_output_tokens, priority, max_attempts, route, api, tenant, traceparent, metadata,
          prompt, request$sql$ || case when p_version is null then '' else ', schema_version' end
        || $sql$)
        values (p_new.id, p_new.created_at, p_new.run_at, p_new.deadline, p_new.batch_id,
          p_new.model, p_new.max_output_tokens, p_new.priority, p_new.max_attempts, p_new.route,
          p_new.api, p_new.tenant, p_new.traceparent, p_new.metadata, p_new.prompt,
          p_new.request$sql$ || coalesce(', ' || quote_literal(p_version), '')
        || ')')) t(stored)
$$;

-- add_plain_text: the text of add_plain_<l>: add_<l> for a task of no bounded model or version that
-- has no more than a plain_submission. 16,000 instructions less: each field costs 1,000, each if
-- 1,500.
create or replace function sluice.add_plain_text(p_by_prefix boolean default false) returns text
language sql immutable
as $$
  select format($sql$
    create or replace procedure sluice.add_plain_%%1$s(p_new sluice.plain_submission)
    language plpgsql
    as $body$
    begin
      with waiting as (
        insert into sluice.queue_%%1$s (task_id, ready_at, model, request_bytes, fence, rank,
          attempts, tenant)
        values (p_new.id, %s, p_new.model, p_new.request_bytes, %s, -p_new.priority, 0,
          p_new.tenant))
      insert into sluice.task (id, created_at, batch_id, model, priority, route, tenant, prompt)
      values (p_new.id, p_new.created_at, p_new.batch_id, p_new.model, p_new.priority, p_new.route,
        p_new.tenant, p_new.prompt);
    end
    $body$
    $sql$, case when p_by_prefix then 'sluice.prefix_time_%1$s(null, p_new.prompt, null,
          p_new.created_at)' else 'p_new.created_at' end, p_by_prefix::int)
$$;
