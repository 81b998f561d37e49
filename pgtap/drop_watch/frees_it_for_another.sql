begin;
\set alone
\ir ../_helpers.sql
select plan(3);

select given_worker(array['a']) as w \gset
select given_worker(array['b']) as other \gset
create function watches() returns bigint language sql
as $$ select count(*) from pg_locks where locktype = 'advisory' and pid = pg_backend_pid() and classid = sluice.lock_class('watch') $$;
select sluice.take_watch(:w), sluice.take_watch(:other) \g /dev/null
select is(watches(), 2::bigint, 'other models, another watch');
select sluice.drop_watch(:w, true);
select is(watches(), 1::bigint, 'it drops its own');
select sluice.drop_watch(:other, false);
select is(watches(), 0::bigint, 'and none is left');

select * from finish();
rollback;
