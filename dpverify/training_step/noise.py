"""Checks of the noise: on every number, of the claimed scale whatever the batch, and never the same twice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpverify.core.errors import InputError
from dpverify.core.subjects import Float
from dpverify.core.verdict import Status
from dpverify.stats.noise_scale import correlation_p_value, detectable_scales, law_p_value, scale_p_value
from dpverify.training_step.neighbours import Neighbours
from dpverify.training_step.noise_draws import COMPARED, HEADS, NoiseDraws, draws_of, equal_columns, heads, rounding_of
from dpverify.training_step.step_row import StepRow, batch_words, could_not, passed
from dpverify.training_step.step_runner import StepRunner

TESTS = 64
"""Shares of the error probability: twice those that the tests of a step take, so that the level of one is known before
and half is left for a loader."""

AGAIN = 17
"""Pairs of seeds at which three steps are made with one generator."""

NOISE = "add noise of standard deviation noise_multiplier * clip to each number of the sum, once, whatever the batch"
FRESH = "draw new noise for every array and every step, from a generator whose state is saved and loaded with the rest"


@dataclass(frozen=True, slots=True)
class ScaleTest:
    """One test of a scale: what it is of, scale over the claimed one, p-value, numbers, batch."""

    what: str
    ratio: float
    p: float
    count: int
    size: int


def draws_by_size(runner: StepRunner, records: Sequence[int], base: tuple[int, ...]) -> list[NoiseDraws]:
    """Noise of batches of several sizes, the smallest first; those that are no step are left out."""
    whole = max(int(runner.batch_size), 1)
    cycled = [records[place % len(records)] for place in range(max(4, min(2 * whole, 256)))]
    found = []
    for size in sorted({len(base), 1, 4, min(whole, 128), len(cycled)}):
        try:
            draws = draws_of(runner, cycled[:size], share=1.0 if size == len(base) else 0.25)
        except InputError:
            continue
        if draws is not None:
            found.append(draws)
    return found


def scale(known: Neighbours, draws: Sequence[NoiseDraws], alpha: float) -> StepRow:
    """Test the scale of the noise."""
    name, runner = "noise", known.runner
    if not draws:
        return could_not(name, "the step gives no finite numbers")
    moved = known.moved
    ever = np.any([each.noisy for each in draws], axis=0)
    for each in draws:
        bare = (moved | ever) & ~each.noisy
        if np.any(bare):
            return _without(runner, each, bare, int(np.sum(moved | ever)))
    if not np.any(ever):
        return could_not(name, "no number has noise, and no record moves one", NOISE)
    tests = [test for each in draws for test in _tests(runner, each)]
    failed = sorted((test for test in tests if test.p <= alpha / TESTS), key=lambda each: each.size)
    spare = {each.size: _excess(runner, each) <= (each.size * runner.clip) ** 2 for each in draws}
    sure = [test for test in failed if test.ratio < 1.0 or not spare[test.size]]
    if sure:
        return _off(runner, tests, sure)
    if failed:
        return StepRow(
            name=name,
            verdict=Status.INCONCLUSIVE,
            number=failed[0].ratio,
            words=f"outputs vary more than claimed for batches of {failed[0].size} ({failed[0].ratio:.4g} times): "
            "noise for each part of a batch does so, and draws of the model's own (dropout)",
            shown=f"a batch of {failed[0].size} records",
            change=f"{NOISE}; turn other draws off",
        )
    most = max(tests, key=lambda each: each.count)
    low, high = detectable_scales(most.count, alpha / TESTS)
    distance, p = law_p_value(draws[0].sample)
    if p <= alpha / TESTS:
        return StepRow(
            name=name,
            verdict=Status.INCONCLUSIVE,
            number=distance,
            words=f"the noise has the claimed scale and is not Gaussian (distance {distance:.3g} of the distribution "
            "functions): the account must be one of its own law",
            shown=f"a batch of {draws[0].size}",
            change="draw Gaussian noise, or account for the law that is drawn",
        )
    sizes = ", ".join(str(each.size) for each in draws)
    pairs = draws[0].count
    single, _ = detectable_scales(pairs, alpha / TESTS / int(np.sum(draws[0].noisy)))
    told = (
        f"{most.ratio:.3f} times the claimed scale, the same for batches of {sizes}; with 80 % power a scale below "
        f"{low:.3f} or above {high:.3f} times would have been seen, and one below {single:.2g} times on a single number"
    )
    return passed(name, told, most.ratio)


def _without(runner: StepRunner, draws: NoiseDraws, bare: NDArray[np.bool_], all_of_them: int) -> StepRow:
    count = int(np.sum(bare))
    which = _array_of(runner, int(np.flatnonzero(bare)[0]))
    what = "no number has noise" if count == all_of_them else f"{count} of {all_of_them} numbers have no noise"
    return StepRow(
        name="noise",
        verdict=Status.REFUTED,
        number=float(count),
        words=f"{what} (the first in {which}), or the same noise at every seed, for a batch of {draws.size}",
        shown=f"a batch of {draws.size} records" if draws.size else batch_words(()),
        change=NOISE,
    )


def _array_of(runner: StepRunner, place: int) -> str:
    """The name of the array that holds a number of the sum."""
    for name, size in runner.sizes:
        if place < size:
            return name or "the array"
        place -= size
    return "the array"


def _tests(runner: StepRunner, draws: NoiseDraws) -> list[ScaleTest]:
    """All noisy numbers together, the arrays one by one, and the number that is furthest off."""
    mask, pairs, squares = draws.noisy, draws.count, draws.squares
    found, start, arrays = [], 0, []
    for name, size in runner.sizes:
        inside = mask[start : start + size]
        arrays.append((name or "the array", squares[start : start + size][inside]))
        start += size
    for what, held in [("all numbers", squares[mask]), *arrays]:
        if held.size:
            count = held.size * pairs
            total = float(np.sum(held))
            p = float(scale_p_value(np.array(total), count)) * (1 if what == "all numbers" else len(arrays))
            found.append(ScaleTest(what, (total / count) ** 0.5, p, count, draws.size))
    each = scale_p_value(squares[mask], pairs)
    least = int(np.argmin(each))
    ratio = float((squares[mask][least] / pairs) ** 0.5)
    where = _array_of(runner, int(np.flatnonzero(mask)[least]))
    found.append(ScaleTest(f"one number of {where}", ratio, float(each[least]) * each.size, pairs, draws.size))
    return found


def _excess(runner: StepRunner, draws: NoiseDraws) -> float:
    """Variance beyond the claimed one, of all numbers; clipped parts that are drawn have (records x clip)^2."""
    return float(np.sum(draws.squares[draws.noisy] / draws.count - 1.0)) * runner.scale**2


def _off(runner: StepRunner, tests: Sequence[ScaleTest], failed: Sequence[ScaleTest]) -> StepRow:
    """The row of a scale that is not the claimed one."""
    total = {test.size: test.ratio for test in tests if test.what == "all numbers"}
    first = failed[0]
    words = f"the noise on {first.what} has {first.ratio:.4g} times the claimed scale for a batch of {first.size}"
    ratios = sorted(total.values())
    if ratios[-1] > 1.1 * ratios[0]:
        words += "; over batches of " + ", ".join(f"{size}: {ratio:.3g}" for size, ratio in total.items())
    if min(test.ratio for test in failed) > 1.0:
        words += " (more noise than claimed loses no privacy; it is not the step that is claimed)"
    return StepRow(
        name="noise",
        verdict=Status.REFUTED,
        number=first.ratio,
        words=f"{words} (p = {first.p:.1e})",
        shown=f"a batch of {first.size} records" if first.size else batch_words(()),
        change=NOISE,
    )


def reuse(runner: StepRunner, batch: tuple[int, ...], mask: NDArray[np.bool_], alpha: float) -> StepRow:
    """Make three steps with one generator, and look for noise that is the same, or goes together."""
    name = "noise reuse"
    if not np.any(mask):
        return could_not(name, "no number has noise")
    places = ("the first step", "the second step", "a step after the generator was saved and loaded")
    chosen = heads(runner.sizes, mask, COMPARED)
    rows, least = [], 0.0
    for pair in range(AGAIN):
        first, second = runner.successive(batch, 2 * pair + 10), runner.successive(batch, 2 * pair + 11)
        both = [(one.values - two.values) / (2.0**0.5 * runner.scale) for one, two in zip(first, second, strict=True)]
        if not all(np.all(np.isfinite(each)) for each in both):
            return could_not(name, "the step gives numbers that are not finite")
        rows.append(np.concatenate([each[chosen] for each in both]))
        least = max(least, rounding_of(runner, *first, *second))
    values, width = np.array(rows), chosen.size
    if same := equal_columns(values, least):
        steps = sorted(each // width for each in same)
        names = sorted({_array_of(runner, int(chosen[each % width])) for each in same})
        where = places[steps[0]] if steps[0] == steps[1] else f"{places[steps[0]]} and {places[steps[1]]}"
        words = f"two numbers have the same noise at {AGAIN} seeds, in {where} ({' and '.join(names)})"
        return StepRow(
            name=name, verdict=Status.REFUTED, number=1.0, words=words, shown=batch_words(batch), change=FRESH
        )
    few = np.searchsorted(chosen, heads(runner.sizes, mask, HEADS))
    correlation, p = _together(values, few, width)
    if p <= alpha / TESTS:
        words = f"noise of two numbers goes together: correlation {correlation:.3g} (p = {p:.1e})"
        return StepRow(
            name=name, verdict=Status.REFUTED, number=correlation, words=words, shown=batch_words(batch), change=FRESH
        )
    told = "no noise came twice within a step, in the next step, or after the generator was saved and loaded"
    return passed(name, f"{told}; the largest correlation of two numbers is {correlation:.2g}", correlation)


def _together(values: Float, chosen: NDArray[np.int64], width: int) -> tuple[float, float]:
    """(largest correlation, its p-value) of numbers within a step, and of whole steps with each other."""
    count = len(values)
    picked = values[:, chosen]
    with np.errstate(invalid="ignore", divide="ignore"):
        normed = picked / np.linalg.norm(picked, axis=0)
        table = np.nan_to_num(normed.T @ normed)
    np.fill_diagonal(table, 0.0)
    most = float(np.max(np.abs(table), initial=0.0))
    pairs = max(chosen.size * (chosen.size - 1) // 2, 1)
    p = float(correlation_p_value(np.array(most), count)) * pairs if chosen.size > 1 else 1.0
    steps = [values[:, place * width : (place + 1) * width].ravel() for place in range(3)]
    for one, other in ((0, 1), (1, 2), (0, 2)):
        against = float(steps[one] @ steps[other] / (np.linalg.norm(steps[one]) * np.linalg.norm(steps[other]) or 1.0))
        chance = 3.0 * float(correlation_p_value(np.array(against), steps[one].size))
        if chance < p:
            most, p = against, chance
    return most, min(1.0, 2.0 * p)
