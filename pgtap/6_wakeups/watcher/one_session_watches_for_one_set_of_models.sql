begin;
\set alone
\ir ../../_helpers.sql
select plan(5);

select given_worker(array['a', 'b']) as w \gset
create function held() returns bigint language sql
as $$ select count(*) from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()
  and classid = sluice.lock_class('watcher') $$;
select ok(sluice.become_watcher(:w), 'nobody watches');
select is(held(), 1::bigint, 'it is a lock of the session');
select sluice.resign_watcher(:w, false);
select is(held(), 0::bigint, 'dropped, it is free again');
select is(sluice.become_watcher(1), null, 'an unknown worker gets none');
select is(held(), 0::bigint, 'no lock is left behind');

select * from finish();
rollback;
