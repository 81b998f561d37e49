-- An unfinished task has its tenant in its place: the list of one tenant looks up no tasks of the
-- others.
begin;
\ir ../../_helpers.sql
select plan(2);

select given_model() as m \gset
select count(sluice.submit('x', :'m', tenant => 'many' || pg_backend_pid(), p_now => at(0)))
from generate_series(1, 200);
select 'none' || pg_backend_pid() as none \gset
create function looked_up() returns bigint language sql volatile as $$
  select sum(pg_stat_get_xact_numscans(indexrelid) + pg_stat_get_xact_numscans(indrelid))::bigint
  from pg_index where indrelid in (select inhrelid from pg_inherits
    where inhparent = 'sluice.task'::regclass)
$$;
select sluice.newest_ids('queued', 10, null, :'none');
select looked_up() as before \gset
select is(array(select sluice.newest_ids('queued', 10, null, :'none')), '{}',
  'there are none of that tenant');
select is(looked_up(), :before::bigint, 'and no task was read');

select * from finish();
rollback;
