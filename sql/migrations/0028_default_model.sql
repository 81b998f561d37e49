-- What a task without a model goes to: a model's or a route's name; null: such tasks are refused. Null here, also where tasks went
-- to route "any" until now: nobody is to pay for a model that nobody named.
alter table sluice.settings add column default_model text;

-- What clients write as JSON, where no table has these columns: their types are told from here.
create type sluice.closing as (until timestamptz, reason text);
create type sluice.new_key as (name text, tenant text, scopes text[]);
create type sluice.conditions as (
  model text, tenant text, metadata jsonb, batch_id bigint, since timestamptz, until timestamptz, everything boolean);
create type sluice.failed_conditions as (
  model text, tenant text, metadata jsonb, batch_id bigint, since timestamptz, until timestamptz, everything boolean,
  error_like text, error_code text);

-- They say which model was chosen, and which key is at fault (13_submit_each.sql); the default comes from outside (11_submit_many.sql).
drop function if exists sluice.submit_each(text[], text[], text[], text[], timestamptz),
  sluice.submit_each_in_order(text[], text[], text[], text[], timestamptz),
  sluice.submit_array(text, text, text, text, timestamptz), sluice.draft_of(sluice.draft),
  sluice.read_batch_line(text, text),
  sluice.fault(text, text, int, int, int, jsonb, text, text, text, int),
  sluice.is_plain(int, text, int, int, int, jsonb, text, text, text, int),
  sluice.check_task(text, text, int, int, int, jsonb, text, text, text, int);
