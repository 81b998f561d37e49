begin;
\ir ../../_helpers.sql
select plan(4);

select given_model() as m \gset
select given_route(:'m') as r \gset
select given_task(:'r') \g /dev/null
select ok(shares_lock_of_line(own_line(:'r')),
  'nobody falls asleep with the lock before the submit has ended');
select is((select count(*) from sluice.ready_line where line = own_line(:'r')), 1::bigint,
  'the line is noted');
select given_task(:'r') \g /dev/null
select is((select count(*) from sluice.ready_line where line = own_line(:'r')), 1::bigint, 'once');
delete from sluice.ready_line where line = own_line(:'r');
select given_task(:'r') \g /dev/null
select is((select count(*) from sluice.ready_line where line = own_line(:'r')), 1::bigint,
  'again when the note is gone');

select * from finish();
rollback;
