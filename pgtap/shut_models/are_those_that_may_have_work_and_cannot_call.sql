begin;
\ir ../_helpers.sql
select plan(4);

select given_model() as open, given_model() as closed, given_model() as paused, given_model() as idle \gset
select array[id_of(:'open'), id_of(:'closed'), id_of(:'paused'), id_of(:'idle')] as ids \gset
select given_task(:'open'), given_task(:'closed'), given_task(:'paused') \g /dev/null
select results_eq(format('select * from sluice.shut_models(sluice.restless(%L), at(0))', :'ids'),
  $$values ('{}'::int[], null::timestamptz)$$, 'none is shut');
select sluice.close_model(:'closed', at(30)), sluice.pause(:'paused'), sluice.pause(:'idle') \g /dev/null
select is(array(select unnest(models) from sluice.shut_models(sluice.restless(:'ids'), at(1)) order by 1),
  array[id_of(:'closed'), id_of(:'paused')],
  'one is closed, one is paused; of an idle one nobody asks');
select is((select open_at from sluice.shut_models(sluice.restless(:'ids'), at(1))), at(30), 'the first opens by the clock');
select is((select models from sluice.shut_models(sluice.restless(:'ids'), at(30))), array[id_of(:'paused')], 'and then it is open');

select * from finish();
rollback;
