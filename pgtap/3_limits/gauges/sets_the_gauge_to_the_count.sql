begin;
\ir ../../_helpers.sql
select plan(4);

select given_model() as m \gset
select id_of(:'m') as id \gset
update sluice.models set max_unfinished = 10 where name = :'m';
select given_tasks(:'m', 7) \g /dev/null
select sluice.set_counter('load', :id, 500);
select is(sluice.recount_headroom('model', :'id', 2, 10, 0.95), 2, 'room for two more of ten');
select is(sluice.counter('load', :id), 9::bigint, 'which the gauge counts as taken');
select is(sluice.recount_headroom('model', :'id', 9, 10, 0.95), 3,
  'no more than there is room for');
select sluice.set_counter('load', :id, sluice.micros(clock_timestamp() + interval '1 hour'));
select is(sluice.recount_headroom('model', :'id', 1, 10, 0.95), 0, 'nobody counts before its time');

select * from finish();
rollback;
