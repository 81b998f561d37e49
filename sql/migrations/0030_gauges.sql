-- What monitoring counts without looking at a table, and when the sweep may rest.

-- How many results of each status there have been, counted as they are stored (sluice.count_results). Unlogged: after a crash
-- they begin anew, which is what a counter of Prometheus may do.
create unlogged sequence sluice.results_solved;
create unlogged sequence sluice.results_failed;
create unlogged sequence sluice.results_cancelled;
create unlogged sequence sluice.results_expired;

-- The newest task id, plus one, at the sweep that decided to rest (61_sweep.sql); 0: it does not rest.
create unlogged sequence sluice.sweep_rest_id minvalue 0;

-- It returns more than it did.
drop function if exists sluice.queue_gauges();
