begin;
\ir ../../_helpers.sql
select plan(4);

select given_model() as m \gset
select given_worker(array[:'m']) as w \gset
select given_task(:'m') as t \gset
select is((error_of(format('select sluice.require_finished(%s)', :t))).code, 'SL004', 'unfinished');
select is((error_of('select sluice.require_finished(-7)')).code, 'SL006', 'unknown');
select claimed(:w, 1) \g /dev/null
select is((error_of(format('select sluice.require_finished(%s)', :t))).message,
  format('task %s is still processing', :t), 'under way');
select completed(:w, told(:t, 'failed')) \g /dev/null
select is(sluice.require_finished(:t), 'failed', 'its status');

select * from finish();
rollback;
