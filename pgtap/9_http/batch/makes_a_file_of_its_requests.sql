begin;
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(5);

select given_speaker('anthropic-messages') as m \gset
select sluice.create_message_batch(format(E'{"requests": [{"custom_id": "a",
  "params": {"model": "%s",\r\n "n": 1.10}},
  {"params": {"model": "%s"}, "custom_id": "b\\n\\u0022"}]}', :'m', :'m'),
  't', at(0)) as shown \gset
select substr(:'shown'::jsonb ->> 'id', 10)::bigint as b \gset
select is(:'shown'::jsonb - 'id', '{"type": "message_batch", "processing_status": "in_progress",
  "archived_at": null, "request_counts": {"processing": 2, "succeeded": 0, "errored": 0,
  "canceled": 0, "expired": 0}, "created_at": "2040-01-01T00:00:00.000000Z",
  "expires_at": "2040-01-02T00:00:00.000000Z",
      "ended_at": null,
  "progress": {"total": 2, "completed": 0, "failed": 0,
  "in_progress_at": "2040-01-01T00:00:00.000000Z"},
    "cancel_initiated_at": null, "results_url": null}', 'shown');
select is((batch_row(:b)).phase, 'submit', 'it is validated at once');
select is(array(select custom_id from sluice.batch_line where batch = :b order by line),
  array['a', E'b\n"'], 'each line has its id');
select advanced(:b, 'run') \g /dev/null
select is((select request from sluice.task where id = (tasks_of_batch(:b))[1]),
  format('{"model": "%s",   "n": 1.10}', :'m'),
  'its request is sent as it came, but for the ends of lines');
select results_eq(format('select distinct tenant, deadline, batch_id, model from sluice.task '
                         'where id = any (tasks_of_batch(%s))', :b),
  format($$values ('t', at(86400), %s::bigint, id_of(%L))$$, :b, :'m'),
    'for its tenant, until it expires');

select * from finish();
rollback;
