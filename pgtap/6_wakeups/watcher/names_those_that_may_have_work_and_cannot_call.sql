begin;
\ir ../../_helpers.sql
select plan(4);

select given_model() as closed, given_model() as paused, given_model() as idle,
  given_model() as open \gset
select array[id_of(:'open'), id_of(:'closed'), id_of(:'paused'), id_of(:'idle')] as ids \gset
select given_task(:'closed'), given_task(:'paused') \g /dev/null
select is((select blocked from sluice.next_work(sluice.models_with_work(:'ids'), at(0))), '{}',
  'none is blocked');
select sluice.close_model(:'closed', at(30)), sluice.pause(:'paused'),
  sluice.pause(:'idle') \g /dev/null
select is(array(select unnest(blocked) from sluice.next_work(sluice.models_with_work(:'ids'), at(1))
  order by 1), array[id_of(:'closed'), id_of(:'paused')],
  'one is closed, one is paused; of an idle one nobody asks');
select is((select wake_at from sluice.next_work(sluice.models_with_work(:'ids'), at(1))), at(30),
  'the first opens by the clock');
select is((select work from sluice.next_work(sluice.models_with_work(:'ids'), at(30))), true,
  'and then it is open');

select * from finish();
rollback;
