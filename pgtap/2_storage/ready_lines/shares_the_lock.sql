begin;
\ir ../../_helpers.sql
select plan(3);

select given_model() as m \gset
select sluice.notify_ready(id_of(:'m'));
select ok(shares_lock(:'m'),
  'it shares the sleeper lock: nobody can fall asleep on it before this transaction ends');
select lives_ok('select sluice.notify_ready(id) from generate_series(1, 1000) id',
  'a thousand models');
select cmp_ok((select count(*) from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()
  and classid = sluice.lock_class('sleeper')), '=', 64::bigint,
    'are 64 locks, which the lock table can hold');

select * from finish();
rollback;
