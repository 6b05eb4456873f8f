"""False certificates of the thirty-seventh reading (Python and numpy semantics): BOTH walls pass.

I: a ufunc that is in `TWO` or `ONE` but not in `KNOWN` (numpy.add, subtract, multiply, negative), of Python integers that are
known, gives numpy's integer of 64 bits, and the reader takes it for Python's, without end (kind "int"):
derivation/functions.py `_called` (the last two `elementwise`), `_operand` lets known integers pass. In a loop over records
(a list of Python integers) a record times, plus or less it wraps round, and the proof's number does not. `Evaluation`
computes record by record with Python's integers (`_of_huge`, object arrays), so the proof and its evaluation agree.
The second wall looks at the ends, 10 %, 50 % of a domain, at what the proof compares with and at [-10, 10]: nothing between.
"""

import numpy as np

ATTACKS = {}
RIGHT = {}
LI = [1, 2]
ROWS = [dict(u=1, at=5), dict(u=2, at=7)]


def A(claim="PureDP(epsilon=1)", **k):
    def d(f):
        ATTACKS[f.__name__] = dict(claim=claim, **k)
        return f

    return d


def R(claim="PureDP(epsilon=1)", **k):
    def d(f):
        RIGHT[f.__name__] = dict(claim=claim, **k)
        return f

    return d


# x seconds are x * 10**9 nanoseconds, which wrap round beyond 9.2 * 10**9 seconds: half of the domain
@A(data=LI, bounds=(0, 4 * 10**10), d0=[], d1=[10**10])
def nanoseconds(data, rng):
    nanos = np.multiply(1_000, 1_000_000)
    return sum(min(x * nanos, 1000) for x in data) + rng.laplace(scale=1000.0)


@A(data=LI, bounds=(0, 4 * 10**10), d0=[], d1=[10**10])
def nanoseconds_loop(data, rng, cap=1000):
    nanos = np.multiply(1_000, 1_000_000)
    total = 0
    for seconds in data:
        total += min(seconds * nanos, cap)
    return total + rng.laplace(scale=cap)


@A(data=LI, bounds=(0, 4 * 10**10), d0=[], d1=[10**10])
def late_ones(data, rng):
    nanos = np.multiply(1_000, 1_000_000)
    early = [0, 0]
    for seconds in data:
        early[0 if seconds * nanos >= 0 else 1] += 1
    return early[0] + rng.laplace(scale=1.0), early[1]


@A(data=LI, bounds=(0, 4 * 10**10), relation="replace", d0=[1], d1=[10**10])
def replaced_nanoseconds(data, rng):
    nanos = np.multiply(1_000, 1_000_000)
    return sum(min(x * nanos, 1000) for x in data) + rng.laplace(scale=1000.0)


@A(data=ROWS, bounds=dict(u=(0, 10), at=(0, 4 * 10**10)), unit="u", most_per_unit=2, d0=[], d1=[dict(u=1, at=10**10)])
def nanoseconds_of_users(rows, rng):
    nanos = np.multiply(1_000, 1_000_000)
    return sum(min(r["at"] * nanos, 1000) for r in rows) + rng.laplace(scale=2000.0)


@A(data=LI, bounds=(0, 4 * 10**13), d0=[], d1=[10**13])
def by_negative(data, rng):
    k = np.negative(-1_000_000)
    return sum(min(x * k, 1000) for x in data) + rng.laplace(scale=1000.0)


@A(data=LI, bounds=(0, 4 * 10**13), d0=[], d1=[10**13], claim="GDP(mu=1)")
def by_add(data, rng):
    k = np.add(999_999, 1)
    return sum(1 if x * k >= 0 else 10**6 for x in data) + rng.normal(scale=1.0)


@A(data=LI, bounds=(0, 4 * 10**13), d0=[], d1=[10**13])
def by_subtract(data, rng):
    k = np.subtract(1_000_001, 1)
    return sum(x * k < 0 for x in data) * 1000 + len(data) + rng.laplace(scale=1.0)


# The same cause, in a window
def signed(v):
    return (v + 2**63) % 2**64 - 2**63


K = 2**31 + 3
X0 = (2**64 * 37 + 2**63 + 2**61) // K
C = signed(X0 * K)


# np.add of two Python integers is np.int64; the reader takes it for a Python integer without end
@A(data=LI, bounds=(1, 2**40), d0=[], d1=[X0])
def product_wraps(data, rng):
    k = np.add(2**31, 3)
    t = 0
    for x in data:
        t += 1000 if x * k == C else 1
    return t + rng.laplace(scale=1.0)


@A(data=LI, bounds=(1, 2**40), d0=[], d1=[X0])
def product_wraps_sum(data, rng):
    k = np.negative(-K)
    return sum(1000 if x * k == C else 1 for x in data) + rng.laplace(scale=1.0)


@A(data=LI, bounds=(1, 2**40), d0=[], d1=[X0])
def product_wraps_multiply(data, rng):
    k = np.multiply(K, 1)
    return sum(1000 if x * k < C + 2 and x * k > C - 2 else 1 for x in data) + rng.laplace(scale=1.0)


# says how many records have a negative hash, in a unit that is far behind the point
@A(data=LI, bounds=(1, 2**40), d0=[], d1=[X0])
def sign_of_a_hash(data, rng):
    k = np.multiply(2654435761, 1)
    u = 1e-14
    return sum(50 * u if x * k < 0 else u for x in data) + rng.laplace(scale=u)


@A(data=LI, bounds=(1, 2**40), d0=[], d1=[X0])
def subtract_k(data, rng):
    k = np.subtract(K, 0)
    return sum(1000 if x * k == C else 1 for x in data) + rng.laplace(scale=1.0)


# the right one, by Python's numbers
@R(data=LI, bounds=(0, 4 * 10**10))
def right_nanoseconds(data, rng):
    nanos = 1_000 * 1_000_000
    return sum(min(x * nanos, 1000) for x in data) + rng.laplace(scale=1000.0)


# More ways to the same number
@A(data=LI, bounds=(0, 4 * 10**10), d0=[], d1=[10**10])
def chosen_by_released(data, rng):
    noisy = len(data) + rng.laplace(scale=2.0)
    k = np.multiply(1_000, 1_000_000) if noisy > 0 else 10**9
    return noisy, sum(min(x * k, 1000) for x in data) + rng.laplace(scale=2000.0)


@A(data=LI, bounds=(0, 4 * 10**10), d0=[], d1=[10**10])
def added_to_zero(data, rng):
    k = sum([np.multiply(1_000, 1_000_000)])
    return sum(min(x * k, 1000) for x in data) + rng.laplace(scale=1000.0)


@A(data=LI, bounds=(0, 4 * 10**10), d0=[], d1=[10**10])
def in_a_table(data, rng):
    k = {"s": np.multiply(1_000, 1_000_000), "m": np.multiply(1, 60)}
    return sum(min(x * k["s"], 1000) for x in data) + rng.laplace(scale=1000.0)


@A(data=LI, bounds=(0, 4 * 10**10), d0=[], d1=[10**10])
def record_is_numpys(data, rng):
    one = np.multiply(1, 1)
    return sum(min((x * one) * 1_000_000_000, 1000) for x in data) + rng.laplace(scale=1000.0)


@A(data=LI, bounds=(0, 4 * 10**10), d0=[], d1=[10**10])
def record_plus_zero(data, rng):
    zero = np.subtract(1, 1)
    return sum(min((x + zero) * 1_000_000_000, 1000) for x in data) + rng.laplace(scale=1000.0)


@A(data=LI, bounds=(0, 4 * 10**10), d0=[], d1=[10**10])
def helper(data, rng):
    def nanos(seconds, per=np.multiply(1_000, 1_000_000)):
        return seconds * per

    return sum(min(nanos(x), 1000) for x in data) + rng.laplace(scale=1000.0)
