"""Saves a run's work while it runs: parts of counts and finished evidence, so that none is computed twice.

Parts are made in one or several threads and passed on in order. Finished parts are written at least every second, so a
kill loses about a second's work. The time of writing changes no number: parts depend on the names of their streams
alone, and totals are sums of whole numbers.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from dpverify.core.auditing import Chunks
from dpverify.core.errors import InputError
from dpverify.core.evidence import Evidence
from dpverify.runner.store.schema import StoreError
from dpverify.runner.store.store import Store
from dpverify.runner.thread_limits import one_thread

EVERY = 1.0
"""Seconds between two writes of one audit's parts."""

SPAN_SECONDS, LONGEST_SPAN = 0.01, 64
"""Number of quick parts that a thread gets at once; handing them out singly would cost as much as making them."""


There = Callable[[], AbstractContextManager["WorkSaver"]]
"""Sent to a worker process, which enters it as a context."""


class PartStore(Protocol):
    """Interface of a checkpoint's storage: a store, or its replacement on another machine."""

    def evidence(self, run: int, claim: str) -> dict[str, Evidence]:
        """Finished audits of a claim, by auditor."""
        ...

    def put_evidence(self, run: int, found: Evidence) -> None:
        """Save the evidence of one finished audit."""
        ...

    def chunks(self, run: int, claim: str, auditor: str, name: str) -> dict[int, Any]:
        """Finished parts of one series, by number."""
        ...

    def series(self, run: int, claim: str) -> dict[tuple[str, str], dict[int, Any]]:
        """Finished parts of all series of a claim: by number, by auditor and name."""
        ...

    def put_chunks(self, run: int, claim: str, auditor: str, name: str, found: Iterable[tuple[int, Any]]) -> None:
        """Save finished parts of one series."""
        ...


class WorkSaver:
    """Saves nothing of an execution, and `Checkpoint` all of it; parts are made in several threads."""

    def __init__(self, *, threads: int = 1) -> None:
        self.threads = threads

    def evidence(self, claim: str) -> dict[str, Evidence]:
        """Finished audits of a claim, by auditor."""
        return {}

    def put(self, found: Evidence) -> None:
        """Save the evidence of one finished audit."""

    def chunks(self, claim: str, auditor: str) -> Chunks:
        """The function that makes (and saves) the parts of one audit's counts."""
        return lambda _name, count, work: (part for _, part in made(range(count), work, threads=self.threads))

    def series(self, claim: str) -> dict[tuple[str, str], dict[int, Any]]:
        """Finished parts of all audits of a claim: by number, by auditor and name."""
        return {}

    def put_chunks(self, claim: str, auditor: str, name: str, found: Iterable[tuple[int, Any]]) -> None:
        """Save more parts, which were made elsewhere."""

    def there(self) -> There:
        """A function that a worker process calls to save its work in the same place."""
        return partial(_nothing, self.threads)


class Checkpoint(WorkSaver):
    """Keeps one run's work in a store.

    Parameters
    ----------
    store : PartStore
        Open.
    run : int
        Its number there.
    threads : int
        That make the parts of one audit.
    """

    def __init__(self, store: PartStore, run: int, *, threads: int = 1) -> None:
        super().__init__(threads=threads)
        self.store, self.run = store, run

    def evidence(self, claim: str) -> dict[str, Evidence]:
        """Finished audits of a claim, by auditor."""
        return self.store.evidence(self.run, claim)

    def put(self, found: Evidence) -> None:
        """One more, in a transaction of its own."""
        self.store.put_evidence(self.run, found)

    def chunks(self, claim: str, auditor: str) -> Chunks:
        """Makes the parts that are missing, and keeps them."""

        def parts(name: str, count: int, work: Callable[[int], Any]) -> Iterator[Any]:
            known = self.store.chunks(self.run, claim, auditor, name)
            unwritten: list[tuple[int, Any]] = []
            written = time.monotonic()

            def write() -> None:
                nonlocal written
                if unwritten:
                    self.store.put_chunks(self.run, claim, auditor, name, unwritten)
                    unwritten.clear()
                written = time.monotonic()

            fresh = made([place for place in range(count) if place not in known], work, threads=self.threads)
            try:
                for place in range(count):
                    if place in known:
                        yield known[place]
                        continue
                    _, part = next(fresh)
                    unwritten.append((place, part))
                    if time.monotonic() - written >= EVERY:
                        write()
                    yield part
            finally:
                fresh.close()
                write()

        return parts

    def series(self, claim: str) -> dict[tuple[str, str], dict[int, Any]]:
        """Finished parts of all audits of a claim: by number, by auditor and name."""
        return self.store.series(self.run, claim)

    def put_chunks(self, claim: str, auditor: str, name: str, found: Iterable[tuple[int, Any]]) -> None:
        """More parts, which were made elsewhere."""
        self.store.put_chunks(self.run, claim, auditor, name, found)

    def there(self) -> There:
        """A checkpoint over a connection of its own; TypeError where there is no file to be opened."""
        if not isinstance(self.store, Store):
            raise TypeError("no other process can open what is no store")
        return partial(opened, self.store.path.resolve(), self.run, self.threads)


@contextmanager
def _nothing(threads: int) -> Iterator[WorkSaver]:
    yield WorkSaver(threads=threads)


@contextmanager
def opened(path: Path, run: int, threads: int) -> Iterator[WorkSaver]:
    """Open in a worker a checkpoint of the run that another process holds."""
    try:
        store = Store(path, held=True)
    except InputError as problem:  # the run's trouble, not its input's: that was looked at when it began
        raise StoreError(str(problem)) from problem
    with store:
        yield Checkpoint(store, run, threads=threads)


def made(places: Sequence[int], work: Callable[[int], Any], *, threads: int) -> Generator[tuple[int, Any], None, None]:
    """``(place, work(place))`` in order; in several threads a few spans at a time, so that memory stays flat."""
    if threads == 1 or len(places) < 2:
        for place in places:
            yield place, work(place)
        return
    begun = time.perf_counter()
    yield places[0], work(places[0])
    took = max(time.perf_counter() - begun, 1e-9)
    span = max(1, min(LONGEST_SPAN, round(SPAN_SECONDS / took), -(-len(places) // (4 * threads))))
    spans = [places[start : start + span] for start in range(1, len(places), span)]
    waiting: deque[Future[list[tuple[int, Any]]]] = deque()

    @one_thread()  # OpenMP's number of threads is each thread's own
    def span_of(some: Sequence[int]) -> list[tuple[int, Any]]:
        return [(place, work(place)) for place in some]

    with ThreadPoolExecutor(threads) as pool:
        try:
            for some in spans:
                waiting.append(pool.submit(span_of, some))
                if len(waiting) == 2 * threads:
                    yield from waiting.popleft().result()
            while waiting:
                yield from waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()
