"""Cells in this process, in threads, in worker processes or on a Dask cluster: each comes back as it is finished."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from dpverify.core.errors import DpverifyError, one_line
from dpverify.runner.execute import in_turn
from dpverify.runner.limits import Limits

Outcome = tuple[int, Any, str]


def outcomes(
    work: Callable[[int], Any], todo: Sequence[int], *, jobs: int, backend: str, scheduler: str | None
) -> Iterator[Outcome]:
    """Each place with what `work` made of it, or what went wrong; in the order in which they are finished.

    Parameters
    ----------
    work : callable
        Pure, and picklable where it leaves this process.
    jobs, backend, scheduler
        As `dpverify.utility.reproduce.How` has them.
    """
    if not todo:
        return
    if backend == "threads" or (backend == "processes" and jobs == 1):
        with in_turn(partial(_tried, work), list(todo), jobs=jobs) as found:
            for place, (outcome, problem) in zip(todo, found, strict=True):
                yield place, outcome, problem
    elif backend == "processes":
        from dpverify.runner.pool import Pool  # joblib, which one audit needs not

        with Pool(work, jobs=jobs, limits=Limits()) as pool:
            yield from pool.run(list(todo))
    else:
        yield from _on_dask(work, todo, jobs=jobs, scheduler=scheduler)


def _tried(work: Callable[[int], Any], place: int) -> tuple[Any, str]:
    """The cell, or what went wrong in it."""
    try:
        return work(place), ""
    except Exception as problem:  # noqa: BLE001 - of one cell, whatever it is
        said = one_line(str(problem))
        return None, said if isinstance(problem, DpverifyError) else f"{type(problem).__name__}: {said}"


def _on_dask(work: Callable[[int], Any], todo: Sequence[int], *, jobs: int, scheduler: str | None) -> Iterator[Outcome]:
    from dpverify.runner.on_dask import on_cluster

    with on_cluster(scheduler, workers=jobs, threads=1) as cluster, cluster.client.as_current():
        from distributed import as_completed

        futures = {cluster.client.submit(work, place, pure=False, retries=2): place for place in todo}
        for future in as_completed(list(futures)):  # type: ignore[no-untyped-call]
            place = futures.pop(future)
            try:
                outcome = future.result()
            except Exception as problem:  # noqa: BLE001 - a cell's own, wherever it ran
                yield place, None, f"{type(problem).__name__}: {problem}"
            else:
                yield place, outcome, ""
            future.release()
