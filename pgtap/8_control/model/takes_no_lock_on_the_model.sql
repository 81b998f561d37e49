-- sluice.before_model_changes
begin;
\ir ../../_helpers.sql
select plan(1);

select given_model(rpm => 600) as m \gset
update sluice.models set rpm = 1200, paused = true where name = :'m';
select is_empty($$select * from pg_locks where pid = pg_backend_pid() and locktype = 'advisory'
                  and classid = sluice.lock_class('model')$$,
  'an open psql that edits a model does not stop the fleet');

select * from finish();
rollback;
