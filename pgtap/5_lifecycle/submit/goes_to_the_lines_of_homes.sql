begin;
\ir ../../_helpers.sql
select plan(7);

select given_model() as m \gset
select given_route(:'m') as r \gset
select array(
  select sluice.draft_of(jsonb_populate_record(null::sluice.task_draft, d)) from (values
    (jsonb_build_object('prompt', 'a', 'model', :'r', 'affinity_key', 'k')),
    (jsonb_build_object('prompt', 'b', 'model', :'r')),
    (jsonb_build_object('prompt', 'c', 'model', :'m', 'affinity_key', 'k')),
    (jsonb_build_object('prompt', 'd', 'model', :'r', 'affinity_key', 'k', 'tenant', 't')),
    (jsonb_build_object('request', '{}', 'model', :'r', 'affinity_key', 'l'))) d(d)) as drafts \gset
select sluice.destinations_of(:'drafts', at(0)) as homed \gset
select results_eq(format($$select affinity_key, tenant, verbatim, line, later, tasks
  from unnest(%L::sluice.task_destination[]) order by name, verbatim, affinity_key, tenant$$,
  :'homed'),
  format($$select * from (values ('k', 'default', false, id_of(%1$L), false, 1),
    ('', 'default', false, own_line(%2$L), false, 1),
    ('k', 'default', false, own_line(%2$L), true, 1), ('k', 't', false, own_line(%2$L), true, 1),
    ('l', 'default', true, sluice.line_of(null, %2$L, 'solve', null, null), true, 1)) x$$,
  :'m', :'r'),
  'those without a line yet are for later');
select sluice.store_drafts(:'drafts', array(select nextval('sluice.task_id') from
  generate_series(1, 5)), null, :'homed', at(0)) \g /dev/null
select is(count(*)::int, 3, 'where they wait') from sluice.later where route = :'r';
select is((select array_agg(ready_at) from sluice.later where route = :'r'),
  array[at(0), at(0), at(0)], 'though they are due');
select sluice.wake(at(0)) \g /dev/null
select results_eq(format($$select l.api, l.model, count(*)::int from sluice.route_line l
  join sluice.queue q on q.tableoid = ('sluice.queue_route_' || l.n)::regclass
  where l.route = %L group by 1, 2 order by 1, 2$$, :'r'),
  format($$values ('solve', id_of(%1$L), 1), (null, id_of(%1$L), 2), (null, null, 1)$$, :'m'),
  'until wake has made it');
select is(places(sluice.submit('x', :'r', affinity_key => 'k', p_now => at(1))), 'queue',
  'then a submit finds it');
select is(sluice.submit('x', :'r', affinity_key => 'k', idempotency_key => 'key of homes',
    p_now => at(1)),
  sluice.submit('x', :'r', affinity_key => 'other', idempotency_key => 'key of homes',
    p_now => at(1)), 'a repeat is one by its content');
select is((sluice.submit_many(jsonb_build_array(jsonb_build_object('prompt', 'x', 'model', :'r',
    'affinity_key', 'k', 'run_at', at(9)))), at(1)) is not null, true, 'run_at is kept');

select * from finish();
rollback;
