begin;
\ir ../../_helpers.sql
select plan(4);

select given_model() as m, nextval('sluice.task_id') as a, nextval('sluice.task_id') as b,
  nextval('sluice.task_id') as c \gset
select given_route(:'m') as r \gset
select array(select sluice.draft_of(jsonb_populate_record(null::sluice.task_draft, d)) from (values
  (jsonb_build_object('request', '{"n": 1}', 'model', :'r')),
    (jsonb_build_object('prompt', 'p', 'model', :'m')),
  (jsonb_build_object('prompt', 'pp', 'model', :'m', 'priority', 3, 'run_at', at(9)))) d(d))
    as drafts \gset
select sluice.store_drafts(:'drafts', array[:a, :b, :c]::bigint[],
  null, sluice.destinations_of(:'drafts', at(0)), at(0)) \g /dev/null
select results_eq(format('select request, route, api, model, created_at from sluice.task '
                         'where id = %s', :a),
  format($$values ('{"n": 1}', %L, (select api from sluice.models where name = %L), null::int,
    at(0))$$, :'r', :'m'), 'for a route');
select results_eq(format('select prompt, route, api, model from sluice.task where id = %s', :b),
  format($$values ('p', null::text, null::text, id_of(%L))$$, :'m'), 'for a model');
select results_eq(
  format('select task_id, model, ready_at, request_bytes from sluice.queue where task_id in (%s, '
         '%s, %s) order by 1', :a, :b, :c),
  format($$values (%s::bigint, null::int, at(0), 8), (%s, id_of(%L), at(0), 1)$$, :a, :b, :'m'),
    'each in its line');
select results_eq(format('select ready_at, request_bytes, rank::int from sluice.later '
                         'where task_id = %s', :c),
  $$values (at(9), 2, -3)$$, 'but aside until its time');

select * from finish();
rollback;
