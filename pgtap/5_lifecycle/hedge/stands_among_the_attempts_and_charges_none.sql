begin;
\ir ../../_helpers.sql
select plan(3);

select given_model() as m \gset
select given_hedging(:'m') \g /dev/null
select given_worker() as w \gset
select given_task(:'m') as t \gset
select claimed(:w, 1, at(1)) \gset
select sluice.hedge(:w, :t, 1, at(2)) \gset
select sluice.hedge(:w, :t, 1, at(3)) \gset
select results_eq(format('select kind, fence, model, started_at, ended_at, billed '
                         'from sluice.attempt where task_id = %s order by id', :t),
  format($$values ('hedged', 1, '%1$s', at(2), null::timestamptz, null::boolean),
    ('hedged', 1, '%1$s', at(3), null, null)$$, :'m'),
  'one row for each extra call');
select completed(:w, told(:t, 'retry', error => 'down'), at(4)) \gset
select is((select attempts from sluice.later where task_id = :t), 1::smallint,
  'a failure of all calls is one attempt');
select is(places(:t), 'later', 'in one place');

select * from finish();
rollback;
