begin;
\ir ../../_helpers.sql
select plan(4);

select given_model(tpm => 6000) as m \gset
select given_hedging(:'m') \g /dev/null
update sluice.models set hedge_max = 9 where name = :'m';
select given_worker() as w \gset
select given_task(:'m', max_output_tokens => 1000) as t \gset
select claimed(:w, 1, at(100)) \gset
select reserved_tokens as reserved from sluice.lease where task_id = :t \gset
select ok(not sluice.hedge(:w, :t, 1, at(100)), 'not while the bucket is in debt');
select ok(sluice.hedge(:w, :t, 1, at(130)), 'later');
select is(sluice.tokens_spent(id_of(:'m'), at(130)), 2 * :reserved::bigint,
  'as many as the task itself');
select completed(:w, told(:t, 'solved', input_tokens => 10, output_tokens => 10, answer => 'a'),
  at(131)) \gset
select is(sluice.tokens_spent(id_of(:'m'), at(131)), :reserved::bigint + 20,
  'they stay booked when the task is settled');

select * from finish();
rollback;
