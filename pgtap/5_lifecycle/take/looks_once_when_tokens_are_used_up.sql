-- sluice.take_turns
begin;
\ir ../../_helpers.sql
select plan(3);

select given_model(tpm => 60000) as m \gset
select given_worker() as w \gset
select given_task(:'m', max_output_tokens => 30000) from generate_series(1, 100) \g /dev/null
set local track_functions = 'all';
select is(cardinality(claimed(:w, 50, at(1))), 1, 'one task uses up what there is');
select is((select calls from pg_stat_xact_user_functions where funcname = 'take_some'), 1::bigint,
  'what waits behind it is not looked at again');
select is(cardinality(claimed(:w, 50, sluice.next_permit_at(:'m', at(1)))), 1,
  'and is taken when there are tokens again');

select * from finish();
rollback;
