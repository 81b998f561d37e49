begin;
\set alone
\ir ../../_helpers.sql
\ir ../../_history.sql
select plan(10);

select given_model() as m \gset
select given_looks();
select given_end(:'m', 'solved', at(n)) from generate_series(1, 3) n \g /dev/null
select given_end(:'m', 'failed', at(70)) \g /dev/null
select sluice.cancel(given_task(:'m', p_now => at(71)), at(72)) \g /dev/null
select is(sluice.count_ends(at(80)), 5::bigint, 'a look tells how many it has counted');
select is(counted(:'m'), '3 1 1 0', 'each by its end');
select is(sluice.count_ends(at(81)), 0::bigint, 'the next has nothing to count');
select is(counted(:'m'), '3 1 1 0', 'nor adds anything');
select given_end(:'m', 'solved', at(82)) \g /dev/null
select is(sluice.count_ends(at(90)), 1::bigint, 'then it counts what has ended since');
select results_eq(format('select at, solved, failed, cancelled from sluice.history '
    'where step = ''minute'' and model = %L order by at', :'m'),
  $$values (at(0), 3::bigint, 0::bigint, 0::bigint), (at(60), 1, 1, 1)$$, 'by minutes');
select is(counted(:'m', 'hour'), '4 1 1 0', 'and at once by hours');
select is(counted(:'m', 'day'), '4 1 1 0', 'and days');
select is((select array_agg(solved order by model, tenant) from sluice.history_row
    where step = 'day' and at = at(0)), '{4,4,4,4}'::bigint[],
  'of the model and tenant, the model, the tenant, and all');
select is(sluice.count_ends(at(40)), 0::bigint, 'a clock that goes back does no harm');

select * from finish();
rollback;
