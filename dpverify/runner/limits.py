"""What a run may take: seconds in all, seconds for one claim, memory for one process, and how many of these."""

from __future__ import annotations

import math
from dataclasses import dataclass

from dpverify.core.errors import InputError
from dpverify.runner.memory import check_that_memory_can_be_limited

LONGEST = 10.0**9
"""Seconds: thirty years."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits of a run; None where there is none."""

    seconds: float | None = None
    """For the whole run. Claims unfinished by then are inconclusive, and the run can be resumed."""
    seconds_per_claim: float | None = None
    """For all audits of one claim, in worker processes only. A claim that takes longer ends as an error."""
    memory: int | None = None
    """Bytes for each worker process."""

    def __post_init__(self) -> None:
        for name, value in (("--max-seconds", self.seconds), ("--max-seconds-per-claim", self.seconds_per_claim)):
            if value is not None and not (math.isfinite(value) and 0 < value <= LONGEST):
                raise InputError(f"{name} {value:g}", allowed=f"seconds above 0, at most {LONGEST:g}")


def gigabytes(number: float) -> int:
    """Return gigabytes as bytes.

    InputError for less than a worker needs, or more than any machine has; on a system that enforces no limit.
    """
    check_that_memory_can_be_limited("--max-memory")
    if not 0.25 <= number <= 2**20:
        raise InputError(f"--max-memory {number:g}", allowed="gigabytes, at least 0.25")
    return round(number * 2**30)


def number_of_jobs(jobs: int, *, name: str = "--jobs ") -> int:
    """Number of jobs; 0 means every core that this process may use. `name` is what the number is called in errors."""
    if jobs < 0:
        raise InputError(f"{name}{jobs}", allowed="an integer >= 0 (0: every core)")
    if jobs:
        return jobs
    import joblib

    return int(joblib.cpu_count())
