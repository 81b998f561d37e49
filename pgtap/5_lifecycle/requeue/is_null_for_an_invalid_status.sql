begin;
\ir ../../_helpers.sql
select plan(3);

select results_eq($$select sluice.storable_status(n)::int
  from unnest(array[-1, 0, 99, 1000, 40000]) n$$,
  array[null, null, null, null, null]::int[], 'no status has such a number');
select results_eq($$select sluice.storable_status(n)::int from unnest(array[100, 529, 999]) n$$,
  array[100, 529, 999], 'any of three digits is kept');

select given_model() as m \gset
select given_worker(array[:'m']) as w \gset
select given_task(:'m') as t \gset
select claimed(:w, 1) \g /dev/null
select applied from sluice.complete(:w,
  array[(:t, 1, 'failed', null, null, 'e', 'c', 40000, null, null, null, null)::sluice.outcome],
    at(2)) \g /dev/null
select is(places(:t), 'failed', 'an outcome with an odd number is stored all the same');

select * from finish();
rollback;
