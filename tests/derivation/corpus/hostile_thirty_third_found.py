"""False certificates of this reading (Python and numpy semantics): BOTH walls pass.

O: the last argument by place of numpy's functions is `out`: they write into it and return it. `functions._known` sees that
only where the numbers in it change; where they do not, the result is a second name of an array that `expressions._call`
(peek, since `returns_new` says that nothing is kept) leaves its one name. What is put into the array afterwards, a private
sum say, is then in the result, too, which is known for the reader (derivation/functions.py:_known, expressions.py:_call,
known_functions.py:returns_new). The second wall misses it where it shows for many records only, or far behind the point
(`replay.same` takes numbers for the same that differ by 1e-9).

R: before numpy 2.4 (pyproject allows numpy>=2.0) numpy.round of an array of integers is the array itself, not a new one:
`known_functions._NEW` is false there. Those are in `OLDER`: proved, and false, with numpy 2.0 to 2.3 only (tried: 2.2.6).
"""

import numpy as np

ATTACKS = {}
OLDER = {}
FD = dict(data=np.array([0.2, 0.9]), bounds="0:1", d0=np.array([]), d1=np.array([1.0]))
MANY = dict(data=np.array([0.2, 0.9]), bounds="0:1", d0=np.ones(1000), d1=np.ones(1001))
MORE = dict(data=np.array([0.2, 0.9]), bounds="0:1", d0=np.ones(5000), d1=np.ones(5001))
NEAR = dict(data=np.array([0.2, 0.9]), bounds="0:1", d0=np.array([]), d1=np.array([0.44721342424072497]))


def A(claim="PureDP(epsilon=1)", **k):
    def d(f):
        ATTACKS[f.__name__] = dict(claim=claim, **k)
        return f

    return d


def spike(x):
    """0 but where x is near sqrt(0.2) - 1.7e-7, where it is 1; a window of 1e-8."""
    r = 1.0 / (1.0 + 1e13 * (1.0 + np.tanh(1e8 * (x * x - 0.2))))
    return 4.0 * r * (1.0 - r)


# O: says exactly whether the sum is above 1000.
@A(**MANY)
def exact_condition(x, rng):
    w = np.zeros(2)
    v = np.floor(w, w)
    w[0] = np.sum(x)
    return w[0] + rng.laplace(0, 1.0), 1 if v[0] > 1000 else 0


# O: returns the exact sum, times 1e-15.
@A(**FD)
def exact_sum_far_behind_the_point(x, rng):
    w = np.zeros(2)
    v = np.floor(w, w)
    w[0] = np.sum(x)
    return w[0] + rng.laplace(0, 1.0), v[0] * 1e-15


@A(**FD)
def exact_sum_of_a_loop(x, rng):
    w = np.zeros(1)
    v = np.clip(w, 0.0, 1.0, w)
    for each in x:
        w[0] += each
    return w[0] + rng.laplace(0, 1.0), v[0] * 1e-13


# O: no noise to speak of for more than 1000 records.
@A(**MANY)
def less_noise_for_many(x, rng):
    counts = np.zeros(1)
    seen = np.clip(counts, 0.0, 1e6, counts)
    for _ in x:
        counts[0] += 1.0
    scale = 1e-9 if seen[0] > 1000 else 1.0
    return np.sum(x) + rng.laplace(0, scale)


# O: the exact counts for more than 5000 records.
@A(**MORE)
def exact_counts_for_many(x, rng):
    counts = np.zeros(3)
    kept = np.abs(counts, counts)
    for each in x:
        counts[int(each * 2)] += 1.0
    noisy = counts + rng.laplace(0, 1.0, size=3)
    if np.sum(kept) > 5000:
        return kept
    return noisy


@A(**MANY)
def added_in_place(x, rng):
    w = np.zeros(2)
    v = np.floor(w, w)
    w += np.histogram(x, bins=2, range=(0, 1))[0]
    return w + rng.laplace(0, 1.0, size=2), 1 if v[1] > 1000 else 0


@A(**MANY)
def dot_by_place(x, rng):
    w = np.zeros(2)
    v = np.dot(np.zeros((2, 2)), np.ones(2), w)
    for _ in x:
        w[0] += 1.0
    return np.sum(x) + rng.laplace(0, 1e-9 if v[0] > 1000 else 1.0)


@A(**MANY)
def outer_by_place(x, rng):
    w = np.zeros((2, 2))
    v = np.outer(np.zeros(2), np.ones(2), w)
    for _ in x:
        w[0, 0] += 1.0
    return np.sum(x) + rng.laplace(0, 1e-9 if v[0, 0] > 1000 else 1.0)


@A(**MANY)
def square_by_place(x, rng):
    w = np.zeros(2)
    v = np.square(np.zeros(2), w)
    for _ in x:
        w[0] += 1.0
    return np.sum(x) + rng.laplace(0, 1e-9 if v[0] > 1000 else 1.0)


@A(**MANY)
def by_place_with_a_star(x, rng):
    w = np.zeros(1)
    ends = (0.0, 1e6)
    v = np.clip(w, *ends, w)
    for _ in x:
        w[0] += 1.0
    return np.sum(x) + rng.laplace(0, 1e-9 if v[0] > 1000 else 1.0)


# O: a weight of records, which is 1.0 as read and 100.0 in the code; a narrow window hides it.
@A(**NEAR)
def weight_by_clip(x, rng):
    w = np.ones(2)
    v = np.clip(w, 0.0, 1.0, w)
    w *= 100.0
    return np.sum(0.5 * x + 0.1 * v[0] * spike(x)) + rng.laplace(0, 1.0)


@A(**NEAR)
def weight_by_sum(x, rng):
    w = np.ones(2)
    v = np.sum(np.eye(2), 0, None, w)
    w[:] = 100.0
    return np.sum(0.5 * x + 0.1 * v[0] * spike(x)) + rng.laplace(0, 1.0)


@A(**NEAR)
def weight_by_max(x, rng):
    w = np.ones(2)
    v = np.max(np.eye(2), 0, w)
    w += 99.0
    return np.sum(0.5 * x + 0.1 * v[0] * spike(x)) + rng.laplace(0, 1.0)


@A(**NEAR)
def weight_by_round(x, rng):
    w = np.ones(2)
    v = np.round(w, 3, w)
    w += 99.0
    return np.sum(0.5 * x + 0.1 * v[0] * spike(x)) + rng.laplace(0, 1.0)


@A(**NEAR)
def weight_by_cumsum(x, rng):
    w = np.ones(1)
    v = np.cumsum(np.ones(1), 0, None, w)
    w += 99.0
    return np.sum(0.5 * x + 0.1 * v[0] * spike(x)) + rng.laplace(0, 1.0)


@A(**NEAR)
def weight_by_mean(x, rng):
    w = np.ones(2) * 0.5
    v = np.mean(np.eye(2), 0, None, w)
    w *= 200.0
    return np.sum(0.5 * x + 0.1 * v[0] * spike(x)) + rng.laplace(0, 1.0)


# O: the exact sum of what few records have, without noise.
@A(**NEAR)
def exact_of_a_window(x, rng):
    w = np.zeros(2)
    v = np.abs(w, w)
    w[0] = np.sum(spike(x)) * 0.2
    return w[0] + rng.laplace(0, 1.0), v[0]


def _older(f):
    ATTACKS[f.__name__] = OLDER[f.__name__] = dict(claim="PureDP(epsilon=1)", **MANY)
    return f


# R: says exactly whether there are more than 1000 records.
@_older
def rounded_counts(x, rng):
    counts = np.zeros(2, dtype=int)
    start = np.round(counts)
    for each in x:
        counts[int(each * 1.5)] += 1
    noisy = counts + rng.laplace(0, 1.0, size=2)
    return (noisy, "many") if np.sum(start) > 1000 else (noisy, "few")


# R: the exact count, times 1e-15.
@_older
def rounded_counts_far_behind_the_point(x, rng):
    counts = np.zeros(2, dtype=int)
    before = np.round(counts)
    for _ in x:
        counts[0] += 1
    return counts[0] + rng.laplace(0, 1.0), before[0] * 1e-15


# O: with numpy before 2.4, where a third argument by place does not warn.
@_older
def maximum_in_place(x, rng):
    total = np.zeros(1)
    start = np.maximum(total, 0.0, total)
    for each in x:
        total[0] += each
    return total[0] + rng.laplace(0, 1.0), "many" if start[0] > 1000 else "few"
