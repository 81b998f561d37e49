begin;
\ir ../../_helpers.sql
select plan(2);

select given_model() as m \gset
select given_worker() as w \gset
select given_tasks(:'m', 5) as ids \gset
select claimed(:w, 5) \g /dev/null
select sluice.complete(:w, array(
  select told(t, k) from unnest(:'ids'::bigint[], array['solved', 'failed', 'retry', 'throttled',
    'returned']) x(t, k)), at(2)) \g /dev/null
select is((select array_agg(places(t)) from unnest(:'ids'::bigint[]) t),
  array['solved', 'failed', 'later', 'queue', 'queue'],
    'five kinds in one flush, each where it belongs');
select is_empty(format('select * from sluice.lease where worker = %s', :w), 'no lease is left');

select * from finish();
rollback;
