-- sluice.leased_without_bodies
-- twin: leased_tasks
begin;
\ir ../../_helpers.sql
select plan(2);

select given_model() as a \gset
select given_model(rpm => 600) as b \gset
select given_worker(array[:'a', :'b']) as w \gset
select sluice.submit(prompt => 'x', model => m, priority => 3, max_output_tokens => 7,
  traceparent => '00-1-2-01', p_now => at(0)) from unnest(array[:'a', :'b']) m \g /dev/null
select array(select l from unnest(sluice.claim_shares(:w, null, null, 10, at(1))) l) as leases \gset
select is(cardinality(:'leases'::sluice.lease[]), 2, 'of a model with a quota and one without');
-- Between 1 and 0 there is no task.
select results_eq(
  format('select * from sluice.leased_without_bodies(%L)', :'leases'),
  format('select * from sluice.leased_tasks(%L, %L)', :'leases', '{1,0}'),
  'as of leases whose tasks are not found');

select * from finish();
rollback;
