"""Units on a Dask cluster: this process is the only writer, and workers may come and go.

Each worker process has one unit at a time, so a worker that dies loses only its unit. That unit is run again from the
parts and evidence received until then; if its worker dies again, the unit is an error. A worker that joins later is
given work once it has the same code. A scheduler that dies or restarts ends the run; everything received is in the
store, and ``--resume`` continues from there.

Limits: a worker process that also does work for others may die of that, which counts against its unit here. On an
existing cluster, printed text and last words of a unit are in the worker's log only.
"""

from __future__ import annotations

import time
import uuid
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from queue import Empty, SimpleQueue
from typing import Any

from dpverify.runner.audit_unit import failed_row
from dpverify.runner.backends import Outcome, finished
from dpverify.runner.dask_cluster import Cluster, connected, local_cluster, require_distributed
from dpverify.runner.dask_ready_workers import Workers, task_result
from dpverify.runner.dask_worker import SavedWork, WorkOrder, run_there
from dpverify.runner.limits import Limits
from dpverify.runner.plan import Plan, Unit
from dpverify.runner.row import Row
from dpverify.runner.store.checkpoint import WorkSaver
from dpverify.runner.store.codec import decoded, evidence_of
from dpverify.runner.subprocess_guard import empty_if_large, last_lines
from dpverify.runner.watcher import Watcher

TICK = 0.1
"""Seconds between two looks at the clock."""

DEATHS = 2
"""After this many deaths of its workers a unit is not run again."""


class Dask:
    """The back end ``dask``: the cluster at the scheduler's address; without one, a cluster of this machine."""

    def __init__(self, scheduler: str | None = None) -> None:
        self.scheduler = scheduler

    def check(self, plan: Plan) -> None:
        """Check that the cluster can be used.

        InputError when Dask is not installed, no scheduler answers, it has no workers, or one of them has other code.
        """
        if self.scheduler is None:
            require_distributed()
            return
        with connected(self.scheduler) as cluster, ClusterRun(cluster, plan.units, plan) as crew:
            crew.admit()

    def units(
        self, plan: Plan, *, jobs: int, watch: Watcher, keeps: WorkSaver, limits: Limits, deadline: float | None
    ) -> Iterator[Row]:
        """Yield rows from the workers of the cluster, as they finish."""
        left = yield from finished(plan, keeps)
        if not left:
            return
        with (
            self._cluster(min(jobs, len(left)), threads=max(1, jobs // len(left))) as cluster,
            ClusterRun(cluster, left, plan, keeps=keeps, begins=watch.start, limits=limits) as crew,
        ):
            for place, row, problem in crew.run(deadline=deadline):
                yield row if row is not None else failed_row(left[place], plan, keeps=keeps, why=problem)

    def calls(self, work: Callable[[int], Any], places: Sequence[int], *, jobs: int) -> Iterator[Outcome]:
        """Call on the workers of the cluster."""
        if not places:
            return
        with self._cluster(jobs, threads=1) as cluster, cluster.client.as_current():
            from distributed import as_completed

            futures = {cluster.client.submit(work, place, pure=False, retries=2): place for place in places}
            for future in as_completed(list(futures)):  # type: ignore[no-untyped-call]
                place = futures.pop(future)
                try:
                    outcome = future.result()
                except Exception as problem:  # noqa: BLE001 - a call's own, wherever it ran
                    yield place, None, f"{type(problem).__name__}: {problem}"
                else:
                    yield place, outcome, ""
                future.release()

    def _cluster(self, workers: int, *, threads: int) -> AbstractContextManager[Cluster]:
        return local_cluster(workers, threads=threads) if self.scheduler is None else connected(self.scheduler)


BACKEND = Dask


class ClusterRun:
    """Runs units on the workers of a cluster; use it as a context.

    Parameters
    ----------
    cluster : Cluster
        A connected cluster.
    units : sequence of Unit
        The units to run; outcomes name them by their index.
    plan : Plan
        The plan of a registered suite that the units are from.
    keeps : WorkSaver or None
        Saves what workers send.
    begins : callable or None
        Called as ``begins(claim)`` when a worker starts a unit.
    limits : Limits
        `seconds_per_claim` applies to each unit; `memory` applies only to a local cluster.
    """

    def __init__(
        self,
        cluster: Cluster,
        units: Sequence[Unit],
        plan: Plan,
        *,
        keeps: WorkSaver | None = None,
        begins: Callable[[str], None] | None = None,
        limits: Limits | None = None,
    ) -> None:
        self.cluster, self.units, self.plan, self.keeps = cluster, units, plan, keeps
        self.begins, self.limits = begins, limits or Limits()
        self._topic = f"dpverify-{uuid.uuid4().hex}"
        self._heard: SimpleQueue[Any] = SimpleQueue()
        self._claims = tuple(unit.entry.claim.id for unit in units)
        self._tries: Counter[int] = Counter()
        self._deaths: Counter[int] = Counter()

    def __enter__(self) -> ClusterRun:
        self.cluster.client.subscribe_topic(self._topic, self._heard.put)
        self._workers = Workers(self.cluster, self.plan, self._claims, wake=lambda: self._heard.put(None))
        return self

    def __exit__(self, *_: object) -> None:
        busy = [worker for worker in self._workers.all.values() if worker.place is not None]
        if busy and not self._workers.gone:
            with suppress(Exception):  # possibly the same error that ends this run
                self.cluster.end({worker.address for worker in busy})
        for worker in self._workers.all.values():
            self._workers.drop(worker)
        if not self._workers.gone:
            with suppress(Exception):
                self.cluster.client.unsubscribe_topic(self._topic)
        self._hear(0.0)

    def admit(self, *, deadline: float | None = None) -> None:
        """Check the code of every connected worker; see `Workers.admit`."""
        self._workers.admit(lambda: self._hear(TICK), deadline=deadline)

    def run(self, *, deadline: float | None = None) -> Iterator[Outcome]:
        """Yield outcomes as units finish, until the `deadline` (monotonic seconds).

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
            self._workers.refresh()
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
            errand = WorkOrder(
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

    def _kept(self, claim: str) -> SavedWork:
        if self.keeps is None:
            return SavedWork()
        return SavedWork(evidence=self.keeps.evidence(claim), chunks=self.keeps.series(claim))

    def _hear(self, seconds: float) -> None:
        """Save all messages received, after waiting for the first one at most `seconds`."""
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
                self.begins(self._claims[place])
        elif self.keeps is not None and kind == "evidence":
            self.keeps.put(evidence_of(content[0]))
        elif self.keeps is not None:
            claim, auditor, name, text = content
            self.keeps.put_chunks(claim, auditor, name, [(where, part) for where, part in decoded(text)])

    def _ended(self, waiting: deque[int]) -> Iterator[Outcome]:
        """Outcomes of units that ended; units whose worker died are put back at the front of the queue."""
        for worker in list(self._workers.all.values()):
            place = worker.place
            if place is None:
                continue
            row, problem, died = None, "", not worker.identity
            if worker.future.status != "pending":
                row, problem, died = task_result(worker.future)
            elif not died:
                continue
            if died:
                self._workers.refresh(now=True)  # or was it the scheduler?
            self._workers.drop(worker)
            worker.place = None
            self._hear(0.0)  # its messages arrive before the news of its end
            if died:
                self._workers.all.pop(worker.address, None)
                self._deaths[place] += 1
                if self._deaths[place] < DEATHS:
                    waiting.appendleft(place)
                    continue
                problem = self._epitaph(place)
            yield place, row, problem

    def _late(self) -> Iterator[Outcome]:
        """Outcomes of units over their time limit; their workers are killed and restarted."""
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
        """Shorten files of printed text, so that endless output cannot fill the disk."""
        folder = self.cluster.folder
        for worker in self._workers.all.values():
            if folder is not None and worker.place is not None:
                empty_if_large(folder, worker.place)

    def _epitaph(self, place: int) -> str:
        folder = self.cluster.folder
        printed = last_lines(folder, place) if folder is not None else ""
        said = f"; it printed last: {printed}" if printed else ""
        return f"its Dask worker died {DEATHS} times (a crash, os._exit, no memory left, or somebody ended it){said}"
