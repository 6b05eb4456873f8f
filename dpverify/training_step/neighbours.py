"""Exact checks of what one record does to the sum: with the same seed the noise is the same, so it falls out.

A record's part in a batch S is out(S with it) - out(S). The norm of such a part is what the sensitivity of a step is
about, whatever happens inside; that parts are the same in all batches is what clipping record by record gives.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpverify.core.errors import InputError
from dpverify.core.subjects import Float
from dpverify.core.verdict import Status
from dpverify.training_step.step_row import StepRow, batch_words, could_not, passed, tried
from dpverify.training_step.step_runner import StepRunner, Total
from dpverify.training_step.trees import UNITS, is_float, rebuilt

NORM, PART = 1e-5, 1e-4
"""Relative allowances: of a norm, and of a part; more for coarser arithmetic."""

COPIES = 12
"""Copies of one record, half of them scaled, beside which it is put once more."""

MET = 0.5
"""Clipping counts as met where a part has this share of the clipping norm."""

WITHOUT_CLIP = "no record's part came near the clipping norm, so nothing was clipped: scale the parameters or the loss"
CLIP_EACH = "clip each record's whole gradient (all parameters together, every use of tied ones) to the norm, then add"
ALONE = "let a record's gradient depend on that record alone: no batch statistics, routing or shared normalisers"


@dataclass(frozen=True, slots=True)
class Probe:
    """A batch, and the same with one record more."""

    without: tuple[int, ...]
    scales: tuple[float, ...]
    record: int
    factor: float
    front: bool = False

    @property
    def batch(self) -> tuple[tuple[int, ...], tuple[float, ...]]:
        """The batch with the record, behind the others or in front of them."""
        if self.front:
            return (self.record, *self.without), (self.factor, *self.scales)
        return (*self.without, self.record), (*self.scales, self.factor)


@dataclass(frozen=True, slots=True)
class Part:
    """A record's part in one batch."""

    probe: Probe
    values: Float
    slack: float

    @property
    def norm(self) -> float:
        """The Euclidean norm."""
        return float(np.linalg.norm(self.values))


@dataclass(frozen=True, slots=True)
class Move:
    """A record moved a batch by so much, at these parameters."""

    probe: Probe
    norm: float
    slack: float
    variant: str = ""

    def words(self) -> str:
        """Say which record moves which batch."""
        probe = self.probe
        beside = f" beside {batch_words(probe.without, probe.scales)}" if probe.without else ""
        at = f", {self.variant}" if self.variant else ""
        return f"{batch_words([probe.record], [probe.factor])}{beside}{at}"


class Neighbours:
    """Parts of records in batches of several kinds, each computed once.

    Parameters
    ----------
    runner : StepRunner
    records : sequence of int
        Records that are looked at.
    base : tuple of int
        The batch that records are added to: the empty one, or one record where the empty one is no step.
    scales : sequence of float
        Factors of inputs.
    """

    def __init__(
        self, runner: StepRunner, records: Sequence[int], base: tuple[int, ...], scales: Sequence[float]
    ) -> None:
        self.runner, self.base = runner, base
        self.records = [each for each in records if each not in base]
        self.scales = scales
        # In coarse arithmetic a huge record's part is all rounding, which may differ from batch to batch.
        fine = 1e3 if runner.unit <= UNITS["float64"] else 10.0 if runner.unit <= UNITS["float32"] else 2.0
        self.others_scaled = fine if any(abs(each) >= fine for each in scales) else 1.0
        self.moves: list[Move] = []
        self.moved: NDArray[np.bool_] = np.zeros(runner.width, dtype=bool)

    def part(self, probe: Probe, variant: tuple[str, object] | None = None) -> Part | None:
        """A record's part; None where the step gives no finite number there."""
        before = tried(self.runner, probe.without, probe.scales, parameters=variant)
        after = tried(self.runner, *probe.batch, parameters=variant)
        if before is None or after is None:
            return None
        slack = self.runner.slack(before, after, records=len(probe.without) + 1)
        found = Part(probe, after.values - before.values, slack)
        self.moves.append(Move(probe, found.norm, slack, variant[0] if variant else ""))
        self.moved |= np.abs(found.values) > slack + 1e-6 * self.runner.clip
        return found

    def alone(self, record: int) -> Part | None:
        """The part of a record beside nothing but the base."""
        return self.part(Probe(self.base, (1.0,) * len(self.base), record, 1.0))

    def beside(self, record: int) -> Iterator[Probe]:
        """Yield other batches that the record is added to, the small ones first."""
        others = [each for each in self.records if each != record]
        for group in (others[:1], others[-1:], others[:3], others, [*others, *others]):
            for scale in (1.0, self.others_scaled, -self.others_scaled) if group else ():
                for front in (False, True):
                    yield Probe(tuple(group), (scale,) * len(group), record, 1.0, front)

    def allowed(self, part: Move) -> float:
        """The largest norm of a part that rounding explains."""
        unit, others = self.runner.unit, len(part.probe.without)
        own = max(NORM, unit * (16 + 2 * self.runner.width**0.5))
        theirs = max(PART, unit**0.5) * (1 + others) ** 0.5 if others else 0.0  # their parts are computed anew
        return float(self.runner.clip * (1.0 + own + theirs) + part.slack)

    def independence(self) -> StepRow:
        """Compare each record's parts in different batches."""
        name, runner = "independence", self.runner
        worst, first = 0.0, None
        seen = 0
        for record in self.records:
            own = self.alone(record)
            for probe in self.beside(record) if own is not None else ():
                part = self.part(probe)
                if own is None or part is None:
                    continue
                seen += 1
                size = len(probe.without) + 1
                off = float(np.linalg.norm(part.values - own.values))
                least = runner.clip * max(PART, runner.unit**0.5) * (1 + size) ** 0.5 + part.slack + own.slack
                if off > least:
                    worst = max(worst, off / runner.clip)
                    first = first if first and len(first.probe.without) < size else part
        if not seen:
            return could_not(name, "the step gives no finite number on batches of two records")
        if first is None:
            return passed(
                name, f"a record's part was the same in {seen} batches, its others swapped, scaled and dropped"
            )
        over = self.largest()
        verdict = Status.REFUTED if over is not None else Status.INCONCLUSIVE
        moved = "" if over is None else f"; one record moves the sum by {over.norm / runner.clip:.4g} clipping norms"
        return StepRow(
            name=name,
            verdict=verdict,
            number=worst,
            words=f"a record's part depends on other records: it changed by up to {worst:.3g} clipping norms{moved}",
            shown=Move(first.probe, first.norm, first.slack).words(),
            change=ALONE,
        )

    def largest(self) -> Move | None:
        """The largest move above the clipping norm, beside other records, that was seen; None where there is none."""
        over = [each for each in self.moves if each.norm > self.allowed(each)]
        return max(over, key=lambda each: each.norm, default=None)

    def look(self) -> None:
        """Let records move batches: scaled, at other parameters, beside others, and beside many copies of one."""
        runner = self.runner
        for variant in (None, *self._variants()):
            for record in self.records:
                for scale in self.scales if variant is None else (1.0,):
                    self._if_finite(Probe(self.base, (1.0,) * len(self.base), record, scale), variant)
        big = max(map(abs, self.scales))
        for record in self.records:
            others = tuple(each for each in self.records if each != record)
            for group in (others[:1], others) if others else ():
                for factor in {1.0, -1.0, big, -big}:
                    self._if_finite(Probe(group, (1.0,) * len(group), record, factor))
        mild = sorted(each for each in self.scales if 1 / self.others_scaled <= each <= self.others_scaled)
        for record in self.records[:3] if runner.batch.scaled else ():
            for low, high in pairwise(mild):  # half of the copies on either side of a threshold that follows the batch
                half = COPIES // 2
                for factor in (low, high):
                    self._if_finite(Probe((record,) * COPIES, (low,) * half + (high,) * half, record, factor))

    def _if_finite(self, probe: Probe, variant: tuple[str, object] | None = None) -> None:
        if self.runner.batch.finite([probe.record], [probe.factor]):
            self.part(probe, variant)

    def norm(self) -> StepRow:
        """Judge by how much one record moved the sum at the most."""
        name, runner = "norm", self.runner
        if not self.moves:
            return could_not(name, "the step gives no finite number on these batches")
        largest = max(each.norm for each in self.moves) / runner.clip
        over = [each for each in self.moves if each.norm > self.allowed(each)]
        if over:
            least = min(over, key=lambda each: (len(each.probe.without), abs(np.log10(abs(each.probe.factor) or 1.0))))
            return StepRow(
                name=name,
                verdict=Status.REFUTED,
                number=largest,
                words=f"one record moves the sum by up to {largest:.6g} times the clipping norm",
                shown=least.words(),
                change=CLIP_EACH,
            )
        hidden = min(each.slack for each in self.moves)
        if hidden > 0.5 * runner.clip:
            why = f"rounding hides {hidden / runner.clip:.2g} clipping norms"
            return could_not(name, why, "return the noisy sum, or a higher precision")
        if largest < MET:
            return could_not(name, f"the largest part is {largest:.3g} clipping norms", WITHOUT_CLIP)
        told = f"no record moves the sum by more than {largest:.6g} clipping norms, in {len(self.moves)} neighbours"
        return passed(name, told, largest)

    def _variants(self) -> list[tuple[str, object]]:
        """Other parameters: zero ones hide gradients, and token data cannot be scaled."""
        found = []
        for words, spread, scale in (("at other parameters", 0.3, 1.0), ("at parameters x 30", 0.3, 30.0)):
            rng = np.random.default_rng(0)

            def changed(_name: str, leaf: Any, spread: float = spread, scale: float = scale) -> Any:
                if not is_float(leaf):
                    return leaf
                moved = spread * rng.standard_normal(getattr(leaf, "shape", ()))  # noqa: B023 - called at once
                if hasattr(leaf, "new_tensor"):
                    return (leaf.detach() + leaf.new_tensor(moved)) * scale
                return (leaf + np.asarray(moved).astype(getattr(leaf, "dtype", float))) * getattr(
                    leaf, "dtype", np.dtype(float)
                ).type(scale)

            found.append((words, rebuilt(self.runner.parameters, changed)))
        return found


def cancels(runner: StepRunner, base: tuple[int, ...], records: Sequence[int]) -> str:
    """Why differences at one seed are not exact; empty where they are the same at two seeds."""
    for size in sorted({1, 2, 4, len(records)}):
        found = []
        for draw in (0, 1):
            before, after = tried(runner, base, draw=draw), tried(runner, (*base, *records[:size]), draw=draw)
            if before is None or after is None:
                return ""
            found.append((before, after))
        gap = [after.values - before.values for before, after in found]
        off = float(np.linalg.norm(gap[0] - gap[1]))
        totals: list[Total] = [each for pair in found for each in pair]
        least = runner.slack(*totals, records=2 * size) + runner.clip * max(PART, runner.unit**0.5) * (1 + size) ** 0.5
        if off > least:
            return f"with {size} records more the sum moves differently at another seed"
    return ""


def reproducible(runner: StepRunner, records: Sequence[int]) -> StepRow:
    """Call the step twice at the same seed."""
    name = "reproducible"
    first, second = runner.anew(records), runner.anew(records)
    same = np.array_equal(first.values, second.values, equal_nan=True)
    off = float(np.max(np.abs(first.values - second.values), initial=0.0)) if not same else 0.0
    if same or off <= runner.slack(first, second, records=len(records)):
        return passed(name, "the same seed gives the same output", off)
    return StepRow(
        name=name,
        verdict=Status.INCONCLUSIVE,
        number=off,
        words="two calls at the same seed differ, so that no exact check can look",
        shown=batch_words(records),
        change="draw from rng alone (or global generators of NumPy, Python and torch), and keep nothing between calls",
    )


def empty_batch(runner: StepRunner, *, asked: bool) -> StepRow:
    """Call the step on no records."""
    name = "empty batch"
    if not asked:
        return StepRow(name=name, verdict=Status.UNSUPPORTED, words="not asked for (empty batches do not occur)")
    try:
        found = runner.at(())
    except InputError as problem:
        words, number = f"an empty batch is no step: {problem.what}", None
    else:
        if found.finite:
            return passed(name, "an empty batch is a step")
        words, number = "an empty batch gives numbers that are not finite", float("nan")
    return StepRow(
        name=name,
        verdict=Status.REFUTED,
        number=number,
        words=words,
        shown="the empty batch",
        change="return noise alone for a batch without records, which Poisson sampling makes (or say that none occurs)",
    )
