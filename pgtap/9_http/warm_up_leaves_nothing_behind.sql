-- sluice.warm_up_model
begin;
\set alone
\ir ../_helpers.sql
select plan(5);

select given_model(rpm => 60) as m, given_worker() as w \gset
select given_task(:'m') as t \gset
select last_value as newest from sluice.task_id \gset
create temporary table before as select sluice.permits_now(model_row(:'m'), at(1)) as permits,
  sluice.in_flight(id_of(:'m')) as calls;
select lives_ok('select sluice.warm_up()', 'a session warms up');
select is((select count(*) from sluice.task), 1::bigint, 'no task stays');
select is((select last_value from sluice.task_id), :newest::bigint, 'no id is used up');
select results_eq(format('select sluice.permits_now(model_row(%L), at(1)), '
                         'sluice.in_flight(id_of(%1$L))', :'m'), 'select * from before',
  'no permit is taken, no call counted');
select is(claimed(:w, 10), array[:t::bigint], 'and what waited is claimed');

select * from finish();
rollback;
