-- lock_class: the first half of every advisory lock that Sluice takes, all in one place. All keys
-- are pairs of integers: (class, object). Locks that wait are taken in this order everywhere:
--   tick -> sweep -> worker row -> task rows ascending by id -> lines (routes', then models')
--   ascending by id.
-- A model's relations are dropped under tick and sweep, and their locks are only tried
-- (8_control/models.sql). Any session may take advisory locks: a hostile one can stall the
-- queue, but not change it; `revoke connect` keeps it out. The function is immutable and
-- simple, so that the planner folds a call into a constant.
create or replace function sluice.lock_class(p_name text) returns int
language sql immutable parallel safe
as $$
  select case p_name
    -- object: model id. Held while its permits, and its line's marks and rows, are taken
    when 'model'      then 731001
    -- object: n of a route's line. Held while its rows are taken; tried after the model's
    when 'route'      then 731003
    -- object: line mod 64. Exclusive while somebody sleeps; 64 more: opening locks
    when 'sleeper'    then 731004
    -- object: hashtext of the served models. One of the workers that serve them
    when 'watcher'    then 731005
    when 'sweep'      then 731006   -- object: 0. One sweeper
    when 'partitions' then 731007   -- object: 0. One maker of partitions
    when 'tick'       then 731008   -- object: 0. One tick at a time
    when 'migrate'    then 731009   -- object: 0. Held by `sluice migrate`, for its session
    -- object: tenant id. Held while its permits are taken; tried after the model's
    when 'tenant'     then 731010
    -- object: 0: one round of retention; 1: exclusive: it drops a range, shared: a redrive
    when 'retain'     then 731011
    -- object: a gauge's oid. Held while what it measures is counted, no longer
    when 'count'      then 731012
    -- object: line mod 64. Shared: notifies a sleeper; exclusive: forgets idle lines
    when 'notifier'   then 731013
    when 'batch'      then 731014   -- object: batch id. Held while its next step is made
    when 'mend'       then 731015   -- object: 0. One mender of damaged sequences
    when 'clock'      then 731016   -- object: 0. Held while a jump of the clock is noted
    -- object: 0: one look at the queue of notifications; 1: shared: told nobody; exclusive: all is
    -- well
    when 'notify'     then 731017
    -- object: 0. Held while the budget of extra calls is looked at and used, no longer; waited for
    -- last
    when 'hedge'      then 731018
    when 'history'    then 731020   -- object: 0. One look at what has ended, for the history
  end
$$;
