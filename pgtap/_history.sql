-- For tests of the history. They need the database alone: there is one look at a time.

-- given_looks: as if a look had counted everything up to p_now, and nothing were in the history.
create function given_looks(p_now timestamptz default at(0)) returns void language sql
as $$
  delete from sluice.history_row;
  delete from sluice.key_history_row;
  update sluice.history_look set at = p_now, since = p_now, marked_at = p_now, next_id = null,
    attempt = a.id, attempt_from = a.id, marked_attempt = a.id
  from (select coalesce(max(id), 0) + 1 as id from sluice.attempt) a;
$$;

-- counted: what the history of a model has now, as "solved failed cancelled expired".
create function counted(p_model text, p_step text default 'minute') returns text language sql
as $$
  select concat_ws(' ', coalesce(sum(solved), 0), coalesce(sum(failed), 0),
    coalesce(sum(cancelled), 0), coalesce(sum(expired), 0))
  from sluice.history where step = p_step and model = p_model
$$;

-- given_end: a task that ended as told by p_kind: submitted and ready at p_now, claimed a second
-- later, ended after another p_call_s. Returns its id.
create function given_end(p_model text, p_kind text default 'solved',
  p_now timestamptz default at(0), p_call_s numeric default 1, p_tenant text default 'default',
  p_input_tokens int default null, p_output_tokens int default null)
returns bigint language plpgsql
as $$
declare
  v_worker bigint := given_worker(array[p_model], p_now);
  v_task bigint := given_task(p_model, p_now => p_now, tenant => p_tenant);
begin
  perform claimed(v_worker, 1, p_now + interval '1 second');
  perform completed(v_worker, told(v_task, p_kind, input_tokens => p_input_tokens,
    output_tokens => p_output_tokens), p_now + (1 + p_call_s) * interval '1 second');
  return v_task;
end
$$;
