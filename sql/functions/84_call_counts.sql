-- call_counts: how many calls of each model have begun and ended since its counters were made: what `sluice top` makes its
-- rates of. Figures only: whoever may see the queues may see it. Reads two sequences a model, no table of tasks.
-- Returns: one row a model. null: a crash took the counter. A count may step back when claims are counted anew.
create or replace function sluice.call_counts() returns table (model text, began bigint, ended bigint)
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
#variable_conflict use_column
begin
  return query select m.name, sluice.counter('claimed', m.id), sluice.counter('ended', m.id) from sluice.models m;
end
$$;
