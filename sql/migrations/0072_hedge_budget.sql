-- The budget of extra calls, which all models with hedge_after share (3_limits/hedge_budget.sql). Sequences, for every claim of such a
-- model counts; unlogged, for after a crash both begin at nothing: what had been saved up is gone.
create unlogged sequence sluice.hedge_calls;  -- calls of models with hedge_after, extra ones included
create unlogged sequence sluice.hedge_used;   -- how many of them extra ones have used up, in thousandths
