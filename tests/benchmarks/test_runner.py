"""What running costs beside drawing: overhead, checkpoints, and two threads for one claim, as ratios in one run."""

from __future__ import annotations

import os
import time
from dataclasses import replace

import numpy as np
import pytest

from auditors.privacy.event.scores import Coordinate, Event
from auditors.privacy.outputs import Drawer
from dpverify.core.plugins import registry
from dpverify.core.subjects import Pair
from dpverify.runner.plan import suite_plan, task_streams
from dpverify.runner.store.checkpoint import Checkpoint, WorkSaver
from dpverify.runner.store.store import Store

TRIALS = 100_000_000


@pytest.fixture(scope="module")
def unit():
    plan = suite_plan(
        registry(), suite="standard", profile="benchmark", seed=0, confidence=0.9, trials=TRIALS, methods=("event",)
    ).only("laplace")
    return plan.units[0]


def bare(unit):
    """The kernel, the look at what it drew, and the count of one event, in an audit's chunks, with nothing around."""
    subject, hits = unit.task.build(), [0, 0]
    drawer = Drawer(subject, Pair(d0=[0.0], d1=[1.0]))
    event = Event(score=Coordinate(), threshold=5.5, above=True)
    for chunk, size in enumerate(drawer.chunks(TRIALS)):
        for side in (0, 1):
            hits[side] += event.hits(drawer.draw(side, size, rng=unit.task.stream("certify", side, chunk)))
    return hits


def certified(unit, keeps):
    """Seconds of the certified count alone: what comes before it is the choice of an event, not running."""
    auditor = unit.auditors[0]
    spent = []

    def timed(name, count, work):
        begun = time.perf_counter()
        yield from keeps.chunks(unit.entry.claim.id, "event")(name, count, work)
        spent.append(time.perf_counter() - begun)

    auditor.audit(replace(unit.task, stream=task_streams(0, "benchmark"), chunks=timed))
    return spent[0]


def clocked(work, spent):
    """The same, and its seconds."""

    def run(*given):
        begun = time.perf_counter()
        work(*given)
        spent.append(time.perf_counter() - begun)

    return run


HONEST = Store.put_chunks


@pytest.mark.benchmark(group="one claim, 1e8 draws a side")
def test_running_beside_drawing(benchmark, unit, tmp_path, monkeypatch):
    """Overhead under 5 % of the kernel's time, checkpoints under 1 %, two threads at 0.9 of twice the speed."""
    bare(unit)  # compiled, and warm

    def measured():
        begun = time.perf_counter()
        bare(unit)
        kernel = time.perf_counter() - begun
        alone = certified(unit, WorkSaver())
        with Store(tmp_path / f"{time.time_ns()}.sqlite", make=True) as store:
            writing = []
            monkeypatch.setattr(Store, "put_chunks", clocked(HONEST, writing))
            kept = certified(unit, Checkpoint(store, store.begin("benchmark", {}, {})))
        assert writing
        both = certified(unit, WorkSaver(threads=2))
        return alone / kernel - 1, sum(writing) / kept, alone / (2 * both)

    overhead, checkpoints, efficiency = np.median([measured() for _ in range(3)], axis=0)
    benchmark.pedantic(lambda: None, rounds=1)
    benchmark.extra_info.update(overhead=overhead, checkpoints=checkpoints, efficiency=efficiency)
    print(f"\noverhead {overhead:+.1%}, checkpoints {checkpoints:+.2%}, efficiency on two threads {efficiency:.2f}")
    assert overhead < 0.05
    assert checkpoints < 0.01
    if (os.cpu_count() or 1) >= 2:
        assert efficiency >= 0.9
