"""False certificates of one more reading (the kernel and the cost). BOTH walls fail but where `only_rules=True`.

Q: the range of a // b where b is a known number on this way only: proofs/ranges.py (floor_divide), from
   proofs/elementwise.py:49 (the range of the node is that of the operands without `given`).
U: norms of vectors whose squares underflow (in doubles; in real arithmetic they are right). Borderline, as U before:
   proofs/norms.py:169 (norms: a norm that a condition narrows), proofs/norms.py:343 (Clipped.over: norm / b).
"""

import numpy as np

ATTACKS = {}
BORDERLINE = ("norm_over_small", "norm_is_nothing")
Z = np.array([], dtype=int)
ROWS = dict(data=[(1200, 3), (5000, 2)], records="(int(1000, 1000000), int(1, 10))", d0=[], d1=[(1200, 3)])
AB = dict(
    data={"a": np.array([1200, 5000]), "b": np.array([3, 2])},
    bounds="a=1000:1000000,b=1:10",
    d0={"a": Z, "b": Z},
    d1={"a": np.array([1200]), "b": np.array([3])},
)
NEGATIVE = dict(data=[(-1200, 3), (-5000, 2)], records="(int(-5000, -1000), int(1, 10))", d0=[], d1=[(-1200, 3)])
X3 = np.array([[0.5, 1.0, 0.25], [0.25, 0.5, 0.5]])


def A(claim="PureDP(epsilon=1)", **k):
    def d(f):
        ATTACKS[f.__name__] = dict(claim=claim, **k)
        return f

    return d


# Q: a // 3 is said to be >= 1000 // 1 = 1000: the way of w == 400 is not explored; the sum moves by 1000.
@A(**ROWS)
def floor_divide_of_ways(data, rng):
    t = 0
    for a, b in data:
        if b == 3:
            w = a // b
            if w == 400:
                t += 1000
            else:
                t += 1
    return t + rng.laplace(0, 1.0)


# Q: of columns of numpy, epsilon 0.0 is stated.
@A(**AB)
def floor_divide_of_columns(data, rng):
    t = 0.0
    for a, b in zip(data["a"], data["b"]):
        if b == 3:
            if a // b == 400:
                t += 1000
    return t + rng.laplace(0, 1.0)


# Q: in a comprehension.
@A(**ROWS)
def floor_divide_in_comprehension(data, rng):
    return sum([1000 for a, b in data if b == 3 and a // b == 400]) + rng.laplace(0, 1.0)


# Q: the way that is not explored raises ZeroDivisionError.
@A(**ROWS)
def floor_divide_raises(data, rng):
    t = 0
    for a, b in data:
        if b == 3 and a // b == 400:
            t += 1 // (a - 1200)
    return t + rng.laplace(0, 1.0)


# Q: a below 0: a // 3 is said to be <= -1000 // 1.
@A(**NEGATIVE)
def floor_divide_below_zero(data, rng):
    t = 0
    for a, b in data:
        if b in (3,):
            if a // b == -400:
                t += 1000
    return t + rng.laplace(0, 1.0)


# Q: under replace.
@A(relation="replace", **{**AB, "d0": {"a": np.array([5000]), "b": np.array([3])}})
def floor_divide_replaced(data, rng):
    t = 0.0
    for a, b in zip(data["a"], data["b"]):
        if b == 3:
            if a // b == 400:
                t += 1000
    return t + rng.laplace(0, 1.0)


# Q: a list of quotients, gone through again.
@A(**ROWS)
def floor_divide_kept(data, rng):
    kept = [a // b for a, b in data if b == 3]
    t = 0
    for w in kept:
        if w == 400:
            t += 1000
    return t + rng.laplace(0, 1.0)


# Q: the key of a dict: the quotient is said to lie beyond 1000.
@A(**ROWS)
def floor_divide_key(data, rng):
    weights = {400: 1000.0, 5: 1.0}
    t = 0.0
    for a, b in data:
        if b == 3:
            t += weights.get(a // b, 0.0)
    return t + rng.laplace(0, 1.0)


# Q: without a decision: a value whose range is empty (10**6 // -10 is the highest) has no pieces, so that nothing is
# summed in proofs/cost.py (_cells, _pieces): epsilon 0.0 is stated.
@A(
    data={"a": np.array([1200, 5]), "b": np.array([3, 2])},
    bounds="a=0:1000000,b=-10:10",
    d0={"a": Z, "b": Z},
    d1={"a": np.array([1200]), "b": np.array([3])},
)
def floor_divide_without_pieces(data, rng):
    m = data["b"] == 3
    w = data["a"][m] // data["b"][m]
    s = np.sum(np.where(w == 400, 1000.0, 0.0))
    return s + rng.laplace(0, 1.0), s + rng.laplace(0, 1.0)


# Q, by the rules alone: bincount's length: the quotient is said to lie below 1001 // -10; it is 233 at a = 699, and 234 places meet the
# noise of 233: ValueError.
@A(
    only_rules=True,
    data={"a": np.array([300, 5]), "b": np.array([3, 2])},
    bounds="a=0:1001,b=-10:10",
    d0={"a": Z, "b": Z},
    d1={"a": np.array([699]), "b": np.array([3])},
)
def floor_divide_bincount(data, rng):
    a, b = data["a"], data["b"]
    m = (b == 3) & (a * a < 490000)
    w = a[m] // b[m]
    return np.bincount(w, minlength=233) + rng.laplace(0, 1.0, size=233)


# U (borderline): the norm of (1e-165, 0) is 0.0, and 1e-165 / 2**-399 * 1e130 = 1.3e85; said to be 1e-20.
@A(
    claim="GDP(mu=1)",
    data=X3[:, :2],
    bounds="-1:1",
    d0=np.zeros((0, 2)),
    d1=np.array([[1e-165, 0.0]]),
)
def norm_over_small(x, rng):
    w = x / np.maximum(np.linalg.norm(x, axis=1) / 1e-150, 2.0**-399)[:, None]
    return np.sum(w * 1e130, axis=0) + rng.normal(0, 1.0, size=2)


# U (borderline): the norm of (1e-165, 0) is 0.0, so it is said to put nothing in; it puts 1000 in.
@A(
    claim="GDP(mu=1)",
    data=X3,
    bounds="-1:1",
    d0=np.zeros((0, 3)),
    d1=np.array([[1e-165, 0.0, 0.6865]]),
)
def norm_is_nothing(x, rng):
    t = np.zeros(2)
    for v in x:
        u = v[:2]
        if np.linalg.norm(u) <= abs(v[2]) * 1e-90 * 1e-90:
            t = t + u * 1e168
        else:
            t = t + np.zeros(2)
    return t + rng.normal(0, 1.0, size=2)


class Fixed(np.random.Generator):
    """A generator whose noise is 0: what is returned is the value before its noise."""

    def __init__(self):
        super().__init__(np.random.PCG64(0))

    def laplace(self, loc=0.0, scale=1.0, size=None):
        return 0.0 if size is None else np.zeros(size)

    normal = laplace
