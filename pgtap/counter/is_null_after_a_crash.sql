begin;
\ir ../_helpers.sql
select plan(2);

select given_model() as m \gset
select forget_counter('bucket', :'m');
select forget_counter('room', :'m');
select is(sluice.counter('bucket', id_of(:'m')), null, 'a reset sequence reads as never set');
select cmp_ok(nextval(format('sluice.room_%s', id_of(:'m'))::regclass), '>', 1000000::bigint,
  'the room of a reset sequence is above every max_queue: no room');

select * from finish();
rollback;
