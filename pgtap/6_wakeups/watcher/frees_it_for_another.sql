begin;
\set alone
\ir ../../_helpers.sql
select plan(3);

select given_worker(array['a']) as w \gset
select given_worker(array['b']) as other \gset
create function held() returns bigint language sql
as $$ select count(*) from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()
  and classid = sluice.lock_class('watcher') $$;
select sluice.become_watcher(:w), sluice.become_watcher(:other) \g /dev/null
select is(held(), 2::bigint, 'other models, another watcher');
select sluice.resign_watcher(:w, true);
select is(held(), 1::bigint, 'it drops its own');
select sluice.resign_watcher(:other, false);
select is(held(), 0::bigint, 'and none is left');

select * from finish();
rollback;
