-- sluice.complete
begin;
\ir ../../_helpers.sql
select plan(1);

select given_model() as m \gset
select given_route(:'m') as r \gset
select given_worker() as w \gset
select given_task(:'r') as t \gset
select claimed(:w, 1) \g /dev/null
select completed(:w, told(:t, 'retry')) \g /dev/null
select results_eq(format('select route, model from sluice.later where task_id = %s', :t),
  format('values (%L::text, null::int)', :'r'), 'a route''s task goes back to its route');

select * from finish();
rollback;
