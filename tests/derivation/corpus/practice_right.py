"""Differentially private functions, each of which satisfies the claim beside it in CASES.

A comment [shape/style] stands above each; "public" marks one shaped like a published example.
"""

import functools
import math
from collections import defaultdict
from dataclasses import dataclass
from typing import Callable, Optional, Sequence

import numpy as np

# --- helpers -----------------------------------------------------------------


def laplace_mech(v, sensitivity, epsilon, rng):
    """Laplace mechanism for one number (Near & Abuah, chapter 3)."""
    return v + rng.laplace(loc=0, scale=sensitivity / epsilon)


def laplace_mech_vec(vec, sensitivity, epsilon, rng):
    return [v + rng.laplace(loc=0, scale=sensitivity / epsilon) for v in vec]


def gaussian_mech(v, sensitivity, epsilon, delta, rng):
    sigma = sensitivity * np.sqrt(2 * np.log(1.25 / delta)) / epsilon
    return v + rng.normal(loc=0, scale=sigma)


def gaussian_mech_vec(vec, sensitivity, epsilon, delta, rng):
    sigma = sensitivity * np.sqrt(2 * np.log(1.25 / delta)) / epsilon
    return [v + rng.normal(loc=0, scale=sigma) for v in vec]


def gaussian_mech_zcdp(v, sensitivity, rho, rng):
    sigma = np.sqrt((sensitivity**2) / (2 * rho))
    return v + rng.normal(loc=0, scale=sigma)


def two_sided_geometric(rng, epsilon, sensitivity=1):
    p = 1 - math.exp(-epsilon / sensitivity)
    return int(rng.geometric(p)) - int(rng.geometric(p))


def clamp(x: float, lower: float, upper: float) -> float:
    """Clamp to [lower, upper]; NaN goes to the lower bound."""
    if math.isnan(x):
        return lower
    if x < lower:
        return lower
    if x > upper:
        return upper
    return x


def clip_array(x, lower, upper):
    x = np.asarray(x, dtype=float)
    return np.clip(np.nan_to_num(x, nan=lower, posinf=upper, neginf=lower), lower, upper)


def check_epsilon(epsilon):
    if epsilon <= 0:
        raise ValueError(f"epsilon must be positive, got {epsilon}")


# --- count -------------------------------------------------------------------


# [count/loop]
def count_positive(data, rng):
    n = 0
    for x in data:
        if x > 0:
            n += 1
    return n + rng.laplace(0.0, 1.0)


# [count/comprehension] public: Near & Abuah, "How many individuals are 40 or older?"
def near_abuah_count_over_40(adult, rng):
    over_40 = [row for row in adult if row["age"] >= 40]
    return laplace_mech(len(over_40), sensitivity=1, epsilon=1.0, rng=rng)


# [count/numpy] public: diffprivlib.tools.count_nonzero
def diffprivlib_count_nonzero(array, rng=None, epsilon=1.0):
    """Count the non-zero entries with differential privacy."""
    if rng is None:
        rng = np.random.default_rng()
    check_epsilon(epsilon)
    true_count = np.count_nonzero(np.asarray(array))
    return true_count + rng.laplace(scale=1 / epsilon)


# [count/numpy]
def gdp_count_rows(X, rng, mu=1.0):
    hits = (X[:, 0] > 0) & (X[:, 1] <= 0.5)
    return float(np.sum(hits)) + rng.normal(0.0, 1.0 / mu)


# [count/class]
class GeometricCount:
    """Integer-valued count of the records that pass a public predicate."""

    def __init__(self, predicate: Callable[[int], bool], epsilon: float):
        check_epsilon(epsilon)
        self.predicate = predicate
        self.p = 1.0 - math.exp(-epsilon)

    def __call__(self, data, rng):
        true = sum(1 for x in data if self.predicate(x))
        return true + int(rng.geometric(self.p)) - int(rng.geometric(self.p))


# [count/closure] public: opendp make_count >> then_laplace
def opendp_make_count(scale: float):
    def function(arg):
        return len(arg)

    def measurement(arg, rng=None):
        if rng is None:
            rng = np.random.default_rng()
        return function(arg) + rng.laplace(0.0, scale)

    return measurement


# --- sum ---------------------------------------------------------------------

PRICE_CAP = 100.0


# [sum/loop]
def total_price(data, rng):
    total = 0.0
    for price, _discount in data:
        # this order of arguments sends NaN to 0
        total += min(PRICE_CAP, max(0.0, price))
    return total + rng.laplace(0.0, PRICE_CAP / 0.5)


# [sum/comprehension] public: Near & Abuah, clipped sum of ages
def near_abuah_dp_sum_age(ages, rng, epsilon=1.0, upper=125):
    clipped = [min(max(age, 0), upper) for age in ages]
    return laplace_mech(sum(clipped), upper, epsilon, rng)


# [sum/numpy]
def clipped_sum(data, rng, epsilon=1.0, lower=-5.0, upper=10.0):
    if not lower < upper:
        raise ValueError(f"need lower < upper, got {lower} and {upper}")
    values = np.clip(np.nan_to_num(data), lower, upper)
    sensitivity = max(abs(lower), abs(upper))
    return values.sum() + rng.laplace(0.0, sensitivity / epsilon)


# [sum/numpy] public: diffprivlib.tools.sum with the Gaussian mechanism
def diffprivlib_sum_gaussian(array, rng=None, epsilon=1.0, delta=1e-6, bounds=(0.0, 10.0)):
    if rng is None:
        rng = np.random.default_rng()
    if epsilon > 1:
        raise ValueError("epsilon cannot be greater than 1 for the Gaussian mechanism")
    lower, upper = bounds
    clipped = np.clip(array, lower, upper)
    sensitivity = max(abs(lower), abs(upper))
    sigma = math.sqrt(2 * math.log(1.25 / delta)) * sensitivity / epsilon
    return rng.normal(loc=np.sum(clipped), scale=sigma)


# [sum/class] public: Google BoundedSum
@dataclass(frozen=True)
class GoogleBoundedSum:
    epsilon: float
    lower: float
    upper: float
    max_contributions: int = 1

    def __post_init__(self):
        check_epsilon(self.epsilon)
        if self.lower > self.upper:
            raise ValueError("lower bound exceeds upper bound")

    def sensitivity(self) -> float:
        return self.max_contributions * max(abs(self.lower), abs(self.upper))

    def __call__(self, data, rng):
        partial_sum = 0.0
        for x in data:
            if math.isnan(x):
                continue  # NaN entries are ignored
            partial_sum += max(min(x, self.upper), self.lower)
        return partial_sum + rng.laplace(0.0, self.sensitivity() / self.epsilon)


# [sum/closure] public: opendp make_clamp >> make_sum >> then_laplace
def opendp_clamp_sum_laplace(bounds, epsilon):
    lower, upper = bounds

    def make_impute_clamp():
        return lambda arg: [clamp(v, lower, upper) for v in arg]

    def make_sum():
        return lambda arg: sum(arg)

    def make_laplace(scale):
        return lambda arg, rng: arg + rng.laplace(0.0, scale)

    t_clamp, t_sum = make_impute_clamp(), make_sum()
    m_noise = make_laplace(max(abs(lower), abs(upper)) / epsilon)

    def chained(data, rng):
        return m_noise(t_sum(t_clamp(data)), rng)

    return chained


# --- mean --------------------------------------------------------------------


# [mean/loop]
def noisy_mean_loop(data, rng):
    total, n = 0.0, 0
    for x in data:
        if 0.0 <= x <= 1.0:  # anything else, NaN too, is left out
            total += x
            n += 1
    noisy_total = total + rng.laplace(0.0, 2.0)
    noisy_n = n + rng.laplace(0.0, 2.0)
    return noisy_total / max(1.0, noisy_n)


# [mean/comprehension] public: PINQ NoisyAverage, after McSherry
def pinq_noisy_average(rows, rng, epsilon=1.0):
    """Average of a field mapped into [-1, 1]."""
    values = [clamp(row["score"], -1.0, 1.0) for row in rows]
    half = epsilon / 2
    tally = sum(values) + rng.laplace(scale=1.0 / half)
    count = len(values) + rng.laplace(scale=1.0 / half)
    if count < 1:
        return 0.0
    return min(1.0, max(-1.0, tally / count))


# [mean/numpy] public: diffprivlib.tools.mean (number of records public)
def diffprivlib_mean(array, rng=None, epsilon=1.0, bounds=(0.0, 50.0)):
    if rng is None:
        rng = np.random.default_rng()
    lower, upper = bounds
    n = len(array)
    if n == 0:
        return (lower + upper) / 2
    array = np.clip(array, lower, upper)
    actual_mean = np.mean(array)
    return actual_mean + rng.laplace(0.0, (upper - lower) / n / epsilon)


# [mean/numpy] public: Near & Abuah, mean as a quotient of two Gaussian answers
def near_abuah_gaussian_mean(data, rng, rho=0.5, b=20.0):
    x = clip_array(data, 0.0, b)
    s = gaussian_mech_zcdp(x.sum(), b, rho / 2, rng)
    c = gaussian_mech_zcdp(len(x), 1, rho / 2, rng)
    return s / max(c, 1.0)


# [mean/class] public: Google BoundedMean (normalized sum)
class GoogleBoundedMean:
    """noisy mean = midpoint + noisy normalized sum / noisy count."""

    def __init__(self, epsilon: float, lower: float, upper: float):
        self.epsilon = epsilon
        self.lower = lower
        self.upper = upper
        self.midpoint = lower + (upper - lower) / 2

    def __call__(self, data, rng):
        normalized_sum, count = 0.0, 0
        for entry in data:
            if math.isnan(entry):
                continue
            normalized_sum += max(min(entry, self.upper), self.lower) - self.midpoint
            count += 1
        eps_count = self.epsilon / 2
        eps_sum = self.epsilon - eps_count
        max_dist = (self.upper - self.lower) / 2
        noisy_count = max(1.0, count + rng.laplace(0.0, 1 / eps_count))
        noisy_sum = normalized_sum + rng.laplace(0.0, max_dist / eps_sum)
        mean = noisy_sum / noisy_count + self.midpoint
        return max(self.lower, min(self.upper, mean))


# [mean/closure]
def make_mean_known_population(population: int, cap: float, epsilon: float):
    """Mean over a register whose size was published."""

    def mean(data, rng):
        s = sum(clamp(x, 0.0, cap) for x in data)
        return s / population + rng.laplace(0.0, cap / (population * epsilon))

    return mean


def bounded_mean(data, rng, lower, upper, epsilon):
    x = clip_array(data, lower, upper)
    s = x.sum() + rng.laplace(0, max(abs(lower), abs(upper)) / (epsilon / 2))
    n = x.size + rng.laplace(0, 1 / (epsilon / 2))
    return s / n if n > 1 else s


# [mean/closure] functools.partial
partial_bounded_mean = functools.partial(bounded_mean, lower=-10.0, upper=10.0, epsilon=2.0)

# --- variance ----------------------------------------------------------------


# [variance/loop]
def noisy_variance_loop(data, rng, epsilon=1.5):
    n = s = ss = 0.0
    for x in data:
        x = clamp(x, 0.0, 4.0)
        n += 1
        s += x
        ss += x * x
    e = epsilon / 3
    n = max(1.0, laplace_mech(n, 1, e, rng))
    s = laplace_mech(s, 4.0, e, rng)
    ss = laplace_mech(ss, 16.0, e, rng)
    return max(0.0, ss / n - (s / n) ** 2)


# [variance/comprehension]
def noisy_variance_comp(data, rng):
    # bounds (-2, 2): count, sum and sum of squares have sensitivity 1, 2 and 4
    n = len([x for x in data]) + rng.normal(0, 3)
    s = sum([x for x in data]) + rng.normal(0, 3 * 2)
    ss = sum([x**2 for x in data]) + rng.normal(0, 3 * 4)
    n = max(n, 1)
    return ss / n - (s / n) ** 2


# [variance/numpy] public: diffprivlib.tools.var (number of records public)
def diffprivlib_var(array, rng=None, epsilon=1.0, bounds=(0.0, 10.0)):
    if rng is None:
        rng = np.random.default_rng()
    lower, upper = bounds
    n = len(array)
    if n < 2:
        return 0.0
    array = np.clip(array, lower, upper)
    actual_var = np.var(array)
    sensitivity = ((upper - lower) / n) ** 2 * (n - 1)
    return max(0.0, actual_var + rng.laplace(scale=sensitivity / epsilon))


# [variance/class] public: Google BoundedVariance
class GoogleBoundedVariance:
    def __init__(self, epsilon, lower, upper):
        if lower >= upper:
            raise ValueError(f"empty interval [{lower}, {upper}]")
        self.epsilon = epsilon
        self.lower, self.upper = lower, upper
        self.mid = (lower + upper) / 2
        self.half = (upper - lower) / 2
        self.mid_squares = self.half**2 / 2

    def __call__(self, data, rng):
        count, nsum, nsq = 0, 0.0, 0.0
        for e in data:
            d = clamp(e, self.lower, self.upper) - self.mid
            count += 1
            nsum += d
            nsq += d * d - self.mid_squares
        share = self.epsilon / 3
        noisy_count = max(1.0, count + rng.laplace(0, 1 / share))
        mean = (nsum + rng.laplace(0, self.half / share)) / noisy_count
        mean_sq = (nsq + rng.laplace(0, self.mid_squares / share)) / noisy_count
        return min(self.half**2, max(0.0, mean_sq + self.mid_squares - mean**2))


# [variance/closure]
def make_std(lower, upper, epsilon):
    width = upper - lower
    eps_each = epsilon / 3

    def std(data, rng):
        u = (clip_array(data, lower, upper) - lower) / width  # in [0, 1]
        stats = np.array([u.size, u.sum(), (u**2).sum()])
        n, m1, m2 = stats + rng.laplace(0.0, 1 / eps_each, size=3)
        n = max(n, 1.0)
        return width * math.sqrt(max(0.0, m2 / n - (m1 / n) ** 2))

    return std


# --- histogram ---------------------------------------------------------------

GRADES = (1, 2, 3, 4, 5)


# [histogram/loop]
def grade_histogram(data, rng):
    counts = {g: 0 for g in GRADES}
    for x in data:
        if x in counts:
            counts[x] += 1
    out = {}
    for g in GRADES:
        out[g] = counts[g] + two_sided_geometric(rng, 1.0)
    return out


# [histogram/loop] public: Near & Abuah, contingency table under parallel composition
def near_abuah_crosstab(records, rng, epsilon=1.0):
    table = [[0, 0, 0], [0, 0, 0]]
    for sex, group in records:
        if 0 <= sex < 2 and 0 <= group < 3:
            table[sex][group] += 1
    for i in range(2):
        for j in range(3):
            table[i][j] = laplace_mech(table[i][j], 1, epsilon, rng)
    return table


# [histogram/comprehension]
def weekday_counts(data, rng, epsilon=0.7):
    return {day: sum(1 for x in data if x == day) + rng.laplace(0, 1 / epsilon) for day in range(7)}


# [histogram/numpy] public: diffprivlib.tools.histogram
def diffprivlib_histogram(sample, rng=None, epsilon=1.0, bins=10, range=(0.0, 100.0)):
    """Compute the DP histogram of a sample over a public range."""
    if rng is None:
        rng = np.random.default_rng()
    hist, bin_edges = np.histogram(sample, bins=bins, range=range)
    dp_hist = np.zeros_like(hist)
    p = 1 - np.exp(-epsilon)
    for i in np.arange(len(hist)):
        dp_hist[i] = max(0, hist[i] + rng.geometric(p) - rng.geometric(p))
    return dp_hist, bin_edges


# [histogram/numpy] neighbours replace a record, so two cells change by one
def replace_histogram(data, rng, epsilon=1.0):
    edges = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
    counts, _ = np.histogram(data, bins=edges)
    return counts + rng.laplace(0.0, 2.0 / epsilon, size=counts.shape)


# [histogram/class] public: Dwork & Roth, histogram queries
class DworkRothHistogramQuery:
    """Cells are disjoint: one record changes one cell by one (Section 3.3)."""

    def __init__(self, cells: Sequence[tuple], epsilon: float = math.log(3)):
        for (_, b), (a, _) in zip(cells, cells[1:]):
            if a < b:
                raise ValueError("cells must be disjoint and sorted")
        self.cells = list(cells)
        self.b = 1.0 / epsilon

    def query(self, x):
        return np.array([sum(lo <= v < hi for v in x) for lo, hi in self.cells], dtype=float)

    def __call__(self, x, rng):
        return self.query(x) + rng.laplace(0.0, self.b, size=len(self.cells))


# [histogram/closure] public: opendp make_count_by_categories
def opendp_make_count_by_categories(categories, scale, null_category=True):
    index = {c: i for i, c in enumerate(categories)}
    size = len(categories) + (1 if null_category else 0)

    def measurement(arg, rng):
        counts = [0] * size
        for v in arg:
            i = index.get(v)
            if i is not None:
                counts[i] += 1
            elif null_category:
                counts[-1] += 1
        return [c + rng.laplace(0.0, scale) for c in counts]

    return measurement


# --- vector sum --------------------------------------------------------------


# [vector sum/loop]
def vector_sum_loop(data, rng):
    sums = [0.0, 0.0, 0.0]
    for row in data:
        for j in range(3):
            sums[j] += clamp(row[j], -1.0, 1.0)
    for j in range(3):
        sums[j] += rng.laplace(0.0, 3.0)
    return sums


# [vector sum/comprehension] public: Near & Abuah, vector-valued Gaussian mechanism
def near_abuah_vector_sum(data, rng, epsilon=1.0, delta=1e-6):
    columns = ("x", "y", "z", "w")
    vec = [sum([clamp(r[c], 0.0, 1.0) for r in data]) for c in columns]
    l2_sensitivity = np.sqrt(len(columns))
    return gaussian_mech_vec(vec, l2_sensitivity, epsilon, delta, rng)


# [vector sum/numpy]
def l2_clipped_sum(X, rng, clip=0.8, noise_multiplier=1.0):
    norms = np.linalg.norm(X, axis=1, keepdims=True)
    clipped = X / np.maximum(1.0, norms / clip)
    return clipped.sum(axis=0) + clip * noise_multiplier * rng.standard_normal(X.shape[1])


# [vector sum/class] public: Opacus / Abadi et al., one step of DP-SGD
class DPSGDGradientSum:
    """Sum of per-sample gradients of the squared loss, each clipped in L2 norm."""

    def __init__(self, weights, max_grad_norm=1.0, noise_multiplier=2.0):
        self.w = np.asarray(weights, dtype=float)
        self.max_grad_norm = max_grad_norm
        self.noise_multiplier = noise_multiplier

    def per_sample_gradients(self, X, y):
        residual = X @ self.w - y
        return residual[:, None] * X

    def __call__(self, data, rng):
        X, y = data
        g = self.per_sample_gradients(X, y)
        norms = np.sqrt((g**2).sum(axis=1))
        factor = np.minimum(1.0, self.max_grad_norm / (norms + 1e-6))
        summed = (g * factor[:, None]).sum(axis=0)
        noise = rng.normal(0.0, self.noise_multiplier * self.max_grad_norm, size=self.w.shape)
        return summed + noise


# [vector sum/closure]
def make_column_sums(names, cap, mu):
    names = tuple(names)
    sigma = cap * math.sqrt(len(names)) / mu

    def column_sums(table, rng):
        sums = np.array([clip_array(table[c], -cap, cap).sum() for c in names])
        return dict(zip(names, sums + sigma * rng.standard_normal(len(names))))

    return column_sums


# --- linear map --------------------------------------------------------------

SCORE_WEIGHTS = (0.2, 0.3, 0.5)


# [linear map/loop]
def weighted_score_total(data, rng):
    # weights sum to 1, so a record's score lies in [0, 10]
    total = 0.0
    for a, b, c in data:
        total += SCORE_WEIGHTS[0] * a + SCORE_WEIGHTS[1] * b + SCORE_WEIGHTS[2] * c
    return total + rng.laplace(0, 10.0)


# [linear map/comprehension] public: Dwork & Roth, range (threshold) queries
def dwork_roth_thresholds(data, rng, epsilon=1.0):
    cuts = [20.0, 40.0, 60.0, 80.0]
    answers = [sum(1 for x in data if x <= t) for t in cuts]
    return [a + rng.laplace(0.0, len(cuts) / epsilon) for a in answers]


WORKLOAD = np.array([[1.0, 1.0, 0.0], [0.0, 1.0, -1.0], [0.5, 0.0, 0.5]])


# [linear map/numpy]
def projected_sum(X, rng, epsilon=1.0):
    sensitivity = np.abs(WORKLOAD).sum()  # for rows in the unit box
    return WORKLOAD @ X.sum(axis=0) + rng.laplace(0.0, sensitivity / epsilon, size=3)


# [linear map/numpy] public: diffprivlib LinearRegression from noisy moments
def diffprivlib_linear_regression(data, rng, epsilon=1.0):
    X, y = data
    d = X.shape[1]
    share = epsilon / (d * (d + 1) // 2 + d)
    gram, moment = X.T @ X, X.T @ y
    noisy_gram = np.zeros((d, d))
    for i in range(d):
        for j in range(i, d):
            noisy_gram[i, j] = noisy_gram[j, i] = gram[i, j] + rng.laplace(0.0, 1.0 / share)
    noisy_moment = moment + rng.laplace(0.0, 1.0 / share, size=d)
    return np.linalg.pinv(noisy_gram + 0.1 * np.eye(d)) @ noisy_moment


# [linear map/class] public: the matrix mechanism (Li, Miklau et al.)
class MatrixMechanism:
    def __init__(self, strategy, epsilon):
        self.A = np.asarray(strategy, dtype=float)
        self.A_pinv = np.linalg.pinv(self.A)
        self.scale = np.abs(self.A).sum(axis=0).max() / epsilon

    def __call__(self, data, rng):
        domain = self.A.shape[1]
        x = np.array([sum(1 for v in data if v == i) for i in range(domain)])
        y = self.A @ x + rng.laplace(0.0, self.scale, size=self.A.shape[0])
        return self.A_pinv @ y


TREE_STRATEGY = [
    [1, 1, 1, 1],
    [1, 1, 0, 0],
    [0, 0, 1, 1],
    [1, 0, 0, 0],
    [0, 1, 0, 0],
    [0, 0, 1, 0],
    [0, 0, 0, 1],
]


# [linear map/closure]
def make_linear_query(weights, rho):
    """Linear query: the sum over the records of the weight of the record's category."""
    weights = dict(weights)
    sensitivity = max(abs(w) for w in weights.values())

    def query(data, rng):
        true = sum(weights.get(x, 0.0) for x in data)
        return gaussian_mech_zcdp(true, sensitivity, rho, rng)

    return query


# --- budget split after a noisy count ----------------------------------------


# [budget split/loop]
def count_then_sum(data, rng):
    n = 0
    for _ in data:
        n += 1
    noisy_n = n + rng.laplace(0.0, 1 / 0.25)
    if noisy_n < 10:
        return None
    total = 0.0
    for x in data:
        total += clamp(x, 0.0, 5.0)
    return noisy_n, total + rng.laplace(0.0, 5.0 / 0.75)


# [budget split/comprehension]
def adaptive_bins(data, rng, epsilon=1.0):
    noisy_n = len(data) + rng.laplace(0, 2 / epsilon)
    k = 4 if noisy_n < 50 else 8
    width = 100.0 / k
    return [sum(1 for x in data if i * width <= x < (i + 1) * width) + rng.laplace(0, 2 / epsilon) for i in range(k)]


# [budget split/numpy]
def cap_from_noisy_count(data, rng, epsilon=1.0):
    eps_count, eps_sum = 0.3 * epsilon, 0.7 * epsilon
    noisy_n = data.size + rng.laplace(0.0, 1.0 / eps_count)
    cap = math.sqrt(max(1.0, noisy_n))
    clipped = np.fmax(np.fmin(data, cap), 0.0)
    return clipped.sum() + rng.laplace(0.0, cap / eps_sum)


class BudgetAccountant:
    def __init__(self, epsilon):
        self.epsilon = epsilon
        self.spent = 0.0

    def spend(self, epsilon):
        if self.spent + epsilon > self.epsilon:
            raise ValueError("privacy budget exhausted")
        self.spent += epsilon
        return epsilon

    def remaining(self):
        return self.epsilon - self.spent


# [budget split/class] public: diffprivlib BudgetAccountant
class AccountedMean:
    def __init__(self, epsilon, upper):
        self.epsilon = epsilon
        self.upper = upper

    def __call__(self, data, rng):
        accountant = BudgetAccountant(self.epsilon)
        eps = accountant.spend(self.epsilon / 4)
        noisy_n = max(1.0, laplace_mech(len(data), 1, eps, rng))
        eps = accountant.spend(accountant.remaining() / 2 if noisy_n > 100 else accountant.remaining())
        noisy_sum = laplace_mech(sum(clamp(x, 0.0, self.upper) for x in data), self.upper, eps, rng)
        return {"mean": noisy_sum / noisy_n, "left": accountant.remaining()}


# [budget split/closure]
def make_gated_release(threshold, rho):
    def release(rows, rng):
        noisy_n = gaussian_mech_zcdp(len(rows), 1, rho / 4, rng)
        if noisy_n < threshold:
            return {"count": noisy_n}
        half_open = [r["hours"] for r in rows if 0 <= r["hours"] < 80]
        noisy_hours = gaussian_mech_zcdp(sum(half_open), 80, 3 * rho / 4, rng)
        return {"count": noisy_n, "hours": noisy_hours}

    return release


# --- per-user bounds ---------------------------------------------------------


# [per-user/loop] first three records of each user
def first_three_per_user(data, rng, epsilon=1.0):
    seen = {}
    total = 0.0
    for user, amount in data:
        k = seen.get(user, 0)
        if k < 3:
            total += clamp(amount, 0.0, 10.0)
            seen[user] = k + 1
    # a new record adds one value of [0, 10] and may push another out
    return total + rng.laplace(0.0, 10.0 / epsilon)


# [per-user/comprehension]
def capped_user_totals(data, rng, cap=20.0):
    users = {u for u, _ in data}
    totals = [sum(clamp(v, 0.0, 5.0) for w, v in data if w == u) for u in users]
    return sum(min(cap, t) for t in totals) + rng.laplace(0, cap)


# [per-user/numpy] one row holds all that one user contributed
def per_user_row_totals(rows, rng, cap=2.0):
    totals = np.clip(rows.sum(axis=1), -cap, cap)
    return totals.sum() + rng.normal(0.0, cap)


# [per-user/class] public: PipelineDP / Google contribution bounding
@dataclass
class PipelineDPCount:
    """Counts by public partition, bounded per privacy id.

    One more record can change which partitions of its user are kept, so both the old and
    the new contributions of that user may differ: twice the user's bound.
    """

    partitions: tuple = (0, 1, 2)
    max_partitions_contributed: int = 2
    max_contributions_per_partition: int = 2
    epsilon: float = 1.0

    def __call__(self, data, rng):
        per_user = defaultdict(dict)
        for user, partition in data:
            if partition not in self.partitions:
                continue
            kept = per_user[user]
            if partition in kept:
                kept[partition] = min(kept[partition] + 1, self.max_contributions_per_partition)
            elif len(kept) < self.max_partitions_contributed:
                kept[partition] = 1
        sensitivity = 2 * self.max_partitions_contributed * self.max_contributions_per_partition
        out = {}
        for p in self.partitions:
            true = sum(kept.get(p, 0) for kept in per_user.values())
            out[p] = true + rng.laplace(0.0, sensitivity / self.epsilon)
        return out


# [per-user/closure]
def make_distinct_users(epsilon):
    def distinct_users(data, rng):
        return len({user for user, _ in data}) + two_sided_geometric(rng, epsilon)

    return distinct_users


# --- several releases --------------------------------------------------------


# [several/loop]
def column_totals(table, rng, epsilon=1.0):
    caps = {"age": 120.0, "income": 1000.0}
    out = {}
    for name, cap in caps.items():
        total = 0.0
        for v in table[name]:
            total += clamp(v, 0.0, cap)
        out[name] = total + rng.laplace(0.0, cap / (epsilon / len(caps)))
    return out


# [several/loop] public: Near & Abuah, noisy gradient descent
def near_abuah_noisy_gradient_descent(data, rng, iterations=5, rho=0.5):
    X, y = data
    theta = np.zeros(X.shape[1])
    rho_i = rho / iterations
    for _ in range(iterations):
        grad_sum = np.zeros(X.shape[1])
        for xi, yi in zip(X, y):
            g = -(yi * xi) / (1 + np.exp(yi * np.dot(xi, theta)))
            norm = np.linalg.norm(g, ord=2)
            if norm > 1.0:
                g = g / norm
            grad_sum = grad_sum + g
        sigma = np.sqrt(1.0 / (2 * rho_i))
        theta = theta - 0.05 * (grad_sum + rng.normal(0.0, sigma, size=theta.shape))
    return theta


# [several/loop] public: binary mechanism (Chan, Shi & Song), length public
def binary_tree_partial_sums(data, rng, epsilon=1.0):
    size = 1 << (max(len(data), 1) - 1).bit_length()
    levels = size.bit_length()
    nodes = [float(x) for x in data] + [0.0] * (size - len(data))
    tree = []
    while True:
        tree.append([v + rng.laplace(0.0, levels / epsilon) for v in nodes])
        if len(nodes) == 1:
            return tree
        nodes = [nodes[i] + nodes[i + 1] for i in range(0, len(nodes), 2)]


# [several/comprehension]
def counts_above(data, rng, epsilon=1.0):
    limits = [10, 100, 1000]
    share = epsilon / len(limits)
    return [laplace_mech(sum(x > t for x in data), 1, share, rng) for t in limits]


# [several/numpy]
def three_moments(data, rng):
    x = clip_array(data, -3.0, 3.0)
    count = x.size + rng.laplace(scale=1 / 0.2)
    first = x.sum() + rng.laplace(scale=3 / 0.3)
    second = np.sum(x**2) + rng.laplace(scale=9 / 0.5)
    return np.array([count, first, second])


# [several/class] public: Tumult Analytics session
class TumultSession:
    class _Open:
        def __init__(self, rows, budget, rng):
            self._rows, self._left, self._rng = rows, budget, rng

        def evaluate(self, query, sensitivity, epsilon):
            if epsilon > self._left:
                raise RuntimeError(f"query asks for {epsilon}, left {self._left}")
            self._left -= epsilon
            return query(self._rows) + self._rng.laplace(0.0, sensitivity / epsilon)

    def __init__(self, budget: float = 2.0):
        self.budget = budget

    def __call__(self, data, rng):
        session = self._Open(data, self.budget, rng)
        adults = session.evaluate(lambda rows: sum(1 for r in rows if r["age"] >= 18), 1, 0.5)
        visits = session.evaluate(lambda rows: sum(min(max(r["visits"], 0), 30) for r in rows), 30, 1.5)
        return adults, visits


# [several/closure] public: opendp make_composition
def opendp_make_composition(measurements):
    def composed(data, rng):
        return [m(data, rng) for m in measurements]

    return composed


# --- post-processing ---------------------------------------------------------


# [post-processing/loop]
def monotone_cdf(data, rng):
    counts = [0] * 5
    for x in data:
        for i in range(5):
            if 20 * i <= x < 20 * (i + 1):
                counts[i] += 1
    noisy = [c + rng.laplace(0, 1.0) for c in counts]
    out, running = [], 0.0
    for v in noisy:
        running = max(running, running + v)
        out.append(running)
    return out


# [post-processing/comprehension]
def noisy_shares(data, rng, epsilon=1.0):
    noisy = [max(0.0, sum(x == c for x in data) + rng.laplace(0, 1 / epsilon)) for c in (0, 1, 2)]
    total = sum(noisy)
    return [v / total for v in noisy] if total > 0 else [1 / 3] * 3


# [post-processing/numpy] public: Dwork & Roth, most common medical condition
def dwork_roth_noisy_max(X, rng, epsilon=1.0):
    """Index of the largest noisy count; a row holds one indicator per condition."""
    has = (X > 0).sum(axis=0)
    d = X.shape[1]
    return int(np.argmax(has + rng.laplace(0.0, d / epsilon, size=d)))


# [post-processing/numpy] public: Near & Abuah, quantile from a zCDP histogram
def quantile_from_histogram(data, rng, epsilon=1.0, delta=1e-5, q=0.5):
    log_term = math.log(1 / delta)
    rho = (math.sqrt(epsilon + log_term) - math.sqrt(log_term)) ** 2
    edges = np.linspace(0.0, 100.0, 21)
    hist, _ = np.histogram(clip_array(data, 0.0, 100.0), bins=edges)
    noisy = hist + rng.normal(0.0, math.sqrt(1 / (2 * rho)), size=hist.shape)
    cdf = np.cumsum(np.maximum(noisy, 0.0))
    return edges[min(int(np.searchsorted(cdf, q * cdf[-1])), 19)]


# [post-processing/class] public: diffprivlib LaplaceTruncated
class DiffprivlibLaplaceTruncated:
    def __init__(self, *, epsilon, sensitivity, lower, upper):
        check_epsilon(epsilon)
        if lower > upper:
            raise ValueError("Lower bound must not be greater than upper bound")
        self.epsilon, self.sensitivity = epsilon, sensitivity
        self.lower, self.upper = lower, upper

    def _truncate(self, value):
        if value > self.upper:
            return self.upper
        if value < self.lower:
            return self.lower
        return value

    def randomise(self, value, rng):
        return self._truncate(value + rng.laplace(0.0, self.sensitivity / self.epsilon))

    def __call__(self, data, rng):
        return self.randomise(sum(1 for x in data if x < 0.5), rng)


# [post-processing/closure]
def make_postprocess(mechanism, f):
    def both(data, rng):
        return f(mechanism(data, rng))

    return both


# --- synthetic data ----------------------------------------------------------


# [synthetic/loop]
def synthetic_ages_loop(data, rng):
    counts = [0] * 10
    for x in data:
        for i in range(10):
            if 10 * i <= x < 10 * i + 10:
                counts[i] += 1
                break
    synthetic = []
    for i in range(10):
        noisy = counts[i] + two_sided_geometric(rng, 1.0)
        for _ in range(max(0, noisy)):
            synthetic.append(10.0 * i + 5.0)
    return synthetic


# [synthetic/comprehension]
def synthetic_pairs(data, rng, epsilon=1.0):
    cells = [(a, b) for a in range(2) for b in range(3)]
    noisy = {c: sum(1 for r in data if tuple(r) == c) + rng.laplace(0, 1 / epsilon) for c in cells}
    return [c for c in cells for _ in range(max(0, round(noisy[c])))]


# [synthetic/numpy] public: Near & Abuah, gen_samples from a noisy marginal
def near_abuah_gen_samples(data, rng, epsilon=1.0, n=50):
    values = np.arange(8)
    hist = np.bincount(np.asarray(data, dtype=int), minlength=8)
    noisy = np.clip(hist + rng.laplace(0.0, 1.0 / epsilon, size=8), 0.0, None)
    total = noisy.sum()
    probs = noisy / total if total > 0 else np.full(8, 1 / 8)
    return rng.choice(values, size=n, p=probs)


# [synthetic/class]
class HistogramSynthesizer:
    def __init__(self, bins: int, low: float, high: float, epsilon: float):
        self.edges = np.linspace(low, high, bins + 1)
        self.epsilon = epsilon

    def _fit(self, column, rng):
        inside = np.histogram(column, bins=self.edges)[0]
        return np.maximum(inside + rng.laplace(0, 1 / self.epsilon, size=inside.size), 0)

    def __call__(self, table, rng):
        noisy = self._fit(clip_array(table["x"], self.edges[0], self.edges[-1]), rng)
        sizes = np.floor(noisy).astype(int)
        return {"x": np.repeat(self.edges[:-1], sizes)}


# [synthetic/closure]
def make_marginal_synthesizer(levels, epsilon, rows_out: Optional[int] = None):
    """Independent synthesis of two columns from two noisy one-way marginals."""
    share = epsilon / 2

    def synthesize(rows, rng=None):
        rng = np.random.default_rng() if rng is None else rng
        columns = []
        for key in ("a", "b"):
            noisy = [sum(r[key] == v for r in rows) + rng.laplace(0, 1 / share) for v in levels]
            columns.append([v for v, n in zip(levels, noisy) for _ in range(max(0, int(n)))])
        size = min(len(c) for c in columns) if rows_out is None else rows_out
        return [{"a": a, "b": b} for a, b in list(zip(*columns))[:size]]

    return synthesize


# --- cases -------------------------------------------------------------------

FLOATS = [0.3, 0.9, -1.2, 4.0, 17.5, 2.2]
UNIT = [0.1, 0.4, 0.45, 0.8, 0.95]
AGES = [23, 45, 67, 31, 88, 54]
AGE_FLOATS = [23.0, 45.5, 67.0, 31.0, 88.0, 54.25]
SMALL_INTS = [0, 3, 1, 2, 3, 3, 1]
PEOPLE = [{"age": 39.0, "income": 50.0}, {"age": 52.0, "income": 61.0}, {"age": 17.0, "income": 0.0}]
ARRAY = np.array([0.3, 0.9, -1.2, 4.0, 17.5])
UNIT_ARRAY = np.array([0.1, 0.4, 0.45, 0.8, 0.95])
ROWS2 = np.array([[0.3, 0.1], [-0.5, 0.9], [0.7, -0.2]])
ROWS3 = np.array([[0.3, 0.1, -0.9], [-0.5, 0.9, 0.2], [0.7, -0.2, 0.4]])
TABLE = {"age": np.array([23.0, 45.0, 67.0]), "income": np.array([120.0, 900.0, 450.0])}
XY = (np.array([[0.3, 0.1], [-0.5, 0.9], [0.7, -0.2]]), np.array([1.0, -1.0, 1.0]))
USER_VALUES = [(1, 4.0), (1, 2.5), (2, 9.0), (3, 0.5), (1, 7.0), (1, 1.0)]
USER_PARTS = [(1, 0), (1, 2), (2, 1), (3, 0), (1, 1), (1, 0)]
PURE1 = "PureDP(epsilon=1)"

CASES = [
    (count_positive, PURE1, FLOATS, {}),
    (near_abuah_count_over_40, PURE1, PEOPLE, {}),
    (diffprivlib_count_nonzero, PURE1, ARRAY, {}),
    (gdp_count_rows, "GDP(mu=1)", ROWS2, {}),
    (GeometricCount(lambda x: x % 2 == 0, 0.5), "PureDP(epsilon=0.5)", AGES, {}),
    (opendp_make_count(scale=2.0), "PureDP(epsilon=0.5)", FLOATS, {}),
    (total_price, "PureDP(epsilon=0.5)", [(20.0, 0.1), (35.5, 0.0), (250.0, 0.5)], {}),
    (near_abuah_dp_sum_age, PURE1, AGES, {}),
    (clipped_sum, PURE1, ARRAY, {}),
    (diffprivlib_sum_gaussian, "ApproxDP(epsilon=1, delta=1e-6)", np.array([1.0, 4.0, 9.5]), {"bounds": (0, 10)}),
    (GoogleBoundedSum(epsilon=1.0, lower=-2.0, upper=5.0), PURE1, FLOATS, {}),
    (opendp_clamp_sum_laplace((0.0, 10.0), 1.0), PURE1, FLOATS, {}),
    (noisy_mean_loop, PURE1, UNIT, {}),
    (pinq_noisy_average, PURE1, [{"score": 0.5}, {"score": -0.25}, {"score": 0.75}], {}),
    (diffprivlib_mean, PURE1, np.array([12.0, 33.0, 41.5]), {"bounds": (0, 50), "relation": "replace"}),
    (near_abuah_gaussian_mean, "ZCDP(rho=0.5)", FLOATS, {}),
    (GoogleBoundedMean(epsilon=1.0, lower=-4.0, upper=8.0), PURE1, FLOATS, {}),
    (make_mean_known_population(1000, 50.0, 1.0), PURE1, FLOATS, {}),
    (partial_bounded_mean, "PureDP(epsilon=2)", ARRAY, {}),
    (noisy_variance_loop, "PureDP(epsilon=1.5)", FLOATS, {}),
    (noisy_variance_comp, "ZCDP(rho=0.16667)", [0.3, -1.2, 1.9], {"bounds": (-2, 2)}),
    (diffprivlib_var, PURE1, np.array([1.0, 4.0, 9.5]), {"bounds": (0, 10), "relation": "replace"}),
    (GoogleBoundedVariance(1.0, 0.0, 6.0), PURE1, FLOATS, {}),
    (make_std(0.0, 20.0, 1.0), PURE1, ARRAY, {}),
    (grade_histogram, PURE1, [1, 5, 3, 3, 2, 4], {}),
    (near_abuah_crosstab, PURE1, [(0, 1), (1, 2), (1, 0), (0, 1)], {}),
    (weekday_counts, "PureDP(epsilon=0.7)", [0, 3, 6, 6, 2], {}),
    (diffprivlib_histogram, PURE1, np.array(AGE_FLOATS), {}),
    (replace_histogram, PURE1, UNIT_ARRAY, {"bounds": (0, 1), "relation": "replace"}),
    (DworkRothHistogramQuery([(0, 18), (18, 65), (65, 120)]), "PureDP(epsilon=1.0986123)", AGE_FLOATS, {}),
    (opendp_make_count_by_categories([1, 2, 3], scale=1.0), PURE1, SMALL_INTS, {}),
    (vector_sum_loop, PURE1, [(0.3, 0.1, -0.9), (-0.5, 0.9, 0.2)], {}),
    (
        near_abuah_vector_sum,
        "ApproxDP(epsilon=1, delta=1e-6)",
        [{"x": 0.1, "y": 0.5, "z": 0.9, "w": 0.3}, {"x": 0.7, "y": 0.2, "z": 0.0, "w": 1.0}],
        {},
    ),
    (l2_clipped_sum, "GDP(mu=1)", ROWS3, {"records": "row(3, float(-1, 1))"}),
    (DPSGDGradientSum([0.5, -0.25]), "ZCDP(rho=0.125)", XY, {"bounds": (-1, 1)}),
    (make_column_sums(["age", "income"], 100.0, 0.5), "GDP(mu=0.5)", TABLE, {}),
    (weighted_score_total, PURE1, [(1.0, 5.0, 9.0), (3.0, 2.0, 7.5)], {"bounds": (0, 10)}),
    (dwork_roth_thresholds, PURE1, AGE_FLOATS, {}),
    (projected_sum, PURE1, ROWS3, {"records": "row(3, float(-1, 1))"}),
    (diffprivlib_linear_regression, PURE1, XY, {"bounds": (-1, 1)}),
    (MatrixMechanism(TREE_STRATEGY, 1.0), PURE1, SMALL_INTS, {}),
    (make_linear_query({0: 0.5, 1: -2.0, 2: 1.0}, 0.5), "ZCDP(rho=0.5)", SMALL_INTS, {}),
    (count_then_sum, PURE1, FLOATS, {}),
    (adaptive_bins, PURE1, AGE_FLOATS, {}),
    (cap_from_noisy_count, PURE1, ARRAY, {}),
    (AccountedMean(1.0, 10.0), PURE1, FLOATS, {}),
    (make_gated_release(5.0, 0.5), "ZCDP(rho=0.5)", [{"hours": 38.0}, {"hours": 12.5}, {"hours": 60.0}], {}),
    (first_three_per_user, PURE1, USER_VALUES, {}),
    (capped_user_totals, PURE1, USER_VALUES, {}),
    (per_user_row_totals, "GDP(mu=1)", ROWS3, {"records": "row(3, float(-1, 1))"}),
    (PipelineDPCount(), PURE1, USER_PARTS, {}),
    (make_distinct_users(1.0), PURE1, USER_PARTS, {}),
    (column_totals, PURE1, TABLE, {}),
    (near_abuah_noisy_gradient_descent, "ZCDP(rho=0.5)", XY, {"bounds": (-1, 1)}),
    (binary_tree_partial_sums, PURE1, UNIT, {"bounds": (0, 1), "relation": "replace"}),
    (counts_above, PURE1, AGES, {}),
    (three_moments, PURE1, ARRAY, {}),
    (TumultSession(2.0), "PureDP(epsilon=2)", [{"age": 39, "visits": 3}, {"age": 12, "visits": 40}], {}),
    (
        opendp_make_composition([opendp_make_count(scale=2.0), opendp_clamp_sum_laplace((0.0, 10.0), 0.5)]),
        PURE1,
        FLOATS,
        {},
    ),
    (monotone_cdf, PURE1, AGE_FLOATS, {}),
    (noisy_shares, PURE1, SMALL_INTS, {}),
    (dwork_roth_noisy_max, PURE1, ROWS3, {}),
    (quantile_from_histogram, "ApproxDP(epsilon=1, delta=1e-5)", np.array(AGE_FLOATS), {}),
    (
        DiffprivlibLaplaceTruncated(epsilon=1.0, sensitivity=1.0, lower=0.0, upper=100.0),
        PURE1,
        UNIT,
        {},
    ),
    (
        make_postprocess(opendp_clamp_sum_laplace((-1.0, 1.0), 0.5), lambda v: int(round(max(0.0, v)))),
        "PureDP(epsilon=0.5)",
        FLOATS,
        {},
    ),
    (synthetic_ages_loop, PURE1, AGE_FLOATS, {}),
    (synthetic_pairs, PURE1, [(0, 1), (1, 2), (1, 0), (0, 1)], {}),
    (near_abuah_gen_samples, PURE1, [0, 3, 7, 7, 2], {"bounds": (0, 7)}),
    (HistogramSynthesizer(5, 0.0, 1.0, 1.0), PURE1, {"x": [0.1, 0.4, 0.9], "z": [1.0, 2.0, 3.0]}, {}),
    (make_marginal_synthesizer((0, 1, 2), 1.0), PURE1, [{"a": 0, "b": 2}, {"a": 1, "b": 1}], {}),
]
