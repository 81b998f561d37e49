-- How batches submit their lines: by pages, and one by one where a line is at fault.

-- submit_batch: submits a page of lines of one part that are not tasks yet, or as many of them as
-- the queue accepts.
create or replace function sluice.submit_batch(p_batch sluice.batch, p_now timestamptz) returns void
language plpgsql volatile
as $$
declare
  v_begun timestamptz := clock_timestamp();
  v_before int := sluice.part_begin(p_batch.input_file, p_batch.position);
  v_count int := (select p.lines from sluice.file_part p where p.file = p_batch.input_file
    and p.n = p_batch.position);
  v_lines int[];
  v_models text[];
  v_drafts sluice.task_draft[];
  v_chosen int;
  v_settled int;
begin
  if v_count is null then
    update sluice.batch_line b set error_code = 'SL006', error = 'the input file is gone'
    where b.batch = p_batch.id and b.task_id is null and b.error_code is null;
    update sluice.batch set phase = 'run', position = 0, look_at = p_now where id = p_batch.id;
    return;
  end if;
  -- Not joined: what the planner believes of a table that is empty most of the time would make it
  -- all lines of the batch times those of the part (15,000 lines: 2 to 20 s a step, so 0.1).
  select array_agg(b.line order by b.line), array_agg(b.model order by b.line) into v_lines,
    v_models from (
    select b.line, b.model from sluice.batch_line b
    where b.batch = p_batch.id and b.line between v_before + 1 and v_before + v_count
      and b.task_id is null and b.error_code is null order by b.line
        limit sluice.batch_page_lines()) b;
  -- The body byte for byte as it was sent: a piece of a json is its text.
  v_chosen := coalesce(cardinality(v_lines), 0);
  v_drafts := array(
    select sluice.draft_of(row(null, v_models[array_position(v_lines, l.line)], null,
      p_batch.tenant, null, p_batch.expires_at, null,
      null, l.body::json -> 'body', null, null, p_batch.id, null, null,
      case when strpos(l.body, '"affinity_key"') > 0 then l.body::json ->> 'affinity_key' end)
      ::sluice.task_draft)
    from sluice.batch_part(p_batch.input_file, p_batch.position) l where l.line = any (v_lines)
    order by l.line);
  v_settled := sluice.submit_lines(p_batch, v_lines, v_drafts, p_now);
  update sluice.batch
  set position = p_batch.position + (v_settled = v_chosen
    and v_chosen < sluice.batch_page_lines())::int,
    look_at = case when v_settled = v_chosen then p_now
      when v_settled = 0 then sluice.next_look(p_batch, '1 s', v_begun, p_now)
      else p_now + interval '1 s' end
  where id = p_batch.id;
end
$$;

-- submit_lines: submits the first of these lines: all or, while the queue refuses so many, half of
-- them, and so on.
-- Params:  p_lines: their numbers, ascending; p_drafts: their tasks.
-- Returns: how many lines are settled: submitted, or refused for good.
create or replace function sluice.submit_lines(
  p_batch sluice.batch, p_lines int[], p_drafts sluice.task_draft[], p_now timestamptz) returns int
language plpgsql volatile
as $$
declare
  v_count int := coalesce(cardinality(p_lines), 0);
  v_ids bigint[];
begin
  while v_count > 0 loop
    begin
      perform sluice.check_drafts(p_drafts[:v_count], true, p_now);
      v_ids := sluice.submit_drafts(p_drafts[:v_count], null,
        array_fill(p_batch.api_key, array[v_count]), 1, p_now);
      update sluice.batch_line b set task_id = v_ids[array_position(p_lines, b.line)]
      where b.batch = p_batch.id and b.line between p_lines[1] and p_lines[v_count]
        and b.line = any (p_lines[:v_count]);
      return v_count;
    exception
      when sqlstate 'SL003' or sqlstate 'SL005' then
        v_count := v_count / 2;
      when others then
        return sluice.submit_lines_singly(p_batch, p_lines[:v_count],
          array(select to_json(d)::text from unnest(p_drafts[:v_count]) d), p_now);
    end;
  end loop;
  return 0;
end
$$;

-- submit_lines_singly: submit_lines one by one, so that a line at fault fails alone.
create or replace function sluice.submit_lines_singly(
  p_batch sluice.batch, p_lines int[], p_tasks text[], p_now timestamptz)
returns int
language plpgsql volatile
as $$
declare
  v_count int[] := array[cardinality(p_lines)];
  v_lines int[];
  v_ids bigint[];
  v_codes text[];
  v_errors text[];
begin
  select array_agg(p_lines[e.place] order by e.place), array_agg(e.id order by e.place),
    array_agg(e.code order by e.place), array_agg(e.message order by e.place)
  into v_lines, v_ids, v_codes, v_errors
  from sluice.submit_places(array(select generate_series(1, v_count[1])), p_tasks,
    array_fill(p_batch.tenant, v_count), null, null, array_fill(p_batch.api_key, v_count), null,
    p_now) e
  where e.code is null or e.code not in ('SL003', 'SL005', '55P03');
  update sluice.batch_line b
  set task_id = v_ids[array_position(v_lines, b.line)],
    error_code = v_codes[array_position(v_lines, b.line)],
    error = v_errors[array_position(v_lines, b.line)]
  where b.batch = p_batch.id and b.line between v_lines[1] and v_lines[cardinality(v_lines)]
    and b.line = any (v_lines);
  return coalesce(cardinality(v_lines), 0);
end
$$;
