-- sluice.recount_headroom
begin;
\set alone
\ir ../../_helpers.sql
select plan(3);

select given_model() as m \gset
update sluice.models set max_unfinished = 10 where name = :'m';
create function counting() returns bigint language sql
as $$ select count(*) from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()
      and classid = sluice.lock_class('count') $$;
select given_tasks(:'m', 10) \g /dev/null
select is((error_of(format('select given_task(%L)', :'m'))).code, 'SL003',
  'refused, hence counted');
select is(counting(), 0::bigint, 'the lock of the count was given back');
-- A count that fails: the queue is not there.
select sluice.set_counter('load', id_of(:'m'), 1000) \g /dev/null
alter table sluice.lease rename to lease_elsewhere;
select error_of(format('select sluice.take_headroom(''model'', ''%s'', 1, 10, 1)',
  id_of(:'m'))) \g /dev/null
alter table sluice.lease_elsewhere rename to lease;
select is(counting(), 0::bigint, 'also when the count failed');

select * from finish();
rollback;
