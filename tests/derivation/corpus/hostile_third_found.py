"""Functions whose claims are false, and that the third version proved."""

import collections
import functools
import math

import numpy as np

ATTACKS = {}
EX = [0.2, 0.9, 0.5]
ARR = np.array(EX)
INT = np.array([1, 2, 3])
BOO = np.array([True, False])


def add(f, data, claim="PureDP(epsilon=1)", relation="add-remove", d0=None, d1=None, name=None, **kw):
    ATTACKS[name or f.__name__] = dict(f=f, data=data, claim=claim, relation=relation, pair=(d0, d1), **kw)


def geo_tiny(data, rng):
    return len(data) + rng.geometric(1e-20) - rng.geometric(1e-20)


add(geo_tiny, EX, d0=[1.0], d1=[])


DD = collections.defaultdict(float)


def defdict_branch(data, rng):
    total = 0.0
    for x in data:
        total += DD["big"] if x > 0.5 else 0.0
    return total + rng.laplace(scale=1.0)


DD = collections.defaultdict(float)


add(defdict_branch, EX)


def raw_zero_d(data, rng):
    u = rng.uniform(0, 0, size=())
    keep = u
    for x in data:
        u += min(max(0.0, x), 1.0)
    return keep


add(raw_zero_d, EX, d0=[0.25], d1=[])


def raw_zero_d_sum(data, rng):
    u = rng.uniform(0, 0, size=())
    keep = u
    u += np.clip(np.nan_to_num(data), 0, 1).sum()
    return keep


add(raw_zero_d_sum, ARR, d0=np.array([0.25]), d1=np.array([]))


def loop_public_0d(data, rng):
    u = rng.random(size=())
    keep = u
    for x in data:
        u += min(max(0.0, x), 1.0)
    return keep


add(loop_public_0d, EX, d0=[0.25], d1=[])


def loop_draw_0d(data, rng):
    u = rng.uniform(0, 1, size=())
    keep = (u, 1)
    u += np.clip(np.nan_to_num(data), 0, 1).sum()
    return keep


add(loop_draw_0d, ARR, d0=np.array([0.25]), d1=np.array([]))


def bool_big(data, rng):
    total = 0.0
    for x in data:
        total += 1.0 if x < 2**70 else 0.5
    return total + rng.laplace(scale=1.0)


add(bool_big, BOO, d0=np.array([True]), d1=np.array([], dtype=bool))


def bool_eq_big(data, rng):
    total = 0.0
    for x in data:
        total += 1.0 if x == 2**70 else 0.5
    return total + rng.laplace(scale=1.0)


add(bool_eq_big, BOO, d0=np.array([True]), d1=np.array([], dtype=bool))


def cond_less_big(data, rng):
    total = 0.0
    for x in data:
        total += 1.0 if (x > 0.5) < 2**70 else 0.5
    return total + rng.laplace(scale=1.0)


add(cond_less_big, ARR, d0=np.array([1.0]), d1=np.array([]))


def bool_index(data, rng):
    col = np.clip(np.nan_to_num(data), 0, 1)[:, 0, None, True]
    return col.sum(axis=0) + rng.laplace(scale=1.0, size=(1, 1))


add(bool_index, np.ones((3, 2)), d0=np.array([[1.0, 0.0]] * 3), d1=np.array([[1.0, 0.0]] * 2))


def diff_shape(data, rng):
    s = np.clip(np.nan_to_num(data), 0, 1).sum()
    k = rng.integers(0, 2)
    u = np.clip(np.nan_to_num(np.diff(np.zeros(2) + rng.laplace(scale=1.0, size=2), k)), 0, 1)
    return s * u + rng.laplace(scale=1.0, size=1), u


add(diff_shape, ARR, d0=np.array([1.0]), d1=np.array([]))


def max_axis(data, rng):
    s = np.clip(np.nan_to_num(data), 0, 1).sum()
    k = np.argmax(rng.laplace(scale=1.0, size=2) + np.zeros(2))
    u = np.clip(np.nan_to_num(np.max(np.zeros((1, 3)) + rng.laplace(scale=1.0, size=(1, 3)), k)), 0, 1)
    return s * u + rng.laplace(scale=1.0, size=1), u


add(max_axis, ARR, d0=np.array([1.0]), d1=np.array([]))


def zero_d_noise(data, rng):
    g = rng.laplace(scale=1.0, size=())
    t = g
    g *= 0.001
    return sum(min(max(0.0, x), 1.0) for x in data) + t


add(zero_d_noise, EX, d0=[0.25], d1=[])


def zero_d_random(data, rng):
    u = rng.random(size=())
    v = u
    u *= -0.999
    return sum(min(max(0.0, x), 1.0) for x in data) + rng.laplace(scale=1.0 + v)


add(zero_d_random, EX, d0=[0.25], d1=[])


def store_into_round(data, rng):
    t = 0.0 + rng.laplace(scale=1.0)
    a = np.array([round(t)]) * 1
    a[0] = 0.5
    return sum(min(max(0.0, x), 0.5) for x in data) + rng.laplace(scale=a[0])


add(store_into_round, EX, d0=[0.5], d1=[])


def store_into_floor_div(data, rng):
    t = 0.0 + rng.laplace(scale=1.0)
    a = np.array([int(t) // 2]) * 1
    a[0] = 0.5
    return sum(min(max(0.0, x), 0.5) for x in data) + rng.laplace(scale=a[0])


add(store_into_floor_div, EX, d0=[0.5], d1=[])


def round_is_int(data, rng):
    t = 0.0 + rng.laplace(scale=1.0)
    k = min(5.0, max(1.0, round(t)))
    return (data * k).sum() + rng.laplace(scale=5.0 * 2**40)


add(round_is_int, np.array([1, 2, 3]), bounds=(0, 2**40))


def rounded_k_overflow(data, rng):
    t = 0.0 + rng.laplace(scale=1e10)
    k = round(t) * 10**300
    total = 0.0
    for x in data:
        total += 1.0 if x < k else 0.0
    return total + rng.laplace(scale=1.0)


add(rounded_k_overflow, ARR, d0=np.array([1.0]), d1=np.array([]))


def _root():
    r = 1
    for b in range(3, 64):
        if (r * r + 7) % 2 ** (b + 1):
            r += 2 ** (b - 1)
    for c in (r, -r, r + 2**63, -r + 2**63):
        c %= 2**64
        if (c * c + 7) % 2**64 == 0 and c < 2**62:
            return c
    return r % 2**63


ROOT = _root()


def array_of_public_ints(data, rng):
    t = int(len(data) + rng.laplace(scale=2.0))
    k = min(max(t + ROOT, 0), 2**62)
    a = np.array([k])
    s = (a * a)[0] + 7.001
    return t, sum(min(max(0.0, x), 1.0) for x in data) + rng.laplace() * s


def _root():
    r = 1
    for b in range(3, 64):
        if (r * r + 7) % 2 ** (b + 1):
            r += 2 ** (b - 1)
    for c in (r, -r, r + 2**63, -r + 2**63):
        c %= 2**64
        if (c * c + 7) % 2**64 == 0 and c < 2**62:
            return c
    return r % 2**63


ROOT = _root()


add(array_of_public_ints, EX)


def public_n(data, rng):
    n = len(data)
    a = np.array([n])
    s = 1.0 + (a * a * a)[0]
    return sum(min(max(0.0, x), 1.0) for x in data) / s + rng.laplace(scale=1.0)


add(public_n, EX, relation="replace", claim="PureDP(epsilon=0.5)")


def geometric_is_python_int(data, rng):
    n = len(data) + rng.geometric(0.5) - rng.geometric(0.5)
    high = max(1.0, float(n * 2**62))
    return n, sum(min(max(0.0, x), high) for x in data) + rng.laplace(scale=2.0**63)


add(geometric_is_python_int, EX, claim="PureDP(epsilon=2)")


def exposes_geometric(data, rng):
    k = rng.geometric(0.01) + 0
    high = max(1.0, float(k * 2**62))
    return k, sum(min(max(0.0, x), high) for x in data) + rng.laplace(scale=2.0**63)


add(exposes_geometric, EX)


def pruned_path(data, rng):
    n = len(data) + rng.geometric(0.6) - rng.geometric(0.6)
    out = [n]
    if n * 2**62 > 2.0**63:
        for k in range(100):
            out.append(len(data) + rng.laplace(scale=1.0))
    return out


add(pruned_path, EX)


def int_of_number_sum(data, rng):
    total = sum(min(max(x, 0), 0.5) for x in data)
    return int(total) + rng.laplace(scale=0.5)


add(int_of_number_sum, [1, 2], d0=[1, 1], d1=[1])


def int_of_loose_sum(data, rng):
    total = 0
    for x in data:
        total += min(max(0.0, x), 0.001)
    return int(total) + rng.laplace(scale=0.001)


add(int_of_loose_sum, EX, d0=[1.0] * 1000, d1=[1.0] * 999)


def half_float(data, rng):
    total = 0
    for x in data:
        total += min(max(0.0, x), 0.5)
    return int(total) + rng.laplace(scale=0.5)


add(half_float, EX, d0=[0.5, 0.5], d1=[0.5])


def type_of_released(data, rng):
    total = 0.0
    for x in data:
        total += min(max(0.0, x), 1.0)
    t = total + rng.laplace(scale=1.0)
    return 1.0 / (t * 0.0)


add(type_of_released, ARR, d0=np.array([0.5]), d1=np.array([]))


def type_of_released_int(data, rng):
    total = 0
    for x in data:
        total += min(max(x, 0), 1)
    n = total + rng.geometric(0.6) - rng.geometric(0.6)
    return n * 2**70


add(type_of_released_int, np.array([1, 2, 3]), d0=np.array([1]), d1=np.array([], dtype=int), claim="PureDP(epsilon=1)")


def noisy_mean(data, rng):
    s = sum(min(max(0.0, x), 1.0) for x in data) + rng.laplace(scale=2.0)
    n = len(data) + rng.laplace(scale=2.0)
    return s / max(0.0, n)


add(noisy_mean, ARR, d0=np.array([0.5]), d1=np.array([]))


def float_square_overflow(data, rng):
    t = sum(np.clip(x, 0.0, 1.0) for x in data if x == x) + rng.laplace(scale=1.0)
    return (t * 1e300) ** 2


add(float_square_overflow, EX, d0=[0.5], d1=[])


def cond_times(data, rng):
    total = 0.0
    for x in data:
        total += min(max(0.0, x), 1.0)
    t = total + rng.laplace(scale=1.0)
    return (t > -1000.0) * 2**62 * 4


add(cond_times, ARR, d0=np.array([0.5]), d1=np.array([]))


def floor_div(data, rng):
    total = 0.0
    for x in data:
        total += min(max(0.0, x), 1.0)
    t = total + rng.laplace(scale=1.0)
    return t // 0.0


add(floor_div, ARR, d0=np.array([0.5]), d1=np.array([]))


def geo_times(data, rng):
    total = 0
    for x in data:
        total += 1 if x > 0 else np.int64(0)
    n = total + rng.geometric(0.6) - rng.geometric(0.6)
    return n * 2**62 * 4


add(geo_times, ARR, d0=np.array([0.5]), d1=np.array([-0.5]))


def float_of_number(data, rng):
    return sum(max(float(min(x, 1.0)), 0.0) for x in data) + rng.laplace(scale=1.0)


add(float_of_number, [1, 2], d0=[-(10**400)], d1=[])


def asarray_of_number(data, rng):
    a = np.asarray([min(x, 1.0) for x in data], dtype=float)
    return np.maximum(a, 0.0).sum() + rng.laplace(scale=1.0)


add(asarray_of_number, [1, 2], d0=[-(10**400)], d1=[])


def np_float_of_number(data, rng):
    return sum(max(np.float64(min(x, 1.0)), 0.0) for x in data) + rng.laplace(scale=1.0)


add(np_float_of_number, [1, 2], d0=[-(10**400)], d1=[])


def min_with_numpy_float(data, rng):
    one = np.float64(1.0)
    return sum(max(min(x, one), 0) for x in data) + rng.laplace(scale=1.0)


add(min_with_numpy_float, [1, 2], d0=[10**400], d1=[])


def max_zip(data, rng):
    return sum(max(min(a, b), 0) for a, b in zip(data["a"], data["b"])) + rng.laplace(scale=1.0)


add(
    max_zip,
    {"a": [1, 2], "b": np.array([0.5, 1.0])},
    bounds={"b": (0, 1)},
    d0={"a": [10**400], "b": np.array([1.0])},
    d1={"a": [], "b": np.array([])},
)


def bool_compare(data, rng):
    b = np.isnan(np.float64(0.0))
    return sum(1 for x in data if x < b) + rng.laplace(scale=1.0)


add(bool_compare, [1, 2], d0=[10**400], d1=[])


def bool_equal(data, rng):
    b = np.isnan(np.float64(0.0))
    return sum(1 for x in data if x == b) + rng.laplace(scale=1.0)


add(bool_equal, [1, 2], d0=[10**400], d1=[])


def bool_compare_zip(data, rng):
    return sum(1 for x, b in zip(data["a"], data["b"]) if x < b) + rng.laplace(scale=1.0)


add(
    bool_compare_zip,
    {"a": [1, 2], "b": np.array([True, False])},
    d0={"a": [10**400], "b": np.array([True])},
    d1={"a": [], "b": np.array([], dtype=bool)},
)


def reversed_zip(data, rng):
    total = 0.0
    for x in data:
        for k in reversed(enumerate([1.0])):
            pass
        total += 1.0
    return total + rng.laplace(scale=1.0)


add(reversed_zip, EX, d0=[1.0], d1=[])


def concat_iter(data, rng):
    total = np.zeros(2)
    for x in data:
        total += np.clip(np.concatenate([[x], reversed([1.0])]), 0, 1)
    return total + rng.laplace(scale=2.0, size=2)


add(concat_iter, EX, bounds=(0, 1), d0=[1.0], d1=[])


def concat_dict(data, rng):
    total = np.zeros(2)
    for x in data:
        total += np.clip(np.concatenate([[x], {1: 0.0}]), 0, 1)
    return total + rng.laplace(scale=2.0, size=2)


add(concat_dict, EX, bounds=(0, 1), d0=[1.0], d1=[])


D = collections.defaultdict(float)


def default_dict(data, rng):
    total = 0.0
    for x in data:
        total += 1.0 + D["seen"]
    return total + rng.laplace(scale=1.0)


add(default_dict, EX)


class Pt(tuple):
    def __getitem__(self, k):
        SEEN.append(k)
        return 1.0


SEEN = []
PT = Pt((1.0,))


def tuple_logs(data, rng):
    total = 0.0
    for x in data:
        total += PT[0] if x > 0.5 else 1.0
    return total + rng.laplace(scale=1.0)


add(tuple_logs, EX)


class Like:
    dtype = np.dtype("bool")

    def __hash__(self):
        return hash(float)

    def __eq__(self, o):
        return o is float


LIKE = Like()


def dtype_equal(data, rng):
    x = np.clip(np.nan_to_num(data), 0, 0.001)
    return x.astype(LIKE).sum() + rng.laplace(scale=0.001)


add(dtype_equal, ARR, d0=np.array([0.5]), d1=np.array([]))


class Step(int):
    def __eq__(self, o):
        return True

    __hash__ = int.__hash__


STEP = Step(2)


def step_slice(data, rng):
    x = np.clip(np.nan_to_num(data), 0, 1)
    return x[::STEP].sum() + rng.laplace(scale=1.0)


add(step_slice, ARR, d0=np.array([0.0, 1.0] * 50), d1=np.array([1.0, 0.0] * 49 + [1.0]))


class Three(int):
    def __int__(self):
        return 1


THREE = Three(1000)


def size_subclass(data, rng):
    x = np.clip(np.nan_to_num(data), 0, 1)
    return x.sum() + rng.laplace(scale=1.0, size=THREE)


add(size_subclass, ARR, d0=np.array([1.0]), d1=np.array([]))


class Flip(float):
    calls = 0

    def __gt__(self, o):
        Flip.calls += 1
        return Flip.calls < 50


FLIP = Flip(1000.0)


def stateful_min(data, rng):
    return sum(min(FLIP, 1.0, max(0.0, x)) for x in data) + rng.laplace(scale=1.0)


add(stateful_min, EX, d0=[1.0], d1=[])


class Scales(list):
    n = 0

    def __getitem__(self, p):
        Scales.n += 1
        return 1.0 if Scales.n < 20 else 0.001


SC = Scales([1.0])


def stateful_list(data, rng):
    return sum(min(max(0.0, x), 1.0) for x in data) + rng.laplace(scale=SC[0])


add(stateful_list, EX)


class Slot(np.float64):
    __module__ = "numpy"
    n = 0

    def __mul__(self, o):
        Slot.n += 1
        return 1.0 if Slot.n < 10 else 0.001


SLOT = Slot(1.0)


def module_numpy(data, rng):
    return sum(min(max(0.0, x), 1.0) for x in data) + rng.laplace(scale=SLOT * 1.0)


add(module_numpy, EX)


class KWs(dict):
    n = 0

    def keys(self):
        KWs.n += 1
        return dict.keys(self)

    def __iter__(self):
        return dict.__iter__(self)

    def __getitem__(self, k):
        KWs.n += 1
        return 1.0 if KWs.n < 20 else 0.001


KWS = KWs(scale=1.0)


def kwargs_subclass(data, rng):
    return sum(min(max(0.0, x), 1.0) for x in data) + rng.laplace(**KWS)


add(kwargs_subclass, EX)


FUNCTIONS = {name: asked.pop("f") for name, asked in ATTACKS.items()}
for asked in ATTACKS.values():
    asked.pop("pair", None)
