begin;
\ir ../_helpers.sql
select plan(2);

select given_model() as m, nextval('sluice.task_id') as a, nextval('sluice.task_id') as b \gset
select given_route(:'m') as r \gset
select array(select sluice.draft_of(jsonb_populate_record(null::sluice.draft, d)) from (values
  (jsonb_build_object('request', '{"n": 1}', 'model', :'r')), (jsonb_build_object('prompt', 'p', 'model', :'m'))) d(d)) as drafts \gset
select sluice.store_texts(:'drafts', sluice.new_tasks(:'drafts', array[:a, :b]::bigint[], at(0))) \g /dev/null
select results_eq(format('select request, route, api, model, created_at from sluice.task where id = %s', :a),
  format($$values ('{"n": 1}', %L, (select api from sluice.models where name = %L), null::int, at(0))$$, :'r', :'m'), 'for a route');
select results_eq(format('select prompt, route, api, model from sluice.task where id = %s', :b),
  format($$values ('p', null::text, null::text, id_of(%L))$$, :'m'), 'for a model');

select * from finish();
rollback;
