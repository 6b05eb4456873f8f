"""Models that the algorithms train: one file a loss, jitted."""
