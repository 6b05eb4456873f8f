"""Wrong functions, as people write them: a claim that does not hold, for the domain that is stated. None is proved."""

from __future__ import annotations

import math

import numpy as np

from tests.derivation.corpus.case import ARRAY, IN_A_BOX, NUMBERS, ROWS, WHOLE, WIDE, Case, collects

WRONG: list[Case] = []
case = collects(WRONG)
PURE = "PureDP(epsilon=1)"


@case(PURE, ARRAY, **WIDE)
def half_the_noise(data, rng):
    return np.clip(data, 0, 1).sum() + rng.laplace(scale=0.5)


@case(PURE, ARRAY)
def nan_is_not_clipped(data, rng):
    return np.clip(data, 0, 1).sum() + rng.laplace(scale=1.0)


@case(PURE, ARRAY, **WIDE)
def not_clipped(data, rng):
    return data.sum() + rng.laplace(scale=1.0)


@case(PURE, ARRAY, **WIDE)
def clipped_too_late(data, rng):
    return np.clip(data.sum(), 0, 10) + rng.laplace(scale=1.0)


@case(PURE, ARRAY, **WIDE)
def sensitivity_of_the_data(data, rng):
    bound = np.max(np.abs(data))
    return np.clip(data, -bound, bound).sum() + rng.laplace(scale=bound)


@case(PURE, ARRAY, bounds=(0, 1))
def mean_of_n(data, rng):
    return np.mean(data) + rng.laplace(scale=1.0 / len(data))


@case(PURE, ARRAY, bounds=(0, 1), relation="replace")
def mean_with_a_fixed_n(data, rng):
    return np.mean(data) + rng.laplace(scale=0.01)


@case(PURE, ARRAY, bounds=(-1, 1), relation="replace")
def replace_forgotten_factor(data, rng):
    return data.sum() + rng.laplace(scale=1.0)


@case(PURE, ARRAY, **WIDE, relation="replace")
def histogram_replace(data, rng):
    counts, _ = np.histogram(data, bins=4, range=(0, 1))
    return counts + rng.laplace(scale=1.0, size=4)


@case(PURE, ARRAY, **WIDE)
def histogram_bins_of_the_data(data, rng):
    counts, _ = np.histogram(data, bins=4)
    return counts + rng.laplace(scale=1.0, size=4)


@case(PURE, ARRAY, **WIDE)
def one_draw_for_all_bins(data, rng):
    counts, _ = np.histogram(data, bins=4, range=(0, 1))
    return counts + rng.laplace(scale=1.0)


@case(PURE, ARRAY, **WIDE)
def edges_beside(data, rng):
    counts, _ = np.histogram(data, bins=4, range=(0, 1))
    return counts + rng.laplace(scale=1.0, size=4), counts.sum()


@case(PURE, ARRAY, **WIDE)
def two_queries_one_budget(data, rng):
    total = np.clip(data, 0, 1).sum() + rng.laplace(scale=1.0)
    return total / max(len(data) + rng.laplace(scale=1.0), 1)


@case(PURE, ARRAY, **WIDE)
def exact_count(data, rng):
    return (np.clip(data, 0, 1).sum() + rng.laplace(scale=1.0)) / len(data)


@case(PURE, ARRAY, **WIDE)
def empty_is_special(data, rng):
    if len(data) == 0:
        return 0.0
    return np.clip(data, 0, 1).sum() + rng.laplace(scale=1.0)


@case(PURE, ARRAY, **WIDE)
def branch_on_the_sum(data, rng):
    total = np.clip(data, 0, 1).sum()
    scale = 1.0 if total > 10 else 2.0
    return total + rng.laplace(scale=scale)


@case(PURE, NUMBERS, **WIDE)
def early_stop(data, rng):
    total = 0.0
    for x in data:
        total += min(max(x, 0.0), 1.0)
        if total > 100:
            break
    return total + rng.laplace(scale=1.0)


@case(PURE, NUMBERS, **WIDE)
def counter_as_weight(data, rng):
    total, i = 0.0, 0
    for x in data:
        i += 1  # noqa: SIM113 - counted by hand
        total += min(max(x, 0.0), 1.0) * i
    return total + rng.laplace(scale=1.0)


@case(PURE, NUMBERS, **WIDE)
def enumerated(data, rng):
    return sum(i * min(max(x, 0.0), 1.0) for i, x in enumerate(data)) + rng.laplace(scale=1.0)


@case(PURE, NUMBERS, **WIDE)
def compared_with_the_last(data, rng):
    last, n = 0.0, 0
    for x in data:
        if x > last:
            n += 1
        last = x
    return n + rng.laplace(scale=1.0)


@case(PURE, NUMBERS, **WIDE)
def last_record(data, rng):
    x = 0.0
    for x in data:  # noqa: B007 - that is the fault
        pass
    return min(max(x, 0.0), 1.0) + rng.laplace(scale=0.5)


@case(PURE, NUMBERS, **WIDE)
def sorted_records(data, rng):
    return sorted(data)[0] + rng.laplace(scale=1.0)


@case(PURE, ARRAY, **WIDE)
def median(data, rng):
    return np.median(data) + rng.laplace(scale=1.0)


@case(PURE, ARRAY, **WIDE)
def noise_on_records(data, rng):
    return data + rng.laplace(scale=10.0, size=len(data))


@case(PURE, ARRAY, bounds=(0, 1))
def returns_the_data(data, rng):
    return data.sum() + rng.laplace(scale=1.0), data


@case(PURE, ARRAY, bounds=(0, 1))
def no_noise_for_large_sums(data, rng):
    noisy = data.sum() + rng.laplace(scale=1.0)
    return data.sum() if noisy > 1000 else noisy


@case(PURE, ARRAY, bounds=(0, 1))
def noise_is_taken_off(data, rng):
    noise = rng.laplace(scale=1.0)
    noisy = data.sum() + noise
    return noisy - noise


@case(PURE, ARRAY, bounds=(0, 1))
def noise_beside_the_value(data, rng):
    noise = rng.laplace(scale=1.0)
    return data.sum() + noise, noise


@case(PURE, ARRAY, **WIDE)
def same_noise_twice(data, rng):
    noise = rng.laplace(scale=2.0)
    return (data > 0).sum() + noise, (data > 1).sum() + noise


@case(PURE, ARRAY, bounds=(0, 1))
def seeded(data, rng):
    own = np.random.default_rng(0)
    return data.sum() + own.laplace(scale=1.0)


@case(PURE, ARRAY, bounds=(0, 1))
def seeded_by_the_data(data, rng):
    own = np.random.default_rng(int(data.sum()))
    return data.sum() + own.laplace(scale=1.0)


@case(PURE, ARRAY, bounds=(0, 1))
def gaussian_is_not_pure(data, rng):
    return data.sum() + rng.normal(scale=10.0)


@case("ApproxDP(epsilon=1, delta=1e-5)", ARRAY, bounds=(0, 1))
def gaussian_with_too_small_sigma(data, rng):
    return data.sum() + rng.normal(scale=math.sqrt(2 * math.log(1.25 / 1e-5)) / 2)


@case("ApproxDP(epsilon=1.2, delta=1e-5)", ROWS, **IN_A_BOX)
def clipped_by_coordinate(X, rng):
    return np.clip(X, -1, 1).sum(axis=0) + rng.normal(scale=4.0, size=3)


@case("ApproxDP(epsilon=1.2, delta=1e-5)", ROWS, **IN_A_BOX)
def clipped_by_the_wrong_norm(X, rng):
    norms = np.abs(X).max(axis=1, keepdims=True)
    return (X / np.maximum(norms, 1.0)).sum(axis=0) + rng.normal(scale=4.0, size=3)


@case("ApproxDP(epsilon=1.2, delta=1e-5)", ROWS, **IN_A_BOX)
def normalised_by_all(X, rng):
    return (X / np.linalg.norm(X)).sum(axis=0) + rng.normal(scale=4.0, size=3)


@case("ApproxDP(epsilon=1.2, delta=1e-5)", ROWS)
def norm_of_infinity(X, rng):
    norms = np.linalg.norm(X, axis=1, keepdims=True)
    return (X * np.minimum(1.0, 1.0 / norms)).sum(axis=0) + rng.normal(scale=4.0, size=3)


@case("ApproxDP(epsilon=1.2, delta=1e-5)", ROWS, **IN_A_BOX)
def clipped_up(X, rng):
    norms = np.linalg.norm(X, axis=1, keepdims=True)
    return (X * np.maximum(1.0, 1.0 / (norms + 1e-3))).sum(axis=0) + rng.normal(scale=4.0, size=3)


@case(PURE, ROWS, **IN_A_BOX)
def scale_for_one_column(X, rng):
    return np.clip(X, -1, 1).sum(axis=0) + rng.laplace(scale=1.0, size=3)


@case(PURE, ROWS, **IN_A_BOX)
def amplified_by_a_matrix(X, rng):
    return np.clip(X, -1, 1).sum(axis=0) @ (2 * np.eye(3)) + rng.laplace(scale=3.0, size=3)


@case(PURE, ARRAY, **WIDE)
def centred(data, rng):
    return np.clip(data - data.mean(), -1, 1).sum() + rng.laplace(scale=1.0)


@case(PURE, ARRAY, **WIDE)
def standardised(data, rng):
    z = (data - data.min()) / (data.max() - data.min())
    return z.sum() + rng.laplace(scale=1.0)


@case(PURE, WHOLE)
def whole_numbers_wrap(data, rng):
    return np.clip(data, -(2**62), 2**62).sum() + rng.laplace(scale=2.0**62)


@case(PURE, np.array([1, 2, 3], dtype=np.int8))
def small_whole_numbers_wrap(data, rng):
    return np.clip(data + 100, 0, 1).sum() + rng.laplace(scale=0.9)


@case(PURE, WHOLE)
def bins_without_end(data, rng):
    return np.bincount(data, minlength=10) + rng.laplace(scale=1.0, size=10)


@case(PURE, WHOLE, records="int(0, 20)")
def longer_than_said(data, rng):
    counts = np.bincount(data, minlength=10)
    return counts + rng.laplace(scale=1.0, size=len(counts))


@case(PURE, ARRAY, **WIDE)
def overlapping_counts(data, rng):
    return [np.sum(data > t) + rng.laplace(scale=1.0) for t in (0.2, 0.5)]


@case(PURE, ARRAY, **WIDE)
def rounded_to_whole(data, rng):
    return np.round(np.clip(data, 0, 1).sum()) + rng.laplace(scale=1.0)


@case(PURE, ARRAY, **WIDE)
def whole_noise_for_a_double(data, rng):
    p = 1 - math.exp(-1.0)
    return np.clip(data, 0, 1).sum() + (rng.geometric(p) - rng.geometric(p))


@case(PURE, ARRAY, **WIDE)
def scale_by_a_noisy_count(data, rng):
    n = len(data) + rng.laplace(scale=2.0)
    return np.clip(data, 0, 1).sum() + rng.laplace(scale=2.0 * n / 10)


@case(PURE, ARRAY, **WIDE)
def small_count_is_hidden(data, rng):
    n = np.sum(data > 0)
    return n + rng.laplace(scale=1.0) if n >= 5 else None


@case(PURE, ARRAY, bounds=(0, 1))
def printed(data, rng):
    print(data.sum())  # noqa: T201 - that is the fault
    return data.sum() + rng.laplace(scale=1.0)


@case(PURE, ARRAY, bounds=(0, 1))
def kept_in_a_list(data, rng, kept=[]):  # noqa: B006 - that is the fault
    kept.append(data.sum())
    return data.sum() + rng.laplace(scale=1.0)


@case(PURE, ARRAY, bounds=(0, 1))
def caught(data, rng):
    try:
        if data.sum() > 3:
            return 1.0
    except Exception:  # noqa: BLE001 - that is the fault
        pass
    return data.sum() + rng.laplace(scale=1.0)


class Caching:
    """Keeps what it has seen."""

    def __init__(self):
        self.seen = 0

    def release(self, data, rng):
        self.seen += len(data)
        return data.sum() + rng.laplace(scale=1.0)


case(PURE, ARRAY, bounds=(0, 1))(Caching().release)


@case(PURE, ["a", "b"])
def text_that_has_no_key(data, rng):
    counts = {"a": 0, "b": 0}
    for x in data:
        counts[x] += 1
    return counts["a"] + rng.laplace(scale=1.0)


@case(PURE, ["a", "b"])
def texts_that_overlap(data, rng):
    first = sum(1 for x in data if x == "a")
    second = sum(1 for x in data if x != "b")
    return first + rng.laplace(scale=1.0), second + rng.laplace(scale=1.0)


@case(PURE, NUMBERS, bounds=(0.0, 1.0))
def place_beyond_the_end(data, rng):
    counts = [0] * 5
    for x in data:
        counts[int(x * 5)] += 1
    return [count + rng.laplace(scale=1.0) for count in counts]


@case(PURE, NUMBERS, bounds=(0.0, 1.0))
def array_by_another_name(data, rng):
    counts = np.zeros(2)
    for x in data:
        other = counts
        other[0 if x < 0.5 else 1] += 1
    return counts + 0.0


@case(PURE, NUMBERS, bounds=(0.0, 1.0))
def array_changed_by_a_function(data, rng):
    counts = np.zeros(2)

    def add(place):
        counts[place] += 1

    for x in data:
        add(0 if x < 0.5 else 1)
    return counts + 0.0


@case(PURE, ["a", "b"])
def key_made_of_a_text(data, rng):
    counts = {}
    for x in data:
        counts[x] = counts.get(x, 0) + 1
    return {name: count + rng.laplace(scale=1.0) for name, count in counts.items()}


@case(PURE, NUMBERS, bounds=(0.0, 1.0))
def two_bins_for_one(data, rng):
    counts = np.zeros(3)
    for x in data:
        counts[0 if x < 0.5 else 1] += 1
        counts[2] += 1
    return counts + rng.laplace(scale=1.0, size=3)
