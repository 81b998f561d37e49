begin;
\ir ../../_helpers.sql
select plan(2);

select given_model() as m \gset
select given_worker(array[:'m']) as w \gset
select given_task(:'m') as t \gset
select claimed(:w, 1) \g /dev/null
select array[row(1, l)::sluice.ended_call] as ended from sluice.lease l where worker = :w \gset
select sluice.learn_from(array[told(:t, 'solved')], :'ended'),
  sluice.learn_from(array[told(:t, 'failed', input_tokens => 1)], :'ended') \g /dev/null
select is(sluice.counter('learned', id_of(:'m')), null, 'nothing from who told nothing, or failed');
select sluice.learn_from(array[told(:t, 'solved', input_tokens => 10, output_tokens => 5000)],
  :'ended') \g /dev/null
select ok(sluice.estimate_tokens(id_of(:'m'), 100, null) > sluice.estimate_tokens(null, 100, null),
  'a long answer raises the estimate');

select * from finish();
rollback;
