begin;
\ir ../_helpers.sql
select plan(3);

select given_model() as m \gset
select array['backlog_' || id_of(:'m')] as lines \gset
select is(sluice.deal(model_row(:'m'), :'lines', 5, at(10)), '{}'::int[], 'empty: nothing waits');
select sluice.set_counter('room', id_of(:'m'), 1000) \g /dev/null
select given_tasks(:'m', 1, at(0)) \g /dev/null
select is(sluice.deal(model_row(:'m'), :'lines', 5, at(10)), array[id_of(:'m')], 'the model that a task went to');
select is(sluice.deal(model_row(:'m'), :'lines' || array['route_none-' || pg_backend_pid()], 5, at(10)), '{}'::int[],
  'empty again, over two lines');

select * from finish();
rollback;
