begin;
\ir ../../_helpers.sql
select plan(2);

select given_model() as m \gset
select given_route(:'m') as r \gset
select given_worker() as w \gset
select given_task(:'m', deadline => at(99)), given_task(:'r'), given_task(:'r'),
  given_task(:'m', run_at => at(9)), given_task(:'r', priority => 3) \g /dev/null
select completed(:w, told((claimed(:w, 1))[1], 'solved')) \g /dev/null
select claimed(:w, 1) \g /dev/null
create temp table ours on commit drop as select id from sluice.task where model = id_of(:'m')
  or route = :'r';
select bag_eq('select t.* from ours, sluice.task(ours.id) t',
  'select * from sluice.tasks where id in (select id from ours)',
  'column by column, in every place');
select is((select count(*) from sluice.tasks where id in (select id from ours)), 5::bigint,
  'each task is one row');

select * from finish();
rollback;
