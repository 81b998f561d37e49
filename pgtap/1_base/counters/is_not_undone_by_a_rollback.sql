begin;
\ir ../../_helpers.sql
select plan(1);

select given_model() as m \gset
savepoint before;
select sluice.set_counter('bucket', id_of(:'m'), 77);
rollback to before;
select is(sluice.counter('bucket', id_of(:'m')), 77::bigint, 'a permit once taken stays taken');

select * from finish();
rollback;
