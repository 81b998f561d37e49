-- What submit knows of a new task that passed its checks, and of the model that it is for.
create type sluice.arrival as (
  task_id        bigint,
  ready_at       timestamptz,
  deadline       timestamptz,
  request_bytes  int,
  rank           smallint,      -- minus the priority
  due            boolean,       -- false: waits for ready_at
  route          text,          -- null: it named the model
  tenant         text,
  submitted_at   timestamptz,
  max_queue      int,           -- of the model
  max_unfinished bigint         -- of the model
);

-- put_<n> takes an arrival now, and does what accept did for the model (28_generated.sql); the functions' file makes them anew.
do $$
declare
  v_model int;
begin
  for v_model in select id from sluice.models loop
    execute format('drop procedure if exists sluice.put_%s(bigint, timestamptz, timestamptz, int, int, text)', v_model);
  end loop;
end
$$;
drop function if exists sluice.accept(int, text, text, sluice.headroom_max, timestamptz), sluice.accept_for_system(boolean);
drop type sluice.headroom_max;

-- So small that autovacuum never analyzes them; unanalyzed, the planner takes them for ten pages, and each submit opens indexes instead
-- of reading a page: 17,000 of its 451,000 instructions.
analyze sluice.settings, sluice.models, sluice.tenants, sluice.id_range, sluice.rung;
