begin;
\ir ../../_helpers.sql
select plan(2);

select given_model() as m \gset
update sluice.models set max_unfinished = 10 where name = :'m';
select given_tasks(:'m', 9) \g /dev/null
select given_task(:'m') \g /dev/null
select code, message from error_of(
  format('select sluice.refuse(''model'', ''%s'', 2, 10, 0.95, %L)', id_of(:'m'), at(0))) \gset
select is(:'code'::text || ' ' || :'message',
  format('SL003 model "%s" is full: 10 of 10 unfinished, no room for 2 more', :'m'),
  'the model and how full it is');
select sluice.set_counter('load', id_of(:'m'),
  sluice.micros(clock_timestamp() + interval '1 minute')) \g /dev/null
delete from sluice.queue where model = id_of(:'m');
select matches((error_of(format('select sluice.refuse(''model'', ''%s'', 2, 10, 0.95, %L)',
  id_of(:'m'), at(0)))).message, '10 of 10', 'without a count while none may be made: it is full');

select * from finish();
rollback;
