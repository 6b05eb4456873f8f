"""The array loops, and through them the laws of all continuous samplers on two million draws each.

Every check in `complaints` has a false-alarm probability of at most 1e-9: exactly so (the bound of Dvoretzky, Kiefer,
Wolfowitz and Massart; binomial and gamma laws), or, for the chi-squares, as good as their approximation is at 60 and
more expected counts a cell.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from scipy import stats

from dpverify.sampling import fill
from dpverify.sampling.gumbel import gumbel
from dpverify.sampling.poisson_subset import geometric
from dpverify.sampling.streams import State, as_state, state_from, stream
from dpverify.sampling.xoshiro import next_uint64, uniform
from dpverify.sampling.ziggurat import EXPONENTIAL, NORMAL, exponential, laplace, normal
from tests.sampling import fills

ALARM = 1e-9
DRAWS = 2_000_000
FEWER = 1_000_000  # enough to catch the cruder sabotages

# --- one draw an entry, in order -------------------------------------------------------------------------------------

LOOPS: list[Any] = [
    (fills.fill_uint64, next_uint64, np.uint64, ()),
    (fill.fill_uniform, uniform, np.float64, ()),
    (fill.fill_normal, normal, np.float64, ()),
    (fill.fill_exponential, exponential, np.float64, ()),
    (fill.fill_laplace, laplace, np.float64, ()),
    (fill.fill_gumbel, gumbel, np.float64, ()),
    (fills.fill_geometric, geometric, np.int64, (9.5,)),
]


@pytest.mark.parametrize(
    ("loop", "sampler", "dtype", "parameters"), LOOPS, ids=lambda part: getattr(part, "__name__", "")
)
def test_fills_with_the_scalar_draws_and_hands_on_the_state(
    loop: Any, sampler: Any, dtype: Any, parameters: Any
) -> None:
    state = start = state_from(stream(0, "fill"))
    whole = np.empty(100, dtype=dtype)
    end = loop(whole, *parameters, *start)
    for value in whole:
        drawn, *rest = sampler(*parameters, *state)
        state = as_state(rest)
        assert drawn == value
    assert as_state(end) == state
    halves = np.empty_like(whole)
    middle = as_state(loop(halves[:50], *parameters, *start))
    assert loop(halves[50:], *parameters, *middle) == end
    np.testing.assert_array_equal(halves, whole)
    assert as_state(loop(whole[:0], *parameters, *start)) == start


# --- the laws --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Law:
    """What a sampler should give: its distribution, cells to count in, tail thresholds, and sums of known law."""

    distribution: Any
    cells: np.ndarray
    tails: tuple[float, ...]
    sums: Callable[[np.ndarray], list[tuple[float, Any]]]


def both_sides(edge: np.ndarray) -> np.ndarray:
    """Ziggurat edges as cells: a wrong layer, wedge or sign then shows as a wrong cell."""
    return np.concatenate([[-np.inf], -edge[1:], edge[-2:0:-1], [np.inf]])


def quantiles(distribution: Any) -> np.ndarray:
    cells = np.asarray(distribution.ppf(np.linspace(0, 1, 513)))
    cells[0], cells[-1] = -np.inf, np.inf
    return cells


def gamma_sum(values: np.ndarray) -> tuple[float, Any]:
    return float(values.sum()), stats.gamma(values.size)


LAWS = {
    "uniform": Law(
        distribution=stats.uniform(),
        cells=quantiles(stats.uniform()),
        tails=(0.999, 0.9999),
        sums=lambda x: [gamma_sum(-np.log1p(-x))],
    ),
    "normal": Law(
        distribution=stats.norm(),
        cells=both_sides(NORMAL.edge),
        tails=(-4.5, -4.0, -NORMAL.base, -3.0, 3.0, NORMAL.base, 4.0, 4.5),
        sums=lambda x: [
            (float(np.square(x).sum()), stats.chi2(x.size)),
            (float(x.sum()), stats.norm(scale=math.sqrt(x.size))),
        ],
    ),
    "exponential": Law(
        distribution=stats.expon(),
        cells=np.concatenate([[-np.inf], EXPONENTIAL.edge[:0:-1], [np.inf]])[1:],
        tails=(5.0, EXPONENTIAL.base, 9.0, 11.0),
        sums=lambda x: [gamma_sum(x)],
    ),
    "laplace": Law(
        distribution=stats.laplace(),
        cells=both_sides(EXPONENTIAL.edge),
        tails=(-11.0, -9.0, -EXPONENTIAL.base, -5.0, 5.0, EXPONENTIAL.base, 9.0, 11.0),
        sums=lambda x: [gamma_sum(np.abs(x))],
    ),
    "gumbel": Law(
        distribution=stats.gumbel_r(),
        cells=quantiles(stats.gumbel_r()),
        tails=(-2.5, 7.0, 10.0),
        sums=lambda x: [gamma_sum(np.exp(-x))],
    ),
}


def surprising(count: float, law: Any) -> bool:
    return bool(2 * min(law.cdf(count), law.sf(count - 1 if isinstance(count, int) else count)) < ALARM)


def too_far(cdf_of_sorted: np.ndarray) -> bool:
    """Kolmogorov-Smirnov with the finite-sample bound of Dvoretzky, Kiefer, Wolfowitz and Massart."""
    size = cdf_of_sorted.size
    steps = np.arange(size + 1) / size
    distance = max(np.max(steps[1:] - cdf_of_sorted), np.max(cdf_of_sorted - steps[:-1]))
    return bool(distance > math.sqrt(math.log(2 / ALARM) / (2 * size)))


def complaints(sample: np.ndarray, law: Law) -> set[str]:
    """Return the names of the checks that the sample fails."""
    found, ordered = set(), np.sort(sample)
    if too_far(law.distribution.cdf(ordered)):
        found.add("distribution function")
    if any(surprising(value, of_sum) for value, of_sum in law.sums(sample)):
        found.add("sums")
    counts = np.diff(np.searchsorted(ordered, law.cells))
    shares = np.diff(law.distribution.cdf(law.cells))
    if stats.chisquare(counts, shares / shares.sum() * sample.size).pvalue < ALARM:
        found.add("cells")
    cell = stats.binom(sample.size, shares)
    if 2 * np.minimum(cell.cdf(counts), cell.sf(counts - 1)).min() < ALARM / counts.size:
        found.add("single cells")
    for at in law.tails:
        beyond = int(np.searchsorted(ordered, at)) if at < 0 else int(sample.size - np.searchsorted(ordered, at))
        share = law.distribution.cdf(at) if at < 0 else law.distribution.sf(at)
        if surprising(beyond, stats.binom(sample.size, share)):
            found.add("tails")
    sixteenths = np.searchsorted(law.distribution.ppf(np.arange(1, 16) / 16), sample)
    pairs = 16 * sixteenths[0 : sample.size - 1 : 2] + sixteenths[1::2]
    if stats.chisquare(np.bincount(pairs, minlength=256)).pvalue < ALARM:
        found.add("neighbours")
    return found


def draw(name: str, size: int = DRAWS) -> np.ndarray:
    out = np.empty(size)
    getattr(fill, f"fill_{name}")(out, *state_from(stream(0, "law", name)))
    return out


@pytest.mark.parametrize("name", LAWS)
def test_law(name: str) -> None:
    assert complaints(draw(name), LAWS[name]) == set()


@pytest.mark.parametrize(
    ("name", "size"), [("normal", FEWER), ("laplace", FEWER), ("exponential", FEWER), ("gumbel", DRAWS)]
)
def test_wrong_scale_is_caught(name: str, size: int) -> None:
    assert {"sums", "cells"} & complaints(1.01 * draw(name, size), LAWS[name])


@pytest.mark.parametrize("name", ["normal", "laplace", "exponential"])
def test_dropped_tail_is_caught(name: str) -> None:
    sample, base = draw(name, FEWER), (NORMAL if name == "normal" else EXPONENTIAL).base
    assert {"tails", "single cells"} <= complaints(sample[np.abs(sample) < base], LAWS[name])


# --- the tail beyond the ziggurat's base, given that it was entered --------------------------------------------------


def beyond(name: str, base: float, passes: int) -> np.ndarray:
    state: State = state_from(stream(0, "tail", name))
    out, kept = np.empty(DRAWS), []
    for _ in range(passes):
        state = as_state(getattr(fill, f"fill_{name}")(out, *state))
        kept.append(out[np.abs(out) > base])
    return np.concatenate(kept)


def tail_complaints(values: np.ndarray, law: Any, base: float) -> set[str]:
    found = set()
    if too_far(np.sort(1 - law.sf(np.abs(values)) / law.sf(base))):
        found.add("tail shape")
    if surprising(int((values < 0).sum()), stats.binom(values.size, 0.5)):
        found.add("tail sides")
    return found


TAILS = pytest.mark.parametrize(("name", "base"), [("normal", NORMAL.base), ("laplace", EXPONENTIAL.base)])


@TAILS
def test_tail_beyond_the_base(name: str, base: float) -> None:
    passes, law = 30, LAWS[name].distribution
    values = beyond(name, base, passes)
    assert not surprising(values.size, stats.binom(passes * DRAWS, 2 * law.sf(base)))
    assert tail_complaints(values, law, base) == set()


def test_wrong_tails_are_caught() -> None:
    rng = stream(0, "wrong tail")
    signs = rng.choice([-1.0, 1.0], size=30_000)
    unrejected = NORMAL.base + rng.exponential(1 / NORMAL.base, size=30_000)  # Marsaglia's tail, rejection forgotten
    assert tail_complaints(signs * unrejected, stats.norm(), NORMAL.base) == {"tail shape"}
    exact = stats.norm.isf(rng.random(30_000) * stats.norm.sf(NORMAL.base))
    assert tail_complaints(signs * exact, stats.norm(), NORMAL.base) == set()
    assert tail_complaints(exact, stats.norm(), NORMAL.base) == {"tail sides"}


# --- sabotage: a plain-numpy ziggurat that can be broken in each of the known ways -----------------------------------


def numpy_ziggurat(*, words: int = FEWER, layer_bits: int = 0, wedge: bool = True, sign_bit: int = 63) -> np.ndarray:
    """Return a few less normals than words by the naive vectorised method; the defaults are right."""
    rng = stream(0, "numpy ziggurat")
    word = rng.integers(0, 2**64, size=words, dtype=np.uint64)
    layer = (word >> np.uint64(layer_bits) & np.uint64(255)).astype(np.intp)
    sign = 1.0 - 2.0 * (word >> np.uint64(sign_bit) & np.uint64(1))
    x = (word << np.uint64(1) >> np.uint64(12)).astype(float) * 2.0**-52 * NORMAL.edge[layer]
    stands = x < NORMAL.edge[layer + 1]
    low, high = NORMAL.height[layer], NORMAL.height[layer + 1]
    under = low + rng.random(x.size) * (high - low) < np.exp(-0.5 * x * x) if wedge else np.ones(x.size, dtype=bool)
    tail = ~stands & (layer == 0)
    x[tail] = stats.norm.isf(rng.random(int(tail.sum())) * stats.norm.sf(NORMAL.base))
    return np.asarray((sign * x)[stands | tail | under])


def test_unbroken_numpy_ziggurat_passes() -> None:
    assert complaints(numpy_ziggurat(), LAWS["normal"]) == set()


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param({"wedge": False, "words": 2 * DRAWS}, id="every wedge accepted"),
        pytest.param({"sign_bit": 0}, id="sign shares a bit with the layer"),
        pytest.param({"sign_bit": 62}, id="sign shares a bit with the magnitude"),
        pytest.param({"layer_bits": 55}, id="layer shares bits with the magnitude"),
    ],
)
def test_broken_ziggurat_is_caught(fault: dict[str, Any]) -> None:
    assert {"cells", "single cells", "tails"} & complaints(numpy_ziggurat(**fault), LAWS["normal"])


def test_repeated_draws_are_caught() -> None:
    assert "neighbours" in complaints(np.repeat(draw("normal", FEWER // 2), 2), LAWS["normal"])


# --- an independent library ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["normal", "laplace", "exponential", "gumbel"])
def test_two_samples_against_numpy(name: str) -> None:
    size, rng = 50_000, stream(0, "numpy", name)
    theirs = getattr(rng, name)(size=size)
    assert stats.ks_2samp(draw(name, size), theirs, method="asymp").pvalue > ALARM
    assert stats.ks_2samp(1.2 * draw(name, size), theirs, method="asymp").pvalue < ALARM
