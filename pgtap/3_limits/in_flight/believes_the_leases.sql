begin;
\ir ../../_helpers.sql
select plan(3);

select given_model() as m \gset
select id_of(:'m') as id \gset
select given_worker() as w \gset
select given_tasks(:'m', 3) \g /dev/null
select claimed(:w, 3) \g /dev/null
select sluice.set_counter('claimed', :id, 1000);
select sluice.recount_in_flight(:id);
select is(sluice.in_flight(:id), 3::bigint, 'not the counters');
select forget_counter('claimed', :'m'), forget_counter('ended', :'m') \g /dev/null
select sluice.recount_in_flight(:id);
select is(sluice.in_flight(:id), 3::bigint, 'also after a crash');
select isnt(sluice.counter('claimed', :id), null, 'and the counters count again');

select * from finish();
rollback;
