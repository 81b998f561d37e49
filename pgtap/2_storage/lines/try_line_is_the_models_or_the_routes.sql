begin;
\ir ../../_helpers.sql
select plan(1);

select given_model() as m \gset
select given_route(:'m') as r \gset
select sluice.try_line(id_of(:'m')), sluice.try_line(own_line(:'r')) \g /dev/null
select set_has($$select classid::int, objid::bigint from pg_locks where locktype = 'advisory'
  and pid = pg_backend_pid()$$,
  format('values (sluice.lock_class(''model''), %s::bigint), (sluice.lock_class(''route''), %s)',
    id_of(:'m'), -own_line(:'r')),
  'both are held');

select * from finish();
rollback;
