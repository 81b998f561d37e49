begin;
\ir ../../_helpers.sql
select plan(5);

select given_model() as m \gset
select ok(not shares_lock(:'m'), 'nobody was notified yet');
select given_task(:'m') \g /dev/null
select ok(shares_lock(:'m'),
  'a submit does: nobody falls asleep with the lock before it has ended');
select is((select count(*) from sluice.ready_line where line = id_of(:'m')), 1::bigint,
  'and notes the model');
select given_task(:'m') \g /dev/null
select is((select count(*) from sluice.ready_line where line = id_of(:'m')), 1::bigint, 'once');
delete from sluice.ready_line where line = id_of(:'m');
select given_task(:'m') \g /dev/null
select is((select count(*) from sluice.ready_line where line = id_of(:'m')), 1::bigint,
  'again when the note is gone');

select * from finish();
rollback;
