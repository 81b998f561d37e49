begin;
\set alone
\ir ../_helpers.sql
select plan(3);

select given_model() as m \gset
select given_worker(array[:'m']) as w \gset
create function bells() returns int[] language sql
as $$ select coalesce(array_agg(objid::int order by objid), '{}') from pg_locks where locktype = 'advisory'
      and pid = pg_backend_pid() and mode = 'ExclusiveLock' and classid = sluice.lock_class('bell') $$;
select results_eq(format('select bells, complete, work, wake_in_ms from sluice.take_bells(%s, ''{}'', at(0))', :w),
  format('values (array[%s], true, false, null::bigint)', id_of(:'m') % 64), 'all of them, and there is nothing to do');
select is(bells(), array[id_of(:'m') % 64], 'while it sleeps it holds them');
select sluice.drop_bells(array[id_of(:'m') % 64]);
select is(bells(), '{}', 'awake, it holds none');

select * from finish();
rollback;
