-- sluice.submit_batch
begin;
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(1);

select given_speaker('openai-responses') as m \gset
select given_route(:'m') as r \gset
select batch_over(given_file(array[
  format(E'{"custom_id": "a", "method": "POST", "url": "/v1/responses", '
    '"body":{"model":"%s",  "n": 1.10e400, "x": "\\u00fc"}}\n', :'m'),
  format(E'{"body": {"b": 1, "a": 2, "model": "%s"}, "url": "/v1/responses", '
    '"method": "POST", "affinity_key": "chat-17", "custom_id": "b"}\r\n', :'r')],
    't'), 't',
  p_endpoint => '/v1/responses', p_window => '1h') as b \gset
select advanced(:b, 'run') \g /dev/null
select results_eq(format('select request, model, route, tenant, deadline, batch_id,
    affinity_key from sluice.task
  where id = any (tasks_of_batch(%s))
    order by id', :b),
  format($$values ('{"model":"%1$s",  "n": 1.10e400, "x": "\u00fc"}', id_of('%1$s'), null, 't',
    at(3600), %2$s::bigint, null),
    ('{"b": 1, "a": 2, "model": "%3$s"}', null, '%3$s', 't', at(3600), %2$s,
      'chat-17')$$, :'m', :b, :'r'),
      'to its model or route, until its end, with its affinity key');

select * from finish();
rollback;
