"""What a reading of the kernel and of the seam found. BOTH walls pass for all.

S: a call without size, or without rng, is read and never run: dpverify/proofs/check.py:81 (`call` gives both always), from
   dpverify/derivation/calls.py:30 (all_paths). What only runs see (a function that is declared to add noise and does
   more: `test_corpus.BY_RUNS`) passes there. `np.array([z, z]).ndim` tells the call without size.
P: a rounding of 9e-15 (120 factors): the factors of a scale n**k are multiplied and divided to the nearest double, and
   8 ulps are taken off for however many: dpverify/proofs/cost.py:134 (_without_size), proofs/elementwise.py:128 (_power).
N: a rounding of 5e-16: norms of a chain of sums are added to the nearest double: dpverify/proofs/norms.py:201 (_by_making,
   "add": `a + c, b + d`), where `ranges.total` is used elsewhere.
"""

import numpy as np

import dpverify as dpv

ATTACKS = {}
BY_RUNS = ("in_place_without_size", "no_dimensions_without_size", "negative_without_size", "one_name_without_rng")
BORDERLINE = ("many_factors", "many_sums")
FD = dict(data=np.array([0.5, 1.0]), bounds="0:1", d0=np.ones(9), d1=np.ones(10))
OWN = np.random.default_rng()


def A(claim="PureDP(epsilon=1)", **k):
    def d(f):
        ATTACKS[f.__name__] = dict(claim=claim, **k)
        return f

    return d


@dpv.noise_primitive(law="laplace")
def in_place(value, scale):
    value += OWN.laplace(0, scale, size=np.shape(value) or None)
    return value


@dpv.noise_primitive(law="laplace")
def copied(value, scale):
    return np.array(value + OWN.laplace(0, scale, size=np.shape(value) or None))


@dpv.noise_primitive(law="laplace")
def positive(value, scale):
    return value + OWN.laplace(0, scale, size=np.shape(value) or None) if scale > 0 else value


# S: f(data, rng): p - s is p minus a public number; read as of no sensitivity. The call without size is never run.
@A(**FD)
def in_place_without_size(x, rng, size=None):
    z = rng.random(size=size)
    if np.array([z, z]).ndim == 1:  # without size
        p, s = np.sum(x > 0.5) * np.ones(1), np.sum(x > 0.5) * np.ones(1)
        a = in_place(s, 1.01)
        return a * 1.0, in_place(p - s, 1e-6)
    return np.sum(x > 0.5) + rng.laplace(0, 1.0, size=size)


# S: f(data, rng): an array of no dimensions, which `-=` changes; read as a number.
@A(**FD)
def no_dimensions_without_size(x, rng, size=None):
    z = rng.random(size=size)
    if np.array([z, z]).ndim == 1:  # without size
        noisy = min(max(copied(np.sum(x), 1.0), 0.0), 100.0)
        first = noisy
        noisy += 1e6 * np.sum(x)
        return first
    return np.sum(x) + rng.laplace(0, 1.0, size=size)


# S: f(data, rng): no noise of a scale below 0; numpy's own raises there, where it is run.
@A(**FD)
def negative_without_size(x, rng, size=None):
    z = rng.random(size=size)
    if np.array([z, z]).ndim == 1:  # without size
        return positive(np.sum(x), -1.0)
    return np.sum(x) + rng.laplace(0, 1.0, size=size)


def _made(good):
    @dpv.noise_primitive(law="laplace")
    def noise(value, scale):
        if good:
            return value + OWN.laplace(0, scale, size=np.shape(value) or None)
        value += OWN.laplace(0, scale, size=np.shape(value) or None)
        return value

    return noise


RIGHT, WRONG = _made(True), _made(False)


# S: f(data): the two functions have one name, so that both proofs are alike; only the call with rng is run.
@A(**FD)
def one_name_without_rng(x, rng=None):
    noise = WRONG if rng is None else RIGHT
    p, s = np.sum(x > 0.5) * np.ones(1), np.sum(x > 0.5) * np.ones(1)
    a = noise(s, 1.01)
    return a * 1.0, noise(p - s, 1e-6)
