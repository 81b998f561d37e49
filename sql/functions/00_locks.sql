-- lock_class: the first half of every advisory lock that Sluice takes, all in one place.
-- Two-integer keys only: (class, object). Order everywhere, for locks that wait:
--   tick -> sweep -> worker row -> task rows ascending by id -> lines (routes', then models') ascending by id.
-- A model's relations are dropped under tick and sweep, and only tried (02_models.sql).
-- Whoever may connect may take advisory locks: a hostile one can stall the queue, not change it. `revoke connect` keeps him out.
-- Immutable and simple, so that the planner folds a call into a constant.
create or replace function sluice.lock_class(p_name text) returns int
language sql immutable parallel safe
as $$
  select case p_name
    when 'model'      then 731001   -- object: model id. Held while its permits, and its line's marks and rows, are taken
    when 'route'      then 731003   -- object: n of a route's line. Held while its rows are taken; tried after the model's
    when 'bell'       then 731004   -- object: model id mod 64. Exclusive while somebody sleeps; 64 more: alarms
    when 'watch'      then 731005   -- object: hashtext of the served models. One watching worker
    when 'sweep'      then 731006   -- object: 0. One sweeper
    when 'partitions' then 731007   -- object: 0. One maker of partitions
    when 'tick'       then 731008   -- object: 0. One tick at a time
    when 'migrate'    then 731009   -- object: 0. Held by `sluice migrate`, for its session
    when 'tenant'     then 731010   -- object: tenant id. Held while its permits are taken; tried after the model's
    when 'retain'     then 731011   -- object: 0: one round of retention; 1: exclusive: it drops a range, shared: a redrive
    when 'count'      then 731012   -- object: a gauge's oid. Held while what it measures is counted, no longer
    when 'knock'      then 731013   -- object: model id mod 64. Shared: rang for a sleeper; exclusive: notes what is quiet
    when 'batch'      then 731014   -- object: batch id. Held while its next step is made
    when 'mend'       then 731015   -- object: 0. One mender of damaged sequences
    when 'clock'      then 731016   -- object: 0. Held while a jump of the clock is noted
  end
$$;
