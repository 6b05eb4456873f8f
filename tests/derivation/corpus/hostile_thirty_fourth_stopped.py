"""Attacks of the thirty-fourth reading that were rightly not proved (place_released_in_two_dimensions_2 is right, and is proved).

Beside them 2,300 random programs with loops over records and 58 with arrays that are changed in place were read: no difference.
"""

from collections import Counter
from functools import wraps

import numpy as np

ATTACKS = {}
RIGHT = {}
F = np.array([0.5, 1.0])
L = [0.5, 1.0]
T = ["a", "b", "a"]
ROWS = [{"u": 1, "x": 0.5}, {"u": 2, "x": 1.0}]
X2 = np.array([[0.5, 1.0], [0.2, 0.1]])
XY = (X2, np.array([0.5, 1.0]))


def A(claim="PureDP(epsilon=1)", **k):
    def d(f):
        ATTACKS[f.__name__] = dict(claim=claim, **k)
        return f

    return d


def R(claim="PureDP(epsilon=1)", **k):
    def d(f):
        RIGHT[f.__name__] = dict(claim=claim, **k)
        return f

    return d


# A Python integer beyond 2**53 in a place: its range is a double, and so is the shift that is read.
@A(data=F, bounds="0:1")
def shift_of_a_large_constant(data, rng):
    k = int(min(max(len(data) + rng.laplace(0, 4.0), 0.0), 1.0))
    s = [4.0, 4.0, 1e-6][k + (2**60 + 1) + (-(2**60))]
    return np.sum(data) + rng.laplace(0, s)


@A(data=F, bounds="0:1")
def shift_negative(data, rng):
    k = int(min(max(len(data) + rng.laplace(0, 4.0), 1.0), 2.0))
    s = [1e-6, 2.0][k + (-1)]
    return np.sum(data) + rng.laplace(0, s)


@A(data=F, bounds="0:1")
def shift_true(data, rng):
    k = int(min(max(len(data) + rng.laplace(0, 4.0), 0.0), 1.0))
    s = [4.0, 2.0, 1e-6][k + True]
    return np.sum(data) + rng.laplace(0, s)


@A(data=L, bounds="0:1")
def place_in_a_tuple_of_a_list(data, rng):
    t = 0.0
    for i in range(len(data)):
        t += data[i,]
    return t + rng.laplace(0, 1.0)


@A(data=F, bounds="0:1")
def place_in_a_new_axis(data, rng):
    t = np.zeros(1)
    for i in range(len(data)):
        t += data[i, None] * 2
    return t[0] + rng.laplace(0, 1.0)


@A(data=L, bounds="0:1e110")
def cube_overflows(data, rng):
    return sum(min(x**3, 1.0) for x in data) + rng.laplace(0, 1.0)


@A(data=L, bounds="0:1e100")
def cube_overflows_once_scaled(data, rng):
    return sum(min((x * 5e2) ** 3, 1.0) for x in data) + rng.laplace(0, 1.0)


@A(data=[1, 2], bounds="0:100000000000000000000000000000000000000000")
def integer_power_to_double(data, rng):
    return sum(min(float(x**8), 1.0) for x in data) + rng.laplace(0, 1.0)


@A(data=np.array([1, 2]), bounds="0:3000000")
def integer_power_wraps(data, rng):
    return sum(1 if data[i] ** 3 < 0 else 0 for i in range(len(data))) + rng.laplace(0, 0.1)


@A(data=np.array([1, 2]), bounds="0:3000000")
def integer_power_wraps_3(data, rng):
    return np.sum(np.where(data**8 < 0, 1, 0)) + rng.laplace(0, 0.1)


# keys that are one key to Python
@A(data=[1, 2], bounds="0:3")
def keys_that_are_one(data, rng):
    c = Counter(data)
    return c[1] + c[1.0] + rng.laplace(0, 1.0)


@A(data=[1, 2], bounds="0:3")
def keys_count_and_get(data, rng):
    c = Counter(data)
    return c.get(1, 0) + data.count(1) + rng.laplace(0, 1.0)


@A(data=T)
def texts_three_keys(data, rng):
    c = Counter(x for x in data if x != "b")
    return 2 * c["a"] + c["b"] + rng.laplace(0, 1.0)


@A(data=L, bounds="0:1")
def two_passes_of_places(data, rng):
    c = Counter(1 if data[i] > 0.5 else 0 for i in range(len(data)))
    return c[1] - c[0] + c[1] + rng.laplace(0, 1.0)


@A(data=L, bounds="0:1")
def geometric_of_two_laws(data):
    return len(data) + np.random.geometric(0.6321) - np.random.geometric(0.9)


@A(data=L, bounds="0:1")
def geometric_of_two_generators(data, rng):
    z = np.random.geometric(0.6321)
    a = len(data) + z - rng.geometric(0.6321)
    return a, len(data) + z - rng.geometric(0.6321)


@A(data=L, bounds="0:1")
def one_draw_default(data):
    def g(v, z=np.random.laplace(0, 1.0)):
        return v + z

    return g(len(data)), g(2 * len(data))


@A(data=F, bounds="0:1")
def one_global_draw_many(data):
    h = np.histogram(data, bins=range(3))[0]
    return np.random.laplace(h, 1.0, size=1)


@A(data=F, bounds="0:1")
def global_with_size_two(data):
    return np.random.laplace(np.sum(data), 1.0, size=2)


class Rel:
    def __init__(self, s):
        self.s = s

    def __call__(self, v, rng, s=None):
        return v + rng.laplace(0, self.s if s is None else s)


class Half(Rel):
    def __call__(self, v, rng, s=0.5):
        return Rel.__call__(self, v, rng, s)


REL, HALF = Rel(1.0), Half(1.0)


@A(data=F, bounds="0:1")
def object_of_a_subclass(data, rng):
    return HALF(np.sum(data), rng)


class Twice:
    def __init__(self, f):
        self.f = f

    def __call__(self, *a):
        return self.f(self.f(*a))


TWICE = Twice(lambda v: v * 2)


@A(data=F, bounds="0:1")
def object_twice(data, rng):
    return TWICE(np.sum(data)) + rng.laplace(0, 2.0)


import types

BOUND = types.MethodType(Twice(lambda s, v: 3 * v if isinstance(v, float) else v), 2.0)
BOUND1 = types.MethodType(Rel(0.1), 0.0)


@A(data=F, bounds="0:1")
def method_of_an_object(data, rng):
    return np.sum(data) + BOUND1(rng)


@A(data=X2, bounds="0:1")
def kept_sum_of_rows(data, rng):
    s = data.sum(axis=1, keepdims=True)
    return np.sum(data * s, axis=0)[0] + rng.laplace(0, 1.0)


@A(data=XY, bounds="0:1")
def rows_and_labels(data, rng):
    X, y = data
    t = 0.0
    for i in range(len(X)):
        t += X[i, 0] * y[i] + X[i][-1]
    return t + rng.laplace(0, 1.0)


@A(data=ROWS, bounds={"u": (0, 9), "x": (0, 1)})
def get_twice(rows, rng):
    return sum(r.get("x", 0.0) + r.get("x") for r in rows) + rng.laplace(0, 1.0)


@A(data=F, bounds="0:1")
def copy_of_a_released_round(data, rng):
    h = np.histogram(data, bins=range(3))[0] + rng.laplace(0, 2.0, size=2)
    k = np.clip(h, 1, 2).astype(int)
    b = k.round()
    k[0] = 0
    s = 2.0 if b[0] > 0 else 1e-6
    return np.sum(data) + rng.laplace(0, s)


@A(data=F, bounds="0:1")
def place_released_in_two_dimensions(data, rng):
    h = np.histogram(data, bins=range(5))[0].reshape(2, 2)
    k = np.argmax(h.ravel() + rng.laplace(0, 2.0, size=4))
    w = h * np.array([[1.0, 1.0], [1.0, 9.0]])
    return w[k // 2][k % 2] + rng.laplace(0, 2.0)


@A(data=F, bounds="0:1")
def place_released_in_two_dimensions_2(data, rng):
    h = np.histogram(data, bins=range(5))[0].reshape(2, 2) * np.array([[1.0, 1.0], [9.0, 1.0]])
    k = np.argmax(np.histogram(data, bins=range(3))[0] + rng.laplace(0, 2.0, size=2))
    r = h[k]
    return r[0] + rng.laplace(0, 2.0), k


@A(data=F, bounds="0:1")
def flags_as_numbers(data, rng):
    a = (data > 0.2).astype(int)
    return (a + a[:] - 3 * a).sum() + a.sum() + rng.laplace(0, 1.0)


@A(data=F, bounds="0:1")
def flags_in_place(data, rng):
    a = (data > 0.2).astype(int)
    a += a
    a *= 2
    return a.sum() + rng.laplace(0, 1.0)


@A(data=F, bounds="0:1", relation="replace")
def mean_over_max(data, rng):
    n = len(data)
    v = np.sum(data) / max(n - 1, 1)
    return v + rng.laplace(0, 1 / n)


@A(data=L, bounds="0:1", relation="replace")
def places_of_replaced(data, rng):
    n = len(data)
    t = 0.0
    for i in range(n):
        t += data[i] - (1 - data[i])
    return t / n + rng.laplace(0, 1 / n)


@A(data=ROWS, bounds={"u": (0, 9), "x": (0, 1)}, unit="u", most_per_unit=2)
def user_counter(rows, rng):
    c = Counter(r["u"] for r in rows)
    return c[1] + rng.laplace(0, 1.0)


@A(data=T)
def text_counts_by_object(data, rng):
    c = Counter(data)
    return [c[k] * w + rng.laplace(0, 1.0) for k, w in zip(("a", "b"), (1, 2))]


RIGHT["place_released_in_two_dimensions_2"] = ATTACKS.pop("place_released_in_two_dimensions_2")
