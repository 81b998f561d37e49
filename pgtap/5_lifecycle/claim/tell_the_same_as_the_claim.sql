-- sluice.requests
-- twin: leased_tasks
begin;
\ir ../../_helpers.sql
select plan(3);

select given_model() as a \gset
select given_model(rpm => 600) as b \gset
select given_worker(array[:'a', :'b']) as w \gset
select sluice.submit(prompt => 'x', model => m, priority => p, max_output_tokens => 7,
  traceparent => '00-1-2-01', p_now => at(0))
from unnest(array[:'a', :'b']) m, generate_series(1, 3) p \g /dev/null
select sluice.submit(request => '{"x": 1}', model => :'a', p_now => at(0)) \g /dev/null
select array(select l from unnest(sluice.claim_shares(:w, null, null, 10, at(1))) l) as leases \gset
select is(cardinality(:'leases'::sluice.lease[]), 7, 'of a model with a quota and one without');
select format('select * from sluice.leased_tasks(%L, sluice.answer_bounds(%L)) order by task_id',
  :'leases', :'leases') as claimed \gset
select results_eq(format('select * from sluice.requests(%s) order by task_id', :w), :'claimed',
  'all that a worker has');
select results_eq(
  format('select * from sluice.requests(%s, %L) order by task_id', :w,
    array(select (l).task_id from unnest(:'leases'::sluice.lease[]) l)), :'claimed', 'some by id');

select * from finish();
rollback;
