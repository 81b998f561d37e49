begin;
\ir ../../_helpers.sql
select plan(2);

select given_model() as a \gset
select given_model() as b \gset
select given_tasks(:'a', 10), given_tasks(:'b', 10) \g /dev/null
select given_worker(array[:'a', :'b']) as w \gset
select sluice.claim_shares(:w, array[:'a', :'b'], array[2, 5], 20, at(1)) \g /dev/null
select is((select count(*) from sluice.lease where model = id_of(:'a')), 2::bigint, 'of one two');
select is((select count(*) from sluice.lease where model = id_of(:'b')), 5::bigint,
  'of the other five');

select * from finish();
rollback;
