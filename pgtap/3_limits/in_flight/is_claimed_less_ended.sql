begin;
\ir ../../_helpers.sql
select plan(3);

select given_model() as m \gset
select id_of(:'m') as id \gset
select given_worker() as w \gset
select given_tasks(:'m', 5) as ids \gset
select is(sluice.in_flight(:id), 0::bigint, 'none at first');
select claimed(:w, 5) \g /dev/null
select is(sluice.in_flight(:id), 5::bigint, 'five claimed');
select sluice.complete(:w, array(select told(t, k)
  from unnest(:'ids'::bigint[], array['solved', 'failed', 'retry', 'returned',
  'throttled']) x(t, k)), at(2)) \g /dev/null
select is(sluice.in_flight(:id), 0::bigint, 'however a call ends, it has ended');

select * from finish();
rollback;
