begin;
\ir ../../_helpers.sql
select plan(1);

select given_model() as m \gset
select given_worker() as w \gset
select sluice.claim_from(id_of(:'m'), :w, 1, at(1)) \g /dev/null
select ok(exists (select from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()
  and mode = 'ExclusiveLock'
  and classid = sluice.lock_class('model') and objid = id_of(:'m')),
    'permits, marks and rows are taken by one at a time');

select * from finish();
rollback;
