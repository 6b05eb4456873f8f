"""Attacks of one more reading (loops, lists, aggregates, membership, released values) that were rightly not proved."""

import math

import numpy as np

ATTACKS = {}
F = np.array([0.5, 1.0])
L = [0.5, 1.0]
FD = dict(data=F, bounds="0:1", d0=np.array([]), d1=np.array([1.0]))
LD = dict(data=L, bounds="0:1", d0=[], d1=[1.0])
XD = dict(data=np.array([[0.5, 1.0], [0.25, 0.5]]), bounds="0:1", d0=np.zeros((0, 2)), d1=np.array([[1.0, 1.0]]))
ID = dict(data=[1, 2], bounds="0:3", d0=[], d1=[3])
FR = dict(data=F, bounds="0:1", relation="replace", d0=np.array([0.0]), d1=np.array([1.0]))
E0 = np.array([1.0, 2.0, 3.0])
TF = {1.0: 5, "a": 1}


def A(claim="PureDP(epsilon=1)", **k):
    def d(f):
        ATTACKS[f.__name__] = dict(claim=claim, **k)
        return f

    return d


def helper(l, v):
    l.append(v)


@A(**XD)
def matmul_left(X, rng):
    M = np.array([[1.0, 0.0], [1.0, 1.0]])
    t = np.zeros(2)
    for r in X:
        t += M @ r
    return t + rng.laplace(0, 2.0, size=2)


@A(**XD)
def matmul_right(X, rng):
    M = np.array([[1.0, 0.0], [1.0, 1.0]])
    return M @ np.sum(X, axis=0) + rng.laplace(0, 2.0, size=2)


@A(**ID)
def args_twice(x, rng):
    def add(*p):
        return sum(p)

    t = 0
    for v in x:
        t = add(t, v, v)
    return t + rng.laplace(0, 3.0)


@A(**LD)
def late(x, rng):
    k = 1.0
    g = lambda z: z * k
    k = 100.0
    t = 0.0
    for v in x:
        t += g(v)
    return t + rng.laplace(0, 1.0)


@A(**LD)
def late_in_loop(x, rng):
    fs = []
    for k in range(3):
        fs.append(lambda z: z * k)
    return sum(fs[0](v) for v in x) + rng.laplace(0, 1.0)


@A(**LD)
def late_comp(x, rng):
    fs = [lambda z: z * k for k in range(3)]
    return sum(fs[0](v) for v in x) + rng.laplace(0, 1.0)


@A(**LD)
def default_bound(x, rng):
    fs = [lambda z, k=k: z * k for k in range(3)]
    return sum(fs[2](v) for v in x) + rng.laplace(0, 1.0)


@A(**LD)
def cell_of_function(x, rng):
    def outer():
        c = [0.0]

        def add(v):
            c[0] += v
            return c[0]

        return add

    g = outer()
    return sum(g(v) for v in x) + rng.laplace(0, 1.0)


@A(**LD)
def while_in_loop(x, rng):
    t = 0.0
    for v in x:
        while v > 0.25:
            v = v / 2
            t += 1
    return t + rng.laplace(0, 1.0)


@A(**ID)
def inner_break(x, rng):
    t = 0
    for v in x:
        for k in range(5):
            if v <= k:
                break
            t += 1
        t += k
    return t + rng.laplace(0, 1.0)


@A(**ID)
def key_both(x, rng):
    d = {0: 0, 1: 0, 2: 0, 3: 0}
    for v in x:
        d[v] = d[v] + 1
        d[3 - v] += 1
    return [d[k] + rng.laplace(0, 1.0) for k in d]


@A(**ID)
def key_get(x, rng):
    d = {0: 0, 1: 0}
    for v in x:
        if v in d:
            d[v] += 1
        else:
            d[0] += 1
            d[1] += 1
    return d[0] + rng.laplace(0, 1.0), d[1] + rng.laplace(0, 1.0)


@A(**FD)
def zip_of_same(x, rng):
    return sum(a + b for a, b in zip(x, x)) + rng.laplace(0, 1.0)


@A(**FD)
def sel_twice(x, rng):
    a = x[x > 0.25]
    b = a[a < 0.75]
    return len(b) + rng.laplace(0, 1.0), len(a) + rng.laplace(0, 1.0)


@A(**FD)
def two_lists_one_mask(x, rng):
    a, b = [], []
    a = [v for v in x if v > 0.5]
    b = [1 - v for v in x if v > 0.5]
    return np.sum(np.asarray(a) + np.asarray(b)) + rng.laplace(0, 1.0), np.sum(np.asarray(a)) + rng.laplace(0, 1.0)


@A(data=[("a", 1.0), ("b", 0.5)], records="(choice('a', 'b'), float(0, 1))", d0=[], d1=[("b", 1.0)])
def text_table(data, rng):
    w = {"a": 1.0, "b": 3.0}
    t = 0.0
    for k, v in data:
        t += w[k] * v
    return t + rng.laplace(0, 1.0)


@A(data=[("a", 1.0), ("b", 0.5)], bounds="[1]=0:1", d0=[], d1=[("B", 1.0)])
def text_else(data, rng):
    t = 0.0
    for k, v in data:
        if k == "a":
            t += v
        elif k != "b":
            t += 2
    return t + rng.laplace(0, 1.0)


@A(data=np.array([0.5, np.nan]), d0=np.array([]), d1=np.array([np.nan]))
def nan_clip_list(x, rng):
    return sum(min(max(v, 0.0), 1.0) for v in x) + rng.laplace(0, 1.0)


@A(data=[True, False], d0=[], d1=[True])
def bool_eq(x, rng):
    t = 0
    for v in x:
        t += {True: 5, False: 1}[v]
    return t + rng.laplace(0, 1.0)


@A(data=[1, 2], bounds="0:3", d0=[], d1=[1])
def float_keys(x, rng):
    t = 0
    for v in x:
        t += TF.get(v, 0)
    return t + rng.laplace(0, 1.0)


@A(data=L, bounds="0:1", d0=[], d1=[1.0])
def int_keys(x, rng):
    return sum({0: 0.5, 1: 5.0}.get(v, 0) for v in x) + rng.laplace(0, 1.0)


@A(**LD)
def tuple_keys(x, rng):
    return sum({(1, 2): 0.5, 1: 5.0}.get(v, 0) for v in x) + rng.laplace(0, 1.0)


@A(**FD)
def np_bool_is(x, rng):
    t = 0.0
    for v in x:
        w = v > 0.5
        t += 1.0 if w == True else 0.0
        t += 5.0 if (not w) == False else 0.0
    return t + rng.laplace(0, 1.0)


@A(**FD)
def str_of_known(x, rng):
    k = len(str(1.5 + 1)) * 1.0
    return k * np.sum(x) + rng.laplace(0, 1.0)


@A(**FD)
def starred_args(x, rng):
    def g(a, b=1.0, *c, **d):
        return a * b * len(c) + len(d)

    return sum(g(v, *[2.0, 3, 4]) for v in x) + rng.laplace(0, 1.0)


@A(**FD)
def shadowed_builtin(x, rng):
    sum = lambda z: 5 * np.sum(z)
    return sum(x) + rng.laplace(0, 1.0)


@A(**FD)
def chained_or(x, rng):
    t = 0.0
    for v in x:
        t += (v > 0.5 and 5.0) or 0.0
    return t + rng.laplace(0, 1.0)


@A(**LD)
def append_method_value(x, rng):
    out = [0.0]
    for v in x:
        out[len(out) - 1] += v
        out[-len(out)] += v
    return out[0] + rng.laplace(0, 1.0)


@A(**LD)
def cell_then_list(x, rng):
    c = [0.0, 0.0]
    for v in x:
        c[0] += v
    for v in x:
        c[1] += v
    c[0] = c[0] + c[1]
    return c[0] + rng.laplace(0, 1.0)


@A(**LD)
def cell_old_value(x, rng):
    c = [0.0]
    k = c[0]
    for v in x:
        c[0] += v
    return k + c[0] + c[0] + rng.laplace(0, 1.0)


@A(**LD)
def flag_first(x, rng):
    seen = False
    t = 0.0
    for v in x:
        if not seen:
            t += 100.0
        seen = True
    return t + rng.laplace(0, 1.0)


@A(**LD)
def function_in_loop_kept(x, rng):
    g = lambda: 0.0
    t = 0.0
    for v in x:
        t += g()
        g = lambda: 100.0
    return t + rng.laplace(0, 1.0)


@A(**LD)
def default_of_loop(x, rng):
    t = 0.0

    def g(z, k=[0.0]):
        k[0] = k[0] + z
        return k[0]

    for v in x:
        t += g(v)
    return t + rng.laplace(0, 1.0)


@A(**LD)
def enumerate_index(x, rng):
    t = 0.0
    for i, v in enumerate(x):
        t += i * v
    return t + rng.laplace(0, 1.0)


@A(**LD)
def index_by_append(x, rng):
    i = []
    t = 0.0
    for v in x:
        t += len(i)
        i.append(1)
    return t + rng.laplace(0, 1.0)


@A(**LD)
def swallow(x, rng):
    try:
        t = sum(x)
        assert t < 5
    except AssertionError:
        t = 0
    return t + rng.laplace(0, 1.0)


@A(**LD)
def type_test(x, rng):
    t = sum(x)
    return (1.0 if isinstance(t, float) else 100.0) * 0.5 + rng.laplace(0, 1.0)


@A(**FD)
def size_test(x, rng):
    return np.sum(x) + rng.laplace(0, 1.0, size=1 if x.size else 2)


@A(**FD)
def broadcast_noise(x, rng):
    return np.array([np.sum(x), np.sum(x)]) + rng.laplace(0, 1.0)


@A(**FD)
def slice_first(x, rng):
    return np.sum(x[1:]) + rng.laplace(0, 1.0)


@A(**FD)
def recursion(x, rng):
    def r(n):
        return 0.0 if n == 0 else np.sum(x) + r(n - 1)

    return r(3) + rng.laplace(0, 1.0)


@A(**FD)
def in_place_data(x, rng):
    y = x * 1.0
    y += x
    z = y
    y = y - x
    return np.sum(z) + rng.laplace(0, 1.0)
