begin;
\ir ../_helpers.sql
select plan(1);

select given_model() as m \gset
select given_worker() as w \gset
select given_task(:'m', deadline => at(1000)) as t \gset
select claimed(:w, 1) \g /dev/null
select completed(:w, told(:t, 'retry')) \g /dev/null
select sluice.admit(:'m', null, at(100)) \g /dev/null
select results_eq(format('select fence, attempts::int, deadline from sluice.queue where task_id = %s', :t),
  $$values (1, 1, at(1000))$$, 'the fence never falls, the charged attempt stays charged');

select * from finish();
rollback;
