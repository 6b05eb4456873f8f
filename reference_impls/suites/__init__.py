"""Suites of claims that are audited together, and how each is run."""
