"""Calls a mechanism a few times before the audit and collects notes for its author; no verdict rests on them.

A few calls on each data set find a callable that gives other outputs from the same state of its rng, that never draws
from the rng, or that changes its data set. None of these makes a bound wrong: each call has a copy of the data, and an
audit needs independent draws, not repeatable ones. Repeated draws, which would make it wrong, are refused during
sampling.

Limits: only a few calls are made; a callable that counts its calls or reads the clock may behave differently later.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dpverify.adapters.callable_mechanism import CallableMechanism
from dpverify.adapters.dependence import FEWEST, DependentError
from dpverify.core.note import Kind, Note, plain_notes

CALLS, BATCH = 4, 16
"""Outputs on each data set, made twice: for a scalar callable, and for a batch callable."""

NUMBERS = 2**14
"""Numbers (draws times width) on each data set whose order is tested; at most the audit's trials."""

LOOK, LOOK_BATCH = 64, 256
"""Outputs on each data set that decide the layout, for both kinds of callables."""

OWN_NOISE = Note(Kind.SEED, "the mechanism draws its own randomness: a seed does not give this result back")
UNSTEADY = Note(
    Kind.SEED, "the same data and the same state of its rng gave other outputs: a seed does not give this back"
)


def probe(
    subject: CallableMechanism, d0: Any, d1: Any, *, trials: int = 0, stream: Callable[..., np.random.Generator]
) -> tuple[Note, ...]:
    """Notes on the callable, one line each; sets `subject.reproducible` to False if a repeat gave other outputs.

    If its batches are dependent, each draw is a separate call from here on.

    InputError as the subject's `sample` does.
    """
    size = BATCH if subject.call == "batch" else CALLS
    notes: list[Note] = []
    for side, dataset in enumerate((d0, d1)):
        subject.learn(dataset, rng=stream("probe", "learn", side))
    for side, dataset in enumerate((d0, d1)):  # all forms on both data sets, before the first draw
        look = LOOK_BATCH if subject.call == "batch" else LOOK
        subject.look(dataset, look, rng=stream("probe", "look", side))
    if subject.call == "batch":
        order = max(min(trials, NUMBERS // subject.width), 2 * FEWEST)
        try:
            for side, dataset in enumerate((d0, d1)):
                subject.look_at_order(dataset, order, rng=stream("probe", "order", side))
        except DependentError as problem:
            subject.one_by_one(problem)
    replayed, drew = True, False
    for side, dataset in enumerate((d0, d1)):
        first, second = (stream("probe", side) for _ in range(2))
        before = repr(first.bit_generator.state)
        same = np.array_equal(subject.sample(dataset, size, rng=first), subject.sample(dataset, size, rng=second))
        replayed, drew = replayed and same, drew or repr(first.bit_generator.state) != before
    if not subject.reproducible or not (replayed or drew):
        notes.append(OWN_NOISE)
    elif not replayed:
        notes.append(UNSTEADY)
    elif not drew:
        notes += plain_notes("the mechanism never drew from its rng: it has no noise, or seeds itself")
    subject.reproducible = subject.reproducible and replayed
    if any(subject.mutates(dataset, rng=stream("probe", "again", side)) for side, dataset in enumerate((d0, d1))):
        notes += plain_notes(
            "the mechanism changes the data set it is given; each call had its own copy, so nothing was lost"
        )
    return tuple(notes)


def notes_after_audit(subject: CallableMechanism) -> tuple[Note, ...]:
    """Notes after an audit: on exceptions, outputs that are not just numbers, and constant outputs."""
    notes = list(subject.notes())
    if subject.errors:
        codes = ", ".join(f"{code} where it raised {name}" for name, code in subject.errors.items())
        told = f"exceptions are outputs: their first number is 0 where the mechanism returned, {codes}"
        notes.append(Note(Kind.ERRORS, told))
    if subject.only is not None:
        notes += plain_notes(
            f"every draw on both data sets was {subject.told(subject.only)}: a constant output does not "
            "depend on the data, so there is nothing to refute; check that the mechanism uses its data"
        )
    return tuple(notes)
