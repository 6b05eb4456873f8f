"""Attacks of the twelfth reading that stop, or whose proofs are true (`TRUE`)."""

import numpy as np

ATTACKS = {}
TRUE = ("kept_inverse", "counted_while", "geometric_doubled", "disjoint_releases")
L = dict(data=[0.5, 1.0], bounds="0:1", d0=[], d1=[1.0])


def A(claim="PureDP(epsilon=1)", **k):
    def d(f):
        ATTACKS[f.__name__] = dict(claim=claim, **k)
        return f

    return d


@A(**L)
def kept_inverse(xs, rng):
    kept = [v for v in xs if v > 0.5]
    inv = [1.0 / v for v in kept]
    t = 0.0
    for w in inv:
        t += w
    return t + rng.laplace(0, 2.001)


@A(**L)
def kept_closure(xs, rng):
    kept = []
    k = 1.0

    def g(v):
        return v * k

    for v in xs:
        if v > 0.5:
            kept.append(g(v))
    k = 1000.0
    return sum([g(v) for v in kept]) + rng.laplace(0, 1.001)


@A(**L)
def release_in_loop(xs, rng):
    s = sum(xs)
    noise = rng.laplace(0, 2.001)
    t = 0.0
    for v in xs:
        r = s + noise
        if v > r:
            t += 1.0
    return t + rng.laplace(0, 2.001)


@A(**L)
def release_in_loop2(xs, rng):
    s = sum(xs)
    noise = rng.laplace(0, 2.001)
    t = 0.0
    for v in xs:
        if v > s + noise:
            t += 1.0
    return t + rng.laplace(0, 2.001)


@A(**L)
def release_in_way(xs, rng):
    s = sum(xs)
    noise = rng.laplace(0, 1.001)
    t = 0.0
    for v in xs:
        if v > 0.5:
            r = s + noise
    return s + rng.laplace(0, 2.002)


@A(**L)
def release_in_way_only(xs, rng):
    s = sum(xs)
    noise = rng.laplace(0, 1.001)
    for v in xs:
        if v > 0.5:
            r = s + noise
    return noise


@A(**L)
def expose_in_loop(xs, rng):
    noise = rng.laplace(0, 1.001)
    t = 0.0
    for v in xs:
        if v > noise:
            t += 1.0
    return t + rng.laplace(0, 1.001)


@A(**L)
def default_released(xs, rng):
    r = sum(xs) + rng.laplace(0, 2.001)
    g = lambda v, c=r: v > c
    return sum([1.0 for v in xs if g(v)]) + rng.laplace(0, 2.001)


@A(**L)
def cells_released_key(xs, rng):
    counts = {0: 0.0, 1: 0.0}
    r = int(min(max(sum(xs) + rng.laplace(0, 2.001), 0.0), 1.0))
    for v in xs:
        if r == 1:
            counts[1] += 1.0
    return counts[1] + rng.laplace(0, 2.001)


@A(**L)
def list_released_index(xs, rng):
    w = [1.0, 1000.0]
    r = int(min(max(sum(xs) + rng.laplace(0, 2.001), 0.0), 1.9))
    s = w[r]
    t = 0.0
    for v in xs:
        t += v * s
    return t + rng.laplace(0, 2.001)


@A(**L)
def list_released_index2(xs, rng):
    w = [1.0, 1000.0]
    r = int(min(max(sum(xs) + rng.laplace(0, 2.001), 0.0), 1.9))
    w[r] = 5.0
    t = 0.0
    for v in xs:
        t += v * min(w)
    return t + rng.laplace(0, 2.001)


@A(**L)
def counted_while(xs, rng):
    k = 0
    r = sum(xs) + rng.laplace(0, 2.001)
    while k < 3 and r > k:
        k += 1
    t = 0.0
    for v in xs:
        t += min(v * k, 1.0)
    return t + rng.laplace(0, 2.001), k


@A(**L)
def geo_mixed(xs, rng):
    n = len(xs)
    a = n + rng.geometric(0.5) - rng.geometric(0.5)
    return a * 2**70


@A(**L)
def geometric_doubled(x, rng):
    n = 0
    for v in x:
        n += 1 if v > 0.5 else 0
    a = n + rng.geometric(0.3) - rng.geometric(0.3)
    return float(a) * 2.0


@A(**L)
def disjoint_releases(xs, rng):
    a = sum([v for v in xs if v < 0.5]) + rng.laplace(0, 1.001)
    b = sum([v for v in xs if v > 0.5]) + rng.laplace(0, 1.001)
    return a, b


@A(**L)
def shared_releases_edge(xs, rng):
    a = sum([1.0 for v in xs if v <= 0.5]) + rng.laplace(0, 1.001)
    b = sum([1.0 for v in xs if v >= 0.5]) + rng.laplace(0, 1.001)
    return a, b


@A(**L)
def shared_via_tables(xs, rng):
    a = sum([1.0 for v in xs if int(v * 4) == 2]) + rng.laplace(0, 1.001)
    b = sum([1.0 for v in xs if int(v * 4) // 2 == 1]) + rng.laplace(0, 1.001)
    return a, b


@A(**L)
def nested_lambda_late(xs, rng):
    fs = [lambda v: v * k for k in (1.0, 1000.0)]
    return sum([fs[0](v) for v in xs]) + rng.laplace(0, 1.001)


@A(**L)
def loop_lambda_late(xs, rng):
    fs = []
    for k in (1.0, 1000.0):
        fs.append(lambda v: v * k)
    return sum([fs[0](v) for v in xs]) + rng.laplace(0, 1.001)


@A(**L)
def lambda_of_later(xs, rng):
    c = 1.0
    g = lambda v: v * c
    ys = [g(v) for v in xs]
    c = 1000.0
    return sum([g(v) for v in ys]) + rng.laplace(0, 1.001)


@A(**L)
def comp_scope(xs, rng):
    v = 1000.0
    ys = [v for v in xs]
    return sum([v for y in ys]) + rng.laplace(0, 1.001)


@A(**L)
def frozen_cells(xs, rng):
    counts = [0.0, 0.0]
    total = 0.0
    for c in counts:
        for v in xs:
            counts[1] += v
        total += c
    return total + rng.laplace(0, 1.001)


@A(**L)
def aug_cells_alias(xs, rng):
    counts = [0.0, 0.0]

    def peek():
        return counts[0]

    for v in xs:
        counts[0] += v
        counts[1] += v
    return peek() + counts[1] + rng.laplace(0, 1.001)


# text of the example is no range
@A(data=[(0.5, "x"), (0.2, "y"), (0.1, "x")], bounds="[0]=0:1", d0=[], d1=[(1.0, "z")])
def texts_of_the_example(rows, rng):
    t = 0.0
    for v, c in rows:
        if c == "x":
            t += v
        elif c != "y":
            t += 1000.0
    return t + rng.laplace(0, 1.001)


# a stated 0.3 in 32 bits: the run sees it where no window hides it
@A(
    data=np.array([[0.5, 0.25], [0.5, 0.25]], dtype=np.float32),
    bounds="[0]=0:1,[1]=0:0.3",
    d0=np.zeros((0, 2), dtype=np.float32),
    d1=np.array([[0.6865, 0.3]], dtype=np.float32),
)
def float32_range_in_sight(X, rng):
    a, b = X[:, 0].astype(float), X[:, 1].astype(float)
    z = np.where((a * a > 0.4712) & (a * a < 0.4713) & (b > 0.3), 1000.0, 0.0)
    return np.sum(z) + rng.laplace(0, 1.0)


# missing values stay in a domain whose bounds are stated
@A(data=[0.5, float("nan")], bounds="0:1", d0=[], d1=[float("nan")])
def missing_within_bounds(x, rng):
    t = 0.0
    for v in x:
        if v != v:
            t += 1000.0
        else:
            t += min(v, 1.0)
    return t + rng.laplace(0, 1.0)
