"""Attacks of the twenty-first reading (kernel and seam) that stop or are above the claim, or whose proofs are true (`TRUE`).

Beside them 15,000 random programs and 3,000 mutations of this corpus were read, each proof held against runs of the code.
"""

import collections
import dataclasses
import enum
import functools
import math
import typing

import numpy as np

import dpverify as dpv

ATTACKS = {}
TRUE = ("sgd_momentum", "b_matmul", "xy_sigmoid", "private_matmul")
BY_RUNS = ("declared_negative", "neg_always", "neg_window", "neg_far", "neg_near")
"""Stopped by the second wall alone: proofs/noise.py:174 (_check_scale) takes the size of a scale."""


def A(claim="PureDP(epsilon=1)", **k):
    def d(f):
        ATTACKS[f.__name__] = dict(claim=claim, **k)
        return f

    return d


# part 1
F = np.array([0.5, 1.0])
L = [0.5, 1.0]
I = np.array([1, 2])
LI = [1, 2]
X = np.array([[0.5, 1.0], [0.25, 0.5]])
FD = dict(data=F, bounds="0:1", d0=np.array([]), d1=np.array([1.0]))
LD = dict(data=L, bounds="0:1", d0=[], d1=[1.0])
FA = dict(data=F, d0=np.array([]), d1=np.array([1.0]))
XD = dict(data=X, bounds="0:1", d0=np.zeros((0, 2)), d1=np.array([[1.0, 1.0]]))
RD = dict(data=[{"x": 0.5, "g": "a"}, {"x": 1.0, "g": "b"}], records="{'x': float(0,1), 'g': choice('a','b')}")


# ---- structs, star args
@A(**XD)
def star_items(X, rng):
    a, *b = X[0]
    return a


@A(**LD)
def star_kw(x, rng):
    def g(*a, **k):
        return sum(a) + k.get("z", 0.0)

    t = 0.0
    for v in x:
        t += g(v, v, z=v)
    return t + rng.laplace(0, 2.0)


@A(**LD)
def star_kw2(x, rng):
    def g(a, b=0.0, *c, d=1.0, **k):
        return a + b + sum(c) + d * k["q"]

    t = 0.0
    for v in x:
        t += g(v, v, v, v, d=2.0, q=v)
    return t + rng.laplace(0, 5.0)


@A(**LD)
def kw_dict_reuse(x, rng):
    k = {"b": 1.0}

    def g(a, **kk):
        return a * kk["b"]

    t = 0.0
    for v in x:
        t += g(v, **k)
    k["b"] = 100.0
    u = 0.0
    for v in x:
        u += g(v, **k)
    return u + rng.laplace(0, 1.0)


@A(**LD)
def default_late(x, rng):
    s = 1.0

    def g(v, s=s):
        return v * s

    s = 100.0

    def h(v):
        return v * s

    return sum(h(v) for v in x) + rng.laplace(0, 1.0)


@A(**LD)
def lambda_late(x, rng):
    fs = [lambda v: v * k for k in (1.0, 100.0)]
    return sum(fs[0](v) for v in x) + rng.laplace(0, 1.0)


@A(**LD)
def lambda_dict(x, rng):
    fs = {k: (lambda v: v * k) for k in (1, 100)}
    return sum(fs[1](v) for v in x) + rng.laplace(0, 1.0)


@A(**LD)
def lambda_loop(x, rng):
    fs = []
    for k in (1.0, 100.0):
        fs.append(lambda v: v * k)
    return sum(fs[0](v) for v in x) + rng.laplace(0, 1.0)


class C:
    w = 1.0

    def __init__(self):
        self.v = 1.0

    def g(self, x):
        return x * self.w


class C2(C):
    w = 100.0


c2 = C2()


@A(**LD)
def class_attr(x, rng):
    return sum(c2.g(v) for v in x) + rng.laplace(0, 1.0)


class C3:
    w = 100.0

    def __init__(self):
        self.w = 1.0


c3 = C3()
del c3.w


@A(**LD)
def class_attr_deleted(x, rng):
    return sum(v * c3.w for v in x) + rng.laplace(0, 1.0)


# ---- noise
@A(**FD)
def noise_mean(x, rng):
    n = rng.laplace(0, 1.0, size=4)
    return np.sum(x) + np.mean(n)


@A(**FD)
def noise_sum_weighted(x, rng):
    n = rng.laplace(0, 1.0, size=2)
    return np.sum(x) + n[0] * 0.5 + n[1] * 0.5


@A(**FD)
def noise_min(x, rng):
    n = rng.laplace(0, 1.0)
    m = rng.laplace(0, 1.0)
    return np.sum(x) + min(n, m)


@A(**FD)
def noise_where(x, rng):
    n = rng.laplace(0, 1.0)
    return np.sum(x) + (n if n > 0 else 0.0)


@A(**FD)
def noise_twice_views(x, rng):
    n = rng.laplace(0, 1.0, size=3)
    s = np.array([np.sum(x), 0.0, 0.0])
    return s + n, n[1]


@A(**FD)
def noise_twice_views2(x, rng):
    n = rng.laplace(0, 1.0, size=2)
    a = np.sum(x) + n[0]
    b = np.sum(x) * 2 + n[::-1][1]
    return a, b


@A(**FD)
def noise_T(x, rng):
    n = rng.laplace(0, 2.0, size=(2, 2))
    a = np.sum(x) + n[0, 1]
    b = np.sum(x) + n.T[1, 0]
    return a, b


@A(**FD)
def noise_spread(x, rng):
    s = np.sum(x)
    return s + rng.laplace(0, 1.0, size=3)


@A(**FD)
def noise_spread_loc(x, rng):
    return rng.laplace(np.sum(x), 1.0, size=(3,))


@A(**FD)
def noise_scale_arr(x, rng):
    s = np.sum(x)
    return np.array([s, s]) + rng.laplace(0, np.array([1.0, 1.0]))


@A(**FD)
def noise_scale_arr2(x, rng):
    s = np.sum(x)
    return rng.laplace(np.array([s, s]), np.array([1.5, 2.9]))


@A(**FD)
def noise_scale_broadcast(x, rng):
    s = np.sum(x)
    return rng.laplace(s, np.array([2.0, 1.9]))


@A(**FD)
def noise_div(x, rng):
    return np.sum(x) + rng.laplace(0, 1.0) / 2.0


@A(**FD)
def noise_div_public(x, rng):
    r = np.sum(x) + rng.laplace(0, 2.0)
    k = min(max(r, 1.0), 4.0)
    return r, np.sum(x) + rng.laplace(0, 2.0) / k


@A(**FD)
def noise_mul_neg(x, rng):
    r = np.sum(x) + rng.laplace(0, 2.0)
    k = min(max(r, -4.0), 4.0)
    return r, np.sum(x) + rng.laplace(0, 2.0) * k


@A(**FD)
def noise_scale_path(x, rng):
    r = np.sum(x) + rng.laplace(0, 2.0)
    if r > 3:
        sc = 2.0
    elif r > 2.99:
        sc = 1.0
    else:
        sc = 2.0
    return r, np.sum(x) + rng.laplace(0, sc)


@A(**FD)
def noise_path_narrow(x, rng):
    r = np.sum(x) + rng.laplace(0, 2.0)
    sc = 2.0
    if 3.0 < r < 3.0000001:
        sc = 0.1
    return r, np.sum(x) + rng.laplace(0, sc)


@A(**FD)
def noise_path_sum(x, rng):
    r = np.sum(x) + rng.laplace(0, 2.0)
    if r > 0:
        return r, np.sum(x) + rng.laplace(0, 2.0)
    q = np.sum(x) + rng.laplace(0, 2.0)
    return r, q, np.sum(x) + rng.laplace(0, 20.0)


@A(**FD)
def geometric_float(x, rng):
    n = len(x)
    return n + rng.geometric(0.7) - rng.geometric(0.7)


@A(**FD)
def geometric_diffp(x, rng):
    n = len(x)
    return n + rng.geometric(0.5) - rng.geometric(0.6)


@A(**FD)
def geometric_same(x, rng):
    n = len(x)
    g = rng.geometric(0.5)
    return n + g - g


@A(**FD)
def geometric_one(x, rng):
    return len(x) + rng.geometric(0.5)


@A(**FD)
def geometric_arr(x, rng):
    h = np.histogram(x, bins=[0.0, 0.5, 1.0])[0]
    g = rng.geometric(np.array([0.5, 0.7]))
    return h + g - rng.geometric(np.array([0.5, 0.7]))


@A(**FD)
def geometric_perm(x, rng):
    h = np.histogram(x, bins=[0.0, 0.5, 1.0])[0]
    p = np.array([0.5, 0.7])
    g = rng.geometric(p)
    q = rng.geometric(p)
    return h + g - q[::-1]


@A(claim="GDP(mu=1)", **FD)
def gauss_twice(x, rng):
    n = rng.normal(0, 1.0)
    s = np.sum(x)
    return s + n, 2 * s + n


@A(claim="GDP(mu=1)", **FD)
def gauss_adapt(x, rng):
    r = np.sum(x) + rng.normal(0, 1.5)
    if r > 0:
        return r, np.sum(x) + rng.normal(0, 1.3)
    return r, np.sum(x) + rng.normal(0, 1.34)


@A(claim="ApproxDP(epsilon=1,delta=1e-6)", **FD)
def approx_mix(x, rng):
    r = np.sum(x) + rng.laplace(0, 1.0)
    return r, np.sum(x) + rng.normal(0, 1e4)


@A(claim="ZCDP(rho=0.5)", **FD)
def zcdp_vec_lap(x, rng):
    s = np.sum(x)
    return np.array([s, s]) + rng.laplace(0, 1.0, size=2)


@A(claim="RDP(order=2,epsilon=1)", **FD)
def rdp_lap(x, rng):
    return np.sum(x) + rng.laplace(0, 0.9)


@A(claim="GDP(mu=1)", data=F, bounds="0:1")
def gauss_none(x, rng):
    return np.sum(x) + rng.normal(0, 0.99)


UD = dict(data={"u": [1, 1, 2], "x": [0.1, 0.2, 0.3]}, bounds="x=0:1,u=0:9", unit="u", most_per_unit=3)


@A(claim="GDP(mu=1)", **UD)
def unit_gauss(d, rng):
    return sum(d["x"]) + rng.normal(0, 2.9)


@A(claim="ZCDP(rho=0.5)", **UD)
def unit_zcdp(d, rng):
    return sum(d["x"]) + rng.normal(0, 2.9)


@A(claim="PureDP(epsilon=1)", **UD)
def unit_hist(d, rng):
    c = [0, 0]
    for v in d["x"]:
        c[0 if v < 0.5 else 1] += 1
    return [each + rng.laplace(0, 2.9) for each in c]


@A(claim="PureDP(epsilon=1)", **UD)
def unit_of_user(d, rng):
    t = 0.0
    for u, v in zip(d["u"], d["x"]):
        if u == 1:
            t += v
    return t + rng.laplace(0, 2.0)


@A(claim="PureDP(epsilon=1)", data=F, bounds="0:1", relation="replace")
def repl_mean(x, rng):
    return np.mean(x) + rng.laplace(0, 0.9 / len(x))


@A(claim="PureDP(epsilon=1)", data=F, bounds="0:1", relation="replace")
def repl_mean2(x, rng):
    n = len(x)
    return np.sum(x) / n + rng.laplace(0, 1.0 / (n * n)) * n * 0.99


@A(claim="PureDP(epsilon=1)", data=F, bounds="0:1", relation="replace")
def repl_count(x, rng):
    return len(x[x > 0.5]) + rng.laplace(0, 0.99)


@A(claim="PureDP(epsilon=1)", data=F, bounds="0:1", relation="replace")
def repl_hist(x, rng):
    return np.histogram(x, bins=[0, 0.5, 1.0])[0] + rng.laplace(0, 1.99, size=2)


@A(claim="PureDP(epsilon=1)", data=F, bounds="0:1", relation="replace")
def repl_size_cond(x, rng):
    if len(x) == 17:
        return np.sum(x) + rng.laplace(0, 0.5)
    return np.sum(x) + rng.laplace(0, 1.0)


@A(claim="PureDP(epsilon=1)", data=F, bounds="0:1", relation="replace")
def repl_size_mod(x, rng):
    n = len(x)
    sc = 1.0
    if n - 100000 == 3:
        sc = 0.5
    return np.sum(x) + rng.laplace(0, sc)


@A(claim="PureDP(epsilon=1)", data=F, bounds="0:1", relation="replace")
def repl_var(x, rng):
    m = np.mean(x) + rng.laplace(0, 2.0 / len(x))
    m = min(max(m, 0.0), 1.0)
    return m, np.mean((x - m) ** 2) + rng.laplace(0, 1.9 / len(x))


@A(claim="PureDP(epsilon=1)", data=F, bounds="0:1", relation="replace")
def repl_gauss(x, rng):
    return np.mean(x) + rng.normal(0, 1.0)


@A(claim="GDP(mu=1)", data=X, bounds="0:1", relation="replace")
def repl_gauss2(x, rng):
    return np.mean(x, axis=0) + rng.normal(0, 1.4 / len(x), size=2)


# part 2
F = np.array([0.5, 1.0])
L = [0.5, 1.0]
I = np.array([1, 2])
LI = [1, 2]
X = np.array([[0.5, 1.0], [0.25, 0.5]])
FD = dict(data=F, bounds="0:1", d0=np.array([]), d1=np.array([1.0]))
LD = dict(data=L, bounds="0:1", d0=[], d1=[1.0])
FA = dict(data=F, d0=np.array([]), d1=np.array([1.0]))
LA = dict(data=L, d0=[], d1=[1.0])
IA = dict(data=I)
LIA = dict(data=LI)
XD = dict(data=X, bounds="0:1", d0=np.zeros((0, 2)), d1=np.array([[1.0, 1.0]]))


# enum / dataclass / NamedTuple / partialmethod / property objects
class Color(enum.Enum):
    RED = 1
    BLUE = 100


class IColor(enum.IntEnum):
    RED = 1
    BLUE = 100


@A(**LD)
def int_enum(x, rng):
    return sum(v * IColor.BLUE for v in x) + rng.laplace(0, 1.0)


@A(**LD)
def enum_value(x, rng):
    return sum(v * Color.BLUE.value for v in x) + rng.laplace(0, 1.0)


@dataclasses.dataclass
class Conf:
    k: float = 100.0
    tags: list = dataclasses.field(default_factory=list)

    @property
    def twice(self):
        return 2 * self.k


conf = Conf()


@A(**LD)
def dataclass_attr(x, rng):
    return sum(v * conf.k for v in x) + rng.laplace(0, 1.0)


@A(**LD)
def dataclass_made(x, rng):
    c = Conf(k=100.0)
    return sum(v * c.k for v in x) + rng.laplace(0, 1.0)


@A(**LD)
def dataclass_list(x, rng):
    for v in x:
        conf.tags.append(v)
    return len(x) + rng.laplace(0, 1.0)


@A(**LD)
def dataclass_prop(x, rng):
    return sum(v * conf.twice for v in x) + rng.laplace(0, 199.0)


class NT(typing.NamedTuple):
    a: float = 1.0
    b: float = 100.0


nt = NT()


@A(**LD)
def namedtuple_attr(x, rng):
    return sum(v * nt.b for v in x) + rng.laplace(0, 1.0)


@A(**LD)
def namedtuple_item(x, rng):
    return sum(v * nt[1] for v in x) + rng.laplace(0, 1.0)


# tables of functions
TABLE = {
    "one": lambda v: v,
    "big": lambda v: v * 100.0,
}


@A(**LD)
def table(x, rng):
    return sum(TABLE["big"](v) for v in x) + rng.laplace(0, 1.0)


@A(**LD)
def table_get(x, rng):
    return sum(TABLE.get("big", TABLE["one"])(v) for v in x) + rng.laplace(0, 1.0)


@A(**LD)
def table_items(x, rng):
    t = 0.0
    for name, g in TABLE.items():
        t += sum(g(v) for v in x)
    return t + rng.laplace(0, 100.0)


@A(**LD)
def table_changed(x, rng):
    tab = {"a": lambda v: v}
    tab["a"] = lambda v: v * 100.0
    return sum(tab["a"](v) for v in x) + rng.laplace(0, 1.0)


@A(**LD)
def table_in_loop(x, rng):
    tab = {"a": lambda v: v}
    for v in x:
        tab["a"] = lambda u: u * 100.0
    return sum(tab["a"](v) for v in x) + rng.laplace(0, 1.0)


@A(**LD)
def func_rebound_in_loop(x, rng):
    g = lambda u: 0.0 * u
    for v in x:
        g = lambda u: u
    return sum(g(v) for v in x) + rng.laplace(0, 0.5)


@A(**LD)
def func_def_in_loop(x, rng):
    def g(u):
        return 0.0

    t = 0.0
    for v in x:
        t += g(v)

        def g(u):
            return u

    return t + rng.laplace(0, 0.5)


# order-dependent
@A(**LD)
def prev_diff(x, rng):
    prev = 0.0
    t = 0.0
    for v in x:
        t += abs(v - prev)
        prev = v
    return t + rng.laplace(0, 1.0)


@A(**LD)
def counter_weight(x, rng):
    n = 0
    t = 0.0
    for v in x:
        n += 1
        t += v * n
    return t + rng.laplace(0, 1.0)


@A(**LD)
def counter_even(x, rng):
    n = 0
    t = 0.0
    for v in x:
        if n % 2 == 0:
            t += v
        n += 1
    return t + rng.laplace(0, 1.0)


@A(**LD)
def first_only(x, rng):
    seen = False
    t = 0.0
    for v in x:
        if not seen:
            t += v
        seen = True
    return t + rng.laplace(0, 0.5)


@A(**LD)
def toggles(x, rng):
    s = 1.0
    t = 0.0
    for v in x:
        t += s * v
        s = -s
    return t + rng.laplace(0, 1.0)


@A(**LD)
def running_max(x, rng):
    m = 0.0
    for v in x:
        m = max(m, v)
    return m + rng.laplace(0, 1.0)


@A(**LD)
def running_list_index(x, rng):
    c = [0, 0]
    j = 0
    for v in x:
        c[j] += 1
        j = 1 - j
    return [u + rng.laplace(0, 1.0) for u in c]


@A(**LD)
def running_list_move(x, rng):
    c = [0, 0]
    for v in x:
        c[0] += 1
        c[1] += c[0]
    return [u + rng.laplace(0, 2.0) for u in c]


@A(**LD)
def running_list_rev(x, rng):
    c = [0.0, 0.0]
    for v in x:
        c[0] += v
        c = c[::-1]
    return [u + rng.laplace(0, 1.0) for u in c]


@A(**LD)
def running_tuple(x, rng):
    st = (0.0, 0.0)
    for v in x:
        st = (st[0] + v, st[1] + st[0])
    return st[1] + rng.laplace(0, 1.0)


@A(**LD)
def running_swap(x, rng):
    a = 0.0
    b = 0.0
    for v in x:
        a, b = b + v, a
    return a + rng.laplace(0, 1.0), b + rng.laplace(0, 1.0)


@A(**LD)
def running_alias(x, rng):
    a = 0.0
    b = 0.0
    for v in x:
        b = a
        a += v
    return a + rng.laplace(0, 2.0), b + rng.laplace(0, 2.0)


@A(**LD)
def running_in_helper(x, rng):
    t = 0.0

    def add(v):
        return t + v

    for v in x:
        t = add(v)
        t = add(v)
    return t + rng.laplace(0, 1.0)


@A(**LD)
def running_cells_helper(x, rng):
    c = [0.0]

    def add(v):
        c[0] = c[0] + v

    for v in x:
        c[0] += 0.0
        add(v)
        add(v)
    return c[0] + rng.laplace(0, 1.0)


@A(**LD)
def running_cells_replace(x, rng):
    c = [0.0, 0.0]
    for v in x:
        c[0] = v
    return c[0] + rng.laplace(0, 1.0)


@A(**LD)
def running_cells_old(x, rng):
    c = [0.0]
    for v in x:
        old = c[0]
        c[0] = old + v
        c[0] = old + v + v
    return c[0] + rng.laplace(0, 1.0)


@A(**LD)
def running_np(x, rng):
    c = np.zeros(2)
    for v in x:
        c[0] += v
        c[1] += v
    return c + rng.laplace(0, 1.9, size=2)


@A(**LD)
def running_np_neg_index(x, rng):
    c = np.zeros(2)
    for v in x:
        c[-1] += v
        c[1] += v
    return c + rng.laplace(0, 1.9, size=2)


@A(**LD)
def running_np2(x, rng):
    c = np.zeros((2, 2))
    for v in x:
        c[0 if v > 0.5 else 1, int(min(max(v * 2, 0), 1))] += 1
        c[0] += v
    return c + rng.laplace(0, 2.0, size=(2, 2))


@A(**LD)
def running_np_slice(x, rng):
    c = np.zeros(4)
    for v in x:
        c[:2] += v
    return c + rng.laplace(0, 1.0, size=4)


@A(**LD)
def running_np_view(x, rng):
    c = np.zeros(4)
    d = c[:2]
    for v in x:
        c += v
    return d + rng.laplace(0, 1.0, size=2), c + rng.laplace(0, 1e6, size=4)


@A(**LD)
def running_np_alias_after(x, rng):
    c = np.zeros(2)
    for v in x:
        c += v
        d = c
    return d + rng.laplace(0, 1.0, size=2)


@A(**LD)
def appended_twice(x, rng):
    l = []
    for v in x:
        l.append(v)
        if v > 0.5:
            l.append(v)
    return sum(l) + rng.laplace(0, 1.0)


@A(**LD)
def appended_two_loops(x, rng):
    l = []
    for v in x:
        l.append(v)
    for v in x:
        l.append(v)
    return sum(l) + rng.laplace(0, 1.0)


@A(**LD)
def appended_in_epochs(x, rng):
    l = []
    for k in range(2):
        for v in x:
            l.append(v)
    return sum(l) + rng.laplace(0, 1.0)


@A(**LD)
def appended_nested_list(x, rng):
    l = [[], []]
    for v in x:
        l[0 if v > 0.5 else 1].append(v)
    return [sum(k) + rng.laplace(0, 0.5) for k in l]


@A(**LD)
def appended_helper(x, rng):
    l = []

    def put(v):
        l.append(v)

    for v in x:
        put(v)
        l.append(v)
    return sum(l) + rng.laplace(0, 1.0)


@A(**LD)
def appended_public(x, rng):
    r = sum(x) + rng.laplace(0, 2.0)
    l = [r]
    for v in x:
        l.append(v)
    return r, sum(l) + rng.laplace(0, 1.0)


@A(**LD)
def grown_zip(x, rng):
    l = []
    for v in x:
        l.append(v * 2)
    return sum(a * b for a, b in zip(x, l)) + rng.laplace(0, 1.0)


@A(**LD)
def grown_zip_filtered(x, rng):
    l = [v for v in x if v > 0.5]
    return sum(a * b for a, b in zip(x, l)) + rng.laplace(0, 1.0)


@A(**LD)
def zip_self_used(x, rng):
    z = zip(x, x)
    t = 0.0
    for a, b in z:
        t += a
    for a, b in z:
        t += 100 * a
    return t + rng.laplace(0, 1.0)


@A(**LD)
def zip_in_while(x, rng):
    z = zip(x, x)
    t = 0.0
    for k in range(2):
        for a, b in z:
            t += a
    return t + rng.laplace(0, 1.0)


# sorted and ranks
@A(**FD)
def ranks(x, rng):
    return np.sum(np.argsort(x)) + rng.laplace(0, 1.0)


@A(**FD)
def median(x, rng):
    return np.median(x) + rng.laplace(0, 1.0)


@A(**FD)
def sort_weight(x, rng):
    s = np.sort(x)
    return np.sum(s[:3]) + rng.laplace(0, 1.0)


@A(**FD)
def cumsum_last(x, rng):
    return np.cumsum(x)[-1] + rng.laplace(0, 1.0)


@A(**FD)
def diffs(x, rng):
    return np.sum(np.diff(x)) + rng.laplace(0, 1.0)


@A(**FD)
def unique(x, rng):
    return len(np.unique(x)) + rng.laplace(0, 1.0)


@A(**LD)
def set_len(x, rng):
    return len(set(x)) + rng.laplace(0, 1.0)


@A(**LD)
def dict_of(x, rng):
    d = {v: 1 for v in x}
    return len(d) + rng.laplace(0, 1.0)


@A(**LD)
def counter(x, rng):
    return collections.Counter(x)[0.5] + rng.laplace(0, 1.0)


# two pass / windows
@A(**FD)
def two_pass_clip_div(x, rng):
    n = len(x) + rng.laplace(0, 2.0)
    n = max(n, 1.0)
    m = (np.sum(x) + rng.laplace(0, 2.0)) / n
    m = min(max(m, 0.0), 1.0)
    return m, np.sum((x - m) ** 2) + rng.laplace(0, 1.0)


@A(**FD)
def two_pass_div(x, rng):
    n = len(x) + rng.laplace(0, 4.0)
    k = min(max(n, 0.25), 10.0)
    return n, np.sum(x / k) + rng.laplace(0, 4.0 / 3 * 0.99)


@A(**FD)
def two_pass_scaled(x, rng):
    n = len(x) + rng.laplace(0, 4.0)
    k = min(max(n, 0.25), 10.0)
    return n, np.sum(x) / k + rng.laplace(0, 1.0 / k)


@A(**FD)
def min_window(x, rng):
    r = float(np.sum(x) + rng.laplace(0, 2.0))
    w = max(0.0, min(r - 3.0, 3.0000001 - r)) * 2e7
    w = min(w, 1.0)
    return r, np.sum(x * (1.0 + w)) + rng.laplace(0, 2.0)


@A(**FD)
def min_window_scale(x, rng):
    r = float(np.sum(x) + rng.laplace(0, 2.0))
    w = max(0.0, min(r - 3.0, 3.0000001 - r)) * 2e7
    w = min(w, 0.5)
    return r, np.sum(x) + rng.laplace(0, 2.0 - w)


@A(**FD)
def min_window_record(x, rng):
    t = 0.0
    for v in x:
        w = max(0.0, min(v - 0.3, 0.3000001 - v)) * 2e7
        t += min(w, 1.0) * 10.0
    return t + rng.laplace(0, 1.0)


@A(**FD)
def clip_first_train(x, rng):
    w = 0.0
    for k in range(3):
        g = 0.0
        for v in x:
            g += max(-1.0, min(1.0, (w - v) * 2.0))
        w = min(max(w - 0.1 * (g + rng.laplace(0, 2.9)), -1.0), 1.0)
    return w


@A(claim="GDP(mu=1)", **XD)
def sgd(X, rng):
    w = np.zeros(2)
    for k in range(4):
        g = np.zeros(2)
        for row in X:
            e = np.sum(row * w) - row[0]
            v = row * e
            g += v / max(1.0, np.linalg.norm(v))
        w = np.clip(w - 0.1 * (g + rng.normal(0, 1.99, size=2)), -1.0, 1.0)
    return w


@A(claim="GDP(mu=1)", **XD)
def sgd_momentum(X, rng):
    w = np.zeros(2)
    mom = np.zeros(2)
    for k in range(4):
        g = np.sum(X * w, axis=0)
        mom = 0.9 * mom + g
        w = np.clip(w - 0.1 * (mom + rng.normal(0, 1e3, size=2)), -1.0, 1.0)
    return w


@A(claim="GDP(mu=1)", **XD)
def sgd_norm_of_sum(X, rng):
    g = np.sum(X, axis=0)
    g = g / max(1.0, np.linalg.norm(g))
    return g + rng.normal(0, 2.0, size=2)


@A(claim="GDP(mu=1)", **XD)
def clip_batch_mean(X, rng):
    g = X / np.maximum(1.0, np.linalg.norm(X, axis=0))
    return np.sum(g, axis=0) + rng.normal(0, 1.5, size=2)


@A(claim="GDP(mu=1)", **XD)
def clip_l1(X, rng):
    g = X / np.maximum(1.0, np.sum(np.abs(X), axis=1))[:, None]
    return np.sum(g, axis=0) + rng.laplace(0, 0.99, size=2)


# part 3
F = np.array([0.5, 1.0])
L = [0.5, 1.0]
I = np.array([1, 2])
LI = [1, 2]
X = np.array([[0.5, 1.0], [0.25, 0.5]])
FD = dict(data=F, bounds="0:1")
LD = dict(data=L, bounds="0:1")
FA = dict(data=F)
LA = dict(data=L)
IA = dict(data=I)
LIA = dict(data=LI)
XD = dict(data=X, bounds="0:1")
BD = dict(data=np.array([True, False]))
LB = dict(data=[True, False])
OWN = np.random.default_rng(3)


@dpv.noise_primitive(law="laplace")
def lap(value, scale):
    return value + OWN.laplace(0, scale, size=np.shape(value) or None)


@dpv.noise_primitive(law="laplace", value_arg="v", scale_arg="b")
def lap2(b=1.0, *, v=0.0, note="x", k=1):
    return v + OWN.laplace(0, b, size=np.shape(v) or None)


@dpv.noise_primitive(law="gaussian")
def gau(value, scale, times=1):
    for _ in range(times):
        value = value + OWN.normal(0, scale, size=np.shape(value) or None)
    return value


@A(**FD)
def declared_private_scale(x):
    return float(lap(float(np.sum(x)), float(np.sum(x)) + 1.0))


@A(**FD)
def declared_swapped(x):
    return float(lap(1.0, float(np.sum(x))))


@A(**FD)
def declared_kw_swapped(x):
    return float(lap2(float(np.sum(x)), v=1.0))


@A(**FD)
def declared_default_value(x):
    return float(lap2(1.0)) + float(lap2(0.5, v=float(np.sum(x))))


@A(**FD)
def declared_note_private(x):
    return float(lap2(1.0, v=float(np.sum(x)), k=len(x)))


@A(**FD)
def declared_star(x):
    a = (float(np.sum(x)), 0.9)
    return float(lap(*a))


@A(**FD)
def declared_dict(x):
    a = {"value": float(np.sum(x)), "scale": 0.9}
    return float(lap(**a))


@A(**FD)
def declared_map(x):
    return [float(v) for v in map(lambda s: lap(s, 1.0), [float(np.sum(x)), float(np.sum(x))])]


@A(**FD)
def declared_twice_result(x):
    r = lap(float(np.sum(x)), 1.0)
    q = lap(float(np.sum(x)), 1.0)
    return float(r), float(q)


@A(**FD)
def declared_negative(x):
    return float(lap(float(np.sum(x)), -1.0))


@A(**FD)
def declared_public_neg(x):
    r = float(lap(float(np.sum(x)), 2.0))
    return r, float(lap(float(np.sum(x)), min(max(r, -2.0), -1.0) * 1.5))


@A(**FD)
def declared_array_scale(x):
    s = np.array([np.sum(x), np.sum(x)])
    return lap(s, np.array([2.0, 1.9]))


@A(**FD)
def declared_alias(x):
    g = lap
    return float(g(float(np.sum(x)), 0.9))


@A(**FD)
def declared_partial(x):
    g = functools.partial(lap, scale=0.9)
    return float(g(float(np.sum(x))))


@A(**FD)
def declared_nested(x):
    return float(lap(lap(float(np.sum(x)), 0.9), 5.0))


@A(**FD)
def declared_of_noise(x, rng):
    n = rng.laplace(0, 1.0)
    return float(lap(float(n), 1.0)) + 0.0, float(np.sum(x)) + n


@A(**FD)
def declared_local_shadow(x):
    def lap(value, scale):
        return value

    return float(lap(float(np.sum(x)), 1.0))


@A(claim="GDP(mu=1)", **FD)
def declared_times(x):
    return float(gau(float(np.sum(x)), 0.9, times=3))


@A(**FD)
def declared_comp(x):
    return sum([lap(v, 1.0) for v in x])


@A(**FD)
def declared_count(x):
    return float(lap(len(x), 0.9))


@A(**FD)
def declared_bool_scale(x):
    return float(lap(float(np.sum(x)), True)) * 1.0, float(lap(float(np.sum(x)), 1))


# integers
@A(**LIA)
def int_unbounded(x, rng):
    return sum(min(max(v, 0), 1) for v in x) + rng.laplace(0, 0.99)


@A(**LIA)
def int_mod_neg(x, rng):
    return sum(v % 3 for v in x) + rng.laplace(0, 1.99)


@A(**IA)
def int_floor_min(x, rng):
    return np.sum(x // 2**62) + rng.laplace(0, 1.99)


@A(**IA)
def int_abs_min(x, rng):
    return np.sum(np.minimum(np.abs(x), 1)) + rng.laplace(0, 1.0)


@A(**IA)
def int_square_wrap(x, rng):
    return np.sum(np.minimum(x * x, 1)) + rng.laplace(0, 1.0)


@A(**IA)
def int_to_float_edge(x, rng):
    y = x.astype(float)
    return np.sum(np.where(y == 2.0**63, 5.0, np.where(y > 9.2e18, 0.0, 0.0))) + rng.laplace(0, 1.0)


@A(**IA)
def int_compare_big(x, rng):
    return np.sum(np.where(x > 2**53, np.where(x.astype(float) > 2.0**53, 0.0, 3.0), 0.0)) + rng.laplace(0, 1.0)


@A(**LIA)
def int_eq_float(x, rng):
    t = 0
    for v in x:
        if v == 9007199254740993:
            t += 5
    return t + rng.laplace(0, 1.0)


@A(**LIA)
def int_float_round(x, rng):
    t = 0.0
    for v in x:
        w = min(max(v, 0), 2**60)
        if float(w) > w:
            t += 7.0
    return t + rng.laplace(0, 1.0)


@A(**IA)
def int_counts_index(x, rng):
    c = [0, 0, 0]
    for v in x:
        c[min(max(v, 0), 2)] += v // v if v > 5 else 1
    return [u + rng.laplace(0, 0.9) for u in c]


@A(**BD)
def bool_sum(x, rng):
    t = False
    for v in x:
        t += v
    return t + rng.laplace(0, 1.0)


@A(**BD)
def bool_np_or(x, rng):
    t = np.False_
    for v in x:
        t = t + v
    return t + rng.laplace(0, 0.5)


@A(**BD)
def bool_mult(x, rng):
    return np.sum(x * 3) + rng.laplace(0, 2.9)


@A(**BD)
def bool_invert(x, rng):
    return np.sum(~x) + rng.laplace(0, 0.99)


@A(**LB)
def bool_invert_py(x, rng):
    return sum(~v for v in x) + rng.laplace(0, 1.0)


@A(**LB)
def bool_neg_py(x, rng):
    return sum(-v for v in x) + rng.laplace(0, 0.5)


@A(**BD)
def bool_index(x, rng):
    return sum([0.0, 5.0][v] for v in x) + rng.laplace(0, 1.0)


@A(**BD)
def bool_sub_arr(x, rng):
    return np.sum(x ^ True) + rng.laplace(0, 0.5)


# NaN and infinities
@A(**FA)
def nan_clip(x, rng):
    return np.sum(np.clip(x, 0, 1)) + rng.laplace(0, 1.0)


@A(**LA)
def nan_minmax(x, rng):
    return sum(min(max(v, 0.0), 1.0) for v in x) + rng.laplace(0, 1.0)


@A(**LA)
def nan_minmax2(x, rng):
    return sum(max(min(1.0, v), 0.0) for v in x) + rng.laplace(0, 0.99)


@A(**LA)
def nan_compare(x, rng):
    t = 0
    for v in x:
        if not v < 0.5 and not v >= 0.5:
            t += 5
    return t + rng.laplace(0, 1.0)


@A(**LA)
def nan_disjoint(x, rng):
    a = b = 0
    for v in x:
        if not v < 0.5:
            a += 1
        if not v >= 0.5:
            b += 1
    return a + rng.laplace(0, 1.0), b + rng.laplace(0, 1.0)


@A(**FA)
def nan_disjoint_np(x, rng):
    a = np.sum(~(x < 0.5))
    b = np.sum(~(x >= 0.5))
    return a + rng.laplace(0, 1.0), b + rng.laplace(0, 1.0)


@A(**FA)
def nan_ne(x, rng):
    a = np.sum(x != 0.0)
    b = np.sum(~(x > 0.0) & ~(x < 0.0))
    return a + rng.laplace(0, 1.0), b + rng.laplace(0, 1.0)


@A(**FA)
def nan_hist(x, rng):
    h = np.histogram(x, bins=[0.0, 0.5, 1.0])[0]
    n = np.sum(np.isnan(x))
    return h + rng.laplace(0, 0.99, size=2), n + rng.laplace(0, 0.99)


@A(**FA)
def nan_fmin(x, rng):
    return np.sum(np.fmin(np.fmax(x, 0.0), 1.0)) + rng.laplace(0, 0.99)


@A(**FA)
def nan_to_num_inf(x, rng):
    return np.sum(np.clip(np.nan_to_num(x, nan=5.0, posinf=0.0, neginf=0.0), -1.0, 7.0)) + rng.laplace(0, 5.0)


@A(**FA)
def inf_minus_inf(x, rng):
    return np.sum(np.nan_to_num(x - x)) + rng.laplace(0, 1.0)


@A(**FA)
def tanh_inf(x, rng):
    return np.sum(np.nan_to_num(np.tanh(x), nan=3.0)) + rng.laplace(0, 1.0)


@A(**FD)
def denormal_div(x, rng):
    return np.sum(np.where(x > 0, np.minimum(x / 5e-324, 3.0), 0.0)) + rng.laplace(0, 1.0)


@A(**FD)
def minus_zero(x, rng):
    return np.sum(np.where(np.arctan(-x * 0.0) == 0, 2.0, 0.0)) + rng.laplace(0, 1.0)


@A(**FD)
def closed_ends(x, rng):
    a = np.sum(x <= 0.5)
    b = np.sum(x >= 0.5)
    return a + rng.laplace(0, 1.0), b + rng.laplace(0, 1.0)


@A(**FD)
def ties_three(x, rng):
    a = np.sum(x <= 0.5)
    b = np.sum(x >= 0.5)
    c = np.sum(x == 0.5)
    return a + rng.laplace(0, 2.0), b + rng.laplace(0, 2.0), c + rng.laplace(0, 2.0)


@A(**FD)
def hist_closed_last(x, rng):
    h = np.histogram(x, bins=[0.0, 0.5, 1.0])[0]
    b = np.sum(x >= 1.0)
    return h + rng.laplace(0, 1.0, size=2), b + rng.laplace(0, 1.0)


@A(**FD)
def hist_two_edges(x, rng):
    h = np.histogram(x, bins=[0.0, 0.5])[0]
    g = np.histogram(x, bins=[0.5, 1.0])[0]
    return h + rng.laplace(0, 1.0, size=1), g + rng.laplace(0, 1.0, size=1)


@A(**FD)
def bincount_disjoint(x, rng):
    h = np.bincount((x * 2).astype(int), minlength=3)
    b = np.sum(x >= 0.5)
    return h + rng.laplace(0, 1.5, size=3), b + rng.laplace(0, 2.9)


@A(**FD)
def floor_disjoint(x, rng):
    y = np.floor(x * 3)
    return [np.sum(y == k) + rng.laplace(0, 0.99) for k in range(4)]


@A(**FD)
def cond_public_many(x, rng):
    r = np.sum(x) + rng.laplace(0, 3.0)
    t = 0.0
    if r > 1:
        t = np.sum(x)
    if r > 2:
        t = t + np.sum(x)
    if r > 3:
        t = t + np.sum(x)
    return r, t + rng.laplace(0, 4.4)


# part 4
F = np.array([0.5, 1.0])
L = [0.5, 1.0]
I = np.array([1, 2])
LI = [1, 2]
X = np.array([[0.5, 1.0, 0.25], [0.25, 0.5, 0.1]])
FD = dict(data=F, bounds="0:1")
LD = dict(data=L, bounds="0:1")
FA = dict(data=F)
LA = dict(data=L)
IA = dict(data=I)
LIA = dict(data=LI)
XD = dict(data=X, bounds="0:1")
XN = dict(data=X * 0.5, records="row(3, norm<=1)")
XY = dict(data=(X, np.array([0.0, 1.0])), bounds="0:1")
RT = dict(data=[{"g": "a", "x": 0.5}, {"g": "b", "x": 1.0}], records="{'g': choice('a','b','c'), 'x': float(0,1)}")
RO = dict(data=[{"g": "a", "x": 0.5}, {"g": "b", "x": 1.0}], records="{'g': text, 'x': float(0,1)}")
W = np.array([[1.0, 0.5], [0.0, -1.0], [0.5, 0.5]])


# axes, broadcasts
@A(**XD)
def b_newaxis(X, rng):
    return np.sum(X[:, :, None] * X[:, None], axis=0) + rng.laplace(0, 8.9, size=(3, 3))


@A(**XD)
def b_axis_neg(X, rng):
    return np.sum(X, axis=-2) + rng.laplace(0, 2.9, size=3)


@A(**XD)
def b_sum_all(X, rng):
    return np.sum(X) + rng.laplace(0, 2.9)


@A(**XD)
def b_weight_along(X, rng):
    return np.sum(X * np.array([1.0, 2.0, 3.0])) + rng.laplace(0, 5.9)


@A(**XD)
def b_weight_records(X, rng):
    return np.sum(X[:, 0] * np.array([1.0, 100.0])) + rng.laplace(0, 1.0)


@A(**XD)
def b_wide(X, rng):
    return np.sum(X[:, 0][:, None] * np.ones(50), axis=0) + rng.laplace(0, 49.0, size=50)


@A(**XD)
def b_matmul(X, rng):
    return np.sum(X @ W, axis=0) + rng.laplace(0, 3.4, size=2)


@A(**XN)
def b_norm_l1(X, rng):
    return np.sum(X, axis=0) + rng.laplace(0, 1.73, size=3)


@A(claim="GDP(mu=1)", **XN)
def b_norm_l2(X, rng):
    return np.sum(X, axis=0) + rng.normal(0, 0.99, size=3)


@A(claim="GDP(mu=1)", **XN)
def b_norm_shift(X, rng):
    return np.sum(X + 0.01, axis=0) + rng.normal(0, 1.01, size=3)


@A(claim="GDP(mu=1)", **XN)
def b_norm_rows_twice(X, rng):
    return np.sum(np.abs(X) + X * X, axis=0) + rng.normal(0, 1.2, size=3)


@A(claim="GDP(mu=1)", **XN)
def b_norm_take(X, rng):
    s = np.sum(X, axis=0)
    return np.concatenate([s, s]) + rng.normal(0, 1.41, size=6)


@A(claim="GDP(mu=1)", **XN)
def b_norm_rounded(X, rng):
    return np.sum(np.rint(X * 2) / 2, axis=0) + rng.normal(0, 1.0, size=3)


@A(claim="GDP(mu=1)", **XN)
def b_norm_outer(X, rng):
    return X.T @ X + rng.normal(0, 0.99, size=(3, 3))


@A(claim="GDP(mu=1)", **XN)
def b_norm_matmul(X, rng):
    return np.sum(X @ W, axis=0) + rng.normal(0, 1.2, size=2)


@A(claim="GDP(mu=1)", **XD)
def b_clip_wrong_vec(X, rng):
    n = np.linalg.norm(X, axis=1, keepdims=True)
    return np.sum((X + 1.0) / np.maximum(1.0, n), axis=0) + rng.normal(0, 1.0, size=3)


@A(claim="GDP(mu=1)", **XD)
def b_clip_other_norm(X, rng):
    n = np.linalg.norm(X[:, :2], axis=1, keepdims=True)
    return np.sum(X / np.maximum(1.0, n), axis=0) + rng.normal(0, 1.0, size=3)


@A(claim="GDP(mu=1)", **XD)
def b_clip_then_scale(X, rng):
    n = np.linalg.norm(X, axis=1, keepdims=True)
    return np.sum(X / np.maximum(1.0, n) * 2.0, axis=0) + rng.normal(0, 1.9, size=3)


@A(claim="GDP(mu=1)", **XD)
def b_clip_divided_twice(X, rng):
    n = np.linalg.norm(X, axis=1, keepdims=True)
    return np.sum(X / np.maximum(0.5, n) / np.maximum(0.5, n), axis=0) + rng.normal(0, 1.0, size=3)


@A(claim="GDP(mu=1)", **XD)
def b_clip_max_min(X, rng):
    n = np.linalg.norm(X, axis=1, keepdims=True)
    return np.sum(X * np.maximum(1.0, 0.5 / np.maximum(n, 0.1)), axis=0) + rng.normal(0, 1.0, size=3)


@A(claim="GDP(mu=1)", **XD)
def b_clip_public(X, rng):
    r = np.sum(X) + rng.normal(0, 1e6)
    c = min(max(float(r), 0.5), 2.0)
    n = np.linalg.norm(X, axis=1, keepdims=True)
    return r, np.sum(X / np.maximum(c, n) * c, axis=0) + rng.normal(0, 1.9, size=3)


@A(claim="GDP(mu=1)", **XD)
def b_clip_public_scaled(X, rng):
    r = np.sum(X) + rng.normal(0, 1e6)
    c = min(max(float(r), 0.5), 2.0)
    n = np.linalg.norm(X, axis=1, keepdims=True)
    return float(r), np.sum(X * np.minimum(1.0, c / np.maximum(n, 1e-3)), axis=0) + rng.normal(0, 0.99 * c, size=3)


# texts
@A(**RT)
def t_counts(d, rng):
    c = {"a": 0, "b": 0, "c": 0}
    for r in d:
        c[r["g"]] += 1
    return {k: v + rng.laplace(0, 0.99) for k, v in c.items()}


@A(**RO)
def t_open(d, rng):
    c = {"a": 0, "b": 0}
    for r in d:
        if r["g"] in c:
            c[r["g"]] += 1
        else:
            c["a"] += 2
    return {k: v + rng.laplace(0, 1.0) for k, v in c.items()}


@A(**RO)
def t_get(d, rng):
    w = {"a": 1.0, "b": 2.0}
    return sum(w.get(r["g"], 3.0) * r["x"] for r in d) + rng.laplace(0, 2.9)


@A(**RT)
def t_overlap(d, rng):
    a = sum(1 for r in d if r["g"] != "a")
    b = sum(1 for r in d if r["g"] != "b")
    return a + rng.laplace(0, 1.9), b + rng.laplace(0, 1.9)


@A(**RT)
def t_disjoint_three(d, rng):
    a = sum(r["x"] for r in d if r["g"] == "a")
    b = sum(r["x"] for r in d if r["g"] == "b")
    n = len(d)
    return a + rng.laplace(0, 2.0), b + rng.laplace(0, 2.0), n + rng.laplace(0, 1.9)


@A(**RO)
def t_case(d, rng):
    return sum(1 for r in d if r["g"].lower() == "a") + rng.laplace(0, 1.0)


@A(**RO)
def t_order(d, rng):
    return sum(1 for r in d if r["g"] < "m") + rng.laplace(0, 1.0)


@A(**RO)
def t_len(d, rng):
    return sum(min(len(r["g"]), 5) for r in d) + rng.laplace(0, 1.0)


@A(**RO)
def t_key_list(d, rng):
    return [sum(1 for r in d if r["g"] == k) + rng.laplace(0, 1.0) for k in ("a", "b", "a")]


@A(**RO)
def t_out_key(d, rng):
    return {r["g"]: 1.0 + rng.laplace(0, 1.0) for r in d}


# X, y
@A(**XY)
def xy_mask(data, rng):
    X, y = data
    return np.sum(X[y > 0.5], axis=0) + rng.laplace(0, 2.9, size=3), np.sum(y <= 0.5) + rng.laplace(0, 2.9)


@A(**XY)
def xy_mask_public(data, rng):
    X, y = data
    r = np.sum(y) + rng.laplace(0, 2.0)
    return r, np.sum(X[:, 0][y > r]) + rng.laplace(0, 1.99)


@A(**XY)
def xy_zip(data, rng):
    X, y = data
    t = np.zeros(3)
    for row, v in zip(X, y):
        t += row if v > 0.5 else -row
    return t + rng.laplace(0, 2.9, size=3)


@A(**XY)
def xy_zip_other(data, rng):
    X, y = data
    return sum(a * b for a, b in zip(X[:, 0], y[::-1])) + rng.laplace(0, 1.0)


@A(**XY)
def xy_diff_masks(data, rng):
    X, y = data
    return np.sum(X[:, 0][y > 0.5] * y[X[:, 0] > 0.5]) + rng.laplace(0, 1.0)


@A(**XY)
def xy_mask_of_mask(data, rng):
    X, y = data
    a = X[y > 0.5]
    b = a[a[:, 0] > 0.5]
    return np.sum(b) + rng.laplace(0, 2.9), len(a) + rng.laplace(0, 1e5)


@A(**XY)
def xy_gram(data, rng):
    X, y = data
    return X.T @ X + rng.laplace(0, 8.9, size=(3, 3)), X.T @ y + rng.laplace(0, 1e9, size=3)


@A(**XY)
def xy_sigmoid(data, rng):
    X, y = data
    w = np.zeros(3)
    for k in range(2):
        p = 1.0 / (1.0 + np.exp(-np.sum(X * w, axis=1)))
        g = np.sum((p - y)[:, None] * X, axis=0)
        w = np.clip(w - (g + rng.laplace(0, 5.9, size=3)), -1, 1)
    return w


# part 5
@dpv.noise_primitive(law="laplace")
def quiet_lap(value, scale):
    if scale <= 0:
        return float(value)
    return float(value) + float(OWN.laplace(0, scale))


@A(**FD)
def neg_always(x):
    return quiet_lap(float(np.sum(x)), -1.0)


@A(**FD)
def neg_window(x):
    r = quiet_lap(float(np.sum(x)), 2.0)
    scale = 2.0
    if 3.0 < r < 3.0000001:
        scale = -2.0
    return float(r), float(quiet_lap(float(np.sum(x)), scale))


@A(**FD)
def neg_far(x):
    r = quiet_lap(float(np.sum(x)), 2.0)
    scale = 2.0
    if r < -1e6:
        scale = -2.0
    return float(r), float(quiet_lap(float(np.sum(x)), scale))


@A(**FD)
def neg_near(x):
    r = quiet_lap(float(np.sum(x)), 2.0)
    scale = 2.0
    if r < -40.0:
        scale = -2.0
    return float(r), float(quiet_lap(float(np.sum(x)), scale))


# part 6
F = np.array([0.5, 1.0])
L = [0.5, 1.0]
FD = dict(data=F, bounds="0:1")
LD = dict(data=L, bounds="0:1")
X = np.array([[0.5, 1.0, 0.25], [0.25, 0.5, 0.1]])
XD = dict(data=X, bounds="0:1")
G2 = np.zeros((2, 2))
GL = [1.0, 2.0]
GD = {"a": 1.0}


@A(**FD)
def zero_d_alias(x, rng):
    a = np.zeros(1)
    u = a[..., 0]
    u = u + 0.0
    t = np.sum(x)
    u += t
    return a, u + rng.laplace(0, 1.0)


@A(**FD)
def zero_d_running(x, rng):
    a = np.zeros(1)
    u = a[..., 0]
    k = u
    for v in x:
        u += v
    return k, u + rng.laplace(0, 1.0)


@A(**FD)
def index_unit(x, rng):
    r = np.array([np.sum(x), 0.0]) + rng.laplace(0, 1.0, size=2)
    q = r[()]
    q += 1.0
    return r


@A(**FD)
def list_rows_view(x, rng):
    M = np.zeros((2, 2))
    rows = list(M)
    M[0, 0] = 5.0
    return rows[0][0] * np.sum(x) + rng.laplace(0, 1.0)


@A(**FD)
def list_rows_view2(x, rng):
    M = np.zeros((2, 2))
    rows = [M[0], M[1]]
    M[0, 0] = 5.0
    return rows[0][0] * np.sum(x) + rng.laplace(0, 1.0)


@A(**FD)
def reshape_view(x, rng):
    M = np.zeros(4)
    N = M.reshape(2, 2)
    M[0] = 5.0
    return N[0, 0] * np.sum(x) + rng.laplace(0, 1.0)


@A(**FD)
def asarray_view(x, rng):
    M = np.zeros(4)
    N = np.asarray(M)
    N[0] = 5.0
    return M[0] * np.sum(x) + rng.laplace(0, 1.0)


@A(**FD)
def closure_after(x, rng):
    k = np.ones(1)

    def g(v):
        return v * k[0]

    k[0] = 5.0
    return sum(g(v) for v in x) + rng.laplace(0, 1.0)


@A(**FD)
def closure_aug(x, rng):
    k = np.ones(1)

    def g(v):
        return v * k[0]

    k *= 5.0
    return sum(g(v) for v in x) + rng.laplace(0, 1.0)


@A(**FD)
def closure_rebound(x, rng):
    k = 1.0
    g = lambda v: v * k
    k = 5.0
    return sum(g(v) for v in x) + rng.laplace(0, 1.0)


@A(**FD)
def default_array(x, rng):
    k = np.ones(1)

    def g(v, k=k):
        return v * k[0]

    k[0] = 5.0
    return sum(g(v) for v in x) + rng.laplace(0, 1.0)


@A(**FD)
def default_list(x, rng):
    k = [1.0]

    def g(v, k=k):
        return v * k[0]

    k[0] = 5.0
    return sum(g(v) for v in x) + rng.laplace(0, 1.0)


@A(**FD)
def default_list_grows(x, rng):
    def g(v, k=[1.0]):
        k.append(k[-1] * 2)
        return k[-1]

    s = g(0)
    s = g(0)
    s = g(0)
    return np.sum(x) * s + rng.laplace(0, 4.0)


@A(**FD)
def nested_lists(x, rng):
    m = [[1.0] * 2] * 2
    m[0][0] = 5.0
    return np.sum(x) * m[1][0] + rng.laplace(0, 1.0)


@A(**FD)
def dict_alias(x, rng):
    a = {"k": 1.0}
    b = a
    b["k"] = 5.0
    return np.sum(x) * a["k"] + rng.laplace(0, 1.0)


@A(**FD)
def dict_copy_shallow(x, rng):
    a = {"k": [1.0]}
    b = a.copy()
    b["k"][0] = 5.0
    return np.sum(x) * a["k"][0] + rng.laplace(0, 1.0)


@A(**FD)
def list_slice_alias(x, rng):
    a = [[1.0], [1.0]]
    b = a[:]
    b[0][0] = 5.0
    return np.sum(x) * a[0][0] + rng.laplace(0, 1.0)


@A(**FD)
def swap_in_list(x, rng):
    a = [1.0, 5.0]
    a[0], a[1] = a[1], a[0]
    return np.sum(x) * a[0] + rng.laplace(0, 1.0)


@A(**FD)
def index_moves(x, rng):
    a = [1.0, 5.0]
    i = 0
    i, a[i] = 1, 7.0
    return np.sum(x) * a[1] + rng.laplace(0, 1.0)


@A(**FD)
def for_target_index(x, rng):
    a = [1.0]
    for a[0] in (2.0, 5.0):
        pass
    return np.sum(x) * a[0] + rng.laplace(0, 1.0)


@A(**FD)
def comp_shadow(x, rng):
    k = 5.0
    t = [k for k in (1.0, 2.0)]
    return np.sum(x) * k + rng.laplace(0, 1.0)


@A(**FD)
def loop_var_kept(x, rng):
    for k in (1.0, 5.0):
        pass
    return np.sum(x) * k + rng.laplace(0, 1.0)


@A(**FD)
def while_count(x, rng):
    k = 0
    while True:
        k += 1
        if k >= 5:
            break
    return np.sum(x) * k + rng.laplace(0, 1.0)


@A(**FD)
def chained_compare_value(x, rng):
    k = (1 < 2 < 3) * 4 + 1
    return np.sum(x) * k + rng.laplace(0, 1.0)


@A(**FD)
def or_value(x, rng):
    k = 0 or [] or 5.0
    return np.sum(x) * k + rng.laplace(0, 1.0)


@A(**FD)
def star_of_dict(x, rng):
    def g(a, b):
        return 1.0 if a == "a" else 5.0

    return np.sum(x) * g(*{"b": 1, "a": 2}) + rng.laplace(0, 1.0)


@A(**FD)
def kw_order(x, rng):
    def g(**k):
        return list(k)[0]

    return np.sum(x) * (5.0 if g(b=1, a=2) == "b" else 1.0) + rng.laplace(0, 1.0)


@A(**FD)
def kwonly_default(x, rng):
    def g(v, *, k=5.0):
        return v * k

    return sum(g(v) for v in x) + rng.laplace(0, 1.0)


@A(**FD)
def posonly_kw(x, rng):
    def g(v, /, **k):
        return v * k.get("v", 1.0)

    return sum(g(v, v=5.0) for v in x) + rng.laplace(0, 1.0)


@A(**FD)
def recursion(x, rng):
    def g(k):
        return 1.0 if k == 0 else 2.0 * g(k - 1)

    return np.sum(x) * g(3) + rng.laplace(0, 7.9)


@A(**FD)
def path_loop(x, rng):
    r = np.sum(x) + rng.laplace(0, 4.0)
    n = 0
    while n < 3 and r > n:
        n += 1
    t = np.sum(x) * n
    return r, t + rng.laplace(0, 3.9)


@A(**FD)
def path_list(x, rng):
    r = np.sum(x) + rng.laplace(0, 4.0)
    w = [1.0, 1.0, 1.0, 3.0][min(max(int(r), 0), 3)]
    return r, np.sum(x) * w + rng.laplace(0, 3.9)


@A(**FD)
def argmax_index(x, rng):
    h = np.histogram(x, bins=[0.0, 0.3, 0.6, 1.0])[0] + rng.laplace(0, 4.0, size=3)
    w = [1.0, 1.0, 3.0][np.argmax(h)]
    return h, np.sum(x) * w + rng.laplace(0, 3.9)


@A(**FD)
def searchsorted_end(x, rng):
    r = np.sum(x) + rng.laplace(0, 4.0)
    w = [1.0, 1.0, 1.0, 3.0][np.searchsorted([0.0, 1.0, 2.0], r)]
    return r, np.sum(x) * w + rng.laplace(0, 3.9)


@A(**FD)
def round_index(x, rng):
    r = min(max(np.sum(x) + rng.laplace(0, 4.0), 0.0), 2.5)
    w = [1.0, 1.0, 1.0, 3.0][round(float(r))]
    return r, np.sum(x) * w + rng.laplace(0, 3.9)


@A(**FD)
def negative_floor(x, rng):
    r = min(max(float(np.sum(x) + rng.laplace(0, 4.0)), -0.5), 2.5)
    w = [1.0, 1.0, 3.0, 9.0][math.floor(r)]
    return r, np.sum(x) * w + rng.laplace(0, 3.9)


@A(**FD)
def uniform_choice(x, rng):
    u = rng.random()
    w = 1.0 + 4.0 * u
    return u, np.sum(x) * w + rng.laplace(0, 4.9)


@A(**FD)
def choice_scale(x, rng):
    w = rng.choice([1.0, 2.0], p=[0.999, 0.001])
    return np.sum(x) + rng.laplace(0, w - 0.001)


@A(**FD)
def integers_scale(x, rng):
    w = [1.0, 0.5][int(rng.integers(0, 2))]
    return np.sum(x) + rng.laplace(0, w)


@A(**FD)
def subsample(x, rng):
    u = rng.random()
    return u, np.sum(np.where(u < 0.1, x, 0.0)) + rng.laplace(0, 0.5)


@A(**XD)
def with_item_stack(X, rng):
    s = np.zeros(3)
    t = np.sum(X, axis=0)
    s[0] = t[0]
    s[1] = t[0]
    s[2] = t[1]
    return s + rng.laplace(0, 2.9, size=3)


@A(**XD)
def with_slice_stack(X, rng):
    s = np.zeros(4)
    t = np.sum(X, axis=0)
    s[:3] = t
    s[1:] = t
    return s + rng.laplace(0, 3.9, size=4)


@A(**XD)
def concat_neg(X, rng):
    t = np.sum(X, axis=0)
    return np.concatenate([t[::-1], t[:1]]) + rng.laplace(0, 3.9, size=4)


@A(**XD)
def private_matmul(X, rng):
    t = np.sum(X, axis=0)
    return t @ np.array([[1.0, -1.0], [0.0, 1.0], [2.0, 0.0]]) + rng.laplace(0, 4.0, size=2)
