"""Options of `dpverify run` that contradict one another or cannot work here: refused before anything is begun."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpverify.core.errors import InputError


def check_options(
    *,
    backend: str,
    scheduler: str | None,
    contained: Mapping[str, Any],
) -> None:
    """Refuse options that would be ignored.

    Parameters
    ----------
    backend, scheduler : str, str or None
        Backend and cluster address of the run.
    contained : mapping
        Options that need a separate process for each claim.

    Raises
    ------
    InputError
        For the first such option that was given.
    """
    if backend == "threads" and (given := _given(contained)):
        raise InputError(
            f"{given} with --backend threads", allowed="--backend processes, where a claim's process can be ended"
        )
    if scheduler is not None and backend != "dask":
        raise InputError(f"--scheduler {scheduler} with --backend {backend}", allowed="--backend dask with it")
    if scheduler is not None and contained.get("--max-memory") is not None:
        raise InputError(
            f"--max-memory {contained['--max-memory']:g} with --scheduler",
            allowed="a limit for workers on this machine",
            remedy="start the cluster's workers with one (dask worker --memory-limit)",
        )


def check_suite_options(of_file: bool, *, of_files: Mapping[str, Any], of_suites: Mapping[str, Any]) -> None:
    """Refuse options of suite files with a built-in suite, and the other way round; InputError for the first."""
    if of_file and (given := _given(of_suites)):
        raise InputError(f"{given} with a suite file", allowed="built-in suites with it", remedy="leave it out")
    if not of_file and (given := _given(of_files)):
        raise InputError(f"{given} with a built-in suite", allowed="a suite file with it", remedy="leave it out")


def _given(options: Mapping[str, Any]) -> str:
    """The first option that has a value; empty without any."""
    return next((name for name, value in options.items() if value is not None), "")
