"""Attacks of the third hostile reading: none was ever proved."""

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


def geo_half_twice(data, rng):
    g = rng.geometric(0.6)
    h = rng.geometric(0.6)
    a = len(data) + g
    return (a - h), (a - rng.geometric(0.6))


add(geo_half_twice, EX, claim="PureDP(epsilon=3)")


def draw_take_twice(data, rng):
    g = rng.laplace(scale=2.0, size=2)
    return len(data) + g[0], len(data) + g[1], len(data) + g[0]


add(draw_take_twice, EX)


def sum_twice_same_noise(data, rng):
    g = rng.laplace(scale=1.0)
    a = len(data) + g
    return a, g * 2


add(sum_twice_same_noise, EX)


def nan_released_scale(data, rng):
    t = len(data) + rng.laplace(scale=2.0)
    s = max(t * 1e308 * 1e308 * 0.0, 1.0)
    return t, sum(min(max(0.0, x), 1.0) for x in data) + rng.laplace(scale=2.0 * s)


add(nan_released_scale, EX)


def random_expose_inplace(data, rng):
    g = rng.geometric(0.5, size=())
    h = g
    g += 10
    return len(data) + h - rng.geometric(0.5)


add(random_expose_inplace, EX)


def int_list_div(data, rng):
    return sum(min(max(x / 3, 0), 1) for x in data) + rng.laplace(scale=1.0)


add(int_list_div, [1, 2])


def choose_big_int(data, rng):
    total = 0.0
    for x in data:
        y = x if x > 0 else 2**100
        z = np.sqrt(y)
        total += min(z, 1.0)
    return total + rng.laplace(scale=1.0)


add(choose_big_int, np.array([1, 2, 3]), d0=np.array([-1]), d1=np.array([], dtype=int))


def concat_scalar_mixed(data, rng):
    total = np.zeros(2)
    for x in data:
        total += np.clip(np.concatenate([[x], np.ones((1, 1))]), 0, 1)
    return total + rng.laplace(scale=2.0, size=2)


add(concat_scalar_mixed, EX, bounds=(0, 1), d0=[1.0], d1=[])


def cells_same_list_twice(data, rng):
    c = [0.0]
    d = [c][0]
    for x in data:
        c[0] += 1.0
        d[0] += 1000.0
    return c[0] + rng.laplace(scale=1.0)


add(cells_same_list_twice, EX)


def cells_closure_alias(data, rng):
    c = [0.0]
    get = lambda: c
    for x in data:
        c[0] += 1.0
        get()[0] += 999.0
    return c[0] + rng.laplace(scale=1.0)


add(cells_closure_alias, EX)


def cells_stored(data, rng):
    c = [0.0]
    e = [0.0]
    for x in data:
        c[0] += 1.0
        y = c[0]
        e[0] = y
    return e[0] + rng.laplace(scale=1.0)


add(cells_stored, EX)


def late_binding(data, rng):
    fs = [lambda v: min(max(0.0, v), k) for k in (1.0, 1000.0)]
    return sum(fs[0](x) for x in data) + rng.laplace(scale=1.0)


add(late_binding, EX)


def late_binding2(data, rng):
    s = 1.0
    f = lambda v: min(max(0.0, v), s)
    s = 1000.0
    return sum(f(x) for x in data) + rng.laplace(scale=1.0)


add(late_binding2, EX)


def huge_scale_mult(data, rng):
    t = np.zeros(2) + rng.laplace(scale=1.0, size=2)
    k = np.argmax(t)
    return sum(min(max(0.0, x), 1.0) for x in data) + rng.laplace(scale=1.0) * (1 + k * 2**63 // 2**62)


add(huge_scale_mult, EX)


def int64_range(data, rng):
    k = rng.integers(0, 10)
    s = 1.0 + abs(k * 2**61)
    return sum(min(max(0.0, x), 1.0) for x in data) + rng.laplace(scale=1.0) * s


add(int64_range, EX)


def fabs_of_number(data, rng):
    return sum(min(math.fabs(min(x, 1.0)), 1.0) for x in data) + rng.laplace(scale=1.0)


add(fabs_of_number, [1, 2], d0=[-(10**400)], d1=[])


def loose_geo(data, rng):
    total = sum(min(max(0, x), 1.0) for x in data)
    return int(total) + rng.geometric(0.6) - rng.geometric(0.6)


add(loose_geo, [1, 2])


def concat_rows(data, rng):
    total = np.zeros((2, 2))
    for row in data:
        total += np.clip(np.concatenate([row, [row]]), 0, 1)
    return total + rng.laplace(scale=4.0, size=(2, 2))


add(concat_rows, np.ones((3, 2)), bounds=(0, 1), d0=np.ones((1, 2)), d1=np.ones((0, 2)))


def iter_public(data, rng):
    a = np.clip(np.nan_to_num(np.zeros(2) + rng.laplace(scale=1.0, size=2)), 1.0, 2.0) * 1.0
    for v in a[:, None]:
        v *= 0.001
    return sum(min(max(0.0, x), 1.0) for x in data) + rng.laplace(scale=a[0])


add(iter_public, EX)


def noise_alias(data, rng):
    g = rng.laplace(scale=1.0, size=1)
    t = g
    g *= 0.001
    return sum(min(max(0.0, x), 1.0) for x in data) + t


add(noise_alias, EX)


def noise_fresh_view(data, rng):
    g = rng.laplace(scale=1.0, size=1) * 1.0
    t = g[:]
    g *= 0.001
    return sum(min(max(0.0, x), 1.0) for x in data) + t


add(noise_fresh_view, EX)


def noise_unpack(data, rng):
    g = rng.laplace(scale=1.0, size=(2, 1)) * 1.0
    a, b = g
    g *= 0.001
    return sum(min(max(0.0, x), 1.0) for x in data) + a


add(noise_unpack, EX)


def zip_views(data, rng):
    g = np.ones((2, 1))
    for a, k in zip(g, [0, 1]):
        a *= 0.001
    return sum(min(max(0.0, x), 1.0) for x in data) + rng.laplace(scale=g[0])


add(zip_views, EX)


def ret_local_fn(data, rng):
    a = np.ones(1)

    def get():
        return a

    b = get()
    a *= 0.001
    return sum(min(max(0.0, x), 1.0) for x in data) + rng.laplace(scale=b)


add(ret_local_fn, EX)


def ret_local_fn2(data, rng):
    def make():
        a = np.ones(1)
        return a, (lambda: a)

    a, get = make()
    a *= 0.001
    return sum(min(max(0.0, x), 1.0) for x in data) + rng.laplace(scale=get())


add(ret_local_fn2, EX)


def nan_num_copy(data, rng):
    a = np.zeros(1) + rng.laplace(scale=1.0, size=1)
    b = np.asarray(a)
    a *= 0.0
    return b


add(nan_num_copy, EX)


def where_zero_d(data, rng):
    c = np.zeros(())
    v = np.where(c == 0, 1.0, 2.0)
    w = v
    v -= 0.999
    return sum(min(max(0.0, x), 1.0) for x in data) + rng.laplace(scale=w)


add(where_zero_d, EX)


def zero_d_alias_raw(data, rng):
    total = np.zeros(())
    total += 0.0
    alias = total
    for x in data:
        total += min(max(0.0, x), 1.0)
    return alias


add(zero_d_alias_raw, EX, d0=[0.25], d1=[])


def zero_d_alias_scale(data, rng):
    scale = np.zeros(())
    scale += 1.0
    alias = scale
    alias -= 0.999
    return sum(min(max(0.0, x), 1.0) for x in data) + rng.laplace(scale=scale)


add(zero_d_alias_scale, EX, d0=[0.25], d1=[])


def zero_d_release_alias(data, rng):
    g = rng.laplace(scale=1.0, size=())
    s = np.zeros(())
    s += 0.0
    keep = s
    s += np.clip(np.nan_to_num(data), 0, 1).sum()
    return keep


add(zero_d_release_alias, ARR, d0=np.array([0.25]), d1=np.array([]))


def zero_d_list(data, rng):
    s = np.zeros(())
    s += 0.0
    c = [s, 0.0]
    for x in data:
        c[0] += min(max(0.0, x), 1.0)
    return s


add(zero_d_list, EX, d0=[0.25], d1=[])


def npi_less(data, rng):
    one = np.int64(1)
    return sum(1 for x in data if x < one) + rng.laplace(scale=1.0)


add(npi_less, [1, 2], d0=[2**100], d1=[])


def npi_equal(data, rng):
    one = np.int64(1)
    return sum(1 for x in data if x == one) + rng.laplace(scale=1.0)


add(npi_equal, [1, 2], d0=[10**400], d1=[])


FUNCTIONS = {name: asked.pop("f") for name, asked in ATTACKS.items()}
for asked in ATTACKS.values():
    asked.pop("pair", None)
