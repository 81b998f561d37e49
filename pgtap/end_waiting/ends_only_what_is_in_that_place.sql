begin;
\ir ../_helpers.sql
select plan(4);

select given_model() as m \gset
select given_tasks(:'m', 4) as ids \gset
select sluice.end_waiting('queue_' || id_of(:'m'), (:'ids'::bigint[])[2:3], 'expired', 'code', 'text', at(1)) as ended \gset
select is(:ended, 1, 'one of the two is in the queue');
select is(array(select places(id) from unnest(:'ids'::bigint[]) id), array['queue', 'expired', 'backlog', 'backlog'], 'it ends');
select results_eq(format('select error_code, error, queued_at, finished_at, created_at from sluice.result where task_id = %s',
  (:'ids'::bigint[])[2]), $$values ('code'::text, 'text'::text, at(0), at(1), at(0))$$, 'with what was told');
select is(sluice.end_waiting('backlog', (:'ids'::bigint[])[3:4], 'cancelled', 'c', 't', at(1)), 2, 'the same in the backlog');

select * from finish();
rollback;
