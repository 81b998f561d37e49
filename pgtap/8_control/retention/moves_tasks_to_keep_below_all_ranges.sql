begin;
\set alone
\ir ../../_helpers.sql
select plan(4);

lock table sluice.task, sluice.result in access exclusive mode;
select given_model() as m \gset
select given_task(:'m', prompt => 'kept') as kept \gset
select given_task(:'m') as gone \gset
select sluice.cancel(:kept, at(1)) \g /dev/null
-- Somebody else, such as autovacuum, may have a lock that it needs: it tries again then.
create function dropped(p_kept bigint) returns boolean language plpgsql as $$
begin
  for n in 1 .. 200 loop
    if sluice.try_drop_range(row(0, 0, 1000000, array[p_kept], null)::sluice.retention_round) then
      return true;
    end if;
  end loop;
  return false;
end
$$;
select dropped(:kept) \g /dev/null
select is((select tableoid::regclass::text || ' ' || prompt from sluice.task where id = :kept),
  'sluice.task_retained kept', 'in the retained partition');
select is_empty(format('select from sluice.task where id = %s', :gone), 'the others are no more');
select is_empty('select from sluice.id_range where n = 0', 'nor is the range');
select is((select stored_by from sluice.result where task_id = :kept),
  pg_current_xact_id()::text::bigint, 'the moved result knows which transaction stored it first');

select * from finish();
rollback;
