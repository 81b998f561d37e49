begin;
\ir ../../_helpers.sql
select plan(6);

select given_model(max_in_flight => 2) as m \gset
select is(sluice.unserved_text(model_row(:'m'), at(0)), 'no live worker serves the model',
  'a worker');
select sluice.register_worker('test', 1, array[:'m'], null, at(0)) as w \gset
select is(sluice.unserved_text(model_row(:'m'), at(0)), null, 'nothing');
select given_tasks(:'m', 3) \g /dev/null
select claimed(:w, 1) \g /dev/null
select is(sluice.unserved_text(model_row(:'m'), at(1)),
  'all slots of its workers are busy (1)', 'a slot');
select claimed(:w, 1) \g /dev/null
select is(sluice.unserved_text(model_row(:'m'), at(1)),
  'all calls that max_in_flight allows are under way (2)', 'a call');
select is(sluice.unserved_text(model_row(:'m'), at(99)), 'no live worker serves the model',
  'a sign of life');
select is(sluice.unserved_phrase(1, 10, 9, 0, null), null, 'all is there');

select * from finish();
rollback;
