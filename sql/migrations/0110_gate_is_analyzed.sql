-- One row, of which unanalyzed the planner expects 850: then each submit plans anew the statement that reads it (D-402).
analyze sluice.gate;
