-- How many results there have been, for monitoring: counted as they are stored, for the table grows, and is cut by retention.

-- count_results: p_count results with p_status have just been stored (null: none). Not undone by a rollback, so that a
-- completion that is repeated after one counts twice: monitoring minds a rate, and nothing else reads it.
create or replace function sluice.count_results(p_status text, p_count int) returns void
language plpgsql volatile
as $$
declare
  v_counter regclass;
begin
  if p_count > 0 then
    v_counter := 'sluice.results_' || p_status;
    perform nextval(v_counter) from generate_series(1, p_count);
  end if;
end
$$;

-- fleet_gauges: what the HTTP front tells Prometheus of the whole installation. Reads four sequences and the workers' rows.
-- Returns: one row. workers: that have proved life within settings.heartbeat_timeout; the others: results so far with that
--          status, since the database last crashed.
create or replace function sluice.fleet_gauges()
returns table (workers bigint, solved bigint, failed bigint, cancelled bigint, expired bigint)
language plpgsql volatile security definer
set search_path = sluice, pg_temp
as $$
#variable_conflict use_column
begin
  return query
  select (select count(*) from sluice.workers w where w.alive),
    coalesce(pg_sequence_last_value('sluice.results_solved'), 0), coalesce(pg_sequence_last_value('sluice.results_failed'), 0),
    coalesce(pg_sequence_last_value('sluice.results_cancelled'), 0), coalesce(pg_sequence_last_value('sluice.results_expired'), 0);
end
$$;
