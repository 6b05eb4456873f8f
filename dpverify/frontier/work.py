"""Does units here or in worker processes; what is finished is kept at once, and done again by nobody."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from dpverify.adapters.time_limit import TimeLimit
from dpverify.core.errors import AuditError, DpverifyError, InputError
from dpverify.frontier.asked import FrontierSettings
from dpverify.frontier.bench import Bench, Unit
from dpverify.runner.journal import Journal
from dpverify.runner.limits import Limits
from dpverify.runner.memory import share_of_machine
from dpverify.runner.pool import OverTime, Pool
from dpverify.runner.subprocess_guard import begin_audits
from dpverify.runner.thread_limits import one_thread

Told = Callable[[str, float], None]

GRACE = 5.0
"""Seconds beyond the limit of its calls after which a worker is ended that Python could not break into."""

_benches: dict[str, Bench] = {}
"""Of a worker process: one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Elsewhere:
    """Work for a worker process: `asked` with its trainer as text."""

    asked: FrontierSettings
    units: tuple[Unit, ...]

    def __call__(self, place: int) -> Any:
        key = json.dumps([self.asked.trainer, self.asked.told(), self.asked.per_call])
        limit = CallLimit(self.asked.per_call)
        try:
            with one_thread(), limit:
                bench = _benches.get(key)
                if bench is None:
                    _benches.clear()
                    bench = _benches[key] = Bench(self.asked, limit)
                bench.trainer.limited(limit)
                begin_audits()  # from here on the time limit of a unit counts
                return bench.do(self.units[place])
        except DpverifyError as problem:
            return problem


class Workshop:
    """Does units in the order in which they come, `jobs` at a time.

    Parameters
    ----------
    bench : Bench
        Of this process; its limit has been entered, and threads are limited to one.
    journal : Journal
    jobs : int
        Above 1, the trainer has to be a text that other processes can load.
    tell : callable
        Called with what is being done, and the share of it that is.
    """

    def __init__(self, bench: Bench, journal: Journal, *, jobs: int, tell: Told) -> None:
        self._bench, self._journal, self._tell = bench, journal, tell
        self._jobs = jobs if isinstance(bench.asked.trainer, str) else 1

    @property
    def jobs(self) -> int:
        """So many units run at a time."""
        return self._jobs

    def known(self, name: str, find: Callable[[], Any]) -> Any:
        """Something that is found out once, such as a number that a clock gave."""
        if name not in self._journal:
            self._journal.keep(name, find())
        return self._journal[name]

    def done(self, units: Sequence[Unit], *, doing: str) -> list[Any]:
        """Return the results of the units, in their order.

        Raises
        ------
        InputError, AuditError
            Of the first unit that failed.
        """
        names = [json.dumps(unit) for unit in units]
        missing = [unit for unit, name in zip(units, names, strict=True) if name not in self._journal]
        told, whole = len(units) - len(missing), max(1, len(units))
        if self._jobs > 1 and len(missing) > 1:
            work = _Elsewhere(asked=self._bench.asked, units=tuple(missing))
            longest = self._bench.asked.per_call * max(map(_trainings, missing)) + GRACE
            limits = Limits(seconds_per_claim=longest, memory=share_of_machine())
            with Pool(work, jobs=self._jobs, limits=limits) as pool:
                for place, found, problem in pool.run(range(len(missing))):
                    self._journal.keep(json.dumps(missing[place]), _value(found, problem, self._bench.asked))
                    told += 1
                    self._tell(doing, told / whole)
        else:
            for unit in missing:
                self._journal.keep(json.dumps(unit), self._bench.do(unit))
                told += 1
                self._tell(doing, told / whole)
        with contextlib.suppress(KeyError):
            return [self._journal[name] for name in names]
        raise AuditError("some units of work were not done")


def _trainings(unit: Unit) -> int:
    """Return how many trainings a unit has: runs say it, other units have one."""
    return int(unit[6]) if unit[0] in ("pilot", "runs") else 1


def _value(found: Any, problem: str, asked: FrontierSettings) -> Any:
    if isinstance(problem, OverTime):  # in C code, which does not let Python break in
        raise too_long(f"the trainer {asked.name}", asked.per_call)
    if problem:
        raise AuditError(f"the trainer's process failed: {problem}")
    if isinstance(found, DpverifyError):
        raise found
    return found


class CallLimit(TimeLimit):
    """A `TimeLimit` of each training alone.

    Parameters
    ----------
    seconds_per_call : float or None
        Limit of one training; None for no limit.
    """

    def __init__(self, seconds_per_call: float | None) -> None:
        super().__init__(per_call=seconds_per_call)

    def too_long(self, name: str) -> InputError:
        """Refuse in the words of this command."""
        return too_long(f"the trainer {name}", self.per_call or 0.0)


def too_long(name: str, seconds: float) -> InputError:
    """The error of a training that ran longer than `seconds`."""
    return InputError(
        f"one call of {name} ran longer than its limit of {seconds:g} s (--max-seconds-per-call)",
        allowed="a trainer that returns in time",
        remedy="correct the loop that does not end, or raise the limit (in Python max_seconds_per_call)",
    )
