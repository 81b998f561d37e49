begin;
\ir ../../_helpers.sql
select plan(4);

select is(sluice.announce_ended(array[1, 2]), 0, 'by default nobody wants events');
select is_empty($$select * from pg_locks where pid = pg_backend_pid() and locktype = 'object'
                  and classid = 'pg_database'::regclass$$, 'no lock of the notifiers');
update sluice.settings set events = true;
select is(sluice.announce_ended(array[1, 2]), 2, 'two');
select is(sluice.announce_ended(null), 0, 'none of none');

select * from finish();
rollback;
