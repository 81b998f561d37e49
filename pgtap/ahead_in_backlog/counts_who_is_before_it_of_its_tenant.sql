begin;
\ir ../_helpers.sql
select plan(3);

select given_model() as m \gset
select sluice.set_counter('room', id_of(:'m'), 1000) \g /dev/null
select given_task(:'m', priority => -5) as first \gset
select given_task(:'m') \g /dev/null
select given_task(:'m', priority => -7) \g /dev/null
select given_task(:'m', priority => -5, tenant => 'other') as other \gset
select given_task(:'m', priority => -5) as last \gset
select is(sluice.ahead_in_backlog(b), 2, 'the higher priority, and the longer wait') from sluice.backlog b where task_id = :last;
select is(sluice.ahead_in_backlog(b), 1, 'the higher priority alone') from sluice.backlog b where task_id = :first;
select is(sluice.ahead_in_backlog(b), 0, 'not another tenant''s') from sluice.backlog b where task_id = :other;

select * from finish();
rollback;
