-- Columns of rows that are made of another's say what that one's columns of the same name say. What
-- stands below the copies is their own.
do $$
declare
  v record;
begin
  for v in
    select c.copy, a.attname as name, col_description(o.attrelid, o.attnum) as text
    from (values ('dead_letters', 'tasks', null), ('found_task', 'tasks', null),
      ('attempts', 'tasks', '{cached_tokens,cache_write_tokens,reasoning_tokens}'),
      ('task_event', 'attempts',
        '{http_status,error_code,error,input_tokens,output_tokens,billed}'),
      ('outcome', 'attempts', '{task_id,http_status,input_tokens,output_tokens,billed}'),
      ('key_history', 'history', null), ('budget_row', 'budgets', null),
      ('price_row', 'prices', null), ('pricing', 'prices', null),
      ('shadow_hour_row', 'shadow_row', null), ('revisions', 'audit_log', '{at,who}'))
      c(copy, original, columns)
    join pg_attribute a on a.attrelid = ('sluice.' || c.copy)::regclass and a.attnum > 0
    join pg_attribute o on o.attrelid = ('sluice.' || c.original)::regclass
      and o.attname = a.attname
    where coalesce(a.attname = any (c.columns::text[]), true)
  loop
    execute format('comment on column sluice.%I.%I is %L', v.copy, v.name, v.text);
  end loop;
end
$$;

comment on column sluice.dead_letters.model is 'The model at which it failed.';
comment on column sluice.dead_letters.finished_at is 'When it failed.';

comment on column sluice.key_history.step is 'How long the row''s time is: hour or day.';
comment on column sluice.key_history.key is
  'The public part of the key, as sluice key ls shows it.';
comment on column sluice.key_history.key_name is 'Its name, where the reader may see it.';
comment on column sluice.key_history.tenant is 'Whose tasks.';

comment on type sluice.budget_row is 'How a budget stands, in whole units.';
comment on column sluice.budget_row.name is 'The budget.';
comment on column sluice.budget_row.limit is 'What calls may cost in the period.';
comment on column sluice.budget_row.spent is 'By calls that ended, in the present window.';
comment on column sluice.budget_row.held is 'What calls under way may cost.';
comment on column sluice.budget_row.left is 'What other calls may cost.';
comment on column sluice.budget_row.window_from is 'When the present window began.';
comment on column sluice.budget_row.opens_at is 'When the next one begins. Null: it rolls.';
comment on column sluice.budget_row.waiting is 'Tasks that it keeps waiting.';
comment on column sluice.budget_row.marks_hit is 'Which of its marks it has reached.';
comment on column sluice.budget_row.exhausted_at is
  'When it had nothing left for a task, in the present window. Null: it has not come to that.';
comment on column sluice.budget_row.limit_nanos is 'The limit in nano-units, as it is set.';

comment on type sluice.price_row is 'A row of sluice.prices, in whole units.';
comment on column sluice.price_row.in_force is 'Whether it is of the list that holds now.';

comment on type sluice.pricing is 'What set_price takes, in whole units.';
comment on column sluice.pricing.per_request is 'Of a call, beside its tokens. Null: 0.';
comment on column sluice.pricing.above_tokens is
  'Of calls with more input tokens than this. Null: 0, of all.';
comment on column sluice.pricing.valid_from is 'When they begin to hold. Null: now.';

comment on type sluice.shadow_hour_row is
  'What a shadow has counted in an hour. What shadow_hours returns.';
comment on column sluice.shadow_hour_row.at is 'When the hour began.';
comment on column sluice.shadow_hour_row.model is 'The model that was called.';
comment on column sluice.shadow_hour_row.calls is 'Calls that began; of a budget those that ended.';

comment on type sluice.found_task is
  'A task without its texts: what find_tasks returns.';
