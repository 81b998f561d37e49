-- sluice.task_bounds, sluice.answer_max, sluice.call_bounds, sluice.kept_bounds,
-- sluice.parse_bytes_max, sluice.nanos_max, sluice.prices_at,
-- sluice.nanos_by, sluice.budgets_of, sluice.has_budgets, sluice.api_of_bounds
begin;
\ir ../_helpers.sql
\ir ../_budgets.sql
select plan(26);

select given_priced_model() as m, given_model() as unpriced \gset
insert into sluice.prices (model, valid_from, above_tokens, input, cache_write, output, per_request)
values (:'m', at(0), 0, 2000000, 3000000, 1000000, 0),
  (:'m', at(0), 100, 9000000, null, 1000000, 5);
select is(sluice.nanos_max(:'m', at(-1), 100, 10), 110::numeric, 'by the list in force');
select is(sluice.nanos_max(:'m', at(0), 100, 10), 915::numeric, 'by the dearest row it may meet');
select is(sluice.nanos_max(:'m', at(0), 99, 10), 307::numeric, 'all tokens written to the cache');
select is(sluice.nanos_max(:'m', at(0), 198, 20, 2, 99), 614::numeric, 'two such calls cost twice');
select is(sluice.nanos_max(:'m', at(0), 198, 20, 2, 100), 1812::numeric,
  'if one is larger, no more than two of the dearest');
select is(sluice.nanos_max(:'unpriced', at(0), 99, 10), null, 'without a price it is not known');
update sluice.prices set output = 1000001 where model = :'m' and valid_from = 'epoch';
select is(sluice.nanos_max(:'m', at(-1), 200, 20, 2), 222::numeric,
  'each call is rounded up for itself');
create function bounds_of(p_task bigint, p_model text) returns text language sql
as $$ select format('%s %s%s', b.input, b.output, b.fault) from sluice.task t,
  sluice.call_bounds(model_row(p_model), t.prompt, t.request, t.max_output_tokens, t.bounds, 0) b
  where t.id = p_task $$;
select is(bounds_of(given_task(:'m', prompt => 'four', max_output_tokens => 9), :'m'), '68 9',
  'a prompt has its bytes and a frame');
select is(bounds_of(given_task(:'m', prompt => 'four'), :'m'), '68 ', 'without a cap no bound');
update sluice.models set max_output_tokens = 50 where name = :'m';
select is(bounds_of(given_task(:'m', prompt => 'four'), :'m'), '68 50', 'or the model''s');
select is(bounds_of(given_task(:'m', prompt => 'four', max_output_tokens => 50), :'m'), '68 50',
  'a task may have as much of its own');
select is(bounds_of(given_task(:'m', prompt => 'four', max_output_tokens => 51), :'m'),
  '68 51too long', 'not more');

create function bounds_of_request(p_request text, p_kept sluice.request_bound, p_parse_max int,
  p_model jsonb default '{}')
returns text language sql
as $$ select format('%s %s %s', b.input, b.output, b.fault) from sluice.call_bounds(
  jsonb_populate_record(model_row((select min(name) from sluice.models)),
    '{"api": "openai-chat", "max_output_tokens": null}' || p_model),
  'x', p_request, null, p_kept, p_parse_max) b $$;
\set request '{"max_tokens": 5}'
select is(sluice.kept_bounds('openai-chat', :'request'),
  row('openai-chat', 81, 5, null)::sluice.request_bound, 'a request''s bounds are kept by api');
select is(bounds_of_request(:'request', ('openai-chat', 7, null, 'fault'), 100), '7  fault',
  'what is kept is believed');
select is(bounds_of_request(:'request', ('openai-responses', 7, 7, null),
  sluice.parse_bytes_max()), '81 5 ', 'that of another api is not');
select is(bounds_of_request(:'request', null, 16), '  unread', 'a large request is not parsed');

\set alone '{"max_completion_tokens": 5}'
select is(bounds_of_request(:'alone', sluice.kept_bounds('openai-chat', :'alone'), 0),
  '92  "max_completion_tokens" without "max_tokens"', 'a cap that a backend may not read is none');
select is(bounds_of_request(:'alone', sluice.kept_bounds('openai-chat', :'alone'), 0,
  '{"url": "https://api.openai.com/v1"}'), '92 5 ', 'OpenAI reads it');
select is(bounds_of_request('{"max_tokens": 5, "n": 3}', null, 100, '{"max_output_tokens": 14}'),
  '89 15 too long', 'all its answers together are not longer than the model''s');

select is(sluice.has_budgets(), false, 'there are none');
select is(sluice.api_of_bounds('openai-chat', null), null, 'so bounds are kept for no api');
select given_budget('system', null, 5000) as b1, given_budget('model', :'m', 5000) as b2,
  given_budget('tenant', 'a', 5000) as b3, given_budget('key', 'k', 5000) as b4,
  given_budget('tag', 'team=x=y', 5000) as b5,
  given_budget('route', given_route(:'m'), 5000) as b6 \gset
select is(sluice.has_budgets(), true, 'there are some');
select is(sluice.api_of_bounds('openai-chat', null), 'openai-chat', 'for a route''s api');
select is(sluice.api_of_bounds(null, id_of(:'m')), (model_row(:'m')).api, 'or its model''s');
select is(array(select b.name from sluice.budgets_of(:'m', null, 'a', 'k', '{"team": "x=y"}') b),
  array[:'b1', :'b2', :'b3', :'b4', :'b5'], 'all that count such a call');
select is(array(select b.name from sluice.budgets_of('other', (budget_row(:'b6')).subject, 'b',
  null, null) b), array[:'b1', :'b6'], 'and another one');

select * from finish();
rollback;
