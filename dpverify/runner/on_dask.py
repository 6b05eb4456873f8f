"""Units on a Dask cluster: this process is the only writer, and workers may come and go.

Each worker process has one unit at a time, so that whoever dies takes its own unit with it and nothing else. A unit
whose worker died is run again, from the parts and the evidence that had come in until then; one whose worker dies again
is an error. A worker that joins later is given work, too, once it has shown that it has the same code. A scheduler that
dies or starts again ends the run: what had come in is in the store, and ``--resume`` goes on with it.

Limits: a worker process that is at somebody else's work, too, may die of that, which is held against its unit here.
What a unit prints goes to the worker's own log on somebody's cluster, and so do its last words.
"""

from __future__ import annotations

import time
import uuid
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from queue import Empty, SimpleQueue
from typing import Any

from dpverify.runner.dask_cluster import Cluster, installed, local, reached
from dpverify.runner.dask_ready_workers import Workers, fetched
from dpverify.runner.dask_worker import Errand, Kept, run_there
from dpverify.runner.limits import Limits
from dpverify.runner.plan import Plan, Unit
from dpverify.runner.row import Row
from dpverify.runner.store.checkpoint import Keeps
from dpverify.runner.store.codec import decoded, evidence_of
from dpverify.runner.subprocess_guard import last_lines, shorten

TICK = 0.1
"""Seconds between two looks at the clock."""

DEATHS = 2
"""Of its workers, after which a unit is not run again."""

Outcome = tuple[int, Row | None, str]
"""A place, and either its row or why there is none."""


def on_cluster(scheduler: str | None, *, workers: int, threads: int) -> AbstractContextManager[Cluster]:
    """That of the scheduler's address; without one, `workers` processes here."""
    return local(workers, threads=threads) if scheduler is None else reached(scheduler)


def check_cluster(scheduler: str | None, plan: Plan) -> None:
    """Refuse what cannot work before anything is begun.

    Raises
    ------
    InputError
        When Dask is not installed, no scheduler answers, it has no workers, or one of them has other code.
    """
    if scheduler is None:
        installed()
        return
    with reached(scheduler) as cluster, Crew(cluster, plan.units, plan) as crew:
        crew.admit()


class Crew:
    """Runs units on the workers of a cluster; use it as a context.

    Parameters
    ----------
    cluster : Cluster
        Connected.
    units : sequence of Unit
        Places are indices into it.
    plan : Plan
        Of a registered suite; the units are some of its.
    keeps : Keeps or None
        Gets what workers have made, as it comes.
    begins : callable or None
        ``begins(unit)`` when a worker has taken it up.
    limits : Limits
        `seconds_per_claim` of each unit; `memory` on a cluster of our own.
    """

    def __init__(
        self,
        cluster: Cluster,
        units: Sequence[Unit],
        plan: Plan,
        *,
        keeps: Keeps | None = None,
        begins: Callable[[Unit], None] | None = None,
        limits: Limits | None = None,
    ) -> None:
        self.cluster, self.units, self.plan, self.keeps = cluster, units, plan, keeps
        self.begins, self.limits = begins, limits or Limits()
        self._topic = f"dpverify-{uuid.uuid4().hex}"
        self._heard: SimpleQueue[Any] = SimpleQueue()
        self._claims = tuple(unit.entry.claim.id for unit in units)
        self._tries: Counter[int] = Counter()
        self._deaths: Counter[int] = Counter()

    def __enter__(self) -> Crew:
        self.cluster.client.subscribe_topic(self._topic, self._heard.put)
        self._workers = Workers(self.cluster, self.plan, self._claims, wake=lambda: self._heard.put(None))
        return self

    def __exit__(self, *_: object) -> None:
        busy = [worker for worker in self._workers.all.values() if worker.place is not None]
        if busy and not self._workers.gone:
            with suppress(Exception):  # the same trouble as the one that ends this, perhaps
                self.cluster.end({worker.address for worker in busy})
        for worker in self._workers.all.values():
            self._workers.drop(worker)
        if not self._workers.gone:
            with suppress(Exception):
                self.cluster.client.unsubscribe_topic(self._topic)
        self._hear(0.0)

    def admit(self, *, deadline: float | None = None) -> None:
        """Have every worker that is there show its code; see `Workers.admit`."""
        self._workers.admit(lambda: self._hear(TICK), deadline=deadline)

    def run(self, *, deadline: float | None = None) -> Iterator[Outcome]:
        """Outcomes as they come; ends without those that were not finished at the `deadline` (monotonic seconds).

        Raises
        ------
        InputError
            As :meth:`admit` does.
        AuditError
            When the scheduler is gone, or no worker is left.
        """
        self.admit(deadline=deadline)
        waiting = deque(range(len(self.units)))
        while waiting or any(worker.place is not None for worker in self._workers.all.values()):
            self._workers.look()
            self._workers.introduced()
            self._give(waiting)
            self._hear(TICK)
            yield from self._ended(waiting)
            yield from self._late()
            self._shorten()
            if deadline is not None and time.monotonic() >= deadline:
                return

    def _give(self, waiting: deque[int]) -> None:
        for worker in self._workers.all.values():
            if not waiting:
                return
            if not worker.identity or worker.place is not None:
                continue
            worker.place, worker.begun = waiting.popleft(), None
            self._tries[worker.place] += 1
            errand = Errand(
                words=self.plan.words(),
                claim=self._claims[worker.place],
                kept=self._kept(self._claims[worker.place]),
                threads=worker.threads,
                topic=self._topic,
                mark=(worker.place, self._tries[worker.place]),
                worker=worker.identity,
                folder=self.cluster.folder,
                memory=self.limits.memory,
            )
            worker.future = self._workers.submit(worker, run_there, errand)

    def _kept(self, claim: str) -> Kept:
        if self.keeps is None:
            return Kept()
        return Kept(evidence=self.keeps.evidence(claim), chunks=self.keeps.series(claim))

    def _hear(self, seconds: float) -> None:
        """Keep what has come in, after waiting for it at most so long."""
        try:
            event = self._heard.get(timeout=seconds) if seconds else self._heard.get_nowait()
            while True:
                if event is not None:
                    self._keep(*event[1])
                event = self._heard.get_nowait()
        except Empty:
            return

    def _keep(self, place: int, number: int, kind: str, *content: Any) -> None:
        if kind == "begun":
            for worker in self._workers.all.values():
                if worker.place == place and self._tries[place] == number:
                    worker.begun = time.monotonic()
            if self.begins is not None:
                self.begins(self.units[place])
        elif self.keeps is not None and kind == "evidence":
            self.keeps.put(evidence_of(content[0]))
        elif self.keeps is not None:
            claim, auditor, name, text = content
            self.keeps.put_chunks(claim, auditor, name, [(where, part) for where, part in decoded(text)])

    def _ended(self, waiting: deque[int]) -> Iterator[Outcome]:
        """Units that came to an end; those whose worker died wait again, in front."""
        for worker in list(self._workers.all.values()):
            place = worker.place
            if place is None:
                continue
            row, problem, died = None, "", not worker.identity
            if worker.future.status != "pending":
                row, problem, died = fetched(worker.future)
            elif not died:
                continue
            if died:
                self._workers.look(now=True)  # or is it the scheduler?
            self._workers.drop(worker)
            worker.place = None
            self._hear(0.0)  # what it said before its end came in before its end
            if died:
                self._workers.all.pop(worker.address, None)
                self._deaths[place] += 1
                if self._deaths[place] < DEATHS:
                    waiting.appendleft(place)
                    continue
                problem = self._epitaph(place)
            yield place, row, problem

    def _late(self) -> Iterator[Outcome]:
        """Units that take longer than they may: their workers are ended, and come back as new ones."""
        most = self.limits.seconds_per_claim
        if most is None:
            return
        why = f"ran longer than the {most:g} s that one claim may take (--max-seconds-per-claim)"
        for worker in list(self._workers.all.values()):
            if worker.place is not None and worker.begun is not None and time.monotonic() - worker.begun > most:
                self.cluster.end({worker.address})
                self._workers.drop(worker)
                del self._workers.all[worker.address]
                yield worker.place, None, why

    def _shorten(self) -> None:
        """What is printed without end must not fill the disk here."""
        folder = self.cluster.folder
        for worker in self._workers.all.values():
            if folder is not None and worker.place is not None:
                shorten(folder, worker.place)

    def _epitaph(self, place: int) -> str:
        folder = self.cluster.folder
        printed = last_lines(folder, place) if folder is not None else ""
        said = f"; it printed last: {printed}" if printed else ""
        return f"its Dask worker died {DEATHS} times (a crash, os._exit, no memory left, or somebody ended it){said}"
