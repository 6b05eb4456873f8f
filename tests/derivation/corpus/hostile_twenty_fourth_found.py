"""False certificates of this reading: BOTH walls pass for all. `demo()` runs each on both data sets, without noise.

O: `dot(b, out=buffer)` of what is not known: derivation/items.py:278. K: copies of known arrays lose their order in
memory: derivation/items.py:265, :106, functions.py:107. N: arrays within a tuple are written by numpy.clip: functions.py:107-109.
The trick that hides them from the runs: x % 1009 // 1008 is 1 at one of 1009 places, and no condition asks for it.
"""

import numpy as np

ATTACKS = {}


def A(claim="PureDP(epsilon=1)", **k):
    def d(f):
        ATTACKS[f.__name__] = dict(claim=claim, **k)
        return f

    return d


EYE = np.eye(1)
XI = np.array([[5], [7], [100000]])
XID = dict(data=XI, bounds="0:1000000", d0=np.zeros((0, 1), dtype=int), d1=np.array([[491]]))


# O: ndarray.dot(b, out=buffer): keywords of `dot` are not looked at. No noise at all.
@A(**XID)
def dot_out_of_sum(X, rng):
    s = (((X + 517) % 1009) // 1008).astype(float).sum(axis=0)
    held = np.zeros(1)
    s.dot(EYE, out=held)
    return held


XK = dict(data=np.array([5, 7, 100000]), bounds="0:1000000", d0=np.array([], dtype=int), d1=np.array([491]))
M2 = np.array([[0.0, 0.0], [1.0, 1000.0]])
FD = dict(data=np.array([0.5, 1.0]), bounds="0:1", d0=np.array([]), d1=np.array([1.0]))


# K: methods of known arrays are called on a copy in C order: `ravel("K")` of a transposed array is another one.
# W is [0, 0, 1, 1000] in the code (memory order of M2) and [0, 1, 0, 1000] for the reader: here W[2] is 1 or 0.
@A(**XK)
def ravel_in_memory_order(x, rng):
    weights = M2.T.ravel("K") * 1000.0
    seen = ((x + 517) % 1009 // 1008) * 1.0
    low = seen * weights[2]
    return low.sum() + rng.laplace(scale=1.0)


@A(**XK)
def flatten_in_memory_order(x, rng):
    weights = M2.T.flatten("A") * 1000.0
    seen = ((x + 517) % 1009 // 1008) * 1.0
    return (seen * weights[2]).sum() + rng.laplace(scale=1.0)


# N: arrays within a tuple are given to numpy's functions themselves, and `out` takes a tuple: a known array changes in a
# loop over records. That it was changed at all tells that there are records; the second wall takes lists for tuples.
@A(**FD)
def written_within_a_tuple(x, rng):
    seen = np.zeros(1)
    for _ in x:
        np.clip(np.ones(1), 0.0, 2.0, (seen,))
    kinds = [[1.0], (1.0,)]
    return kinds[int(seen[0])]


CALLS = np.zeros(1)


# N: the same of a global: each call counts, and after 100,000 calls there is no noise.
@A(**FD)
def calls_are_counted(x, rng):
    np.clip(np.ones(1) + CALLS[0], 0.0, 1e9, (CALLS,))
    return x.sum() + rng.laplace(scale=1.0 if CALLS[0] < 100000.0 else 1e-9)


# O: the last record itself is kept, where it lies in a window that no condition asks for.
@A(**XID)
def dot_out_of_a_row(X, rng):
    held = np.zeros(1)
    for row in X:
        (((row + 517) % 1009) // 1008 * 1.0).dot(EYE, out=held)
    return held


# O: the scale of the noise is overwritten by a sum over the records.
@A(**XID)
def dot_out_is_the_scale(X, rng):
    s = (((X + 517) % 1009) // 1008 * 1.0).sum(axis=0)
    scale = np.ones(1)
    first = (1.0 - s * (1.0 - 1e-6)).dot(EYE, out=scale)
    return s + rng.laplace(0.0, scale, size=1)


# O: the data themselves are overwritten: what outlives the call is output.
@A(claim="PureDP(epsilon=1)", data=np.array([[0.5]]), bounds="0:1", d0=np.zeros((0, 1)), d1=np.array([[0.0004915]]))
def dot_out_is_the_data(X, rng):
    seen = (((X * 1e6).astype(int) + 517) % 1009 // 1008) * 1.0
    (X + seen).dot(EYE, out=X)
    return 0.0


# K: numbers of which an in-place change is read on a copy in C order.
@A(**XK)
def order_after_an_item(x, rng):
    weights = M2.T + 0.0
    weights[0, 0] = 0.0
    weights = weights.ravel("K") * 1000.0
    seen = ((x + 517) % 1009 // 1008) * 1.0
    return (seen * weights[2]).sum() + rng.laplace(scale=1.0)


# K: a sum in another order is another double, and a known branch goes the other way. Borderline: rounding of sums.
T3 = np.array([[1e16, 1.0], [-1e16, 1.0]])


@A(**XK)
def sum_in_another_order(x, rng):
    weight = 1000.0 if T3.T.sum() != T3.T.copy().sum() else 0.0
    seen = ((x + 517) % 1009 // 1008) * 1.0
    return (seen * weight).sum() + rng.laplace(scale=1.0)


# N: a known array that was written within a tuple is misread by its copy: `np.asarray` gives the array itself.
@A(**XK)
def copy_of_what_is_written(x, rng):
    a = np.zeros(1)
    b = np.asarray(a)
    np.clip(np.ones(1), 0.0, 2.0, (a,))
    seen = ((x + 517) % 1009 // 1008) * 1.0
    return (seen * b[0] * 1000.0).sum() + rng.laplace(scale=1.0)
