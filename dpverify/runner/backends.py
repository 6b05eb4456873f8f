"""Where work runs: a back end is one file, imported when it is named; no other code knows which one it is.

Each process makes its claim's plan again from the plan's arguments and sends back only rows.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from importlib import import_module
from typing import Any, Protocol

from dpverify.core.errors import InputError
from dpverify.runner.audit_unit import run_unit
from dpverify.runner.limits import Limits
from dpverify.runner.plan import Plan, Unit
from dpverify.runner.row import Row
from dpverify.runner.store.checkpoint import WorkSaver
from dpverify.runner.watcher import Watcher

Words = tuple[tuple[str, Any], ...]
Outcome = tuple[int, Any, str]
"""The place of a piece of work, and either what it returned or the reason why it returned nothing."""


class Backend(Protocol):
    """A way of running units of a plan, or other pieces of work."""

    def check(self, plan: Plan) -> None:
        """Raise InputError where the plan cannot be run, before anything is begun."""
        ...

    def units(
        self, plan: Plan, *, jobs: int, watch: Watcher, keeps: WorkSaver, limits: Limits, deadline: float | None
    ) -> Iterator[Row]:
        """Yield rows as they are finished, until the `deadline` (monotonic seconds); arguments as in `execute`."""
        ...

    def calls(self, work: Callable[[int], Any], places: Sequence[int], *, jobs: int) -> Iterator[Outcome]:
        """Yield what `work` makes of each place, as it is finished; it is picklable where it leaves this process."""
        ...


_FILES = {"processes": "in_processes", "threads": "in_threads", "dask": "on_dask"}
BACKENDS = tuple(_FILES)


def backend_named(name: str, *, scheduler: str | None = None) -> Backend:
    """Return the back end of this name; `scheduler` is the address of a cluster, for one that has workers elsewhere."""
    if name not in _FILES:
        raise InputError(f"backend {name!r}", allowed=", ".join(BACKENDS))
    found: Backend = import_module(f"dpverify.runner.{_FILES[name]}").BACKEND(scheduler)
    return found


def finished(plan: Plan, keeps: WorkSaver) -> Generator[Row, None, list[Unit]]:
    """Yield the rows of units whose evidence is complete in the store; returns the other units."""
    left = []
    for unit in plan.units:
        if {auditor.name for auditor in unit.auditors} <= set(keeps.evidence(unit.entry.claim.id)):
            yield run_unit(unit, plan, report=lambda _message, _share: None, keeps=keeps)
        else:
            left.append(unit)
    return left
