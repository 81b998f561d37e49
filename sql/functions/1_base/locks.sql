-- The order of locks. A session that waits for several locks takes them in this order:
--   1. tick, then sweep
--   2. retain 1, shared: a redrive
--   3. a worker's row
--   4. rows of tasks (leases, waiting rows, results), ascending by id
--   5. lines, ascending by their number: those of routes are negative, so they come before models'
--   6. breakers, ascending by their model's id; after each its model's row of refusal
--   7. count, hedge: within one function, which releases the lock before it returns
-- mend, clock and rows of spent (by account and time) are waited for in transactions that wait for
-- nothing else of this list. One wait is out of order, and therefore ends after 50 ms: complete
-- looks for the row of a cancelled task when it has locked lines (settle_cancellations).
--
-- budget 1 is waited for by those who change budgets, or add models and have the locks of relations
-- that this takes; never by claims or completions. Whoever changes budgets locks rows of
-- sluice.models last.
--
-- All other locks are only tried, so their order is free. A claim tries routes' locks to note its
-- asks, then each model's, its routes', and its tenants'. It waits for one alone, the last: budget
-- 0, where hard budgets hold, for 10 s at most (5_lifecycle/budgets.sql). Whoever has that waits
-- for nothing. A flush tries the rows of sluice.models that it closes. A session that deletes a
-- model tries all of its relations, and one that renames it waits for its lock with the model's row
-- alone, which no claim waits for (8_control/models.sql).
--
-- Any session may take advisory locks: a hostile one can stall the queue, but not change it;
-- `revoke connect` keeps it out.

-- lock_class: the first half of every advisory lock that Sluice takes. All keys are pairs of
-- integers: (class, object). The function is immutable and simple, so that the planner folds a call
-- into a constant.
-- twin: sleeper_class (change all alike)
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
    when 'job'        then 731019   -- object: 0. Held while the next step of a job is made
    -- object: hashtext of a tenant. Held from the count of open jobs to the commit
    when 'job_place'  then 731023
    when 'job_scope'  then 731024   -- object: hashtext of a scope. The same for no tenant's jobs
    -- object: 0. One mender of damaged sequences; 1: one who leaves out ids, no longer
    when 'mend'       then 731015
    when 'clock'      then 731016   -- object: 0. Held while a jump of the clock is noted
    -- object: 0: one look at the queue of notifications; 1: shared: told nobody; exclusive: all is
    -- well
    when 'notify'     then 731017
    -- object: 0. Held while the budget of extra calls is looked at and used, no longer
    when 'hedge'      then 731018
    when 'history'    then 731020   -- object: 0. One look at what has ended, for the history
    -- object: 0. Held from what budgets have left until the commit; 1: exclusive: budgets change,
    -- shared: a model is added
    when 'budget'     then 731022
    when 'name'       then 731025   -- object: hashtext of a new model's or route's name
    when 'doctor'     then 731021   -- object: a session's process id. Held while it is tried out
  end
$$;

-- sleeper_class: lock_class('sleeper'), for sluice.submit. To fold lock_class into a constant takes
-- the planner 470,000 of the 7,300,000 instructions of a session's first submit.
-- twin: sleeper_class
create or replace function sluice.sleeper_class() returns int
language sql immutable parallel safe
as $$ select 731004 $$;
