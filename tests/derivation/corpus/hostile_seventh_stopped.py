"""Attacks that were correctly not proved (a few are right functions whose bound is too wide). d0, d1: see the bodies."""

import math

import numpy as np

ATTACKS = {}
F = np.array([0.5, 1.0])
L = [0.5, 1.0]
I = [1, 0, 1]
K = np.array([1, 0, 1])
M = np.array([[0.5, 0.1]])
C = 2**60
B01 = dict(bounds="0:1")


def A(claim="PureDP(epsilon=1)", **k):
    def d(f):
        ATTACKS[f.__name__] = dict(claim=claim, **k)
        return f

    return d


def G(**k):
    return A(data=I, bounds="0:1", **k)


def GK(**k):
    return A(data=K, bounds="0:1", **k)


# not derived: t3.py:15: return np.sum(X / np.maximum(n, 1e-300), axis=0) + rng.normal(0, 1.0, size=2): divide of a record ma
@A("GDP(mu=1)", data=np.array([[0.5, 0.1]]), bounds="-1:1")
def norm_under(X, rng):
    n = np.linalg.norm(X, axis=1, keepdims=True)
    return np.sum(X / np.maximum(n, 1e-300), axis=0) + rng.normal(0, 1.0, size=2)


# above the claim: t3.py:30: return np.sum(x) / n + rng.laplace(0, 1.0 / len(x)): laplace noise of scale 2.32831e-10 where a neig
@A(data=F, relation="replace", **B01)
def size_max(x, rng):
    n = max(len(x), 2)
    return np.sum(x) / n + rng.laplace(0, 1.0 / len(x))


# above the claim: t3.py:35: return np.mean(x) + rng.laplace(0, 1.0 / n ** 2): laplace noise of scale 5.42101e-20 where a neighbo
@A(data=F, relation="replace", **B01)
def size_sq(x, rng):
    n = len(x)
    return np.mean(x) + rng.laplace(0, 1.0 / n**2)


# above the claim: t3.py:39: return np.mean(x) + rng.laplace(0, 1.0 / (n * n)): laplace noise of scale 5.42101e-20 where a neighb
@A(data=F, relation="replace", **B01)
def size_sq2(x, rng):
    n = len(x)
    return np.mean(x) + rng.laplace(0, 1.0 / (n * n))


# above the claim: t3.py:43: return np.sum(np.where(x > 0.5, x, 0.0) * n) / n + rng.laplace(0, 1.0 / n): laplace noise of scale 2
@A(data=F, relation="replace", **B01)
def size_masked(x, rng):
    n = len(x)
    return np.sum(np.where(x > 0.5, x, 0.0) * n) / n + rng.laplace(0, 1.0 / n)


# above the claim: t3.py:47: return np.sum(x) / n + rng.laplace(0, np.array([1.0, 2.0]) / n): laplace noise of scale 1 where a ne
@A(data=F, relation="replace", **B01)
def size_vec(x, rng):
    n = len(x)
    return np.sum(x) / n + rng.laplace(0, np.array([1.0, 2.0]) / n)


# above the claim: t3.py:52: return np.sum(x) + rng.laplace(0, s): laplace noise of scale 1 where a neighbour moves the value by
@A(data=F, relation="replace", **B01)
def size_int(x, rng):
    n = len(x)
    s = np.array([1.0]) / n
    return np.sum(x) + rng.laplace(0, s)


# above the claim: t3.py:95: return s + rng.geometric(0.9) - rng.geometric(0.9): geometric noise of scale 0.434294 where a neighb
@A(data=I, bounds="0:5")
def geo_mod(x, rng):
    s = sum([v % 3 for v in x])
    return s + rng.geometric(0.9) - rng.geometric(0.9)


# above the claim: t3.py:100: r = np.sum(x) + rng.laplace(0, 2.0, size=3): laplace noise of scale 2 where a neighbour moves the v
@A(data=F, **B01)
def argmax_scale(x, rng):
    r = np.sum(x) + rng.laplace(0, 2.0, size=3)
    return (r, np.sum(x) + rng.laplace(0, 1.0) * (4.0 - 1.0 * np.argmax(r)))


# above the claim: t3.py:104: r = np.sum(x) + rng.laplace(0, 6.0, size=3): laplace noise of scale 6 where a neighbour moves the v
@A(data=F, **B01)
def argmax_factor(x, rng):
    r = np.sum(x) + rng.laplace(0, 6.0, size=3)
    return (r, np.sum(x) * np.argmax(np.array([[r[0], r[1]], [r[2], r[0]]])) + rng.laplace(0, 2.0))


# not derived: values that do not fit one another (TypeError: Object of type range is not JSON serializable)
@A(data=F, **B01)
def ss_range(x, rng):
    r = np.sum(x) + rng.laplace(0, 2.0)
    return (r, np.sum(x) * np.searchsorted(range(10**6, 10**6 + 9), r) + rng.laplace(0, 2.0))


# above the claim: t3.py:112: r = np.sum(x) + rng.laplace(0, 2.0): laplace noise of scale 2 where a neighbour moves the value by
@A(data=F, **B01)
def ss_array(x, rng):
    r = np.sum(x) + rng.laplace(0, 2.0)
    return (r, np.sum(x) * np.searchsorted(np.array([1000000.0, 2000000.0, 3000000.0]), r) + rng.laplace(0, 2.0))


# above the claim: t3.py:116: r = np.sum(x) + rng.laplace(0, 6.0, size=3): laplace noise of scale 6 where a neighbour moves the v
@A(data=F, **B01)
def ss_vec(x, rng):
    r = np.sum(x) + rng.laplace(0, 6.0, size=3)
    i = np.searchsorted(np.array([1000000.0, 2000000.0, 3000000.0]), r)
    return (r, np.sum(x) * np.max(i) + rng.laplace(0, 2.0))


# above the claim: t3.py:121: r = np.sum(x) + rng.laplace(0, 6.0, size=3): laplace noise of scale 6 where a neighbour moves the v
@A(data=F, **B01)
def ss_swapped(x, rng):
    r = np.sum(x) + rng.laplace(0, 6.0, size=3)
    i = np.searchsorted([1000000.0, 2000000.0, 3000000.0, 4000000.0, 5000000.0], r)
    return (r, np.sum(x) * i[0] + rng.laplace(0, 4.0))


# above the claim: t3.py:130: r = np.sum(x) + rng.laplace(0, 2.0): laplace noise of scale 2 where a neighbour moves the value by
@A(data=F, **B01)
def choice_values(x, rng):
    r = np.sum(x) + rng.laplace(0, 2.0)
    c = rng.choice([0.0, 5.0, 1.0])
    return (r, np.sum(x) * c + rng.laplace(0, 2.0))


# not derived: t3.py:137: return (r, np.sum(x) * c + rng.laplace(0, 2.0)): multiply of a record that may be NaN or infinite
@A(data=F, **B01)
def rounded(x, rng):
    r = np.sum(x) + rng.laplace(0, 2.0)
    c = round(min(max(r, 0.0), 1.9))
    return (r, np.sum(x) * c + rng.laplace(0, 2.0))


# above the claim: t3.py:140: r = np.sum(x) + rng.laplace(0, 2.0): laplace noise of scale 2 where a neighbour moves the value by
@A(data=F, **B01)
def clip_nan(x, rng):
    r = np.sum(x) + rng.laplace(0, 2.0)
    c = min(max(r, 1.0), 2.0)
    return (r, np.sum(x) + rng.laplace(0, c))


# above the claim: t3.py:145: r = np.sum(x) + rng.laplace(0, 2.0): laplace noise of scale 2 where a neighbour moves the value by
@A(data=F, **B01)
def tanh_scale(x, rng):
    r = np.sum(x) + rng.laplace(0, 2.0)
    c = 2.0 + np.tanh(r)
    return (r, np.sum(x) + rng.laplace(0, c))


# above the claim: t3.py:150: r = np.sum(x) + rng.laplace(0, 2.0): laplace noise of scale 2 where a neighbour moves the value by
@A(data=F, **B01)
def tanh_scale1(x, rng):
    r = np.sum(x) + rng.laplace(0, 2.0)
    c = 1.0 + np.tanh(np.clip(r, -3, 3))
    return (r, np.sum(x) + rng.laplace(0, c))


# above the claim: t3.py:160: r = np.sum(x) + rng.laplace(0, 2.0): laplace noise of scale 2 where a neighbour moves the value by
@A(data=F, **B01)
def sqrtnan_scale(x, rng):
    r = np.sum(x) + rng.laplace(0, 2.0)
    c = np.fmax(np.sqrt(np.array([r])), 0.5)
    c = np.fmin(c, 2.0)
    return (r, np.sum(x) + rng.laplace(0, 2.0 * c))


# not derived: t3.py:168: return (r, np.sum(x) + rng.laplace(0, c)): a scale of noise that may be 0, NaN or infinite
@A(data=F, **B01)
def fmin_scale(x, rng):
    r = np.sum(x) + rng.laplace(0, 2.0)
    c = np.fmin(np.fmax(np.array([r - r]), 2.0), np.array([r]) * 0 + 3.0)
    return (r, np.sum(x) + rng.laplace(0, c))


# above the claim: t3.py:171: r = np.sum(x) + rng.laplace(0, 2.0): laplace noise of scale 2 where a neighbour moves the value by
@A(data=F, **B01)
def nantonum_scale(x, rng):
    r = np.sum(x) + rng.laplace(0, 2.0)
    c = np.nan_to_num(np.log(np.array([r])), nan=0.01, posinf=3.0, neginf=3.0)
    c = np.minimum(np.maximum(c, 0.01), 2.0)
    return (r, np.sum(x) + rng.laplace(0, c))


# above the claim: t4.py:28: return sum(x) + rng.geometric(0.7) - rng.geometric(0.7): geometric noise of scale 0.830584 where a n
@G()
def geo_p(x, rng):
    return sum(x) + rng.geometric(0.7) - rng.geometric(0.7)


# above the claim: t4.py:31: return 2 * sum(x) + rng.geometric(0.6) - rng.geometric(0.6): geometric noise of scale 1.09136 where
@G()
def geo_two(x, rng):
    return 2 * sum(x) + rng.geometric(0.6) - rng.geometric(0.6)


# above the claim: t4.py:37: return h + rng.geometric(p, size=2) - rng.geometric(p, size=2): geometric noise of scale 0.434294 wh
@GK()
def geo_vec(x, rng):
    h, e = np.histogram(x, bins=[0.0, 1.0, 2.0])
    p = np.array([0.6, 0.9])
    return h + rng.geometric(p, size=2) - rng.geometric(p, size=2)


# not derived: t4.py:42: return h + g - g[::-1]: the same draw twice
@GK()
def geo_same(x, rng):
    h, e = np.histogram(x, bins=[0.0, 1.0, 2.0])
    g = rng.geometric(0.6, size=2)
    return h + g - g[::-1]


# not derived: t4.py:47: return h + g[:2] - g[1:]: the same draw twice
@GK()
def geo_shift(x, rng):
    h, e = np.histogram(x, bins=[0.0, 1.0, 2.0])
    g = rng.geometric(0.6, size=3)
    return h + g[:2] - g[1:]


# not derived: t4.py:51: return s + rng.geometric(0.6) - 2 * rng.geometric(0.6): a multiple of one-sided noise
@GK()
def geo_half_scaled(x, rng):
    s = np.sum(x)
    return s + rng.geometric(0.6) - 2 * rng.geometric(0.6)


# not derived: t4.py:55: return s - (rng.geometric(0.6) - rng.geometric(0.6)) * 0: a multiple of geometric noise
@GK()
def geo_neg(x, rng):
    s = np.sum(x)
    return s - (rng.geometric(0.6) - rng.geometric(0.6)) * 0


# not derived: t4.py:64: return np.array([s, s]) + g - g: the same draw twice
@GK()
def geo_stack(x, rng):
    s = np.sum(x)
    g = np.array([rng.geometric(0.6), rng.geometric(0.6)])
    return np.array([s, s]) + g - g


# not derived: t4.py:84: t += v / (2.0 - k): released values are computed with in a loop over records (do it before the loop)
@A(data=L, **B01)
def ss_loop_raise(x, rng):
    r = sum(x) + rng.laplace(0, 2.0)
    k = float(np.searchsorted([1000000.0, 1000000.0 + 1], r))
    t = 0.0
    for v in x:
        t += v / (2.0 - k)
    return (r, t + rng.laplace(0, 2.0))


# above the claim: t4.py:94: return np.sum(X, axis=0) + rng.laplace(0, np.array([1.0, 3.0])): laplace noise of scale 1 where a ne
@A(data=M, bounds="0:1")
def vec_scale(X, rng):
    return np.sum(X, axis=0) + rng.laplace(0, np.array([1.0, 3.0]))


# above the claim: t4.py:106: return np.sum(X[:, 0]) + g[0, 1]: laplace noise of scale 0.1 where a neighbour moves the value by 1
@A(data=M, bounds="0:1")
def vec_scale_T(X, rng):
    g = rng.laplace(0, np.array([0.1, 3.0]), size=(2, 2)).T
    return np.sum(X[:, 0]) + g[0, 1]


# above the claim: t4.py:110: return np.sum(X[:, 0]) + g[1]: laplace noise of scale 0.5 where a neighbour moves the value by 1; w
@A(data=M, bounds="0:1")
def draw_mult(X, rng):
    g = rng.laplace(size=2) * np.array([1.5, 0.5])
    return np.sum(X[:, 0]) + g[1]


# above the claim: t4.py:114: return np.sum(X[:, 0]) + g[1][0]: laplace noise of scale 0.3 where a neighbour moves the value by 1
@A(data=M, bounds="0:1")
def draw_mult_mat(X, rng):
    g = rng.laplace(size=(2, 2)) * np.array([[3.0], [0.3]])
    return np.sum(X[:, 0]) + g[1][0]


# not derived: t4.py:118: return (np.sum(X[:, 0]) + 2 * g[0], np.sum(X[:, 0]) - 2 * g[0]): the same draw is used twice
@A(data=M, bounds="0:1")
def draw_neg_both(X, rng):
    g = rng.laplace(size=2)
    return (np.sum(X[:, 0]) + 2 * g[0], np.sum(X[:, 0]) - 2 * g[0])


# not derived: t4.py:122: return np.sum(X[:, 0]) + 2 * (g[0] - g[1]): subtract of a draw: no rule
@A(data=M, bounds="0:1")
def draw_diff(X, rng):
    g = rng.laplace(size=2)
    return np.sum(X[:, 0]) + 2 * (g[0] - g[1])


# not derived: t4.py:127: return (np.sum(X[:, 0]) + g[0], a): the same draw is used twice
@A(data=M, bounds="0:1")
def draw_expose_then(X, rng):
    g = rng.laplace(size=2)
    a = g[0] > 0
    return (np.sum(X[:, 0]) + g[0], a)


# not derived: t4.py:132: return (np.sum(X[:, 0]) + g[0], a): the same draw is used twice
@A(data=M, bounds="0:1")
def draw_expose_other(X, rng):
    g = rng.laplace(size=2)
    a = g + 0.0
    return (np.sum(X[:, 0]) + g[0], a)


# above the claim: t4.py:136: return np.array([s[0], s[1], s[0]]) + rng.normal(0, 1.42, size=3): normal noise of scale 1.42 where
@A("GDP(mu=1)", data=M, bounds="0:1")
def l2_take(X, rng):
    s = np.sum(X, axis=0)
    return np.array([s[0], s[1], s[0]]) + rng.normal(0, 1.42, size=3)


# above the claim: t4.py:139: return (np.sum(x) + rng.laplace(0, 1.3), np.sum(x) + rng.normal(0, 1.5)): laplace noise of scale 1.
@A("ZCDP(rho=0.5)", data=F, **B01)
def zc_mix(x, rng):
    return (np.sum(x) + rng.laplace(0, 1.3), np.sum(x) + rng.normal(0, 1.5))


# above the claim: t4.py:142: return (np.sum(x) + rng.laplace(0, 0.5), np.sum(x) + rng.laplace(0, 2.0)): laplace noise of scale 0
@A("RDP(order=2, epsilon=1)", data=F, **B01)
def rdp_lap(x, rng):
    return (np.sum(x) + rng.laplace(0, 0.5), np.sum(x) + rng.laplace(0, 2.0))


# above the claim: t4.py:149: return (a + rng.laplace(0, 1.0), b + rng.laplace(0, 1.0), c + rng.laplace(0, 1.0)): laplace noise o
@A(data=F, **B01)
def disjoint_half(x, rng):
    a = np.sum(np.where(x < 0.5, x, 0.0))
    b = np.sum(np.where(x > 0.5, x, 0.0))
    c = np.sum(np.where(x == 0.5, 2.0, 0.0))
    return (a + rng.laplace(0, 1.0), b + rng.laplace(0, 1.0), c + rng.laplace(0, 1.0))


# above the claim: t4.py:153: return a + rng.laplace(0, 1.0): laplace noise of scale 1 where a neighbour moves the value by 5; wi
@A(data=F, **B01)
def exact_rare(x, rng):
    a = np.sum(np.where(x == 0.123456789, 5.0, x))
    return a + rng.laplace(0, 1.0)


# above the claim: t4.py:162: return t + rng.laplace(0, 1.0): laplace noise of scale 1 where a neighbour moves the value by 1; wi
@A(data=[(0.5, 0.5), (0.1, 0.2)], records="(float(0,1), float(0,1))")
def rare_comb(rows, rng):
    t = 0.0
    for a, b in rows:
        if 0.3 < a < 0.3000001 and 0.7 < b < 0.7000001:
            t += a + b
        else:
            t += 1.0 if a > 0.5 else 0.5
    return t + rng.laplace(0, 1.0)


# above the claim: t4.py:172: return (s + rng.laplace(0, 1.0), t + rng.laplace(0, 1.0)): laplace noise of scale 1 where a neighbo
@A(data=[(0.5, 0.5), (0.1, 0.2)], records="(float(0,1), float(0,1))")
def rare_comb2(rows, rng):
    s, t = (0.0, 0.0)
    for a, b in rows:
        d = a - b
        if d < 0.3:
            s += 1.0
        if a < b + 0.3:
            t += 1.0
        elif d >= 0.3:
            t += 0.0
        else:
            t += 1.0
    return (s + rng.laplace(0, 1.0), t + rng.laplace(0, 1.0))


# above the claim: t5.py:44: return t + rng.laplace(0, 1.0): laplace noise of scale 1 where a neighbour moves the value by 50; wi
@A(data=[2**53 + 1, 2**53], records=f"choice({2**53}, {2**53 + 1})")
def choice_single(rows, rng):
    t = 0.0
    for a in rows:
        if a > 2**53:
            t += 50.0
    return t + rng.laplace(0, 1.0)


# above the claim: t5.py:57: return t + rng.laplace(0, 1.0): laplace noise of scale 1 where a neighbour moves the value by 128; w
@A(data=[-C - 100, -C], records=f"choice({-C - 100}, {-C})")
def choice_cmp_gap(rows, rng):
    t = 0.0
    for a in rows:
        t += 0.0 if a + C >= 0 else 1.0 * -(a + C)
    return t + rng.laplace(0, 1.0)


# above the claim: t5.py:64: return t + rng.laplace(0, 1.0): laplace noise of scale 1 where a neighbour moves the value by 384; w
@A(data=[2**60 + 1, 2**60], records=f"int({2**60}, {2**60 + 1})")
def int_wide(rows, rng):
    t = 0
    for a in rows:
        t += a - 2**60
    return t + rng.laplace(0, 1.0)


# not derived: the code does not do what was read: records were found that cost (0.0, 0.0, 1.000000054333956), and (0.0, 0.0,
@A(data=np.array([[0.6, 0.8]], dtype=np.float32), records="row(2, norm<=1)", claim="GDP(mu=1)")
def norm_f32(X, rng):
    return np.sum(X.astype(float), axis=0) + rng.normal(0, 1.0, size=2)


# above the claim: t5.py:84: return np.sum(np.where(n > 1.0000001, 1000000.0, 0.0)) + rng.normal(0, 1.0): normal noise of scale 1
@A(data=np.array([[0.6, 0.8]]), records="row(2, norm<=1)", claim="GDP(mu=1)")
def norm_slack(X, rng):
    n = np.linalg.norm(X, axis=1)
    return np.sum(np.where(n > 1.0000001, 1000000.0, 0.0)) + rng.normal(0, 1.0)


# above the claim: t5.py:93: return np.sum(d['a']) + rng.normal(0, 1.0): normal noise of scale 1 where a neighbour moves the valu
@A(
    data={"a": np.array([0.6]), "b": np.array([0.5])},
    records="norm(1, {'a': float(-5, 5), 'b': float(-5, 5)})",
    claim="GDP(mu=1)",
)
def norm_colsd(d, rng):
    return np.sum(d["a"]) + rng.normal(0, 1.0)


# not derived: t5.py:103: return sum([min(v, 1.0) for v in x]) + rng.laplace(0, 1.0): a sum of records that may be NaN, infin
@A(data=[0.5, 1.0], records="missing(float(0, 1))")
def miss_min(x, rng):
    return sum([min(v, 1.0) for v in x]) + rng.laplace(0, 1.0)


# not derived: t6.py:14: y = np.clip(x + 1, 0, 1): add may lie outside of int64
@A(data=K)
def wrap_clip(x, rng):
    y = np.clip(x + 1, 0, 1)
    return np.sum(y) + rng.laplace(0, 1.0)


# not derived: t6.py:18: y = np.where(x < 100, x + 1, 0): add may lie outside of int64
@A(data=K)
def wrap_where(x, rng):
    y = np.where(x < 100, x + 1, 0)
    return np.sum(np.clip(y, 0, 1)) + rng.laplace(0, 1.0)


# not derived: t6.py:23: return np.sum(np.clip(y + 1, 0, 1)) + rng.laplace(0, 1.0): add may lie outside of int64
@A(data=K)
def wrap_mask(x, rng):
    y = x[x > 0]
    return np.sum(np.clip(y + 1, 0, 1)) + rng.laplace(0, 1.0)


# not derived: t6.py:26: return np.sum(np.minimum(np.abs(x), 1)) + rng.laplace(0, 1.0): absolute may lie outside of int64
@A(data=K)
def wrap_abs(x, rng):
    return np.sum(np.minimum(np.abs(x), 1)) + rng.laplace(0, 1.0)


# not derived: t6.py:29: return np.sum(np.clip(-x, 0, 1)) + rng.laplace(0, 1.0): negative may lie outside of int64
@A(data=K)
def wrap_neg(x, rng):
    return np.sum(np.clip(-x, 0, 1)) + rng.laplace(0, 1.0)


# not derived: t6.py:44: return sum([v % 2 ** 70 // 2 ** 70 for v in x]) + rng.laplace(0, 1.0): mod by what is no known posit
@A(data=I)
def mod_py_huge(x, rng):
    return sum([v % 2**70 // 2**70 for v in x]) + rng.laplace(0, 1.0)


# above the claim: t6.py:47: return np.sum(np.where(x > 9007199254740993, 3.0, 0.0) * np.where(x.astype(float) <= 900719925474099
@A(data=K)
def cmp_double(x, rng):
    return np.sum(
        np.where(x > 9007199254740993, 3.0, 0.0) * np.where(x.astype(float) <= 9007199254740992.0, 1.0, 0.0)
    ) + rng.laplace(0, 1.0)


# above the claim: t6.py:58: return (a + rng.laplace(0, 1.0), b + rng.laplace(0, 1.0)): laplace noise of scale 1 where a neighbou
@A(data=K)
def as_float_lt(x, rng):
    f = x.astype(float)
    c = 4503599627370495.5
    a = np.sum(np.where(x < 4503599627370496, 1.0, 0.0))
    b = np.sum(np.where(f < c, 0.0, 1.0))
    return (a + rng.laplace(0, 1.0), b + rng.laplace(0, 1.0))


# not derived: t6.py:63: if v > 0.5:: a Python integer that may be too large to meet a double
@A(data=I)
def int_ends(x, rng):
    s = t = 0
    for v in x:
        if v > 0.5:
            s += 1
        elif v < 1:
            t += 1
    return (s + rng.laplace(0, 1.0), t + rng.laplace(0, 1.0))


# not derived: t6.py:70: if 0.2 < v < 0.8:: a Python integer that may be too large to meet a double
@A(data=I)
def int_between(x, rng):
    s = t = 0
    for v in x:
        if 0.2 < v < 0.8:
            s += 100
        if v == 0:
            t += 1
    return s + t + rng.laplace(0, 1.0)


# above the claim: t6.py:79: return s + rng.laplace(0, 1.0): laplace noise of scale 1 where a neighbour moves the value by 100; w
@A(data=L)
def between_floats(x, rng):
    s = 0
    for v in x:
        if v > 1.0 and v < 1.0000000000000002:
            s += 100
        elif v > 0:
            s += 1
    return s + rng.laplace(0, 1.0)


# above the claim: t6.py:88: return (s + rng.laplace(0, 1.0), t + rng.laplace(0, 1.0)): laplace noise of scale 1 where a neighbou
@A(data=L)
def inf_piece(x, rng):
    s = t = 0
    for v in x:
        if v == math.inf:
            s += 1
        elif v > 1e308:
            t += 1
        elif v == -math.inf:
            s += 1
        elif v != v:
            t += 1
    return (s + rng.laplace(0, 1.0), t + rng.laplace(0, 1.0))


# above the claim: t6.py:95: return (s + rng.laplace(0, 1.0), t + rng.laplace(0, 1.0)): laplace noise of scale 1 where a neighbou
@A(data=L)
def nan_piece(x, rng):
    s = t = 0
    for v in x:
        if not (v >= 0 or v < 0):
            s += 1
        if v != v:
            t += 1
    return (s + rng.laplace(0, 1.0), t + rng.laplace(0, 1.0))


# above the claim: t6.py:102: return (s + rng.laplace(0, 1.0), t + rng.laplace(0, 1.0)): laplace noise of scale 1 where a neighbo
@A(data=L)
def nan_piece2(x, rng):
    s = t = 0
    for v in x:
        if not v < 0:
            s += 1
        if not v >= 0:
            t += 1
    return (s + rng.laplace(0, 1.0), t + rng.laplace(0, 1.0))


# above the claim: t6.py:107: return (h + rng.laplace(0, 1.0, size=2), o + rng.laplace(0, 1.0)): laplace noise of scale 1 where a
@A(data=F)
def nan_hist(x, rng):
    h, e = np.histogram(x, bins=[0.0, 1.0, 2.0])
    n = np.sum(np.isnan(x))
    o = np.sum(~(x < 0) & ~(x > 2))
    return (h + rng.laplace(0, 1.0, size=2), o + rng.laplace(0, 1.0))


# above the claim: t6.py:112: return (h + rng.laplace(0, 1.0, size=2), o + rng.laplace(0, 1.0)): laplace noise of scale 1 where a
@A(data=F)
def hist_closed(x, rng):
    h, e = np.histogram(x, bins=[0.0, 1.0, 2.0])
    o = np.sum(x >= 2.0)
    return (h + rng.laplace(0, 1.0, size=2), o + rng.laplace(0, 1.0))


# above the claim: t6.py:116: return (h + rng.laplace(0, 1.0, size=2), g + rng.laplace(0, 1.0, size=1)): laplace noise of scale 1
@A(data=F)
def hist_two(x, rng):
    h, e = np.histogram(x, bins=[0.0, 1.0, 2.0])
    g, _ = np.histogram(x, bins=[2.0, 3.0])
    return (h + rng.laplace(0, 1.0, size=2), g + rng.laplace(0, 1.0, size=1))


# above the claim: t6.py:120: return (h + rng.laplace(0, 1.0, size=1), g + rng.laplace(0, 1.0, size=1)): laplace noise of scale 1
@A(data=F)
def hist_inner(x, rng):
    h, e = np.histogram(x, bins=[0.0, 1.0])
    g, _ = np.histogram(x, bins=[1.0, 2.0])
    return (h + rng.laplace(0, 1.0, size=1), g + rng.laplace(0, 1.0, size=1))


# above the claim: t6.py:125: return (b[:3] + rng.laplace(0, 1.0, size=3), c + rng.laplace(0, 1.0)): laplace noise of scale 1 whe
@A(data=K)
def bin_hist(x, rng):
    y = np.clip(x, 0, 3)
    b = np.bincount(y, minlength=4)
    c = np.sum(x > 2)
    return (b[:3] + rng.laplace(0, 1.0, size=3), c + rng.laplace(0, 1.0))


# above the claim: t6.py:130: return (b[:3] + rng.laplace(0, 1.0, size=3), c + rng.laplace(0, 1.0)): laplace noise of scale 1 whe
@A(data=K)
def bin_hist2(x, rng):
    y = np.clip(x, 0, 3)
    b = np.bincount(y, minlength=4)
    c = np.sum(y >= 2)
    return (b[:3] + rng.laplace(0, 1.0, size=3), c + rng.laplace(0, 1.0))


# above the claim: t6.py:147: return s + rng.laplace(0, 1.0): laplace noise of scale 1 where a neighbour moves the value by 2; wi
@A(data=[("a", "b"), ("b", "b")], records='(choice("a", "b"), choice("b", "c"))')
def texts3(x, rng):
    s = t = 0
    for v, w in x:
        if v == "a":
            s += 1
        if w == "b":
            s += 1
        if v == "c":
            s += 100
        if w == "a":
            s += 100
    return s + rng.laplace(0, 1.0)


# above the claim: t6.py:156: return (s + rng.laplace(0, 1.0), t + rng.laplace(0, 1.0)): laplace noise of scale 1 where a neighbo
@A(data=["a", "b", "c"])
def texts4(x, rng):
    s = t = 0
    for v in x:
        if v == "a" or v == "":
            s += 1
        elif v in ("b", "a", "zz"):
            t += 1
        else:
            t += 1
        if v not in ("a", "b"):
            s += 1
    return (s + rng.laplace(0, 1.0), t + rng.laplace(0, 1.0))


# above the claim: t6.py:162: return np.sum(np.fmax(np.fmin(x, 1.0), -1.0) * 0.5 + np.where(np.isnan(x), 0.7, 0.0)) + rng.laplace
@A(data=F)
def fmax_bad(x, rng):
    return np.sum(np.fmax(np.fmin(x, 1.0), -1.0) * 0.5 + np.where(np.isnan(x), 0.7, 0.0)) + rng.laplace(0, 1.0)


# above the claim: t6.py:169: return np.sum(y) + rng.laplace(0, 1.0): laplace noise of scale 1 where a neighbour moves the value
@A(data=F)
def nn_rec2(x, rng):
    y = np.nan_to_num(np.minimum(np.maximum(x, 0.0), 1.0), nan=3.0)
    return np.sum(y) + rng.laplace(0, 1.0)


# not derived: t6.py:172: return sum([min(max(v, 0.0), 1.0) for v in x]) + rng.laplace(0, 1.0): a sum of records that may be
@A(data=L)
def pymin_order(x, rng):
    return sum([min(max(v, 0.0), 1.0) for v in x]) + rng.laplace(0, 1.0)


# not derived: t6.py:178: return sum([max(0.0, min(v, 1.0)) for v in x]) + rng.laplace(0, 1.0): a sum of records that may be
@A(data=L)
def pymin_order3(x, rng):
    return sum([max(0.0, min(v, 1.0)) for v in x]) + rng.laplace(0, 1.0)


# above the claim: t6.py:190: return np.sum(d * (d + 0.0)) + rng.laplace(0, 1.0): laplace noise of scale 1 where a neighbour move
@A(data=F, relation="replace")
def square_width2(x, rng):
    d = np.clip(np.nan_to_num(x), -1.0, 1.0)
    return np.sum(d * (d + 0.0)) + rng.laplace(0, 1.0)


# above the claim: t6.py:194: return np.sum(np.where(d > 0, 1.0 + d, d)) + rng.laplace(0, 2.0): laplace noise of scale 2 where a
@A(data=F, relation="replace")
def rep_where(x, rng):
    d = np.clip(np.nan_to_num(x), -1.0, 1.0)
    return np.sum(np.where(d > 0, 1.0 + d, d)) + rng.laplace(0, 2.0)


# above the claim: t6.py:198: return (np.sum(d) + rng.laplace(0, 2.0), np.sum(1 - d) + rng.laplace(0, 1.9)): laplace noise of sca
@A(data=F, relation="replace")
def rep_two(x, rng):
    d = np.clip(np.nan_to_num(x), 0.0, 1.0)
    return (np.sum(d) + rng.laplace(0, 2.0), np.sum(1 - d) + rng.laplace(0, 1.9))


# not derived: the code does not do what was read: records were found that cost (2.0, 2.5, 0.0), and (1.0000000000000018, 0.5
@A(data=F, **B01)
def ss_small(x, rng):
    r = np.sum(x) + rng.laplace(0, 2.0)
    i = np.searchsorted([0.0, 1.0, 2.0], r)
    return (r, np.sum(x) * i + rng.laplace(0, 2.0))


# not derived: the code does not do what was read: with the same released values the code gives 0.0 for 0 records, and 0.6527
@A(data=F, **B01)
def ss_small_path(x, rng):
    s = np.sum(x)
    r = s + rng.laplace(0, 2.0)
    i = np.searchsorted([0.0, 1.0, 2.0], r)
    if i > 1:
        return float(s)
    return r


# above the claim: t7.py:27: return np.sum(x) + rng.laplace(0, c): laplace noise of scale 0.1 where a neighbour moves the value b
@A(data=F, **B01)
def choice_range(x, rng):
    c = rng.choice([1.0, 0.1], p=np.array([0.5, 0.5]))
    return np.sum(x) + rng.laplace(0, c)


# above the claim: t7.py:31: return np.sum(x) * c + rng.laplace(0, 1.0): laplace noise of scale 1 where a neighbour moves the val
@A(data=F, **B01)
def choice_int(x, rng):
    c = rng.choice(3)
    return np.sum(x) * c + rng.laplace(0, 1.0)


# above the claim: t7.py:34: return np.sum(x) + rng.laplace(0, 0.5 + rng.random()): laplace noise of scale 0.5 where a neighbour
@A(data=F, **B01)
def random_scale(x, rng):
    return np.sum(x) + rng.laplace(0, 0.5 + rng.random())


# not derived: t7.py:37: return np.sum(x) * min(rng.integers(0, 3), 1) + rng.laplace(0, 1.0): multiply of a number that may b
@A(data=F, **B01)
def integers_factor(x, rng):
    return np.sum(x) * min(rng.integers(0, 3), 1) + rng.laplace(0, 1.0)


# not derived: t7.py:43: return (r, np.sum(x) + rng.laplace(0, 4.0 * np.clip(k, 1, 2))): a scale of noise that may be 0, NaN
@A(data=F, **B01)
def wrapped_scale(x, rng):
    r = np.sum(x) + rng.laplace(0, 4.0, size=3)
    k = np.argmax(r) + np.int64(2**62)
    k = k + np.int64(2**62 - 1)
    return (r, np.sum(x) + rng.laplace(0, 4.0 * np.clip(k, 1, 2)))


# above the claim: t7.py:46: r = np.sum(x) + rng.laplace(0, 6.0, size=3): laplace noise of scale 6 where a neighbour moves the va
@A(data=F, **B01)
def argmin_int(x, rng):
    r = np.sum(x) + rng.laplace(0, 6.0, size=3)
    k = int(np.argmin(r))
    return (r, np.sum(x) * [0.5, 0.5, 3.0][k] + rng.laplace(0, 1.0))


# above the claim: t7.py:51: r = np.sum(x) + rng.laplace(0, 8.0, size=(2, 2)): laplace noise of scale 8 where a neighbour moves t
@A(data=F, **B01)
def argmax_2d(x, rng):
    r = np.sum(x) + rng.laplace(0, 8.0, size=(2, 2))
    k = np.argmax(r, axis=1)
    return (r, np.sum(x) * k[0] + rng.laplace(0, 2.0))


# above the claim: t7.py:61: r = np.sum(x) + rng.laplace(0, 8.0, size=4): laplace noise of scale 8 where a neighbour moves the va
@A(data=F, **B01)
def argmax_round(x, rng):
    r = np.sum(x) + rng.laplace(0, 8.0, size=4)
    k = np.argmax(np.round(r))
    return (r, np.sum(x) * k + rng.laplace(0, 2.0))


# not derived: t7.py:73: return (r, np.sum(x) * k + rng.laplace(0, 2.0)): multiply of a record that may be NaN or infinite
@A(data=F, **B01)
def int_floor(x, rng):
    r = np.sum(x) + rng.laplace(0, 2.0)
    k = math.floor(np.clip(r, -1.9, 0.9))
    return (r, np.sum(x) * k + rng.laplace(0, 2.0))


# not derived: t7.py:89: return (r, np.sum(x) + rng.laplace(0, 4.0 * k)): a scale of noise that may be 0, NaN or infinite
@A(data=F, **B01)
def nan_clip(x, rng):
    r = np.sum(x) + rng.laplace(0, 2.0)
    v = np.sqrt(np.array([r]))
    k = np.maximum(np.minimum(v, 1.0), 0.5)[0]
    return (r, np.sum(x) + rng.laplace(0, 4.0 * k))


# not derived: t7.py:103: return (r, np.sum(x) + rng.laplace(0, 2.0 * k)): a scale of noise that may be 0, NaN or infinite
@A(data=F, **B01)
def nan_where(x, rng):
    r = np.sum(x) + rng.laplace(0, 2.0)
    v = np.sqrt(np.array([r]))
    k = np.where(v > 1.0, v, 1.0)
    k = np.fmin(k, 5.0)
    return (r, np.sum(x) + rng.laplace(0, 2.0 * k))


# above the claim: t7.py:106: r = np.sum(x) + rng.laplace(0, 2.0): laplace noise of scale 2 where a neighbour moves the value by
@A(data=F, **B01)
def branch_scale(x, rng):
    r = np.sum(x) + rng.laplace(0, 2.0)
    if r > 2.0:
        s = 0.1
    elif r != r:
        s = 0.001
    else:
        s = 2.0
    return (r, np.sum(x) + rng.laplace(0, s))


# above the claim: t7.py:121: return np.sum(x) / m + rng.laplace(0, 1.0 / m): laplace noise of scale 0.1 where a neighbour moves
@A(data=F, relation="replace", **B01)
def repl_clip_n(x, rng):
    n = len(x)
    m = np.clip(float(n), 1.0, 10.0)
    return np.sum(x) / m + rng.laplace(0, 1.0 / m)


# above the claim: t7.py:125: return np.sum(x) / (n * n) * n + rng.laplace(0, 0.999999 / n): laplace noise of scale 0.999999 wher
@A(data=F, relation="replace", **B01)
def repl_median_n(x, rng):
    n = len(x)
    return np.sum(x) / (n * n) * n + rng.laplace(0, 0.999999 / n)


# above the claim: t7.py:133: return np.sum(x * n) / 3 / n * 2 + rng.laplace(0, 2.0 / 3 / n): laplace noise of scale 1.5522e-10 w
@A(data=F, relation="replace", **B01)
def repl_power_bad(x, rng):
    n = len(x)
    return np.sum(x * n) / 3 / n * 2 + rng.laplace(0, 2.0 / 3 / n)


# above the claim: t7.py:137: return (np.sum(x) + rng.laplace(0, 1.0), n + rng.laplace(0, 0.001)): laplace noise of scale 1 where
@A(data=F, relation="replace", **B01)
def repl_private_n(x, rng):
    n = np.sum(x > 0.5)
    return (np.sum(x) + rng.laplace(0, 1.0), n + rng.laplace(0, 0.001))


# above the claim: t7.py:141: return h + rng.laplace(0, 1.9, size=2): laplace noise of scale 1.9 where a neighbour moves the valu
@A(data=F, relation="replace", **B01)
def repl_hist(x, rng):
    h, e = np.histogram(x, bins=[0.0, 0.5, 1.0])
    return h + rng.laplace(0, 1.9, size=2)


# above the claim: t7.py:145: return h + rng.normal(0, 1.41, size=2): normal noise of scale 1.41 where a neighbour moves the valu
@A("GDP(mu=1)", data=F, relation="replace", **B01)
def repl_hist_g(x, rng):
    h, e = np.histogram(x, bins=[0.0, 0.5, 1.0])
    return h + rng.normal(0, 1.41, size=2)


# above the claim: t7.py:148: return (np.sum(np.where(x < 0.5, x, 0.0)) + rng.laplace(0, 1.0), np.sum(np.where(x >= 0.5, x, 0.0))
@A(data=F, relation="replace", **B01)
def repl_disjoint(x, rng):
    return (
        np.sum(np.where(x < 0.5, x, 0.0)) + rng.laplace(0, 1.0),
        np.sum(np.where(x >= 0.5, x, 0.0)) + rng.laplace(0, 1.0),
    )


# not derived: t7.py:152: return (np.sum(x) + rng.laplace(0, 1.0), float(np.linalg.norm(v))): it raises FloatingPointError: u
@A(data=F, **B01)
def vec_norm_loop(x, rng):
    v = np.array([1e-170, 0.0])
    return (np.sum(x) + rng.laplace(0, 1.0), float(np.linalg.norm(v)))


# above the claim: t7.py:163: return np.sum(X / np.maximum(n, 1.0)[:, None], axis=0) + rng.normal(0, 1.0, size=2): normal noise o
@A("GDP(mu=1)", data=np.array([[0.5, 0.1]]))
def clip_scale_other(X, rng):
    X = np.clip(np.nan_to_num(X), -1e100, 1e100)
    n = np.linalg.norm(X[:, :1], axis=1)
    return np.sum(X / np.maximum(n, 1.0)[:, None], axis=0) + rng.normal(0, 1.0, size=2)


# above the claim: t7.py:168: return np.sum(X / np.maximum(n, 1.0)[:, None], axis=0) + rng.normal(0, 1.0, size=2): normal noise o
@A("GDP(mu=1)", data=np.array([[0.5, 0.1]]))
def clip_scale_l1(X, rng):
    X = np.clip(np.nan_to_num(X), -1e100, 1e100)
    n = np.sqrt(np.sum(np.abs(X), axis=1))
    return np.sum(X / np.maximum(n, 1.0)[:, None], axis=0) + rng.normal(0, 1.0, size=2)


# above the claim: t7.py:179: return np.sum(Y[n <= 1.0], axis=0) + rng.normal(0, 1.0, size=2): normal noise of scale 1 where a ne
@A("GDP(mu=1)", data=np.array([[0.5, 0.1]]))
def select_norm_plus(X, rng):
    X = np.clip(np.nan_to_num(X), -1e100, 1e100)
    n = np.linalg.norm(X, axis=1)
    Y = X + 1.0
    return np.sum(Y[n <= 1.0], axis=0) + rng.normal(0, 1.0, size=2)


# above the claim: t8.py:16: return np.sum(x) + rng.laplace(0, 1.0): laplace noise of scale 1 where a neighbour moves the value b
@A("RDP(order=1.0000001, epsilon=0.5)", data=F, **B01)
def rdp_just(x, rng):
    return np.sum(x) + rng.laplace(0, 1.0)


# above the claim: t8.py:18: return np.sum(x) + rng.laplace(0, 1.0): laplace noise of scale 1 where a neighbour moves the value b
@A("ApproxDP(epsilon=0.9, delta=0.5)", data=F, **B01)
def appr_pure(x, rng):
    return np.sum(x) + rng.laplace(0, 1.0)


# not derived: the noise gives no bound of the kind ApproxDP
@A("ApproxDP(epsilon=1, delta=0.0)", data=F, **B01)
def appr_zero(x, rng):
    return np.sum(x) + rng.normal(0, 100.0)


# not derived: the noise gives no bound of the kind GDP
@A("GDP(mu=1)", data=F, **B01)
def gdp_branch(x, rng):
    r = np.sum(x) + rng.normal(0, 1.42)
    if r > 3:
        return np.sum(x) + rng.normal(0, 1.42)
    return np.sum(x) + rng.laplace(0, 5.0)


# above the claim: t8.py:30: r = np.sum(x) + rng.normal(0, 1.5): normal noise of scale 1.5 where a neighbour moves the value by 1
@A("ZCDP(rho=0.5)", data=F, **B01)
def zc_adapt(x, rng):
    r = np.sum(x) + rng.normal(0, 1.5)
    if r > 3:
        return np.sum(x) + rng.laplace(0, 1.4)
    return np.sum(x) + rng.normal(0, 1.4)


# above the claim: t8.py:38: return sum([100.0 if 0.0 < v < 1.0 else v for v in x]) + rng.laplace(0, 1.0): laplace noise of scale
@A(data=[0.0, 1.0], records="choice(0.0, 1.0)")
def choice_between2(x, rng):
    return sum([100.0 if 0.0 < v < 1.0 else v for v in x]) + rng.laplace(0, 1.0)


# not derived: t8.py:44: return sum([v for v in x]) + rng.geometric(0.7) - rng.geometric(0.6): subtract of a draw: no rule
@A(data=[1, 0, 1], records="choice(0, 1, 1)")
def choice_dup(x, rng):
    return sum([v for v in x]) + rng.geometric(0.7) - rng.geometric(0.6)


# above the claim: t8.py:47: return np.sum(np.where(x > 2 ** 62, 1.0, 0.0) * 50) + rng.laplace(0, 1.0): laplace noise of scale 1
@A(data=np.array([2**62, 1]), records=f"int(0, {2**62 + 1})")
def int_edge(x, rng):
    return np.sum(np.where(x > 2**62, 1.0, 0.0) * 50) + rng.laplace(0, 1.0)


# not derived: t8.py:50: y = np.where(x > 1, x - 1, x): subtract may lie outside of int64
@A(data=np.array([2**63 - 1, 1]), records=f"choice(1, {2**63 - 1})")
def choice_edge(x, rng):
    y = np.where(x > 1, x - 1, x)
    return np.sum(np.clip(y - (2**63 - 2), 0, 1) * 50) + rng.laplace(0, 1.0)


# not derived: t8.py:54: return np.sum(np.clip(x // 2 ** 62, 0, 1)) + rng.laplace(0, 1.0): floor_divide by what is no known p
@A(data=np.array([2**63 - 1, 1]), records=f"choice(1, {2**63 - 1})")
def choice_edge2(x, rng):
    return np.sum(np.clip(x // 2**62, 0, 1)) + rng.laplace(0, 1.0)


# above the claim: t8.py:57: return sum([50.0 if v == 9007199254740993 else 0.0 for v in x]) + rng.laplace(0, 1.0): laplace noise
@A(data=[2**53 + 1, 2**53 + 1], records=f"choice({2**53 + 1})")
def choice_exact(x, rng):
    return sum([50.0 if v == 9007199254740993 else 0.0 for v in x]) + rng.laplace(0, 1.0)


# not derived: t8.py:60: return sum([50.0 if v > 9007199254740992.0 else 0.0 for v in x]) + rng.laplace(0, 1.0): less of a wh
@A(data=[2**53 + 1, 2**53 + 1], records=f"choice({2**53 + 1})")
def choice_exact_float(x, rng):
    return sum([50.0 if v > 9007199254740992.0 else 0.0 for v in x]) + rng.laplace(0, 1.0)


# not derived: t8.py:63: return sum([float((v - 1) // 2 ** 53 * 0 + (v * 2 - 2 ** 54) * 25) for v in x]) + rng.laplace(0, 1.0
@A(data=[2**53 + 1, 2**53 + 1], records=f"choice({2**53 + 1})")
def choice_mul(x, rng):
    return sum([float((v - 1) // 2**53 * 0 + (v * 2 - 2**54) * 25) for v in x]) + rng.laplace(0, 1.0)


# above the claim: t8.py:73: return t + rng.laplace(0, 1.0): laplace noise of scale 1 where a neighbour moves the value by 100; w
@A(data=[(2**53 + 1, 0), (2**53, 0)], records=f"(choice({2**53}, {2**53 + 1}), int(0, 5))")
def choice_cmp_fields(rows, rng):
    t = 0.0
    for a, b in rows:
        if a - b > 9007199254740992:
            t += 100.0
    return t + rng.laplace(0, 1.0)


# not derived: data of type tuple (a list, an array, a dict of columns, or (X, y))
@A(data=(0.5, 1.0), bounds="0:1")
def tup(x, rng):
    return sum(x) + rng.laplace(0, 1.0)


# not derived: records with None
@A(data=[1.0, 1.0], records="missing(choice(0.0, 1.0))")
def missing_choice(x, rng):
    return np.sum(np.nan_to_num(np.asarray(x))) + rng.laplace(0, 1.0)


# not derived: records of the kind missing(text) where the example has texts
@A(data=["a", "b"], records="missing(text)")
def missing_text(x, rng):
    return sum([1 for v in x if v == "a"]) + rng.laplace(0, 1.0)


# not derived: records of the kind choice('a', 'b', 3) where the example has texts
@A(data=["a", "b"], records='choice("a", "b", 3)')
def mixed_text(x, rng):
    return sum([1 for v in x if v == "a"]) + rng.laplace(0, 1.0)
