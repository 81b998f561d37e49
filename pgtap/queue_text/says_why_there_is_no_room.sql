begin;
\ir ../_helpers.sql
select plan(4);

select given_model() as m \gset
select is(sluice.queue_text(id_of(:'m'), at(0)), 'no live worker serves the model', 'nobody takes');
select given_worker(array[:'m']) \g /dev/null
select given_tasks(:'m', 3) \g /dev/null
select is(sluice.queue_text(id_of(:'m'), at(0)), 'its queue holds 3', 'it is full');
update sluice.models set rpm = 60 where name = :'m';
update sluice.models set limits_changed_at = at(0) where name = :'m';
select is(sluice.queue_text(id_of(:'m'), at(0)),
  'its queue holds 3, next permit ' || to_char(sluice.next_permit_at(:'m', at(0)), 'HH24:MI:SS')
  || ' (rpm 60)', 'it is out of permits');
update sluice.models set paused = true where name = :'m';
select is(sluice.queue_text(id_of(:'m'), at(0)), 'the model is paused', 'it is closed');

select * from finish();
rollback;
