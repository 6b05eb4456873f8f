"""Numbers that are not finite: what becomes of them is told, and finite inputs must not make them."""

from __future__ import annotations

import math

import numpy as np

from dpverify.core.errors import InputError
from dpverify.core.verdict import Status
from dpverify.training_step.neighbours import Neighbours
from dpverify.training_step.step_row import StepRow, batch_words
from dpverify.training_step.step_runner import Total

DROP = "leave out records whose gradient is not finite before they are added (a constant part, such as zero)"


def non_finite(known: Neighbours) -> StepRow:
    """Give the step huge, missing and infinite inputs."""
    name, runner = "non-finite", known.runner
    for scale in sorted((each for each in known.scales if each > 0), key=lambda each: abs(math.log10(each))):
        for record in known.records:
            batch, factors = (*known.base, record), (*[1.0] * len(known.base), scale)
            found = _tried(known, batch, factors) if runner.batch.finite(batch, factors) else ""
            if isinstance(found, Total) and not found.finite:
                return StepRow(
                    name=name,
                    verdict=Status.REFUTED,
                    number=scale,
                    words=f"finite inputs (x {scale:g}) give numbers that are not finite: they tell that it is there",
                    shown=batch_words(batch, factors),
                    change="compute norms and losses without overflow, or bound the inputs first (and say scales=1)",
                )
    if not runner.batch.scaled:
        return StepRow(name=name, verdict=Status.UNSUPPORTED, words="no floating-point inputs")
    told, change = [], ""
    record = known.records[0]
    others = tuple(each for each in known.records if each != record)
    before = _tried(known, others, [1.0] * len(others))
    for word, factor in (("NaN", math.nan), ("infinite", math.inf)):
        batch, factors = (*others, record), (*[1.0] * len(others), factor)
        found = _tried(known, batch, factors)
        if isinstance(found, str) or not isinstance(before, Total):
            told.append(f"with a record that is {word} the step raises ({found})")
        elif not found.finite:
            told.append(f"with a record that is {word} the released numbers are not finite")
        else:
            moved = float(np.linalg.norm(found.values - before.values))
            if moved > runner.clip * (1 + 1e-3) + runner.slack(before, found, records=len(batch)):
                return StepRow(
                    name=name,
                    verdict=Status.REFUTED,
                    number=moved / runner.clip,
                    words=f"a record that is {word} moves the sum by {moved / runner.clip:.4g} clipping norms",
                    shown=batch_words(batch, factors),
                    change=DROP,
                )
            told.append(f"a record that is {word} moves the sum by {moved / runner.clip:.3g} clipping norms")
            continue
        change = f"if inputs may be so: {DROP}"
    return StepRow(name=name, verdict=Status.NOT_REFUTED, words="; ".join(told), change=change)


def _tried(known: Neighbours, batch: tuple[int, ...], factors: tuple[float, ...] | list[float]) -> Total | str:
    """The sum, finite or not; what the step raised."""
    try:
        return known.runner.at(batch, factors)
    except InputError as problem:
        return problem.what
