"""Private ranking (DISS chapter 6): PrivBR, its baselines, listwise objectives, scoring functions, metrics."""
