-- sluice.drop_model
begin;
\ir ../../_helpers.sql
select plan(6);

set constraints all immediate;
select given_model() as m \gset
select given_task(:'m', -n) from generate_series(1, 2) n \g /dev/null
select code, message, hint
from error_of(format('delete from sluice.models where name = %L', :'m')) \gset
select is(:'code'::text, '23503', 'a model with tasks that wait is not deleted');
select matches(:'message'::text, 'unfinished tasks: 2', 'the message says how many');
select isnt(:'hint'::text, '', 'the hint says what to do');
select given_worker() as w \gset
select claimed(:w, 1) as id \gset
select sluice.cancel(task_id) from sluice.queue where model = id_of(:'m') \g /dev/null
select throws_ok(format('delete from sluice.models where name = %L', :'m'), '23503', null,
  'nor with a call under way');
select lives_ok(format('select sluice.complete(%s, array[told(task_id, ''solved'')]) '
                       'from sluice.lease where model = %s',
  :w, id_of(:'m')), 'it ends');
select lives_ok(format('delete from sluice.models where name = %L', :'m'), 'then the model can go');

select * from finish();
rollback;
