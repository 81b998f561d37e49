begin;
\ir ../_helpers.sql
select plan(1);

select given_model() as m \gset
update sluice.models set max_unfinished = 10 where name = :'m';
select given_tasks(:'m', 9) \g /dev/null
select given_task(:'m') \g /dev/null
select code, message from error_of(format('select sluice.refuse_for_model(%s, 2, %L)', id_of(:'m'), at(0))) \gset
select is(:'code'::text || ' ' || :'message', format('SL003 model "%s" is full: 10 of 10 unfinished, no room for 2 more', :'m'),
  'the model and how full it is');

select * from finish();
rollback;
