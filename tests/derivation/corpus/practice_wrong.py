"""Functions that people write for differential privacy and that break the claim beside them in CASES.

Each has a comment [style] with the reason in one line.
"""

import functools
import math
from collections import defaultdict
from dataclasses import dataclass

import numpy as np

# --- helpers (these are sound) -------------------------------------------------


def laplace_mech(v, sensitivity, epsilon, rng):
    return v + rng.laplace(loc=0, scale=sensitivity / epsilon)


def gaussian_mech_zcdp(v, sensitivity, rho, rng):
    return v + rng.normal(loc=0, scale=np.sqrt(sensitivity**2 / (2 * rho)))


def clamp(x, lower, upper):
    if math.isnan(x):
        return lower
    return max(lower, min(upper, x))


# --- clipping and sensitivity ----------------------------------------------------


# [loop] min(max(x, 0), 100) lets NaN through, and one NaN makes the whole sum NaN
def nan_loop_sum(data, rng):
    total = 0.0
    for x in data:
        total += min(max(x, 0.0), 100.0)
    return total + rng.laplace(0.0, 100.0)


# [numpy] np.clip keeps NaN, so the output tells whether a NaN is present
def nan_clip_mean(array, rng=None, epsilon=1.0, bounds=(0.0, 1.0)):
    if rng is None:
        rng = np.random.default_rng()
    lower, upper = bounds
    x = np.clip(array, lower, upper)
    s = x.sum() + rng.laplace(0, upper / (epsilon / 2))
    n = x.size + rng.laplace(0, 1 / (epsilon / 2))
    return s / max(n, 1.0)


# [class] a record adds up to 60 to the sum, not upper - lower = 10
@dataclass
class WidthSensitivitySum:
    epsilon: float = 1.0
    lower: float = 50.0
    upper: float = 60.0

    def __call__(self, data, rng):
        s = sum(clamp(x, self.lower, self.upper) for x in data)
        return s + rng.laplace(0.0, (self.upper - self.lower) / self.epsilon)


# [comprehension] replacing a record moves the sum by 2, the noise is for 1
def replace_sum(data, rng, epsilon=1.0):
    return sum([x for x in data]) + rng.laplace(0, 1 / epsilon)


# [numpy] under add-remove the number of records is private, yet it sets mean and noise scale
def diffprivlib_mean_add_remove(array, rng=None, epsilon=1.0):
    rng = np.random.default_rng() if rng is None else rng
    n = max(len(array), 1)
    return np.sum(np.clip(array, 0, 10)) / n + rng.laplace(0.0, 10 / (n * epsilon))


# [loop] the parameters of the scale are swapped: epsilon / sensitivity
def swapped_scale(data, rng, epsilon=1.0, sensitivity=10.0):
    total = 0.0
    for x in data:
        total += clamp(x, 0.0, sensitivity)
    return total + rng.laplace(0.0, epsilon / sensitivity)


# [closure] integer division makes the scale 1 // 2 == 0: no noise
def make_count_int_scale(epsilon):
    sensitivity = 1

    def count(data, rng):
        return len(data) + rng.laplace(0, sensitivity // epsilon)

    return count


# [class] squares of [-10, 5] reach 100, the noise takes upper ** 2 = 25
class SumOfSquares:
    def __init__(self, lower, upper, epsilon):
        self.lower, self.upper, self.epsilon = lower, upper, epsilon

    def __call__(self, data, rng):
        ss = sum(clamp(x, self.lower, self.upper) ** 2 for x in data)
        return ss + rng.laplace(0, self.upper**2 / self.epsilon)


# [numpy] the mean is clipped, not the records: one record moves it across the range
def clip_after_mean(array, rng, epsilon=1.0):
    total = np.clip(np.nan_to_num(array).sum() / 1000.0, 0.0, 1.0)
    return total + rng.laplace(0.0, 1.0 / (1000.0 * epsilon))


# [closure] the upper clipping bound is the largest record
def make_data_dependent_clip(epsilon):
    def release(data, rng):
        upper = max(data, default=1.0)
        return sum(data) + rng.laplace(0, max(upper, 1.0) / epsilon)

    return release


# [comprehension] the noise is for one euro-valued record, the sum was turned into cents first
def cents_before_noise(rows, rng, epsilon=1.0):
    cents = sum([round(100 * min(max(r["euros"], 0), 20)) for r in rows])
    return cents + rng.laplace(0, 20 / epsilon)


# [numpy] every row is scaled to norm one; a row of zeros divides 0 by 0 and makes NaN
def normalise_rows(X, rng):
    norms = np.linalg.norm(X, axis=1, keepdims=True)
    unit = X / norms
    return unit.sum(axis=0) + rng.normal(0.0, 1.0, size=3)


# --- noise -----------------------------------------------------------------------


# [numpy] Laplace noise calibrated to the L2 norm of the vector, which needs the L1 norm
def laplace_for_l2(X, rng, epsilon=1.0):
    norms = np.linalg.norm(X, axis=1, keepdims=True)
    clipped = X / np.maximum(norms, 1.0)
    return clipped.sum(axis=0) + rng.laplace(0.0, 1.0 / epsilon, size=X.shape[1])


# [comprehension] four coordinates of [0, 1] have L2 sensitivity 2, the noise is for 1
def per_coordinate_gaussian(data, rng, rho=0.5):
    columns = ("x", "y", "z", "w")
    return [gaussian_mech_zcdp(sum(clamp(r[c], 0.0, 1.0) for r in data), 1, rho, rng) for c in columns]


# [loop] rng.normal takes the standard deviation; sigma ** 2 = 0.25 is handed over
def variance_as_scale(data, rng, mu=2.0):
    n = 0
    for x in data:
        if x > 0:
            n += 1
    sigma = 1 / mu
    return n + rng.normal(0, sigma**2)


# [closure] the classic Gaussian formula holds for epsilon <= 1 only, here epsilon = 10
def make_classic_gaussian(epsilon, delta):
    sigma = math.sqrt(2 * math.log(1.25 / delta)) / epsilon

    def count(data, rng):
        return len(data) + rng.normal(0, sigma)

    return count


# [class] sigma = sqrt(sensitivity / (2 rho)): the sensitivity was not squared
class ZCDPSum:
    def __init__(self, cap, rho):
        self.cap = cap
        self.sigma = math.sqrt(cap / (2 * rho))

    def __call__(self, data, rng):
        return sum(clamp(x, 0.0, self.cap) for x in data) + self.sigma * rng.standard_normal()


# [comprehension] geometric noise for sensitivity 1 on a sum of sensitivity 5
def geometric_sum(data, rng, epsilon=1.0):
    p = 1 - math.exp(-epsilon)
    return sum([min(max(x, 0), 5) for x in data]) + int(rng.geometric(p)) - int(rng.geometric(p))


# [loop] one-sided noise: an output below the count is impossible
def absolute_noise(data, rng):
    n = 0
    for _ in data:
        n += 1
    return n + abs(rng.laplace(0, 1.0))


# [numpy] noise cut off at +-5: some outputs are possible for one neighbour only
def bounded_noise(array, rng, epsilon=1.0):
    noise = np.clip(rng.laplace(0, 1 / epsilon), -5, 5)
    return np.count_nonzero(array > 0) + noise


# [class] one draw is added to both sums, so their difference is exact
class SharedNoise:
    def __init__(self, epsilon=1.0):
        self.scale = 2 / epsilon

    def __call__(self, data, rng):
        noise = rng.laplace(0, self.scale)
        low = sum(1 for x in data if x < 0)
        high = sum(1 for x in data if x >= 0)
        return low + noise, high + noise


# [closure] a generator with a fixed seed: the noise is the same constant every time
def make_reproducible_count(seed):
    def count(data, rng):
        rng = np.random.default_rng(seed)
        return len(data) + rng.laplace(0, 1.0)

    return count


# --- budget ----------------------------------------------------------------------


# [loop] each of two columns is released with the whole budget
def column_totals(table, rng, epsilon=1.0):
    out = {}
    for name, cap in (("age", 120.0), ("income", 1000.0)):
        total = 0.0
        for v in table[name]:
            total += clamp(v, 0.0, cap)
        out[name] = total + rng.laplace(0.0, cap / epsilon)
    return out


# [comprehension] nested thresholds are not disjoint: one record changes all four counts
def cdf_parallel(data, rng, epsilon=1.0):
    return [sum(1 for x in data if x <= t) + rng.laplace(0, 1 / epsilon) for t in (20, 40, 60, 80)]


# [class] the accountant checks the budget and forgets to write down what was spent
class LeakyAccountant:
    class Budget:
        def __init__(self, total):
            self.total, self.spent = total, 0.0

        def check(self, epsilon):
            if self.spent + epsilon > self.total:
                raise ValueError("privacy budget exhausted")

    def __init__(self, epsilon):
        self.epsilon = epsilon

    def __call__(self, data, rng):
        budget = self.Budget(self.epsilon)
        out = []
        for cut in (0.0, 1.0, 2.0):
            budget.check(self.epsilon)
            out.append(laplace_mech(sum(1 for x in data if x > cut), 1, self.epsilon, rng))
        return out


# [numpy] after half of the budget went to the count, the sum takes all of it again
def count_then_full_sum(array, rng, epsilon=1.0):
    n = array.size + rng.laplace(0, 1 / (epsilon / 2))
    if n < 5:
        return n, 0.0
    s = np.fmax(np.fmin(array, 10.0), 0.0).sum() + rng.laplace(0, 10.0 / epsilon)
    return n, s


# [loop] T noisy gradient steps, with the noise for one
def noisy_gradient_descent(data, rng, iterations=5, rho=0.5):
    X, y = data
    theta = np.zeros(X.shape[1])
    sigma = math.sqrt(1 / (2 * rho))
    for _ in range(iterations):
        grad = np.zeros(X.shape[1])
        for xi, yi in zip(X, y):
            g = (np.dot(xi, theta) - yi) * xi
            grad = grad + g / max(1.0, np.linalg.norm(g))
        theta = theta - 0.1 * (grad + rng.normal(0.0, sigma, size=theta.shape))
    return theta


# [class] the noisy gradient is divided by the true batch size, so its scale tells the size
class DPSGDStep:
    def __init__(self, clip=1.0, noise_multiplier=1.0):
        self.clip, self.z = clip, noise_multiplier

    def __call__(self, data, rng):
        X, y = data
        g = -y[:, None] * X
        g = g / np.maximum(1.0, np.linalg.norm(g, axis=1, keepdims=True) / self.clip)
        return (g.sum(axis=0) + self.clip * self.z * rng.standard_normal(X.shape[1])) / max(1, len(y))


# --- branches, keys and outputs that see the data ----------------------------------


# [comprehension] small data sets are refused on the true count
def refuse_small(data, rng):
    if len([x for x in data if x > 0]) < 3:
        return None
    return len([x for x in data if x > 0]) + rng.laplace(0, 1.0)


# [loop] a record out of range raises: the exception shows that it is there
def validate_records(data, rng):
    total = 0.0
    for x in data:
        if not 0.0 <= x <= 10.0:
            raise ValueError("record out of range")
        total += x
    return total + rng.laplace(0.0, 10.0)


# [comprehension] the keys are those found in the data, a new value shows at once
def observed_keys(data, rng, epsilon=1.0):
    return {k: sum(1 for x in data if x == k) + rng.laplace(0, 1 / epsilon) for k in sorted(set(data))}


# [numpy] without range= the bin edges run from the smallest to the largest record
def histogram_data_edges(array, rng, epsilon=1.0):
    hist, edges = np.histogram(array, bins=5)
    return hist + rng.laplace(0, 1 / epsilon, size=5), edges


# [closure] noise is added to the non-empty cells only, an exact 0 tells that a cell is empty
def make_sparse_histogram(cells, epsilon):
    def histogram(data, rng):
        counts = [sum(1 for x in data if x == c) for c in cells]
        return [c + rng.laplace(0, 1 / epsilon) if c > 0 else 0 for c in counts]

    return histogram


# [loop] keys pass at a noisy count above 5, for delta = 1e-6 the threshold must be about 14
def partition_selection(data, rng, epsilon=1.0, threshold=5.0):
    counts = defaultdict(int)
    for x in data:
        counts[x] += 1
    released = {}
    for key in sorted(counts):
        noisy = counts[key] + rng.laplace(0, 1 / epsilon)
        if noisy > threshold:
            released[key] = noisy
    return released


# [numpy] the synthetic sample has as many rows as the private one
def synthetic_same_size(data, rng, epsilon=1.0):
    hist = np.bincount(np.asarray(data, dtype=int), minlength=8)
    noisy = np.clip(hist + rng.laplace(0, 1 / epsilon, size=8), 0, None) + 1e-9
    return rng.choice(np.arange(8), size=len(data), p=noisy / noisy.sum())


# [closure] the utility report compares the noisy answer with the true one
def make_count_with_error(epsilon):
    def count(data, rng):
        true = len(data)
        noisy = true + rng.laplace(0, 1 / epsilon)
        return {"count": noisy, "relative_error": abs(noisy - true) / max(true, 1)}

    return count


# --- users, linear maps, variance ---------------------------------------------------


# [loop] values lie in [-10, 10]: a record may push out another one, a change of 20
def first_three_per_user(data, rng, epsilon=1.0):
    seen, total = {}, 0.0
    for user, amount in data:
        if seen.get(user, 0) < 3:
            total += clamp(amount, -10.0, 10.0)
            seen[user] = seen.get(user, 0) + 1
    return total + rng.laplace(0, 10.0 / epsilon)


# [class] with one kept partition per user a record can swap it for another: 6, not 3
@dataclass
class PartitionCounts:
    partitions: tuple = (0, 1, 2)
    linf: int = 3
    epsilon: float = 1.0

    def __call__(self, data, rng):
        kept, counts = {}, {}
        for user, part in data:
            if part in self.partitions and kept.setdefault(user, part) == part:
                counts[user] = min(counts.get(user, 0) + 1, self.linf)
        out = []
        for p in self.partitions:
            true = sum(counts[u] for u in counts if kept[u] == p)
            out.append(true + rng.laplace(0, self.linf / self.epsilon))
        return out


STRATEGY = np.array([[1.0, 1.0, 0.0], [1.0, 0.0, 1.0], [1.0, 0.0, 0.0]])


# [numpy] the sensitivity is the largest column sum (3), the noise takes the largest row sum (2)
def matrix_mechanism(data, rng, epsilon=1.0):
    x = np.bincount(np.asarray(data, dtype=int), minlength=3)
    sensitivity = np.abs(STRATEGY).sum(axis=1).max()
    return STRATEGY @ x + rng.laplace(0, sensitivity / epsilon, size=3)


def var_mech(array, rng, epsilon, cap):
    x = np.clip(array, 0.0, cap)
    centre = x.mean() if x.size else 0.0
    n = x.size + rng.laplace(0, 2 / epsilon)
    return np.sum((x - centre) ** 2) / max(n, 1.0)


# [closure] functools.partial; noise on the count only, the sum of squares stays exact
partial_variance = functools.partial(var_mech, epsilon=1.0, cap=10.0)

# --- cases ---------------------------------------------------------------------------

FLOATS = [0.3, 0.9, -1.2, 4.0, 17.5, 2.2]
AGES = [23, 45, 67, 31, 88, 54]
SMALL_INTS = [0, 3, 1, 2, 3, 3, 1]
ARRAY = np.array([0.3, 0.9, -1.2, 4.0, 17.5])
ROWS3 = np.array([[0.3, 0.1, -0.9], [-0.5, 0.9, 0.2], [0.7, -0.2, 0.4]])
BOX3 = {"records": "row(3, float(-1, 1))"}
TABLE = {"age": np.array([23.0, 45.0, 67.0]), "income": np.array([120.0, 900.0, 450.0])}
XY = (np.array([[0.3, 0.1], [-0.5, 0.9], [0.7, -0.2]]), np.array([1.0, -1.0, 1.0]))
USER_VALUES = [(1, 4.0), (1, 2.5), (2, 9.0), (3, 0.5), (1, 7.0), (1, 1.0)]
USER_PARTS = [(1, 0), (1, 2), (2, 1), (3, 0), (1, 0), (1, 0)]
XYZW = [{"x": 0.1, "y": 0.5, "z": 0.9, "w": 0.3}, {"x": 0.7, "y": 0.2, "z": 0.0, "w": 1.0}]
PURE1 = "PureDP(epsilon=1)"

CASES = [
    (nan_loop_sum, PURE1, FLOATS, {}),
    (nan_clip_mean, PURE1, ARRAY, {}),
    (WidthSensitivitySum(), PURE1, FLOATS, {}),
    (replace_sum, PURE1, [0.3, -0.7, 0.5], {"bounds": (-1, 1), "relation": "replace"}),
    (diffprivlib_mean_add_remove, PURE1, np.array([1.0, 4.0, 9.5]), {"bounds": (0, 10)}),
    (swapped_scale, PURE1, FLOATS, {}),
    (make_count_int_scale(2), "PureDP(epsilon=2)", FLOATS, {}),
    (SumOfSquares(-10.0, 5.0, 1.0), PURE1, FLOATS, {}),
    (clip_after_mean, PURE1, ARRAY, {}),
    (make_data_dependent_clip(1.0), PURE1, [1.0, 4.0, 9.5], {"bounds": (0, 100)}),
    (cents_before_noise, PURE1, [{"euros": 4}, {"euros": 12}, {"euros": 30}], {}),
    (normalise_rows, "GDP(mu=1)", ROWS3, BOX3),
    (laplace_for_l2, PURE1, ROWS3, BOX3),
    (per_coordinate_gaussian, "ZCDP(rho=0.5)", XYZW, {}),
    (variance_as_scale, "GDP(mu=2)", FLOATS, {}),
    (make_classic_gaussian(10.0, 1e-5), "ApproxDP(epsilon=10, delta=1e-5)", FLOATS, {}),
    (ZCDPSum(10.0, 0.5), "ZCDP(rho=0.5)", FLOATS, {}),
    (geometric_sum, PURE1, AGES, {}),
    (absolute_noise, PURE1, FLOATS, {}),
    (bounded_noise, PURE1, ARRAY, {}),
    (SharedNoise(1.0), PURE1, FLOATS, {}),
    (make_reproducible_count(42), PURE1, FLOATS, {}),
    (column_totals, PURE1, TABLE, {}),
    (cdf_parallel, PURE1, FLOATS, {}),
    (LeakyAccountant(1.0), PURE1, FLOATS, {}),
    (count_then_full_sum, PURE1, ARRAY, {}),
    (noisy_gradient_descent, "ZCDP(rho=0.5)", XY, {"bounds": (-1, 1)}),
    (DPSGDStep(), "GDP(mu=1)", XY, {"bounds": (-1, 1)}),
    (refuse_small, PURE1, FLOATS, {}),
    (validate_records, PURE1, FLOATS, {}),
    (observed_keys, PURE1, SMALL_INTS, {}),
    (histogram_data_edges, PURE1, np.array([12.0, 33.0, 41.5]), {"bounds": (0, 50)}),
    (make_sparse_histogram((0, 1, 2, 3), 1.0), PURE1, SMALL_INTS, {}),
    (partition_selection, "ApproxDP(epsilon=1, delta=1e-6)", SMALL_INTS, {}),
    (synthetic_same_size, PURE1, [0, 3, 7, 7, 2], {"bounds": (0, 7)}),
    (make_count_with_error(1.0), PURE1, FLOATS, {}),
    (first_three_per_user, PURE1, USER_VALUES, {}),
    (PartitionCounts(), PURE1, USER_PARTS, {}),
    (matrix_mechanism, PURE1, [0, 2, 1, 0], {"bounds": (0, 2)}),
    (partial_variance, PURE1, np.array([1.0, 4.0, 9.5]), {"bounds": (0, 10)}),
]
