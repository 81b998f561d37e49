begin;
\ir ../../_helpers.sql
select plan(3);

set local timezone = 'UTC';
select given_model() as m \gset
select given_tasks(:'m', 10001) \g /dev/null
select given_task(:'m', p_now => at(1)) as t \gset
select is(sluice.explain(:t, at(2)),
  format('queued for %s: more than 10,000 ahead, no live worker serves the model', :'m'),
    'of 10,001');
select is((sluice.tasks_ahead(:t, id_of(:'m'), at(2))).tasks, 10001, 'all that is looked at');
select given_mark(:'m', at(0.5)) \g /dev/null
select is((sluice.tasks_ahead(:t, id_of(:'m'), at(2))).tasks, 0,
  'from the mark on, for dead rows lie before it');

select * from finish();
rollback;
