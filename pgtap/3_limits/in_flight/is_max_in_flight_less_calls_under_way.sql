begin;
\ir ../../_helpers.sql
select plan(4);

select given_model(max_in_flight => 3) as m \gset
select given_model() as free \gset
select given_worker(array[:'m']) as w \gset
select given_tasks(:'m', 2) \g /dev/null
select claimed(:w, 2) \g /dev/null
select is(sluice.calls_left(model_row(:'m')), 1::bigint, 'three less two');
select is(sluice.calls_left(model_row(:'free')), null, 'any number, for a model without a bound');
select sluice.set_counter('claimed', id_of(:'m'), 100);
select is(sluice.calls_left(model_row(:'m')), 1::bigint,
  'a count that says full is not believed before the leases are counted');
update sluice.models set max_in_flight = 1 where name = :'m';
select is(sluice.calls_left(model_row(:'m')), -1::bigint,
  'a bound lowered below what is in flight leaves less than none');

select * from finish();
rollback;
