begin;
\ir ../../_helpers.sql
select plan(2);

select given_model() as m \gset
select given_task(:'m', run_at => at(10)) \g /dev/null
delete from sluice.ready_line where line = id_of(:'m');
select sluice.wake(at(9)) \g /dev/null
select is_empty(format('select from sluice.ready_line where line = %s', id_of(:'m')),
  'not before its time');
select sluice.wake(at(10)) \g /dev/null
select isnt_empty(format('select from sluice.ready_line where line = %s', id_of(:'m')),
  'at its time the model may have work');

select * from finish();
rollback;
