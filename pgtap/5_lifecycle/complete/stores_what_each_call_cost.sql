-- sluice.complete_with_usage, sluice.complete_leases
begin;
\ir ../../_helpers.sql
select plan(6);

select given_model(max_attempts => 2) as m \gset
select given_worker(array[:'m']) as w \gset
insert into sluice.prices (model, valid_from, input, cached_input, output) values
  (:'m', at(0), 1000000000, 100000000, 2000000000), (:'m', at(1.5), 5000000000, null, 5000000000);
select given_tasks(:'m', 3) as ids \gset
select claimed(:w, 3, at(1)) \g /dev/null
select (:'ids'::bigint[])[1] as solved, (:'ids'::bigint[])[2] as failed,
  (:'ids'::bigint[])[3] as retried \gset

select bool_and(applied) from sluice.complete_with_usage(:w, array[
  told(:solved, 'solved', answer => 'yes', input_tokens => 1000, output_tokens => 100),
  told(:failed, 'failed', error => 'no', input_tokens => 1000, output_tokens => 0),
  told(:retried, 'retry', error => 'again', input_tokens => 500, output_tokens => 1)],
  array[row(800, null, 40)::sluice.usage, null, row(500, 0, 0)::sluice.usage], at(2)) \gset
select is((select format('%s %s %s %s', cost, cached_tokens, cache_write_tokens, reasoning_tokens)
  from sluice.task(:solved)), '0.00048 800  40', 'a result, by the price when its call began');
select is((select cost from sluice.task(:failed)), 0.001, 'one that failed');
select is((select format('%s %s', kind, cost) from sluice.attempts(:failed)), 'failed 0.001',
  'whose call stands among the attempts, too');
select is((select format('%s %s %s', kind, cost, cached_tokens) from sluice.attempts(:retried)),
  'retry 0.000052 500', 'a call that is made again');

update sluice.later set ready_at = at(3) where task_id = :retried;
select sluice.wake(at(3)) \g /dev/null
select claimed(:w, 1, at(4)) \g /dev/null
update sluice.worker set dead_at = at(5) where id = :w;
select sluice.recover(null, at(5)), given_worker(array[:'m']) as w2 \gset
select bool_and(applied) from sluice.complete_with_usage(:w, array[told(:retried, 'solved', 2,
  answer => 'late', input_tokens => 10, output_tokens => 1)], array[row(5, 5, 0)::sluice.usage],
  at(6)) \g /dev/null
select is((select format('%s %s %s', kind, cached_tokens, cache_write_tokens)
  from sluice.attempts(:retried) where kind = 'late'), 'late 5 5', 'a late one keeps its tokens');
select is((select count(*) from sluice.complete_with_usage(:w2, '{}', null, at(7))), 0::bigint,
  'without usages it is complete');

select * from finish();
rollback;
