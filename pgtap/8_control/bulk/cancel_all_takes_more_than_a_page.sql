begin;
\ir ../../_helpers.sql
select plan(2);

select given_model() as m \gset
select cardinality(given_tasks(:'m', 3500)) \g /dev/null
select is(sluice.cancel_all(:'m', p_now => at(1)), 3500::bigint, 'all of them');
select is((select count(*) from sluice.result where model = :'m' and status = 'cancelled'),
  3500::bigint, 'each in its result');

select * from finish();
rollback;
