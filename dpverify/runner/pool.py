"""Runs units in worker processes that may die; a worker that dies loses only its own unit.

When a worker dies, the whole pool ends with all units that were running. Each of them is run again alone, from its
saved parts. Units that were not at fault then finish; a unit whose process dies again is an error, with the last lines
that it printed. None of this changes any number, since every unit has its own random streams.
"""

from __future__ import annotations

import os
import queue
import signal
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from multiprocessing import resource_tracker, util
from pathlib import Path
from typing import Any

from joblib.externals.loky import ProcessPoolExecutor, process_executor

from dpverify.adapters.time_limit import NoCopy
from dpverify.core.errors import AuditError
from dpverify.runner.limits import Limits
from dpverify.runner.memory import use_more_than
from dpverify.runner.process_tree import adopt_orphans, end_with_parent, kill_with_descendants, with_descendants
from dpverify.runner.store.schema import StoreError
from dpverify.runner.subprocess_guard import (
    TOLD_EVERY,
    empty_if_large,
    guarded,
    last_lines,
    last_progress,
    worker_of_unit,
)
from dpverify.runner.temporary_folders import temporary_folder

TICK = 0.1
"""Seconds between two looks at the clock."""

PATIENCE = 3
"""Number of pools in a row that may break before any unit has begun."""

START_UP = 300.0
"""Seconds that a worker may take before the audits begin (imports, the plan), beside the claim's time limit."""

QUEUED = 4
"""Units that are queued or at work, for each worker."""

LOOK = 0.25
"""Seconds between two looks at how much memory the workers hold."""

Seen = Callable[[int, str, float], None]


class OverTime(str):
    """Why a unit gave nothing that was ended for its time."""

    __slots__ = ()


Outcome = tuple[int, Any, str]
"""Index of a unit, and either what its work returned or why there is nothing."""


_IDLE = 10.0
"""Seconds after which a worker without work ends."""

GROWTH = 1_500_000_000
"""Bytes by which a worker may grow before it is replaced between two units. loky allows 3e8, which is less than a data
set: a worker that keeps one would be replaced after every unit, and each new one would load it again."""

_kept: dict[int, Any] = {}
"""The executor of this process, by its number of workers; runs share it.

joblib's executor, which other code in this process may use, is separate.
"""


def end_workers() -> None:
    """End the idle workers that earlier runs left for later ones."""
    while _kept:
        _kept.popitem()[1].shutdown(wait=True, kill_workers=True)


def leave_nothing() -> None:
    """End the workers, and give back the locks that were shared with them, before the process ends by a signal."""
    end_workers()
    util._run_finalizers(0)  # type: ignore[attr-defined]


def _executor(jobs: int) -> Any:
    """An executor with `jobs` workers: the existing one, when it has as many and none has died."""
    found = _kept.pop(jobs, None)
    end_workers()
    if found is None or found._flags.broken or found._flags.shutdown:
        found = ProcessPoolExecutor(max_workers=jobs, timeout=_IDLE, initializer=_start, initargs=(os.getpid(),))
    _kept[jobs] = found
    return found


class Pool:
    """Runs ``work(place)`` for many places in `jobs` processes; use it as a context.

    Parameters
    ----------
    work : callable
        Sent to the workers; its result must be picklable.
    jobs : int
        Number of worker processes.
    limits : Limits
        `seconds_per_claim` and `memory` apply to each unit.
    seen : callable or None
        Called now and then as ``seen(place, message, share)`` with the progress that running units `tell`.
    """

    def __init__(self, work: Callable[[int], Any], *, jobs: int, limits: Limits, seen: Seen | None = None) -> None:
        self.work, self.jobs, self.limits, self.seen = work, jobs, limits, seen

    def __enter__(self) -> Pool:
        self._executor: Any = None
        self._looked = time.monotonic()
        self._stack = ExitStack()
        self.folder: Path = self._stack.enter_context(temporary_folder())
        self._stack.enter_context(warnings.catch_warnings())
        # loky warns when it replaces workers that use much memory; nothing is lost then.
        warnings.filterwarnings("ignore", "A worker stopped while some jobs", UserWarning)
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            self.kill()
        self._stack.close()

    def kill(self) -> None:
        """Kill every worker at once."""
        if self._executor is None:
            return
        # loky's manager fails when work is queued while it kills workers, so cancel everything first.
        with suppress(queue.Empty):
            while True:
                self._executor._work_ids.get_nowait()
        self._executor.shutdown(wait=True, kill_workers=True)

    def run(self, places: Sequence[int], *, deadline: float | None = None) -> Iterator[Outcome]:
        """Yield outcomes as units finish, until the `deadline` (monotonic seconds)."""
        waiting, alone, idle = list(places), list[int](), 0
        while waiting or alone:
            shared, nothing = not alone, True
            now = waiting if shared else alone[:1]
            for place, found, problem in self._round(now, shared=shared, deadline=deadline):
                nothing = False
                waiting = [each for each in waiting if each != place]
                if shared and problem == _DIED:
                    alone.append(place)
                else:
                    alone = [each for each in alone if each != place]
                    yield place, found, self._epitaph(place) if problem == _DIED else problem
            if deadline is not None and time.monotonic() >= deadline:
                return
            idle = idle + 1 if nothing else 0
            if idle == PATIENCE:
                raise AuditError("worker processes die before they begin: try --backend threads, or fewer --jobs")

    def _round(self, places: list[int], *, shared: bool, deadline: float | None) -> Iterator[Outcome]:
        """Run one pool until it ends or breaks.

        Yields finished units, those over a limit, and those that were running when it broke (`_DIED`).
        """
        executor = self._executor = _executor(self.jobs if shared else 1)
        for place in places:
            for file in (self.folder / f"{place}.{kind}" for kind in ("begun", "out", "now")):
                file.unlink(missing_ok=True)
        rest = iter(places)
        futures: dict[Future[Any], int] = {}
        ended: dict[int, str] = {}
        broken, looked = False, time.monotonic()
        while True:
            broken = broken or not self._queued(executor, futures, rest)
            if not futures:
                return
            done, _ = wait(futures, timeout=TICK, return_when=FIRST_COMPLETED)
            for future in done:
                place = futures.pop(future)
                try:
                    found = future.result()
                except BrokenProcessPool:
                    broken = True
                    if place in ended:
                        yield place, None, ended[place]
                    elif worker_of_unit(self.folder, place):
                        yield place, None, _DIED
                except StoreError:  # a failure of the run, not of a unit
                    raise
                except Exception as problem:  # noqa: BLE001 - a unit's own; the others go on
                    yield place, None, f"{type(problem).__name__}: {problem}"
                else:
                    if isinstance(found, _Raised):
                        yield place, None, found.line
                    else:
                        yield place, found, ""
            if broken:
                continue  # all other futures fail now, too
            if deadline is not None and time.monotonic() >= deadline:
                self.kill()
                return
            ended |= self._end_those_beyond(set(futures.values()) - set(ended))
            for place in futures.values():
                empty_if_large(self.folder, place)
            if self.seen is not None and time.monotonic() - looked >= TOLD_EVERY:
                looked = time.monotonic()
                for place in sorted(futures.values()):
                    if (now := last_progress(self.folder, place)) is not None:
                        self.seen(place, *now)

    def _queued(self, executor: Any, futures: dict[Future[Any], int], rest: Iterator[int]) -> bool:
        """Queue a few units for each worker, since each is looked at many times a second; False where it has broken."""
        with _deaf():
            for place in islice(rest, max(QUEUED * self.jobs - len(futures), 0)):
                try:
                    futures[executor.submit(_work, self.work, place, self.folder, self.limits.memory)] = place
                except BrokenProcessPool:
                    return False
        return True

    def _end_those_beyond(self, places: set[int]) -> dict[int, str]:
        """Kill the workers of units over their limit of time or memory; returns these units with the reason."""
        ended: dict[int, str] = {}
        weigh = self.limits.memory is not None and time.monotonic() - self._looked >= LOOK
        for place in places:
            mark = worker_of_unit(self.folder, place)
            if mark is None:
                continue
            if self._late(mark):
                most = f"the {self.limits.seconds_per_claim:g} s that one claim may take (--max-seconds-per-claim)"
                ended[place] = OverTime(f"ran longer than {most}")
            elif weigh and self.limits.memory and use_more_than(with_descendants(mark["pid"]), self.limits.memory):
                ended[place] = f"took more than the {self.limits.memory / 2**30:.3g} GB of memory that it may"
                ended[place] += " (--max-memory), shared memory and children included"
            if place in ended:
                kill_with_descendants(mark["pid"])
        if weigh:
            self._looked = time.monotonic()
        return ended

    def _late(self, mark: dict[str, Any]) -> bool:
        most, now = self.limits.seconds_per_claim, time.monotonic()
        if most is None:
            return False
        begun = mark["begun"]
        return bool(now - mark["taken"] > most + START_UP if begun is None else now - begun > most)

    def _epitaph(self, place: int) -> str:
        printed = last_lines(self.folder, place)
        said = f"; it printed last: {printed}" if printed else ""
        return f"its process died twice, the second time alone (a crash, os._exit, or no memory left){said}"


_DIED = "died"


@contextmanager
def _deaf() -> Iterator[None]:
    """Block Ctrl-C in processes and threads that are started meanwhile.

    A terminal sends it to all; the parent ends its workers. The signal is blocked and not ignored, so that this process
    still receives it afterwards.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    if os.name == "posix":  # else the first worker starts it, and it unblocks the signal (Python < 3.13)
        resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@dataclass(frozen=True, slots=True)
class _Raised:
    """An error of a unit as text, since an exception class of a subject may not survive pickling."""

    line: str


def _start(parent: int) -> None:
    """Prepare a worker: it ends with its parent, and may grow.

    It adopts processes that subjects leave behind, and does not wait for their threads at its end.
    """
    process_executor._MAX_MEMORY_LEAK_SIZE = GROWTH
    end_with_parent(parent)
    adopt_orphans()
    util.Finalize(None, os._exit, args=(0,), exitpriority=-(10**6))


def _work(work: Callable[[int], Any], place: int, folder: Path, memory: int | None) -> Any:
    with NoCopy():  # only the worker itself reports the outcome
        try:
            with guarded(folder, place, memory=memory):
                return work(place)
        except StoreError:
            raise
        except BaseException as problem:  # noqa: BLE001 - SystemExit and others would end the worker, or the run
            return _Raised(f"{type(problem).__name__}: {problem}")
