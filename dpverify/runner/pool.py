"""Units in worker processes that may die: whoever dies takes its own unit with it and nothing else.

When a worker dies, the pool is lost, and with it whatever else was at work there. Each unit that was at work is run
again alone, from what it had kept: one that was merely beside it, or whose worker somebody killed, finishes; one whose
process dies again is an error, with the last lines that it printed. None of this has a say in any number: units draw
from streams of their own.
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
from multiprocessing import resource_tracker, util
from pathlib import Path
from typing import Any

from joblib.externals.loky import ProcessPoolExecutor

from dpverify.core.errors import AuditError
from dpverify.runner.limits import Limits
from dpverify.runner.memory import holds_more
from dpverify.runner.process_tree import adopt, end_family, end_with_parent, family
from dpverify.runner.store.schema import StoreError
from dpverify.runner.subprocess_guard import TOLD_EVERY, guarded, last_lines, shorten, taken, told
from dpverify.runner.temporary_folders import own_folder

TICK = 0.1
"""Seconds between two looks at the clock."""

PATIENCE = 3
"""Pools in a row that may break before any unit began."""

START_UP = 300.0
"""Seconds in which a worker must come to the claim's own work, besides the claim's own."""

LOOK = 0.25
"""Seconds between two looks at how much memory the workers hold."""

Seen = Callable[[int, str, float], None]

Outcome = tuple[int, Any, str]
"""A place, and either what its work returned or why there is nothing."""


_IDLE = 10.0
"""Seconds after which a worker without work ends."""

_kept: dict[int, Any] = {}
"""The executor of this process, by its number of workers: runs one after another share it. joblib's own, which others
in this process may use, is another one."""


def end_workers() -> None:
    """End the workers that earlier runs left for those to come."""
    while _kept:
        _kept.popitem()[1].shutdown(wait=True, kill_workers=True)


def _executor(jobs: int) -> Any:
    """Workers for so many places at a time: those of before, where they are as many and none has died."""
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
        Sent to the workers; returns what can be sent back.
    jobs : int
        At a time.
    limits : Limits
        `seconds_per_claim` and `memory` of each place.
    seen : callable or None
        ``seen(place, message, share)``, now and then, of places at work; what they `tell`.
    """

    def __init__(self, work: Callable[[int], Any], *, jobs: int, limits: Limits, seen: Seen | None = None) -> None:
        self.work, self.jobs, self.limits, self.seen = work, jobs, limits, seen

    def __enter__(self) -> Pool:
        self._executor: Any = None
        self._looked = time.monotonic()
        self._stack = ExitStack()
        self.folder: Path = self._stack.enter_context(own_folder())
        self._stack.enter_context(warnings.catch_warnings())
        # Of workers that loky lets go because they have grown: others take their place, and nothing is lost.
        warnings.filterwarnings("ignore", "A worker stopped while some jobs", UserWarning)
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            self.kill()
        self._stack.close()

    def kill(self) -> None:
        """End every worker, whatever it is at."""
        if self._executor is None:
            return
        # loky's manager falls over work that is queued while it is told to kill: nothing may be.
        with suppress(queue.Empty):
            while True:
                self._executor._work_ids.get_nowait()
        self._executor.shutdown(wait=True, kill_workers=True)

    def run(self, places: Sequence[int], *, deadline: float | None = None) -> Iterator[Outcome]:
        """Outcomes as they come; ends without those that were not finished at the `deadline` (monotonic seconds)."""
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
        """One pool's life: those that finished, those that ran too long, and those at work when it broke (`_DIED`)."""
        executor = self._executor = _executor(self.jobs if shared else 1)
        for place in places:
            for file in (self.folder / f"{place}.{kind}" for kind in ("begun", "out", "now")):
                file.unlink(missing_ok=True)
        with _deaf():
            futures: dict[Future[Any], int] = {
                executor.submit(_work, self.work, place, self.folder, self.limits.memory): place for place in places
            }
        ended: dict[int, str] = {}
        broken, looked = False, time.monotonic()
        while futures:
            done, _ = wait(futures, timeout=TICK, return_when=FIRST_COMPLETED)
            for future in done:
                place = futures.pop(future)
                try:
                    found = future.result()
                except BrokenProcessPool:
                    broken = True
                    if place in ended:
                        yield place, None, ended[place]
                    elif taken(self.folder, place):
                        yield place, None, _DIED
                except StoreError:  # the run's own trouble, and no outcome of a place
                    raise
                except Exception as problem:  # noqa: BLE001 - a unit's own; the others go on
                    yield place, None, f"{type(problem).__name__}: {problem}"
                else:
                    if isinstance(found, _Raised):
                        yield place, None, found.line
                    else:
                        yield place, found, ""
            if broken:
                continue  # the rest fails at once, too
            if deadline is not None and time.monotonic() >= deadline:
                self.kill()
                return
            ended |= self._end_those_beyond(set(futures.values()) - set(ended))
            for place in futures.values():
                shorten(self.folder, place)
            if self.seen is not None and time.monotonic() - looked >= TOLD_EVERY:
                looked = time.monotonic()
                for place in sorted(futures.values()):
                    if (now := told(self.folder, place)) is not None:
                        self.seen(place, *now)

    def _end_those_beyond(self, places: set[int]) -> dict[int, str]:
        """Kill the workers of places that took longer, or more, than they may; which those are, and why."""
        ended = {}
        weigh = self.limits.memory is not None and time.monotonic() - self._looked >= LOOK
        for place in places:
            mark = taken(self.folder, place)
            if mark is None:
                continue
            if self._late(mark):
                ended[place] = f"ran longer than the {self.limits.seconds_per_claim:g} s that one claim may take"
                ended[place] += " (--max-seconds-per-claim)"
            elif weigh and self.limits.memory and holds_more(family(mark["pid"]), self.limits.memory):
                ended[place] = f"took more than the {self.limits.memory / 2**30:.3g} GB of memory that it may"
                ended[place] += " (--max-memory), shared memory and children included"
            if place in ended:
                end_family(mark["pid"])
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
    """Processes and threads started meanwhile never hear Ctrl-C, which a terminal sends to all: the parent ends them.

    Blocked, and not ignored: what comes meanwhile reaches this process afterwards.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    if os.name == "posix":  # started with the first worker, it would leave this signal open behind it (Python < 3.13)
        resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@dataclass(frozen=True, slots=True)
class _Raised:
    """What a unit raised, as text: an exception of a subject's own may not even come back whole."""

    line: str


def _start(parent: int) -> None:
    """In a worker, first of all: it ends when its parent does, adopts what its subjects leave behind, and in the end
    waits for none of their threads."""
    end_with_parent(parent)
    adopt()
    util.Finalize(None, os._exit, args=(0,), exitpriority=-(10**6))


def _work(work: Callable[[int], Any], place: int, folder: Path, memory: int | None) -> Any:
    this = os.getpid()
    try:
        with guarded(folder, place, memory=memory):
            return work(place)
    except StoreError:
        raise
    except BaseException as problem:  # noqa: BLE001 - SystemExit and others would end the worker, or the run
        return _Raised(f"{type(problem).__name__}: {problem}")
    finally:
        if os.getpid() != this:  # a subject may fork and come back twice: one outcome is enough
            os._exit(0)
