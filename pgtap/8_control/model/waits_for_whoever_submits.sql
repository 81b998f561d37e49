-- sluice.drop_model
begin;
\ir ../../_helpers.sql
select plan(2);

select given_model() as m \gset
select id_of(:'m') as id \gset
select given_task(:'m') \g /dev/null
select isnt_empty(format('select from pg_locks where relation = %L::regclass and pid = '
                         'pg_backend_pid() and mode = ''RowExclusiveLock''',
  'sluice.queue_' || :id), 'a submit has the queue''s lock until its commit');
select given_model() as n \gset
select id_of(:'n') as id \gset
select sluice.submit('question', :'n', run_at => clock_timestamp() + interval '1 hour') \g /dev/null
select isnt_empty(format('select from pg_locks where relation = %L::regclass '
                         'and pid = pg_backend_pid()', 'sluice.load_' || :id),
  'of a task that waits aside the gauge''s');

select * from finish();
rollback;
