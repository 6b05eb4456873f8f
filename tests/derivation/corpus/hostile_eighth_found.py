"""False certificates of one more reading. BOTH walls fail but where `only_rules=True`.

N: a number of Python's that may be int or float, beside a condition of numpy's: proofs/operations.py:188 (_with_number).
D: dict(a dict): derivation/functions.py:300 (_dict).
M: A @ B of three dimensions: derivation/items.py:43 (product).
C: the type of numpy.concatenate with what is empty: derivation/functions.py:340 (_concatenate).
I: the type of an array with other items: derivation/items.py:121 (with_item).
G: numpy's functions of a geometric draw: derivation/functions.py:118 (_operand).
H: max and min of a draw: derivation/operators.py:135 (_with_draw, `home = homes.joined(values)`).
V: numpy.count_nonzero before numpy 2.4: derivation/aggregates.py:180 (count_nonzero; total).
S: an array of draws: proofs/rules.py:114 (stack of draws), derivation/functions.py (_array), by the rules alone.
B: stated values that the array's own type rounds: derivation/domain.py (_ends). Borderline.
"""

import numpy as np

ATTACKS = {}
BORDERLINE = ("float32_choice", "float16_choice")
OLD_NUMPY = ("count_is_python",)
F = np.array([0.5, 1.0])
L = [0.5, 1.0]
FD = dict(data=F, bounds="0:1", d0=np.array([]), d1=np.array([1.0]))
LD = dict(data=L, bounds="0:1", d0=[], d1=[1.0])
TRUE = np.True_
X = np.array([[0.5, 1.0], [0.25, 0.5]])
XD = dict(data=X, bounds="0:1", d0=np.zeros((0, 2)), d1=np.array([[1.0, 1.0]]))


def A(claim="PureDP(epsilon=1)", **k):
    def d(f):
        ATTACKS[f.__name__] = dict(claim=claim, **k)
        return f

    return d


# N: v = 0.6865: b is numpy.bool_, k the int 6, b * k numpy.int64(6), times 2**61 wraps to -2**62: the sum moves by
# 4.6e18, said to be 0 (epsilon 0.0 is stated).
@A(data=F, bounds="0:1", d0=np.array([]), d1=np.array([0.6865]))
def number_times_condition(x, rng):
    t = 0.0
    for v in x:
        b = 0.4712 < v * v
        if v * v < 0.4713:
            k = min(int(v * 10), 11.5)
            t += min(b * k * 2**61, 0)
    return t + rng.laplace(0, 1.0)


# N: the condition is a known numpy.True_, the records are a list of Python's floats. min(6, 11.5) * True_ * 2**61 is
# -2**62.
@A(data=L, bounds="0:1", d0=[], d1=[0.6865])
def number_times_known_condition(x, rng):
    t = 0.0
    for v in x:
        if 0.4712 < v * v < 0.4713:
            t += min(min(int(v * 10), 11.5) * TRUE * 2**61, 0)
    return t + rng.laplace(0, 1.0)


# N: k + numpy.False_ is numpy.int64(6), too.
@A(data=L, bounds="0:1", d0=[], d1=[0.6865])
def number_plus_condition(x, rng):
    t = 0.0
    for v in x:
        if 0.4712 < v * v < 0.4713:
            k = min(int(v * 10), 11.5) + (np.float64(v) > 2.0)
            t += min(k * 2**61, 0)
    return t + rng.laplace(0, 1.0)


# N: of released values: 686 * 2**54 wraps below 0, said to be >= 0: the path with the scale 1e-6 was not explored.
@A(**FD)
def number_times_condition_released(x, rng):
    s = np.sum(x)
    r = s + rng.laplace(0, 2.0)
    scale = 2.0
    if 0.4712 < r * r < 0.4713:
        k = min(max(0, round(abs(r) * 1000)), 5000.5)
        if (r * r > 0.2) * k * 2**54 < 0:
            scale = 1e-6
    return r, s + rng.laplace(0, scale)


# D: dict({'ab': r}) is read as {'a': 'b'}: "ab" in d is said to be False.
@A(**FD)
def dict_of_dict(x, rng):
    s = np.sum(x)
    r = s + rng.laplace(0, 2.0)
    scale = 2.0
    if 0.4712 < r * r < 0.4713:
        d = dict({"ab": r})
        if "ab" in d:
            scale = 1e-6
    return r, s + rng.laplace(0, scale)


# D: read as {'a': 'c'} of length 1; the code returns the sum itself on that branch.
@A(**FD)
def dict_of_dict_tuple(x, rng):
    s = np.sum(x)
    r = s + rng.laplace(0, 1.0)
    if 0.4712 < r * r < 0.4713:
        if len(dict({"ab": r, "ac": 1.0})) == 2:
            return s
    return r


# M: a @ a of (2, 2, 2) has the shape (2, 2, 2); read as numpy.dot, (2, 2, 2, 2).
@A(**FD)
def matmul_of_three(x, rng):
    s = np.sum(x)
    r = s + rng.laplace(0, 2.0)
    scale = 2.0
    if 0.4712 < r * r < 0.4713:
        a = rng.random((2, 2, 2))
        if (a @ a).ndim == 3:
            scale = 1e-6
    return r, s + rng.laplace(0, scale)


# M: the same; the sum itself is returned.
@A(**FD)
def matmul_shape(x, rng):
    s = np.sum(x)
    r = s + rng.laplace(0, 1.0)
    if 0.4712 < r * r < 0.4713:
        a = rng.random((2, 2, 2))
        if len((np.ones((2, 2, 2)) @ a).shape) == 3:
            return float(s)
    return r


# C: numpy.concatenate(([], c)) is float64 ([] is an array of doubles), read as int64, whose product is said to wrap
# below 2**63. c[0] = 513.
@A(**FD)
def concatenate_empty(x, rng):
    h = np.histogram(x, bins=[0.0, 0.5, 1.0])[0]
    c = h + rng.geometric(0.39, size=2) - rng.geometric(0.39, size=2)
    d = np.concatenate(([], c))
    scale = 2.0
    if 2**70 < d[0] * 2**61 < 2**70 + 2**62:
        scale = 1e-6
    return c, np.sum(x) + rng.laplace(0, scale)


# C: the same before the release.
@A(**FD)
def concatenate_private(x, rng):
    h = np.concatenate(([], np.histogram(x, bins=[0.0, 0.5, 1.0])[0]))
    c = h + rng.geometric(0.39, size=2) - rng.geometric(0.39, size=2)
    scale = 2.0
    if 2**70 < c[0] * 2**61 < 2**70 + 2**62:
        scale = 1e-6
    return c, np.sum(x) + rng.laplace(0, scale)


# C: no records and conditions: int64 in the code (~1 is -2), read as bool.
@A(**FD)
def concatenate_of_conditions(x, rng):
    s = np.sum(x)
    r = s + rng.laplace(0, 2.0, size=1)
    scale = 2.0
    if 0.4712 < r[0] * r[0] < 0.4713:
        d = np.concatenate((np.zeros(0, dtype=int), r > 0.3))
        if (~d)[0] < 0:
            scale = 1e-6
    return r, s + rng.laplace(0, scale)


# C: rows of no records: numpy.zeros((0, 2), dtype=int) makes the conditions int64; read as bool.
@A(**XD)
def concatenate_rows_empty(x, rng):
    s = np.sum(x, axis=0)
    r = s + rng.laplace(0, 4.0, size=2)
    scale = 4.0
    if 0.4712 < r[0] * r[0] < 0.4713:
        d = np.concatenate((np.zeros((0, 2), dtype=int), (r > 0.1)[None, :]))
        if (~d)[0, 0] < 0:
            scale = 1e-6
    return r, s + rng.laplace(0, scale, size=2)


# I: a = numpy.zeros(2); a[:] = c stays float64, read as int64 (all elements of the stack are). c[0] = 513.
@A(**FD)
def item_all_of_an_array(x, rng):
    h = np.histogram(x, bins=[0.0, 0.5, 1.0])[0]
    c = h + rng.geometric(0.39, size=2) - rng.geometric(0.39, size=2)
    a = np.zeros(2)
    a[:] = c
    scale = 2.0
    if 2**70 < a[0] * 2**61 < 2**70 + 2**62:
        scale = 1e-6
    return c, np.sum(x) + rng.laplace(0, scale)


# I: the same before the release.
@A(**FD)
def item_of_private(x, rng):
    h = np.histogram(x, bins=[0.0, 0.5, 1.0])[0]
    a = np.zeros(2)
    a[:] = h
    c = a + rng.geometric(0.39, size=2) - rng.geometric(0.39, size=2)
    scale = 2.0
    if 2**70 < c[0] * 2**61 < 2**70 + 2**62:
        scale = 1e-6
    return c, np.sum(x) + rng.laplace(0, scale)


# I: numpy.zeros(1, dtype=int) with int(...): int64 in the code (512 * 2**54 is -2**63, and so is its abs), read as
# Python's integer without end.
@A(**FD)
def item_only_one(x, rng):
    s = np.sum(x)
    r = s + rng.laplace(0, 2.0)
    a = np.zeros(1, dtype=int)
    a[0] = int(min(max(r, -1e6), 1e6))
    scale = 2.0
    if abs(a[0] * 2**54) < 0:
        scale = 1e-6
    return r, s + rng.laplace(0, scale)


# I: 5 * 2**61 wraps below 0 in the code.
@A(**FD)
def item_condition_inverted(x, rng):
    s = np.sum(x)
    r = s + rng.laplace(0, 2.0)
    scale = 2.0
    if 0.4712 < r * r < 0.4713:
        b = np.zeros(1, dtype=int)
        b[0] = int(min(max(r, 0.0), 3.0)) + 5
        if (b[0] * 2**61) < 0:
            scale = 1e-6
    return r, s + rng.laplace(0, scale)


# I: numpy.zeros(1) with a condition stays float64, read as bool, whose sum is int64.
@A(**FD)
def item_condition_in_doubles(x, rng):
    s = np.sum(x)
    r = s + rng.laplace(0, 2.0)
    scale = 2.0
    if 0.4712 < r * r < 0.4713:
        b = np.zeros(1)
        b[0] = r > 0.1
        c = np.sum(b) * 2**61 * 2**61
        if c > 2**64:
            scale = 1e-6
    return r, s + rng.laplace(0, scale)


# G: numpy.maximum of a geometric draw is numpy.int64; read as Python's integer. n = 4: 4 * 2**61 wraps.
@A(**FD)
def exposed_minimum(x, rng):
    n = rng.geometric(0.95)
    scale = 1.0
    if np.maximum(n, 1) * 2**61 < 0:
        scale = 1e-6
    return np.sum(x) + rng.laplace(0, scale)


# G: numpy.add(n, 0) * 2**52 for n = 2**11 is -2**63, and so is its abs.
@A(**FD)
def exposed_added(x, rng):
    n = np.add(rng.geometric(0.001), 0)
    scale = 1.0
    if abs(n * 2**52) < 0:
        scale = 1e-6
    return n, np.sum(x) + rng.laplace(0, scale)


# G: numpy.subtract of two draws, and the release is numpy.int64; c = 512.
@A(**FD)
def subtract_of_draws(x, rng):
    c = len(x) + np.subtract(rng.geometric(0.39), rng.geometric(0.39))
    scale = 2.0
    if abs(c * 2**54) < 0:
        scale = 1e-6
    return c, np.sum(x) + rng.laplace(0, scale)


# G: numpy.subtract(len(x) + geometric, geometric).
@A(**FD)
def subtract_of_half(x, rng):
    c = np.subtract(len(x) + rng.geometric(0.39), rng.geometric(0.39))
    scale = 2.0
    if abs(c * 2**54) < 0:
        scale = 1e-6
    return c, np.sum(x) + rng.laplace(0, scale)


# H: max(n, 9) of a draw n of numpy's is said to be numpy's; it is Python's 9 for n < 9: 9 * 2**61 > 2**64 holds,
# said never to.
@A(**FD)
def exposed_maximum(x, rng):
    n = rng.geometric(0.0001, size=1)[0]
    scale = 1.0
    if max(n, 9) * 2**61 > 2**64:
        scale = 1e-6
    return np.sum(x) + rng.laplace(0, scale)


# V: with numpy 2.0 to 2.3 only (pyproject: numpy>=2.0; shown with 2.2.6): numpy.count_nonzero returns Python's
# integer there.
@A(**FD)
def count_is_python(x, rng):
    c = np.count_nonzero(x > 0.5) + rng.geometric(0.39) - rng.geometric(0.39)
    scale = 2.0
    if 2**70 < c * 2**61 < 2**70 + 2**62:
        scale = 1e-6
    return c, np.sum(x) + rng.laplace(0, scale)


# B (borderline): a stated 0.3 is 0.30000001192 in the array of float32 that the code gets, beyond the range [0.25,
# 0.3]; the sum moves by 119.
@A(
    data=np.array([[0.5, 0.25], [0.5, 0.25]], dtype=np.float32),
    records="(float(0, 1), choice(0.25, 0.3))",
    d0=np.zeros((0, 2), dtype=np.float32),
    d1=np.array([[0.6865, 0.3]], dtype=np.float32),
)
def float32_choice(X, rng):
    Z = X.astype(float)
    a = Z[:, 0]
    rare = (0.4712 < a * a) & (a * a < 0.4713)
    return np.sum(np.where(rare, np.maximum(Z[:, 1] - 0.3, 0.0) * 1e10, 0.0)) + rng.laplace(0, 1.0)


# N: in a comprehension.
@A(data=F, bounds="0:1", d0=np.array([]), d1=np.array([0.6865]))
def number_in_list(x, rng):
    c = [min(int(v * 10), 11.5) * (0.4712 < v * v) for v in x if v * v < 0.4713]
    return sum([min(k * 2**61, 0) for k in c]) + rng.laplace(0, 1.0)


# N: under replace.
@A(data=F, bounds="0:1", relation="replace", d0=np.array([0.1]), d1=np.array([0.6865]))
def number_replaced(x, rng):
    t = 0.0
    for v in x:
        if 0.4712 < v * v < 0.4713:
            t += min(min(int(v * 10), 11.5) * (v > 0.3) * 2**61, 0)
    return t / len(x) + rng.laplace(0, 1.0 / len(x))


# D: through get; read as {'a': 'b', 'c': 'd'}.
@A(**FD)
def dict_get_of_copy(x, rng):
    s = np.sum(x)
    r = s + rng.laplace(0, 2.0)
    d = dict({"ab": 2.0, "cd": r})
    return r, s + rng.laplace(0, d.get("a", 1e-6) if 0.4712 < r * r < 0.4713 and "a" not in d else 2.0)


# B (borderline): a stated 70000.0 is inf in an array of float16; inf is returned on d1 only.
@A(
    data=np.array([[0.5, 0.5], [0.25, 0.5]], dtype=np.float16),
    records="(float(0, 1), choice(0.5, 70000.0))",
    d0=np.zeros((0, 2), dtype=np.float16),
    d1=np.array([[0.6865, np.inf]], dtype=np.float16),
)
def float16_choice(X, rng):
    Z = X.astype(float)
    a = Z[:, 0]
    rare = (0.471 < a * a) & (a * a < 0.472)
    return np.sum(np.where(rare, Z[:, 1], 0.5)) * 1e-5 + rng.laplace(0, 1.0)


# S: numpy.array([g, g], dtype=float) of draws is read as int64. The file of the proof cannot be read back (KeyError
# 'shape').
@A(only_rules=True, **FD)
def geo_array_of_doubles(x, rng):
    h = np.histogram(x, bins=[0.0, 0.5, 1.0])[0]
    c = (
        h
        + np.array([rng.geometric(0.39), rng.geometric(0.39)], dtype=float)
        - np.array([rng.geometric(0.39), rng.geometric(0.39)], dtype=float)
    )
    scale = 2.0
    if 2**70 < c[0] * 2**61 < 2**70 + 2**62:
        scale = 1e-6
    return c, np.sum(x) + rng.laplace(0, scale)


# S: numpy.array([g]) of draws is int64, read as Python's integer without end; c = 512.
@A(only_rules=True, **FD)
def geo_array_wraps(x, rng):
    c = len(x) + np.array([rng.geometric(0.39)]) - np.array([rng.geometric(0.39)])
    scale = 2.0
    if abs(c[0] * 2**54) < 0:
        scale = 1e-6
    return c, np.sum(x) + rng.laplace(0, scale)


# N: a sum that may be int or float, times a condition of numpy's: int64 that wraps at 4 * 2**61; moves by 7 * 2**61.
@A(only_rules=True, data=F, bounds="0:1", d0=np.ones(3), d1=np.ones(4))
def loose_times_condition(x, rng):
    t = 0
    for v in x:
        t += min(int(v), 1.5)
    n = rng.laplace(0, 1.0, size=1)[0]
    k = t * (n > -9.0) * 2**61
    return k + rng.laplace(0, 2.0**61)


# G: numpy.square(n) * 2**49, n = 128: the second wall meets the wrong range.
@A(only_rules=True, **FD)
def exposed_square(x, rng):
    n = rng.geometric(0.02)
    scale = 1.0
    if np.square(n) * 2**49 < 0:
        scale = 1e-6
    return np.sum(x) + rng.laplace(0, scale)


class Forced:
    """A generator with chosen noise; keeps the scales that it is asked for."""

    def __init__(self, **script):
        self.script, self.scales = {name: list(each) for name, each in script.items()}, []

    def _next(self, name, default):
        return self.script[name].pop(0) if self.script.get(name) else default

    def laplace(self, loc=0.0, scale=1.0, size=None):
        self.scales.append(scale)
        noise = self._next("laplace", 0.0)
        return float(loc + noise) if size is None else np.broadcast_to(loc + noise, size).astype(float)

    def geometric(self, p, size=None):
        if size is None:
            return int(self._next("geometric", 1))
        first = self._next("geometric", 1)
        return np.array([first] + [1] * (size - 1), dtype=np.int64)

    def random(self, size=None):
        return np.full(size, 0.5)


WINDOW = dict(d0=dict(laplace=[0.6865]), d1=dict(laplace=[-0.3135]))
"""The first release is 0.6865 on both."""
C513 = dict(d0=dict(geometric=[514, 1]), d1=dict(geometric=[514, 1]))
C512 = dict(d0=dict(geometric=[513, 1]), d1=dict(geometric=[512, 1]))
SHOWN = {
    **dict.fromkeys(
        [
            "number_times_condition_released",
            "dict_get_of_copy",
            "dict_of_dict",
            "dict_of_dict_tuple",
            "matmul_of_three",
            "matmul_shape",
            "concatenate_of_conditions",
            "item_condition_inverted",
            "item_condition_in_doubles",
        ],
        WINDOW,
    ),
    **dict.fromkeys(["concatenate_empty", "concatenate_private", "item_all_of_an_array", "item_of_private"], C513),
    "geo_array_of_doubles": dict(d0=dict(geometric=[514, 1, 1, 1]), d1=dict(geometric=[514, 1, 1, 1])),
    "count_is_python": dict(d0=dict(geometric=[514, 1]), d1=dict(geometric=[513, 1])),
    **dict.fromkeys(["subtract_of_draws", "subtract_of_half", "geo_array_wraps"], C512),
    "concatenate_rows_empty": dict(d0=dict(laplace=[0.6865]), d1=dict(laplace=[-0.3135])),
    "item_only_one": dict(d0=dict(laplace=[512.5]), d1=dict(laplace=[511.5])),
    "exposed_minimum": dict(d0=dict(geometric=[4]), d1=dict(geometric=[4])),
    "exposed_added": dict(d0=dict(geometric=[2**11]), d1=dict(geometric=[2**11])),
    "exposed_square": dict(d0=dict(geometric=[128]), d1=dict(geometric=[128])),
    "exposed_maximum": dict(d0=dict(geometric=[2]), d1=dict(geometric=[2])),
}
"""Noise that both data sets can have (with a positive probability or density): the same released values, and then the
last scale is 1e-6, or the sum itself comes out."""


def demo():
    """Print what the code does on d0 and d1."""
    for name, told in ATTACKS.items():
        for side in ("d0", "d1"):
            rng = Forced(**SHOWN.get(name, {}).get(side, {}))
            with np.errstate(all="ignore"):
                print(name, side, globals()[name](told[side], rng), "scales", rng.scales)


if __name__ == "__main__":
    demo()
