begin;
\ir ../_helpers.sql
select plan(3);

select given_model() as m \gset
update sluice.settings set ageing = '10 s';
select given_task(:'m', p_now => at(0)) as t \gset
select sluice.cancel(:t, at(1)), sluice.redrive(:t, at(1000)), sluice.admit(:'m', null, at(1001)) \g /dev/null
select sluice.age_queue(id_of(:'m'), at(1015)) \g /dev/null
select is((select rank::int from sluice.queue where task_id = :t), -1, 'its former life counts for nothing');
select sluice.age_queue(id_of(:'m'), at(1021)) \g /dev/null
select is((select rank::int from sluice.queue where task_id = :t), -2, 'the present one does');
select sluice.hold_rows(id_of(:'m'), sluice.peek_rows(id_of(:'m'), 1));
select is((select ready_at from sluice.backlog where task_id = :t), at(1000), 'also where it goes back to the backlog');

select * from finish();
rollback;
