begin;
\ir ../../_helpers.sql
select plan(9);

select given_model() as m \gset
select given_model() as gone \gset
select given_worker() as w \gset
select given_task(:'m') as t \gset
select code, message, hint from error_of(format('select sluice.redrive(%s)', :t)) \gset
select is(:'code'::text, 'SL004', 'an unfinished task is SL004');
select is(:'message'::text, format('task %s is still queued', :t), 'which says where it is');
select isnt(:'hint'::text, '', 'with a hint');
select completed(:w, told((claimed(:w, 1))[1], 'solved')) \g /dev/null
select code, message from error_of(format('select sluice.redrive(%s)', :t)) \gset
select is(:'code'::text, 'SL004', 'a solved one too');
select is(:'message'::text, format('task %s is solved', :t), 'and says so');
select is((error_of('select sluice.redrive(-1)')).code, 'SL006', 'an unknown one is SL006');
select given_task(:'gone') as orphan \gset
select sluice.cancel(:orphan, at(1)) \g /dev/null
delete from sluice.models where name = :'gone';
select is((error_of(format('select sluice.redrive(%s)', :orphan))).code, 'SL001',
  'one whose model is no more is SL001');
select is(places(:orphan), 'cancelled', 'and stays where it is');
select is((select count(*) from sluice.attempt where task_id in (:t, :orphan)), 0::bigint,
  'nothing was noted');

select * from finish();
rollback;
