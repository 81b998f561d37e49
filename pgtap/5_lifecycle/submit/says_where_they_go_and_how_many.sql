begin;
\ir ../../_helpers.sql
select plan(2);

select given_model() as m \gset
select given_route(:'m') as r \gset
select set_config('test.destinations', sluice.destinations_of(array(
  select sluice.draft_of(jsonb_populate_record(null::sluice.task_draft, d)) from (values
    (jsonb_build_object('prompt', 'a', 'model', :'m')),
      (jsonb_build_object('request', '{}', 'model', :'r')),
    (jsonb_build_object('prompt', 'b', 'model', :'m')),
      (jsonb_build_object('prompt', 'c', 'model', :'m', 'tenant', 't'))) d(d)), at(0))::text,
  true) \g /dev/null
select results_eq($$select name, verbatim, model, route, tenant, tasks
  from unnest(current_setting('test.destinations')::sluice.task_destination[])
    order by route nulls first, tenant$$,
  format($$values (%1$L, false, id_of(%1$L), null::text, 'default', 2),
    (%1$L, false, id_of(%1$L), null, 't', 1),
    (%2$L, true, null, %2$L, 'default', 1)$$, :'m', :'r'), 'one for each name, kind and tenant');
select results_eq($$select line
  from unnest(current_setting('test.destinations')::sluice.task_destination[])$$,
  format($$select line
    from (values (sluice.line_of(null, %2$L, (select api from sluice.models where name = %1$L),
      null, null)), (id_of(%1$L)), (id_of(%1$L))) l(line) order by 1$$, :'m', :'r'),
  'in the order of their lines');

select * from finish();
rollback;
