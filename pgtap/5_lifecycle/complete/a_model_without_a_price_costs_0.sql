-- sluice.complete_with_usage
begin;
\ir ../../_helpers.sql
select plan(6);

select given_model(max_attempts => 2) as m \gset
select given_worker(array[:'m']) as w \gset
select given_tasks(:'m', 4) as ids \gset
select claimed(:w, 4, at(1)) \g /dev/null
select (:'ids'::bigint[])[1] as solved, (:'ids'::bigint[])[2] as failed,
  (:'ids'::bigint[])[3] as retried, (:'ids'::bigint[])[4] as silent \gset
select bool_and(applied) from sluice.complete_with_usage(:w, array[
  told(:solved, 'solved', answer => 'yes', input_tokens => 1000, output_tokens => 100),
  told(:failed, 'failed', error => 'no', input_tokens => 1000, output_tokens => 0),
  told(:retried, 'retry', error => 'again', input_tokens => 500, output_tokens => 1),
  told(:silent, 'solved', answer => 'yes')], null, at(2)) \g /dev/null
select is(array[(select cost from sluice.task(:solved)), (select cost from sluice.task(:failed))],
  '{0,0}'::numeric[], 'a task''s last call');
select is((select cost from sluice.attempts(:failed)), 0::numeric, 'which stands here, too');
select is((select cost from sluice.attempts(:retried)), 0::numeric, 'one that is made again');
select is((select cost from sluice.task(:silent)), null, 'null, where the tokens are not known');

update sluice.later set ready_at = at(3) where task_id = :retried;
select sluice.wake(at(3)) \g /dev/null
select claimed(:w, 1, at(4)) \g /dev/null
update sluice.worker set dead_at = at(5) where id = :w;
select sluice.recover(null, at(5)) \g /dev/null
select bool_and(applied) from sluice.complete_with_usage(:w, array[told(:retried, 'solved', 2,
  answer => 'late', input_tokens => 10, output_tokens => 1)], null, at(6)) \g /dev/null
select is((select cost from sluice.attempts(:retried) where kind = 'late'), 0::numeric,
  'a late one');
select is((model_row(:'m')).is_priced, false, 'is_priced tells that from a price of 0');

select * from finish();
rollback;
