-- What is checked before a job begins.

-- job_ids_max: how many tasks a job may be given by their ids: several pages of a list. The filter
-- is stored with the job, and every list of jobs shows it.
create or replace function sluice.job_ids_max() returns int
language sql immutable parallel safe
as $$ select 200 $$;

-- check_job: SL004 for arguments of start_job that do not go together.
create or replace function sluice.check_job(
  p_action text, c sluice.job_conditions, p_target text, p_priority int)
returns void
language plpgsql immutable
as $$
declare
  v_statuses text[] := case p_action when 'redrive' then array['failed', 'cancelled', 'expired']
    when 'forget' then array['solved', 'failed', 'cancelled', 'expired']
    when 'cancel' then array['unsolved', 'queued', 'processing']
    else array['unsolved', 'queued'] end;
  v_fault record;
begin
  select f.key, f.message, f.hint into v_fault from (values
    ('action', coalesce(p_action, '') <> all (array['redrive', 'cancel', 'move', 'prioritise',
       'forget']),
     format('the action "%s" is unknown', left(p_action, 50)),
     'It is redrive, cancel, move, prioritise or forget.'),
    ('target', p_target is null and p_action = 'move'
       or p_target is not null and p_action not in ('move', 'redrive'),
     'a move needs a target, a redrive may have one, and nothing else has one',
     'It is a model''s or a route''s name.'),
    ('priority', (p_priority is not null) <> (p_action = 'prioritise'),
     'prioritise needs a priority, and nothing else has one', '-100 to 100, higher first.'),
    ('priority', p_priority not between -100 and 100,
     format('priority %s is not between -100 and 100', p_priority), 'Higher comes first.'),
    ('ids', cardinality(c.ids) not between 1 and sluice.job_ids_max()
       or exists (select from unnest(c.ids) i where i is null),
     format('ids are 1 to %s numbers', sluice.job_ids_max()),
     'For more tasks there are conditions, such as {"batch_id": 7}.'),
    ('model', num_nonnulls(c.model, c.route) = 2, 'model and route cannot both be given',
     'A task names one of them.'),
    ('status', c.status <> all (v_statuses),
     format('%s does not concern tasks with the status "%s"', p_action, left(c.status, 50)),
     'The status is ' || array_to_string(v_statuses, ', ') || '.'),
    ('error_code', num_nonnulls(c.error_code, c.error_like, c.message) > 0
       and p_action not in ('redrive', 'forget'), 'only finished tasks have an error',
     'error_code, error_like and message are for redrive and forget.'),
    ('message', length(c.message) > 200, 'message has more than 200 characters',
     'It is an error as sluice.normal_message writes it.'),
    ('everything', num_nonnulls(c.status, c.model, c.route, c.tenant, c.batch_id, c.since, c.until,
       c.error_code, c.error_like, nullif(c.metadata, '{}'), c.message, c.ids) = 0
       and c.everything is not true, 'there is no condition',
     'Give one, such as {"model": "m"}, or {"everything": true}.')) f(key, is_wrong, message, hint)
  where f.is_wrong limit 1;
  if found then
    raise exception '%', v_fault.message using errcode = 'SL004', column = v_fault.key,
      hint = v_fault.hint;
  end if;
end
$$;

-- check_target: refuses a target that does not exist, or that none of the first page of tasks in
-- question fits, or none of the chosen ones; for a filter of one tenant also what that tenant may
-- not use.
-- Errors:  SL001; SL004, SL009 as refuse_excess.
create or replace function sluice.check_target(p_job sluice.job, p_tenant text) returns void
language plpgsql volatile
as $$
declare
  v_filter sluice.task_filter := sluice.job_filter(p_job);
  v_priority int := coalesce(p_job.priority::int, -100);
  v_ids bigint[];
begin
  if p_job.target is not null then
    perform sluice.target(p_job.target, false);
  end if;
  perform sluice.refuse_excess(p_tenant, v_priority, p_job.target) from sluice.limits_of(p_tenant) l
  where sluice.exceeds(l, v_priority, p_job.target);
  if p_job.target is null then
    return;
  elsif v_filter.ids is not null then
    v_ids := array(
      select distinct i from jsonb_array_elements_text(p_job.position -> 'places') e
      cross join lateral sluice.meant_page(e, v_filter, p_job.action = 'redrive', 0,
        (p_job.position ->> 'until')::bigint, sluice.job_ids_max(), sluice.job_ids_max()) c
      cross join unnest(c.ids) i);
  elsif p_job.action = 'move' then  -- the page of a redrive would be locked
    v_ids := (select n.ids
      from sluice.next_page(v_filter, false, p_job.position, sluice.job_page_tasks()) n);
  end if;
  if v_ids <> '{}' and sluice.fitting(p_job, v_ids) = '{}' then
    raise exception 'none of the tasks fits "%"', left(p_job.target, 200)
      using errcode = 'SL001', column = 'target',
      hint = 'A verbatim request fits models of its own api; a prompt must fit tpm; '
             'a tenant may be limited to some models.';
  end if;
end
$$;
