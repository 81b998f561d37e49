begin;
\ir ../_helpers.sql
select plan(7);

select given_model() as m \gset
update sluice.settings set ageing = '10 s';
select given_mark(:'m', -2) as lane \gset
select given_task(:'m', priority => 0, p_now => at(0)) as old \gset
select given_task(:'m', priority => 1, p_now => at(15)) as young \gset
select given_task(:'m', priority => 100, p_now => at(0)) as first \gset
select sluice.set_mark(:lane, at(19)) \g /dev/null
select is(sluice.age_queue(id_of(:'m'), at(9.9)), 0, 'not before one step');
select is(queued(:'m'), array[:first, :young, :old]::bigint[], 'by priority');
select is(sluice.age_queue(id_of(:'m'), at(20)), 1, 'two steps later');
select is((select rank::int from sluice.queue where task_id = :old), -2, 'the old one is two ranks better, the best no better');
select is((select ready_at from sluice.queue where task_id = :old), at(0), 'since when it waits is not forgotten');
select is(claimed(given_worker(array[:'m']), 2, at(21)), array[:first, :old]::bigint[], 'it is claimed first, below the mark or not');
select is(sluice.age_queue(id_of(:'m'), at(20)), 0, 'twice moves nothing twice');

select * from finish();
rollback;
