"""More right functions: iterators over known lists, missing values, released values that are computed with."""

from __future__ import annotations

import math

import numpy as np

from tests.derivation.corpus.case import ARRAY, NUMBERS, WHOLE, WIDE, Case, collects

MORE: list[Case] = []
case = collects(MORE)
PURE = "PureDP(epsilon=1)"


@case(PURE, NUMBERS)
def missing_left_out(data, rng):
    total = 0.0
    for x in data:
        if not math.isnan(x):
            total += min(max(x, 0.0), 1.0)
    return total + rng.laplace(scale=1.0)


@case(PURE, NUMBERS)
def missing_by_comparison(data, rng):
    return sum(min(max(x, 0.0), 1.0) for x in data if x == x) + rng.laplace(scale=1.0)


@case(PURE, ARRAY)
def missing_selected(data, rng):
    known = data[~np.isnan(data)]
    return np.clip(known, 0, 1).sum() + rng.laplace(scale=1.0)


@case(PURE, ARRAY, **WIDE)
def numbered_thresholds(data, rng):
    out = np.zeros(3)
    for i, t in enumerate([0.2, 0.5, 0.8]):
        out[i] = np.sum(data > t) + rng.laplace(scale=3.0)
    return out


@case(PURE, ARRAY, **WIDE)
def paired_bins(data, rng):
    lows, highs = [0.0, 0.5], [0.5, 1.0]
    return [((data >= low) & (data < high)).sum() + rng.laplace(scale=1.0) for low, high in zip(lows, highs)]  # noqa: B905


@case(PURE, ARRAY, **WIDE)
def most_frequent(data, rng):
    counts, _edges = np.histogram(data, bins=4, range=(0, 1))
    return int(np.argmax(counts + rng.laplace(scale=1.0, size=4)))


@case(PURE, ARRAY, **WIDE)
def rounded(data, rng):
    return max(0, round(len(data) + rng.laplace(scale=1.0)))


@case(PURE, WHOLE)
def clipped_integers(data, rng):
    return np.clip(data, 0, 10).sum() + rng.laplace(scale=10.0)


@case(PURE, WHOLE)
def binned_integers(data, rng):
    return np.bincount(np.clip(data, 0, 4), minlength=5) + rng.laplace(scale=1.0, size=5)


@case(PURE, ARRAY, **WIDE)
def random_response_beside(data, rng):
    which = rng.integers(0, 2)
    return np.clip(data, 0, 1).sum() + rng.laplace(scale=1.0), which


@case("ZCDP(rho=0.5)", ARRAY, **WIDE)
def gaussian_for_rho(data, rng):
    return np.clip(data, 0, 1).sum() + rng.normal(scale=1.0)


@case("RDP(order=4, epsilon=2)", ARRAY, **WIDE)
def gaussian_at_an_order(data, rng):
    return np.clip(data, 0, 1).sum() + rng.normal(scale=1.0)


@case("GDP(mu=1)", ARRAY, **WIDE)
def gaussian_in_two(data, rng):
    x = np.clip(data, 0, 1)
    return x.sum() + rng.normal(scale=math.sqrt(2)), len(data) + rng.normal(scale=math.sqrt(2))


@case("ApproxDP(epsilon=2, delta=1e-6)", ARRAY, **WIDE)
def laplace_beside_gaussian(data, rng):
    n = len(data) + rng.laplace(scale=2.0)
    return n, np.clip(data, 0, 1).sum() + rng.normal(scale=4.0)


@case(PURE, ["a", "b", "a"])
def texts_counted_by_key(data, rng):
    counts = {"a": 0, "b": 0, "c": 0}
    for x in data:
        if x in counts:
            counts[x] += 1
    return {name: count + rng.laplace(scale=1.0) for name, count in counts.items()}


@case(PURE, ["a", "b", "a"], records='choice("a", "b", "c")')
def texts_of_a_known_set(data, rng):
    counts = {"a": 0, "b": 0, "c": 0}
    for x in data:
        counts[x] += 1
    return [counts[name] + rng.laplace(scale=1.0) for name in ("a", "b", "c")]


@case(PURE, [{"sex": "f", "paid": 0.5}], bounds={"paid": (0.0, 1.0)})
def sums_by_text(data, rng):
    totals = {"f": 0.0, "m": 0.0}
    for row in data:
        if row["sex"] == "f":
            totals["f"] += row["paid"]
        elif row["sex"] != "f" and row["sex"] in {"m", "male"}:
            totals["m"] += row["paid"]
    return totals["f"] + rng.laplace(scale=1.0), totals["m"] + rng.laplace(scale=1.0)


@case(PURE, NUMBERS, **WIDE)
def bins_by_place(data, rng):
    bins = 5
    counts = [0] * bins
    for x in data:
        place = int(min(max(x, 0.0), 1.0) * bins)
        counts[min(place, bins - 1)] += 1
    return [count + rng.laplace(scale=1.0) for count in counts]


@case(PURE, NUMBERS, **WIDE)
def bins_of_an_array(data, rng=None, bins=5):
    rng = np.random.default_rng() if rng is None else rng
    counts = np.zeros(bins)
    for x in data:
        counts[min(int(min(max(x, 0.0), 1.0) * bins), bins - 1)] += 1
    return counts + rng.laplace(scale=1.0, size=bins)


class Settings:
    epsilon = 1.0
    low, high = 0.0, 1.0

    @staticmethod
    def clip(x):
        return min(max(Settings.low, x), Settings.high)


@case(PURE, NUMBERS)
def constants_of_a_class(data, rng=None):
    rng = rng or np.random.default_rng()
    scale = (Settings.high - Settings.low) / Settings.epsilon
    name = f"sum in [{Settings.low:g}, {Settings.high:g}]"
    return {name: sum(Settings.clip(x) for x in data) + rng.laplace(scale=scale)}
