begin;
\ir ../../_helpers.sql
select plan(4);

create function lock_of(p_models text[], p_apis text[] default null) returns int language plpgsql
as $$
declare
  v_id bigint := given_worker(p_models);
begin
  if p_apis is not null then
    perform sluice.worker_speaks(v_id, p_apis);
  end if;
  return (select sluice.watcher_lock_of(w) from sluice.worker w where id = v_id);
end
$$;
select is(lock_of(array['b', 'a'], array['y', 'x']), lock_of(array['a', 'b'], array['x', 'y']),
  'in whatever order they were named');
select isnt(lock_of(array['a']), lock_of(array['b']), 'other models, another watcher');
select isnt(lock_of(null, array['x']), lock_of(null, array['x', 'y']),
  'so has a worker that speaks more: one that speaks less would sleep through its tasks');
select isnt(lock_of(null), lock_of('{}'), 'all is not none');

select * from finish();
rollback;
