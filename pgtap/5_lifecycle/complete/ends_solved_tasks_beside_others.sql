begin;
\ir ../../_helpers.sql
select plan(3);

select given_model() as m \gset
select given_worker(array[:'m']) as w \gset
select given_tasks(:'m', 3) \g /dev/null
select ids[1] as a, ids[2] as b, ids[3] as c from claimed(:w, 3) ids \gset
select is(array(select unnest(sluice.end_calls(:w, array[told(:b, 'retry'), told(-1, 'solved'),
  told(:a, 'solved', answer => 'yes'),
  told(:c, 'failed')], at(2), null)) order by 1), '{1,3,4}',
    'the places of those that found their leases');
select results_eq(format('select id, status from sluice.tasks where id in (%s, %s, %s) order by id',
  :a, :b, :c),
  format($$select * from (values (%s::bigint, 'solved'), (%s, 'unsolved'), (%s, 'failed')) v(id,
    status) order by id$$, :a, :b, :c),
  'each goes its way');
select is(sluice.in_flight(id_of(:'m')), 0::bigint, 'no call is in flight');

select * from finish();
rollback;
