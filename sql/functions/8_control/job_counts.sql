-- How many tasks a job is about, before it begins.

-- job_count_time: for how long the tasks of a new job are counted before the rest is estimated.
create or replace function sluice.job_count_time() returns interval
language sql immutable parallel safe
as $$ select interval '100 ms' $$;

-- count_job: how many tasks a job that has not begun is about. Counts page by page for
-- job_count_time(), then takes samples.
-- Returns: matched; is_estimate.
create or replace function sluice.count_job(
  p_job sluice.job, out matched bigint, out is_estimate boolean)
language plpgsql volatile
as $$
declare
  c_rows constant int := 250;  -- at a time: some 2 ms of work (D-385)
  v_filter sluice.task_filter := sluice.job_filter(p_job);
  v_until bigint := (p_job.position ->> 'until')::bigint;
  v_stop timestamptz := clock_timestamp() + sluice.job_count_time();
  v_place text;
  v_after bigint;
  v_page record;
begin
  matched := 0;
  is_estimate := false;
  for v_place in
    select distinct e from jsonb_array_elements_text(p_job.position -> 'places') e
  loop
    v_after := 0;
    while not is_estimate loop
      v_page := sluice.count_page(v_place, v_filter, p_job.action = 'redrive', v_after, v_until,
        least(sluice.page_rows(v_filter, 1000), c_rows));
      exit when v_page.last is null;
      matched := matched + v_page.matched;
      v_after := v_page.last;
      is_estimate := v_filter.ids is null and clock_timestamp() >= v_stop;
    end loop;
    if is_estimate then
      matched := matched + sluice.sample_place(v_place, v_filter, p_job.action = 'redrive',
        v_after, v_until, v_stop + sluice.job_count_time());
    end if;
  end loop;
end
$$;

-- count_page: how many of the next p_rows rows of a place meet the conditions. It rests afterwards
-- for as long as it took: claims may be waiting for the processor (D-385).
-- Params, returns: as meant_page.
create or replace function sluice.count_page(
  p_place text, p_filter sluice.task_filter, p_unsolved boolean, p_after bigint, p_until bigint,
  p_rows int, out matched bigint, out last bigint, out rows bigint)
language plpgsql volatile
as $$
declare
  v_begun timestamptz := clock_timestamp();
begin
  select cardinality(m.ids), m.last, m.rows into matched, last, rows
  from sluice.meant_page(p_place, p_filter, p_unsolved, p_after, p_until, p_rows, p_rows) m;
  perform pg_sleep(extract(epoch from clock_timestamp() - v_begun)) where last is not null;
end
$$;

-- sample_place: an estimate of how many tasks of a place, with ids above p_after, meet the
-- conditions: from 100 rows behind each of 16 ids that are evenly spaced, as far as there is time;
-- behind four of them in any case, or one, if the time was over long ago.
create or replace function sluice.sample_place(
  p_place text, p_filter sluice.task_filter, p_unsolved boolean, p_after bigint, p_until bigint,
  p_stop timestamptz)
returns bigint
language plpgsql volatile
as $$
declare
  c_samples constant int := 16;
  c_rows constant int := 100;
  v_samples int := 0;
  v_step bigint := greatest(1, (p_until - p_after) / c_samples);
  v_from bigint;
  v_page record;
  v_shares numeric := 0;  -- of the ids that each sample has seen, those that match
begin
  -- In an order that is spread out however early it ends.
  for v_from in
    select p_after + ((n * 5) % c_samples) * v_step from generate_series(0, c_samples - 1) n
  loop
    exit when v_from >= p_until or clock_timestamp() >= p_stop
      and v_samples >= case when clock_timestamp() >= p_stop + sluice.job_count_time() then 1
        else 4 end;
    v_samples := v_samples + 1;
    v_page := sluice.count_page(p_place, p_filter, p_unsolved, v_from,
      least(v_from + v_step, p_until), c_rows);
    -- An empty page, or one that is not full, has been looked at up to its end. Each sample stands
    -- for as many ids, however few of them it had to see.
    v_shares := v_shares + coalesce(v_page.matched, 0)::numeric
      / case when v_page.rows = c_rows then v_page.last - v_from else v_step end;
  end loop;
  return case when v_samples = 0 then 0
    else (v_shares / v_samples * (p_until - p_after))::bigint end;
end
$$;
