"""``dpverify.audit_library``: all claims of an installed library from Python, as `dpverify audit-library` has them."""

from __future__ import annotations

from typing import Any

from dpverify.adapters.libraries import find_library
from dpverify.core.errors import InputError
from dpverify.libraries.session import SECONDS, LibraryResult, LibrarySession, run
from dpverify.runner.limits import number_of_jobs
from dpverify.runner.memory import share_of_machine


def audit_library(
    library: str,
    *,
    only: str = "*",
    profile: str = "quick",
    trials: int | None = None,
    seed: int = 0,
    jobs: int = 0,
    max_seconds: float | None = None,
) -> LibraryResult:
    """Audit every claim that an installed library makes, beside twins that are broken on purpose.

    Parameters
    ----------
    library : str
        Such as ``opendp``; ``dpverify audit-library --list`` shows them.
    only : str
        A pattern of claims' ids, such as ``make_laplace:*``.
    profile : "quick" or "full"
        A point of the grid for each kind, or all of it with more draws.
    trials : int or None
        Draws a side of each claim; None for the profile's number, and fewer where a claim is slow.
    seed : int
        Of all that can be seeded.
    jobs : int
        Worker processes, 0 for every core; no number depends on it.
    max_seconds : float or None
        For all claims together; those that are left then are inconclusive.

    Returns
    -------
    LibraryResult
        It shows itself in a notebook, by ``plot()`` and by `rich`; ``table.records`` are plain values.

    Raises
    ------
    InputError
        For a library that is not known or not installed, a pattern that matches no claim, and bad settings.
    """
    chosen: Any = profile
    if profile not in SECONDS:
        raise InputError(f"profile {profile!r}", allowed=", ".join(SECONDS))
    if trials is not None and (not isinstance(trials, int) or trials < 1):
        raise InputError(f"trials = {trials!r}", allowed="an integer of at least 1")
    if not isinstance(jobs, int):
        raise InputError(f"jobs = {jobs!r}", allowed="an integer >= 0 (0: every core)")
    workers = number_of_jobs(jobs, name="jobs = ")
    found = find_library(library)
    session = LibrarySession(
        library=found.name, version=found.version(), profile=chosen, only=only, seed=seed, trials=trials
    )
    return run(session, jobs=workers, memory=share_of_machine(), max_seconds=max_seconds)
