"""The cells of some experiments as numbered work, the same list in every process; and one of them, done.

A worker knows the names of experiments, the profile and the seed; it builds the list itself and is sent numbers only.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from dpverify.core.auditing import one_by_one
from dpverify.core.plugins import registry
from dpverify.runner.thread_limits import one_thread
from dpverify.utility.cell import Slot
from dpverify.utility.experiment import Experiment
from dpverify.utility.measured import DesignRun

Stage = Literal["tune", "run"]
Picked = Mapping[str, Mapping[str, int]]
"""The trial that each slot's arm was given, by experiment and the slot's name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """One cell: of which experiment, which series, which repetition."""

    experiment: str
    slot: Slot
    repetition: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """The words that the list of work depends on."""

    names: tuple[str, ...]
    profile: str
    seed: int
    stage: Stage


@cache
def work_of(words: Words) -> tuple[Work, ...]:
    """All cells of a stage, those that share a split side by side."""
    found = []
    for name in words.names:
        run = run_of(name, words)
        slots = run.tuning_slots() if words.stage == "tune" else [*run.check_slots(), *run.slots()]
        for data in dict.fromkeys(slot.data for slot in slots):
            own = [slot for slot in slots if slot.data == data]
            for repetition in range(max(run.count(slot) for slot in own)):
                found += [
                    Work(experiment=name, slot=slot, repetition=repetition)
                    for slot in own
                    if repetition < run.count(slot)
                ]
    return tuple(found)


def run_of(name: str, words: Words, picked: Mapping[str, int] | None = None) -> DesignRun:
    """The measurement of one experiment, without a store."""
    experiment: Experiment = registry().experiments.get(name)
    return DesignRun(design=experiment.design, profile=words.profile, seed=words.seed, chunks=one_by_one, picked=picked)


def done(words: Words, picked: Picked, place: int) -> tuple[dict[str, Any], float]:
    """The cell at a place of the list, and the seconds that it took."""
    work = work_of(words)[place]
    begun = time.perf_counter()
    with one_thread():
        found = run_of(work.experiment, words, picked.get(work.experiment, {})).one(work.slot, work.repetition)
    return found, time.perf_counter() - begun


def seconds_left(took: Mapping[str, Sequence[float]], left: Mapping[str, int], *, jobs: int) -> float | None:
    """Say how long cells that are left will take, by kind of cell; None before any has been done.

    A kind of which none has been done is taken to be like the mean of all.
    """
    if not took:
        return None
    every = [each for rows in took.values() for each in rows]
    mean = sum(every) / len(every)
    total = sum(number * (sum(took[kind]) / len(took[kind]) if kind in took else mean) for kind, number in left.items())
    return total / max(jobs, 1)
