"""The workers of a Dask cluster that can be given work: connected, and running the same code.

A worker process that joins later is checked in the same way and may then be given work. A scheduler that dies or
restarts ends the run. The work itself is described in `on_dask`.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from dpverify.core.errors import AuditError, InputError, one_line
from dpverify.runner.dask_cluster import Cluster, in_time
from dpverify.runner.dask_worker import ElsewhereError, identify, plan_for_claims
from dpverify.runner.plan import Plan
from dpverify.runner.plan_fingerprint import fingerprint

LOOK = 0.5
"""Seconds between two looks at which workers are there."""

FETCH = 10.0
"""Seconds to wait for the row of a worker that has finished it."""

NOBODY = 10.0
"""Seconds in which a cluster without workers may get one before it is refused."""

PATIENCE = 60.0
"""Seconds without any worker after which the run ends; also the time that workers busy with other work are given."""

RENEWS = 15.0
"""Seconds without any worker after which a cluster of our own gets new ones.

distributed starts no worker again that dies before its nanny has heard that it runs.
"""

LAPSE = 2.0
"""Of a longer time between two looks only this counts as waited: a machine that stood still has started no worker."""


@dataclass(slots=True, kw_only=True)
class Worker:
    """A worker process: `identity` after its code was checked; `place` while it has a unit."""

    address: str
    threads: int
    identity: str = ""
    refused: str = ""
    future: Any = None
    place: int | None = None
    begun: float | None = None


class Workers:
    """The workers of a cluster.

    Parameters
    ----------
    cluster : Cluster
        Connected.
    plan : Plan
        Of a registered suite.
    claims : tuple of str
        The claims of the plan that are to be audited.
    wake : callable
        Called, from any thread, when a task has ended.

    Attributes
    ----------
    all : dict of str to Worker
        By address.
    gone : bool
        Whether the scheduler is gone. It is sent no further request then, since it might never answer.
    """

    def __init__(self, cluster: Cluster, plan: Plan, claims: tuple[str, ...], *, wake: Callable[[], None]) -> None:
        self.cluster, self.plan, self.claims = cluster, plan, claims
        self.all: dict[str, Worker] = {}
        self._wake, self._scheduler = wake, ""
        self.gone = False
        self._wanted = fingerprint(plan_for_claims(plan, claims))
        self._looked, self._alone, self._renewed = time.monotonic(), 0.0, False

    def admit(self, wait: Callable[[], None], *, deadline: float | None = None) -> None:
        """Check the code of every connected worker; gives up at the `deadline` (monotonic seconds).

        InputError when a worker has other code, or there is no worker.
        """
        begun = time.monotonic()
        while True:
            self.refresh(now=True)
            self.introduced()
            refused = next((worker for worker in self.all.values() if worker.refused), None)
            if refused is not None:
                raise InputError(
                    f"the Dask worker {refused.address} {refused.refused}",
                    allowed="the same code, packages and data on every worker, so that the numbers are the same",
                    remedy="install this version of everything there, and start the worker again",
                )
            known, waited = [bool(worker.identity) for worker in self.all.values()], time.monotonic() - begun
            if known and (all(known) or (any(known) and waited > PATIENCE)):
                return
            if deadline is not None and time.monotonic() >= deadline:
                return
            if not known and waited > NOBODY:
                raise InputError(
                    f"the Dask scheduler at {self.cluster.address} has no workers",
                    allowed="at least one",
                    remedy=f"start some: dask worker {self.cluster.address}",
                )
            wait()

    def refresh(self, *, now: bool = False) -> None:
        """Update the list of workers: check the code of new ones, and remove those that left."""
        client = self.cluster.client
        if client.status != "running":
            raise self._lost()
        if not now and time.monotonic() - self._looked < LOOK:
            return
        before, self._looked = self._looked, time.monotonic()
        try:  # not `scheduler_info`: its copy is sometimes empty between two updates
            told = client.sync(client.scheduler.identity, n_workers=-1, callback_timeout=PATIENCE)
        except Exception as problem:
            raise self._lost() from problem
        if client.status != "running" or told["id"] != (self._scheduler or told["id"]):
            raise self._lost()
        self._scheduler = told["id"]
        there = {address: each for address, each in told["workers"].items() if each["status"] == "running"}
        for address, each in there.items():
            if address not in self.all:
                worker = self.all[address] = Worker(address=address, threads=each["nthreads"])
                worker.future = self.submit(worker, identify, self.plan.words(), self.claims)
        for worker in [worker for worker in self.all.values() if worker.address not in told["workers"]]:
            if worker.place is None:
                self.drop(worker)
                del self.all[worker.address]
            else:
                worker.identity = ""  # dead
        if any(not worker.refused for worker in self.all.values()):
            self._alone, self._renewed = 0.0, False
            return
        self._alone += min(self._looked - before, LAPSE)
        if self._alone > RENEWS and self.cluster.renew is not None and not self._renewed:
            self._renewed = True
            self.cluster.renew()
        if self._alone > PATIENCE:
            why = next((f": {worker.address} {worker.refused}" for worker in self.all.values()), "")
            raise AuditError(f"no Dask worker is left{why}; what was finished is kept: start some and pass --resume")

    def introduced(self) -> None:
        """Workers whose code check has ended, successfully or not."""
        for worker in list(self.all.values()):
            if worker.identity or worker.refused or worker.place is not None or worker.future.status == "pending":
                continue
            shown, problem, died = task_result(worker.future)
            self.drop(worker)
            if died:
                del self.all[worker.address]
            elif problem:
                worker.refused = f"cannot show its code: {problem}"
            else:
                identity, found = shown
                names = sorted({*found, *self._wanted})
                other = [name for name in names if found.get(name) != self._wanted.get(name)]
                told = (f"{name} {self._wanted.get(name)} here, {found.get(name)} there" for name in other)
                worker.identity, worker.refused = (
                    ("", f"has other code: {', '.join(told)}") if other else (identity, "")
                )

    def submit(self, worker: Worker, work: Any, *arguments: Any) -> Any:
        """Submit the task to that worker alone; returns a future."""
        key = f"dpverify-{uuid.uuid4().hex}"
        future = self.cluster.client.submit(
            work, *arguments, key=key, workers=[worker.address], allow_other_workers=False, pure=False
        )
        future.add_done_callback(lambda _future: self._wake())
        return future

    def drop(self, worker: Worker) -> None:
        """Stop waiting for the worker's task."""
        if worker.future is not None:
            if not self.gone:
                with suppress(Exception):
                    in_time(partial(self.cluster.client.cancel, [worker.future]), seconds=FETCH)
            worker.future = None

    def _lost(self) -> AuditError:
        self.gone = True
        return AuditError(
            f"the Dask scheduler at {self.cluster.address} is gone or was started again; what was finished is kept: "
            "run with --resume once it answers"
        )


def task_result(future: Any) -> tuple[Any, str, bool]:
    """The value that an ended task returned, or its error in words; and whether its worker is gone."""
    from distributed import KilledWorker

    status = future.status
    if status == "cancelled":
        return None, "", True
    try:
        return future.result(timeout=FETCH), "", False
    except (KilledWorker, ElsewhereError):
        return None, "", True
    except Exception as problem:  # noqa: BLE001 - a unit's own; the others go on
        return None, f"{type(problem).__name__}: {one_line(str(problem))}", status != "error"
