begin;
\ir ../../_helpers.sql
select plan(6);

select given_model(rpm => 600) as m \gset
select given_worker() as w \gset
select given_tasks(:'m', 100) \g /dev/null
select forget_counter('bucket', :'m');

select is(sluice.permits_now(model_row(:'m'), at(1)), 0, 'a bucket that was never set is empty');
select cmp_ok(sluice.next_permit_at(:'m', at(1)), '>', at(1), 'its first permit comes later');
select is(claimed(:w, 100, at(1)), '{}', 'nothing is claimed at once');
select is(sluice.next_permit_at(:'m', at(1.05)), sluice.next_permit_at(:'m', at(1)),
  'the time of the first permit is fixed');
select is(cardinality(claimed(:w, 100, sluice.next_permit_at(:'m', at(1)))), 1,
  'then there is one');
select is(cardinality(claimed(:w, 100, at(60))), 7, 'and later a full burst');

select * from finish();
rollback;
