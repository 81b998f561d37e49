begin;
\ir ../../_helpers.sql
select plan(3);

select given_model(rpm => 600) as m \gset
select given_worker() as w \gset
select given_tasks(:'m', 200) \g /dev/null
select claimed(:w, 3, at(86400)) \g /dev/null

select is(claimed(:w, 10, at(1)), '{}',
  'a day back, the bucket is empty: what came before is not known');
select is(cardinality(claimed(:w, 10, at(1.2))), 1, 'but it fills from then on');
select is(cardinality(claimed(:w, 10, at(60))), 7, 'to its burst');

select * from finish();
rollback;
