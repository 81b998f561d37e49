-- The tests' vocabulary of jobs; after _helpers.sql.

-- given_failed: p_count tasks of a model that have failed with p_error.
create function given_failed(p_model text, p_count int, p_error text default 'HTTP 500',
  p_now timestamptz default at(0), p_tenant text default 'default') returns bigint[]
  language plpgsql
as $$
declare
  v_worker bigint := given_worker(array[p_model], p_now);
  v_ids bigint[];
begin
  for n in 1 .. p_count loop
    v_ids := v_ids || given_task(p_model, p_now => p_now, tenant => p_tenant, prompt => 'q' || n);
  end loop;
  perform claimed(v_worker, p_count, p_now + interval '1 second');
  perform sluice.complete(v_worker, array(select told(i, 'failed', error => p_error,
    error_code => 'http_500', http_status => 500, input_tokens => 3) from unnest(v_ids) i),
    p_now + interval '2 seconds');
  return v_ids;
end
$$;

-- job_of: a job as it is.
create function job_of(p_id bigint) returns sluice.job language sql
as $$ select j from sluice.job j where j.id = p_id $$;

-- stepped: makes p_steps steps of a job, or all; the job afterwards.
create function stepped(p_id bigint, p_steps int default 1000, p_now timestamptz default at(100))
returns sluice.job language plpgsql
as $$
declare
  v_job sluice.job;
begin
  for n in 1 .. p_steps loop
    v_job := job_of(p_id);
    exit when v_job.finished_at is not null;
    perform sluice.advance_job(v_job, p_now);
  end loop;
  return job_of(p_id);
end
$$;
