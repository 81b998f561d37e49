begin;
\ir ../_helpers.sql
select plan(1);

select given_model() as m \gset
select sluice.note_bulk('cancel_all', sluice.task_filter_of(:'m', 't', null, 7, null, null), 'cancelled', 3, at(1)) \g /dev/null
select is((select detail from sluice.audit where object = :'m' and action = 'cancel_all'),
  '{"tenant": "t", "batch_id": 7, "cancelled": 3}', 'the conditions that were given, and the count');

select * from finish();
rollback;
