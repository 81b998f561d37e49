-- sluice.submit
begin;
\ir ../../_helpers.sql
select plan(2);

select given_model() as m \gset
update sluice.models set max_unfinished = 2 where name = :'m';
select given_worker(array[:'m']) as w \gset
select given_task(:'m') as t, given_task(:'m') as u \gset
select claimed(:w, 1) \g /dev/null
update sluice.models set max_unfinished = 1 where name = :'m';
select completed(:w, told(:t, 'retry')) \g /dev/null
select is(places(:t), 'later', 'a retry goes back although the model is over its bound');
select is((error_of(format('select given_task(%L)',
    :'m'))).message, format('model "%s" is full: 2 of 1 unfinished', :'m'),
  'a lower bound holds at once for new tasks');

select * from finish();
rollback;
