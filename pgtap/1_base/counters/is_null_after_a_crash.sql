begin;
\ir ../../_helpers.sql
select plan(1);

select given_model() as m \gset
select forget_counter('bucket', :'m');
select is(sluice.counter('bucket', id_of(:'m')), null, 'a reset sequence reads as never set');

select * from finish();
rollback;
