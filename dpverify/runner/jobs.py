"""How many audits at a time."""

from __future__ import annotations

from dpverify.core.errors import InputError


def number_of_jobs(jobs: int, *, name: str = "--jobs ") -> int:
    """Number of jobs; 0 means every core that this process may use. `name` is what the number is called in errors."""
    if jobs < 0:
        raise InputError(f"{name}{jobs}", allowed="an integer >= 0 (0: every core)")
    if jobs:
        return jobs
    import joblib

    return int(joblib.cpu_count())
