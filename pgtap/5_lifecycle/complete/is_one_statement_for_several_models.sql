begin;
\ir ../../_helpers.sql
select plan(5);

select given_model() as a \gset
select given_model() as b \gset
update sluice.models set input_price = 2, output_price = 10 where name = :'a';
select given_worker(array[:'a', :'b']) as w \gset
select given_tasks(:'a', 3) \g /dev/null
select given_tasks(:'b', 2) \g /dev/null
select array(select unnest(claimed(:w, 10)) order by 1) as ids \gset
select nextval('sluice.failures_' || id_of(:'b')),
  nextval('sluice.failures_' || id_of(:'b')) \g /dev/null
select is(array(select unnest(sluice.end_solved(:w, array(
    select told(t, 'solved', answer => 'yes', http_status => 200, input_tokens => 1000,
      output_tokens => 100)
    from unnest(:'ids'::bigint[]) t) || told(-1, 'solved'), -1::bigint || :'ids'::bigint[],
    array_fill(1, array[6]), '{6,1,2,3,4,5}', true, at(2), null)) order by 1), '{1,2,3,4,5}',
  'the places of those that found their leases');
select results_eq(
  format('select model, count(*), sum(cost) from sluice.result where task_id = any (%L) '
         'group by model order by model', :'ids'),
  format('select * from (values (%L, 3::bigint, 0.009), (%L, 2, 0)) v(model, count, cost) '
         'order by model', :'a', :'b'),
  'each with its model''s name and prices');
select is((select array_agg(distinct created_at) from sluice.result where task_id = any (:'ids')),
  array[at(0)], 'and its task''s time');
select is(array[sluice.in_flight(id_of(:'a')), sluice.in_flight(id_of(:'b'))],
  array[0, 0]::bigint[], 'no call of them is in flight');
select is(sluice.counter('failures', id_of(:'b')), 0::bigint,
  'who failed before has succeeded now');

select * from finish();
rollback;
