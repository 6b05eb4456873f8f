"""What the twentieth reading found, in natural code: no false certificate, and two causes that assumptions excused.

S: a `size` with a default of its own was read as 1, though a call without one draws so many: derivation/paths.py,
   `given = {"rng": ..., "size": Size()}`.
R: what a call without rng does where it has a default was not read: the same noise in every call, or none.
"""

import numpy as np

ATTACKS = {}
BORDERLINE = (
    "sums_of_a_default_size",
    "rows_of_a_default_size",
    "seeded_where_no_rng_is_given",
    "seeded_by_or",
    "none_given_none_drawn",
)


def A(claim="PureDP(epsilon=1)", **k):
    def d(f):
        ATTACKS[f.__name__] = dict(claim=claim, f=f, **k)
        return f

    return d


# as called, f(data, rng), it gives 20 noisy sums: epsilon is 20. With size=1 it is 1.
@A(data=np.array([0.2, 0.5]), bounds="0:1", d0=np.array([]), d1=np.array([1.0]))
def sums_of_a_default_size(data, rng, size=20):
    return np.sum(data) + rng.laplace(0.0, 1.0, size=size)


# 50 noisy histograms of synthetic use; as called, epsilon is 50
@A(data=np.array([0.2, 0.5]), bounds="0:1", d0=np.array([]), d1=np.array([1.0]))
def rows_of_a_default_size(data, rng, *, size=50):
    counts = np.histogram(data, bins=4, range=(0.0, 1.0))[0]
    return counts + rng.laplace(0.0, 1.0, size=(size, 4))


# f(data) has the same noise in every call: what it returns tells the data with certainty
@A(data=np.array([0.2, 0.5]), bounds="0:1", d0=np.array([]), d1=np.array([1.0]))
def seeded_where_no_rng_is_given(data, rng=None):
    if rng is None:
        rng = np.random.default_rng(42)
    return np.sum(data) + rng.laplace(0.0, 1.0)


@A(data=np.array([0.2, 0.5]), bounds="0:1", d0=np.array([]), d1=np.array([1.0]))
def seeded_by_or(data, rng=None):
    rng = rng or np.random.default_rng(0)
    return np.sum(data) + rng.laplace(0.0, 1.0)


# without a generator there is no noise
@A(data=np.array([0.2, 0.5]), bounds="0:1", d0=np.array([]), d1=np.array([1.0]))
def none_given_none_drawn(data, rng=None):
    if rng is None:
        return float(np.sum(data))
    return float(np.sum(data) + rng.laplace(0.0, 1.0))
