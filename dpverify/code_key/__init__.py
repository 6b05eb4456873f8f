"""The key of a user's code: everything that is kept for later (evidence, verdicts, finished units) is kept under it."""
