-- One row. Unanalyzed, the planner expects 850, and each submit plans the statement that reads it
-- anew (D-402).
analyze sluice.gate;
