"""What trained algorithms share: settings, runs on a tape, the count of records, a deterministic minimiser."""
