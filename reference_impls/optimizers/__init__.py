"""Private optimisers: one published algorithm a file, each a definition on a tape and, where it counts, a kernel."""
