begin;
\ir ../../_helpers.sql
select plan(2);

select given_model() as m \gset
select sluice.notify_opened(id_of(:'m'));
select ok(shares_opening_lock(:'m') and not shares_lock(:'m'),
  'it shares the opening lock: nobody can fall asleep on it before this transaction ends');
select is_empty($$select * from pg_locks where pid = pg_backend_pid() and locktype = 'object'
                  and classid = 'pg_database'::regclass$$,
                    'and notifies nobody: that would take the lock of all notifiers');

select * from finish();
rollback;
