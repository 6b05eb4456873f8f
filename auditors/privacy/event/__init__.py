"""The black-box event auditor: one event, chosen on draws of its own and counted in fresh ones."""
