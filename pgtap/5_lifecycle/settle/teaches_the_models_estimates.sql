-- sluice.settle_reserved
begin;
\ir ../../_helpers.sql
select plan(2);

select setseed(0.5);
select given_model() as m \gset
select id_of(:'m') as id \gset
select given_worker() as w \gset
select sluice.estimate_tokens(:id, 4000, null) as before \gset
select given_tasks(:'m', 100) as ids \gset
select claimed(:w, 100) \g /dev/null
select sluice.complete(:w, array[told(t, 'solved', input_tokens => 9, output_tokens => 1)], at(2))
from unnest(:'ids'::bigint[]) t \g /dev/null
select cmp_ok(sluice.estimate_tokens(:id, 4000, null), '<', :before,
  'one look at some flushes, also without a quota');
select cmp_ok(sluice.estimate_tokens(:id, 4000, null), '>', (:before * 0.6)::int, 'in small steps');

select * from finish();
rollback;
