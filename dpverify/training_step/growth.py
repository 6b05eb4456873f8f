"""Exact checks of sizes: a batch that grows record by record, and copies of one record.

Accumulation, virtual batches and padding show where a batch outgrows one of their parts: the sum must grow by the
part of each record. A divisor that is the realised size shows where copies of one record leave the sum as it was.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dpverify.core.subjects import Float
from dpverify.core.verdict import Status
from dpverify.training_step.neighbours import PART, Neighbours, Part
from dpverify.training_step.step_row import StepRow, batch_words, could_not, passed, tried
from dpverify.training_step.step_runner import Total

EVERY, MOST = 33, 4096
"""Sizes that are all looked at, and the largest; between them sizes double."""


def sizes_up_to(batch_size: float) -> list[int]:
    """Sizes from 1 to twice the expected one, all small ones and then doubling."""
    most = min(max(EVERY, int(2 * batch_size)), MOST)
    found = list(range(1, min(EVERY, most) + 1))
    while found[-1] < most:
        found.append(min(2 * found[-1], most))
    return found


def accumulation(known: Neighbours) -> StepRow:
    """Let a batch grow to twice the expected size, and compare its sum with the parts of its records."""
    name, runner = "accumulation", known.runner
    parts = {record: known.alone(record) for record in known.records}
    whole = [record for record, part in parts.items() if part is not None]
    start = tried(runner, known.base)
    if not whole or start is None:
        return could_not(name, "the step gives no finite number on single records")

    def expected(size: int) -> Float:
        total = start.values.copy()
        for place, record in enumerate(whole):
            part = parts[record]
            assert part is not None
            total += part.values * len(range(place, size, len(whole)))
        return total

    def batch(size: int) -> tuple[int, ...]:
        return (*known.base, *(whole[place % len(whole)] for place in range(size)))

    def off(size: int, total: Total) -> tuple[float, float]:
        least = runner.clip * max(PART, runner.unit**0.5) * (1 + size) ** 0.5
        slack = runner.slack(total, start, records=2 * size) + sum(each.slack for each in parts.values() if each)
        return float(np.linalg.norm(total.values - expected(size))), least + slack

    good = 0
    for size in sizes_up_to(runner.batch_size):
        total = tried(runner, batch(size))
        if total is None:
            return could_not(name, f"the step gives no finite number on {size} records")
        far, least = off(size, total)
        if far <= least:
            good = size
            continue
        while size - good > 1:  # the neighbouring pair at which it changes
            middle = (good + size) // 2
            between = tried(runner, batch(middle))
            if between is not None and (gap := off(middle, between))[0] <= gap[1]:
                good = middle
            else:
                size = middle
        return _changed(known, batch(good), batch(size), far)
    return passed(name, f"the sum of a batch is that of its records' parts, up to {good} records", float(good))


def _changed(known: Neighbours, before: Sequence[int], after: Sequence[int], far: float) -> StepRow:
    """The row of a sum that leaves the parts of its records between two neighbouring batches."""
    runner = known.runner
    first, second = tried(runner, before), tried(runner, after)
    moved, over = 0.0, known.largest() is not None
    if first is not None and second is not None:
        moved = float(np.linalg.norm(second.values - first.values)) / runner.clip
        over = over or moved > 1.0 + PART + runner.slack(first, second, records=len(after)) / runner.clip
    return StepRow(
        name="accumulation",
        verdict=Status.REFUTED if over else Status.INCONCLUSIVE,
        number=moved,
        words=f"from {len(before)} to {len(after)} records the sum moves by {moved:.4g} clipping norms, and is no "
        f"more the sum of its records' parts ({far / runner.clip:.3g} away)",
        shown=batch_words(after),
        change="add up the clipped gradients of all parts of a batch, add noise once, and divide by the expected size",
    )


def divisor(known: Neighbours) -> StepRow:
    """Compare copies of one record with the record."""
    name, runner = "divisor", known.runner
    parts = [part for part in map(known.alone, known.records) if part is not None]
    best: Part | None = max(parts, key=lambda each: each.norm, default=None)
    if best is None:
        return could_not(name, "the step gives no finite number on single records")
    record = best.probe.record
    one, two, four = (tried(runner, (record,) * times) for times in (1, 2, 4))
    if one is None or two is None or four is None:
        return could_not(name, "the step gives no finite number on copies of one record")
    slack = runner.slack(one, two, four, records=4) + PART * runner.clip
    start = tried(runner, ())
    if start is None:
        unit, later = two.values - one.values, four.values - two.values
        apart = max((float(np.linalg.norm(each.values)) for each in parts), default=0.0)
        first, wanted = float(np.linalg.norm(unit)), 2.0
        found = float(np.linalg.norm(later)) / first if first > slack else (0.0 if apart > slack else np.nan)
    else:
        unit, later = one.values - start.values, four.values - start.values
        first, wanted = float(np.linalg.norm(unit)), 4.0
        found = float(later @ unit) / first**2 if first > slack else np.nan
    if not np.isfinite(found):
        return could_not(name, "no record moves the sum", "give parameters and records with a gradient")
    if abs(found - wanted) * max(first, slack) <= 8 * slack + wanted * runner.unit**0.5 * first:
        return passed(name, "copies of a record move the sum by as many times its part", found)
    return StepRow(
        name=name,
        verdict=Status.INCONCLUSIVE if known.largest() is None else Status.REFUTED,
        number=found,
        words=f"copies of a record do not add up, as where the divisor is the realised batch size: four of them "
        f"move the sum by {found:.4g} times the part of {'one' if wanted == 4 else 'the second'}, not by {wanted:g}",
        shown=batch_words((record,) * 2),
        change="divide by the expected batch size, a constant, whatever was drawn",
    )
