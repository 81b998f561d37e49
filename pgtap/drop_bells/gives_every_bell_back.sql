begin;
\set alone
\ir ../_helpers.sql
select plan(3);

select given_model() from generate_series(1, 3) \g /dev/null
select given_worker() as w \gset
select bells as held from sluice.take_bells(:w, '{}', at(0)) \gset
select is((select count(*) from pg_locks where locktype = 'advisory' and pid = pg_backend_pid() and mode = 'ExclusiveLock'
  and classid = sluice.lock_class('bell')), 3::bigint, 'three are held');
select sluice.drop_bells(:'held');
select is((select count(*) from pg_locks where locktype = 'advisory' and pid = pg_backend_pid() and mode = 'ExclusiveLock'
  and classid = sluice.lock_class('bell')), 0::bigint, 'none is left');
select lives_ok($$select sluice.drop_bells('{}')$$, 'none to give back is no error');

select * from finish();
rollback;
