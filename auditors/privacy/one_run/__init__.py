"""The one-run auditor: many canaries in a single training."""
