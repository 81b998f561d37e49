begin;
\set alone
\ir ../_helpers.sql
select plan(5);

select given_worker(array['a', 'b']) as w \gset
create function watches() returns bigint language sql
as $$ select count(*) from pg_locks where locktype = 'advisory' and pid = pg_backend_pid() and classid = sluice.lock_class('watch') $$;
select ok(sluice.take_watch(:w), 'the watch is free');
select is(watches(), 1::bigint, 'it is a lock of the session');
select sluice.drop_watch(:w, false);
select is(watches(), 0::bigint, 'dropped, it is free again');
select is(sluice.take_watch(1), null, 'an unknown worker gets none');
select is(watches(), 0::bigint, 'no lock is left behind');

select * from finish();
rollback;
