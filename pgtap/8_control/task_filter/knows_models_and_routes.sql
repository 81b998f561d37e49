begin;
\ir ../../_helpers.sql
select plan(4);

select given_model() as m \gset
select given_route(:'m') as r \gset
select is((sluice.task_filter_of(:'m', 'x', null, 7, at(1), at(2))).model, id_of(:'m'), 'a model');
select is((sluice.task_filter_of(:'r', 'x', null, 7, at(1), at(2))).route, :'r', 'a route');
select is(jsonb_strip_nulls(to_jsonb(sluice.task_filter_of(null, 'x', '{"a": 1}', 7, at(1),
  at(2), 'HTTP%', 'http_400')) - '{is_bound,tenants}'::text[]), jsonb_build_object('tenant', 'x',
  'metadata', '{"a": 1}'::jsonb, 'batch_id', 7, 'since', at(1), 'until', at(2), 'error_like',
  'HTTP%', 'error_code', 'http_400'), 'none of them');
select is((sluice.task_filter_of('gone', null, null, null, null, null)).name, 'gone',
  'a name that is no more is kept');

select * from finish();
rollback;
