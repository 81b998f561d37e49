begin;
\ir ../_helpers.sql
select plan(4);

create function watch(p_models text[], p_apis text[] default null) returns int language plpgsql
as $$
declare
  v_id bigint := given_worker(p_models);
begin
  if p_apis is not null then
    perform sluice.worker_speaks(v_id, p_apis);
  end if;
  return (select sluice.watch_of(w) from sluice.worker w where id = v_id);
end
$$;
select is(watch(array['b', 'a'], array['y', 'x']), watch(array['a', 'b'], array['x', 'y']), 'in whatever order they were named');
select isnt(watch(array['a']), watch(array['b']), 'other models, another watch');
select isnt(watch(null, array['x']), watch(null, array['x', 'y']),
  'so has a worker that speaks more: one that speaks less would sleep through its tasks');
select isnt(watch(null), watch('{}'), 'all is not none');

select * from finish();
rollback;
