-- sluice.put_back
-- The attack: autovacuum looked at a range of tasks while those that it had were not committed, so
-- it seems empty: each that was put back was compared with all of it, 15 s for 1,500 of 204,000.
begin;
\set alone
\ir ../../_helpers.sql
select plan(2);

select given_model() as m \gset
select sluice.submit_many(jsonb_agg(jsonb_build_object('prompt', 'x', 'model', :'m'::text,
  'run_at', at(5))), at(1))
from generate_series(1, 60000) n group by n % 6 \g /dev/null
select seem_empty('^task_') \g /dev/null
select clock_timestamp() as started \gset
select cmp_ok(sluice.wake(at(6)), '>=', 1000, 'as many as a call wakes');
select ok(clock_timestamp() - :'started'::timestamptz < interval '0.8 s', 'soon');

select * from finish();
rollback;
