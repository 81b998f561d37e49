-- sluice.note_deadlines
begin isolation level repeatable read;
\ir ../../_helpers.sql
select plan(2);

-- Others' hint may be newer than the one it sees.
select given_model() as m \gset
select given_task(:'m', deadline => at(60)) \g /dev/null
select ok(sluice.has_deadlines(own_line(:'m'), at(1000), 'infinity')
  and sluice.has_deadlines(own_line(:'m'), at(0), at(1)), 'any deadline may wait');
select given_task(:'m', deadline => at(900)) \g /dev/null
select is((select count(*) from sluice.meter where line = own_line(:'m') and model = -7), 1::bigint,
  'which is noted once');

select * from finish();
rollback;
