"""False certificates: each is proved, and the two data sets show that the claim is false (notes: each comment)."""

import math

import numpy as np

BIG = 17 * 10**307
P53 = np.float64(2.0**53)
ROW = [1e16, 0.0, -1e16, 0.5, 0.0, 0.0, 0.0, 0.0]
R = "{'X[0]': choice(1e+16), 'X[1]': choice(0.0), 'X[2]': choice(-1e+16), 'X[3]': float(0, 1), 'X[4]': choice(0.0), 'X[5]': choice(0.0), 'X[6]': choice(0.0), 'X[7]': choice(0.0), 'y': float(0, 1)}"
WIDE = np.full((3, 128), 0.5)

ATTACKS = {}


def _x(rows):
    """Rows in Fortran order."""
    x = np.asfortranarray(np.array([ROW] * rows))
    x[:, 3] = 1.0
    return x


# R4: np.int64 offset of -2**63 built on n*0 (part 0, so the 2**29 check never sees it); minus n wraps: -9.2e18 against +9.2e18.
def zero_part_wraps(x, rng):
    n = np.sum(x > 0)
    z = n * 0 - 2**29
    z = z * 2**29
    z = z * 32
    return z - n + rng.laplace(0, 1.0)


ATTACKS["zero_part_wraps"] = dict(
    data=np.array([1.0, 2.0, 3.0]),
    d0=np.array([], dtype=float),
    d1=np.array([1], dtype=float),
    claim="PureDP(epsilon=1)",
)


# R4: the same with a constant element of a private array.
def stack_wraps(x, rng):
    n = np.sum(x > 0)
    v = np.array([n, -(2**29)])
    v = v * np.array([-1, 2**29])
    v = v * np.array([1, 32])
    return np.sum(v) + rng.laplace(0, 1.0)


ATTACKS["stack_wraps"] = dict(
    data=np.array([1.0, 2.0, 3.0]),
    d0=np.array([], dtype=float),
    d1=np.array([1], dtype=float),
    claim="PureDP(epsilon=1)",
)


# R4: the same from a histogram whose bin is multiplied by 0.
def rowsum_wraps(x, rng):
    h, _ = np.histogram(x, bins=[0.0, 1.0, 2.0])
    v = h * np.array([1, 0])
    v = v - np.array([0, 2**29])
    v = v * np.array([-1, 2**29])
    v = v * np.array([1, 32])
    return v[0] + v[1] + rng.laplace(0, 1.0)


ATTACKS["rowsum_wraps"] = dict(
    data=np.array([1.0, 2.0, 3.0]),
    d0=np.array([], dtype=float),
    d1=np.array([0.5], dtype=float),
    claim="PureDP(epsilon=1)",
)


# R3: sum() of no floats is the int 0: offsets of 3.4e308 stay exact there and are inf for floats: 0+noise against inf.
def loose_overflow(data, rng):
    total = sum(max(0.0, min(1.0, x)) for x in data)
    return total + BIG + BIG - BIG - BIG + rng.laplace(0, 1.0)


ATTACKS["loose_overflow"] = dict(data=[1.0, 2.0, 3.0], d0=[], d1=[0.5], claim="PureDP(epsilon=1)")


# R3: int too large for a float: raises without a record, inf with one.
def loose_overflow_raises(data, rng):
    total = sum(max(0.0, min(1.0, x)) for x in data)
    return total + BIG + BIG + rng.laplace(0, 1.0)


ATTACKS["loose_overflow_raises"] = dict(data=[1.0, 2.0, 3.0], d0=[], d1=[0.5], claim="PureDP(epsilon=1)")


# R3: min(1, x) is an int or a float.
def loose_choice_overflow(data, rng):
    total = 0
    for x in data:
        total += max(0, min(1, x))
    return total + BIG + BIG - BIG - BIG + rng.laplace(0, 1.0)


ATTACKS["loose_choice_overflow"] = dict(data=[1.0, 2.0, 3.0], d0=[], d1=[0.5], claim="PureDP(epsilon=1)")


# R3: the same where one record is replaced: 1.0 is clipped to the int 1.
def replace_loose(data, rng):
    t = 0
    for each in data:
        t += max(0, min(1, each))
    return t + 17 * 10**307 + 17 * 10**307 - 17 * 10**307 - 17 * 10**307 + rng.laplace(0, 1.0)


ATTACKS["replace_loose"] = dict(data=[1.0, 2.0, 3.0], d0=[1.0], d1=[0.5], claim="PureDP(epsilon=1)", relation="replace")


# R3: int / int of 3.4e308 is finite, float / int is inf.
def min_int_or_float_div(data, rng):
    t = 0
    for each in data:
        t += max(0, min(1, each))
    return (t + 17 * 10**307 + 17 * 10**307) / 4 + rng.laplace(0, 1.0)


ATTACKS["min_int_or_float_div"] = dict(data=[1.0, 2.0, 3.0], d0=[], d1=[0.5], claim="PureDP(epsilon=1)")


# R3: count + (2**1024 - 2**970 - 1) is a double for n == 0 only: OverflowError iff n >= 1: a noiseless threshold, at any place.
def len_threshold(data, rng):
    return len(data) + 2**1023 + (2**1023 - 2**970 - 1) + rng.laplace(0, 1.0)


ATTACKS["len_threshold"] = dict(data=[1.0, 2.0, 3.0], d0=[], d1=[1.0], claim="PureDP(epsilon=1)")


# R3: the same.
def len_threshold_divide(data, rng):
    return (len(data) + 2**1023 + (2**1023 - 2**970 - 1)) * 1.0 + rng.laplace(0, 1.0)


ATTACKS["len_threshold_divide"] = dict(data=[1.0, 2.0, 3.0], d0=[], d1=[1.0], claim="PureDP(epsilon=1)")


# R3: the same by float().
def len_threshold_float(data, rng):
    return float(len(data) + 2**1023 + (2**1023 - 2**970 - 1)) + rng.laplace(0, 1.0)


ATTACKS["len_threshold_float"] = dict(data=[1.0, 2.0, 3.0], d0=[], d1=[1.0], claim="PureDP(epsilon=1)")


# R3: the same by storing into an array.
def len_threshold_item(data, rng):
    v = np.zeros(2) + (len(data) + 0.0)
    v[0] = len(data) + 2**1023 + (2**1023 - 2**970 - 1)
    return v + rng.laplace(0, 2.0, size=2)


ATTACKS["len_threshold_item"] = dict(data=[1.0, 2.0, 3.0], d0=[], d1=[1.0], claim="PureDP(epsilon=1)")


# R3: a Python int of 2**63 - 1 + n meets int64 noise: OverflowError iff n >= 1.
def geo_array_overflow(data, rng):
    n = len(data)
    return n + (2**63 - 1) + rng.geometric(0.5, size=1) - rng.geometric(0.5, size=1)


ATTACKS["geo_array_overflow"] = dict(data=[1.0, 2.0, 3.0], d0=[], d1=[1.0], claim="PureDP(epsilon=1)")


# R3: the same by a known int64 array.
def int_array_overflow(data, rng):
    n = len(data)
    return (n + (2**63 - 1)) * np.array([1]) + rng.laplace(0, 1.0, size=1)


ATTACKS["int_array_overflow"] = dict(data=[1.0, 2.0, 3.0], d0=[], d1=[1.0], claim="PureDP(epsilon=1)")


# R3: the same by a known np.int64.
def private_plus_int64(data, rng):
    return len(data) + (2**63 - 1) + np.int64(0) + rng.laplace(0, 1.0)


ATTACKS["private_plus_int64"] = dict(data=[1.0, 2.0, 3.0], d0=[], d1=[1.0], claim="PureDP(epsilon=1)")


# R3: the same by a known array of conditions.
def private_times_array_bool(data, rng):
    return (len(data) + (2**63 - 1)) * np.array([True]) + rng.laplace(0, 1.0, size=1)


ATTACKS["private_times_array_bool"] = dict(data=[1.0, 2.0, 3.0], d0=[], d1=[1.0], claim="PureDP(epsilon=1)")


# R5: np.array([2**63 - 1 + n]) is int64 for n == 0, uint64 for n >= 1; uint64 + int64 is double: exact integers against multiples of 2048.
def stack_uint(data, rng):
    n = len(data)
    a = np.array([n + (2**63 - 1), 0])
    return a + rng.geometric(0.5, size=2) - rng.geometric(0.5, size=2)


ATTACKS["stack_uint"] = dict(data=[1.0, 2.0, 3.0], d0=[], d1=[1.0], claim="PureDP(epsilon=1)")


# R5: np.array([2**64 - 1 + n, 0.0]) is double for n == 0, object for n >= 1: np.sqrt of the released array raises TypeError.
def object_array_offset(data, rng):
    a = np.array([len(data) + (2**64 - 1), 0.0]) + rng.laplace(0, 1.0, size=2)
    return np.sqrt(np.abs(a))


ATTACKS["object_array_offset"] = dict(data=[1.0, 2.0, 3.0], d0=[], d1=[1.0], claim="PureDP(epsilon=1)")


# R5: the same without an offset: a sum of large Python ints beside a double has no size check at all.
def object_array(data, rng):
    n = sum(min(max(x, 0), 2**64) for x in data)
    a = np.array([n, 0.0]) + rng.laplace(0, 2.0**64, size=2)
    return np.sqrt(np.abs(a))


ATTACKS["object_array"] = dict(data=[1, 2, 3], d0=[2**64 - 1], d1=[2**64 - 1, 1], claim="PureDP(epsilon=1)")


# R5: the same by np.concatenate.
def object_concat(data, rng):
    n = sum(min(max(x, 0), 2**64) for x in data)
    a = np.concatenate([[n, 0.5], [1.0]]) + rng.laplace(0, 2.0**64, size=3)
    return np.sqrt(np.abs(a))


ATTACKS["object_concat"] = dict(data=[1, 2, 3], d0=[2**64 - 1], d1=[2**64 - 1, 1], claim="PureDP(epsilon=1)")


# R1: n + nan + noise is NaN, its range says it never is: clipped to 'in [1, 2]', min(x, NaN) is x: nothing is clipped; 0 against 1e6 at noise of scale 4.
def nan_offset(data, rng):
    n = len(data)
    r = n + math.nan + rng.laplace(0, 2.0)
    c = min(max(r, 1.0), 2.0)
    total = 0.0
    for x in data:
        total += max(0.0, min(x, c))
    return total + rng.laplace(0, 4.0)


ATTACKS["nan_offset"] = dict(data=[1.0, 2.0, 3.0], d0=[], d1=[1e6], claim="PureDP(epsilon=1)", bounds=(0, 1000000))


# R1: the same by inf - inf.
def nan_offset_of_inf(data, rng):
    n = len(data)
    r = n + math.inf - math.inf + rng.laplace(0, 2.0)
    c = min(max(r, 1.0), 2.0)
    total = 0.0
    for x in data:
        total += max(0.0, min(x, c))
    return total + rng.laplace(0, 4.0)


ATTACKS["nan_offset_of_inf"] = dict(
    data=[1.0, 2.0, 3.0], d0=[], d1=[1e6], claim="PureDP(epsilon=1)", bounds=(0, 1000000)
)


# R1: the same by a public NaN that the ranges know to be one.
def nan_offset_public(data, rng):
    a = rng.laplace(0, 1.0) + math.inf
    r = len(data) + (a - a) + rng.laplace(0, 2.0)
    c = min(max(r, 1.0), 2.0)
    total = 0.0
    for x in data:
        total += max(0.0, min(x, c))
    return total + rng.laplace(0, 4.0)


ATTACKS["nan_offset_public"] = dict(
    data=[1.0, 2.0, 3.0], d0=[], d1=[1e6], claim="PureDP(epsilon=1)", bounds=(0, 1000000)
)


# R1: added once a record: 0.0 against NaN.
def nan_offset_in_loop(data, rng):
    n = len(data)
    r = n + math.nan + rng.laplace(0, 2.0)
    c = min(max(r, 1.0), 2.0)
    total = 0.0
    for x in data:
        total += c
    return total + rng.laplace(0, 4.0)


ATTACKS["nan_offset_in_loop"] = dict(data=[1.0, 2.0, 3.0], d0=[], d1=[1.0], claim="PureDP(epsilon=1)")


# R1: by an array.
def nan_arrays(X, rng):
    r = np.sum(X, axis=0)[:2] + np.array([math.nan, 0.0]) + rng.laplace(0, 256.0, size=2)
    c = min(max(float(r[0]), 0.0), 1.0)
    total = 0.0
    for row in X:
        total += c
    return total + rng.laplace(0, 2.0)


ATTACKS["nan_arrays"] = dict(
    data=WIDE, d0=np.zeros((0, 128)), d1=np.zeros((1, 128)), claim="PureDP(epsilon=1)", bounds=(0, 1)
)


# R1: by an item of a private array.
def nan_item(X, rng):
    v = np.zeros(2) + np.sum(X, axis=0)[:2]
    v[0] = math.nan
    r = v + rng.laplace(0, 256.0, size=2)
    c = min(max(float(r[0]), 0.0), 1.0)
    total = 0.0
    for row in X:
        total += c
    return total + rng.laplace(0, 2.0)


ATTACKS["nan_item"] = dict(
    data=WIDE, d0=np.zeros((0, 128)), d1=np.zeros((1, 128)), claim="PureDP(epsilon=1)", bounds=(0, 1)
)


# R1: by np.array([n, nan]).
def nan_stack(data, rng):
    r = np.array([len(data), math.nan]) + rng.laplace(0, 2.0, size=2)
    c = min(max(float(r[1]), 0.0), 1.0)
    total = 0.0
    for x in data:
        total += c
    return total + rng.laplace(0, 2.0)


ATTACKS["nan_stack"] = dict(data=[1.0, 2.0, 3.0], d0=[], d1=[1.0], claim="PureDP(epsilon=1)")


# R1: by a running total that begins with NaN.
def nan_start(data, rng):
    t = math.nan
    for x in data:
        t += 1.0
    r = t + rng.laplace(0, 2.0)
    c = min(max(r, 0.0), 1.0)
    total = 0.0
    for x in data:
        total += c
    return total + rng.laplace(0, 2.0)


ATTACKS["nan_start"] = dict(data=[1.0, 2.0, 3.0], d0=[], d1=[1.0], claim="PureDP(epsilon=1)")


# R1: by the location of the noise.
def nan_loc(data, rng):
    r = rng.laplace(len(data) + math.nan, 2.0)
    c = min(max(r, 0.0), 1.0)
    total = 0.0
    for x in data:
        total += c
    return total + rng.laplace(0, 2.0)


ATTACKS["nan_loc"] = dict(data=[1.0, 2.0, 3.0], d0=[], d1=[1.0], claim="PureDP(epsilon=1)")


# R6: np.sum(mask) + geometric is np.int64, the proof says a Python int: abs(k) * 2**62 wraps at k == 2, so the bound that is 'at most 0' is 2; a record adds 1 to a value with noise of scale 0.001, and k is released.
def geo_kind(x, rng):
    k = np.sum(x > 5) + rng.geometric(0.3) - rng.geometric(0.3)
    b = abs(k) * 2**62 / -(2**62)
    total = 0.0
    for each in x:
        total += max(0.0, min(each, b))
    return k, b, total + rng.laplace(0, 0.001)


ATTACKS["geo_kind"] = dict(
    data=np.array([1.0, 2.0, 3.0]),
    d0=np.array([1, 1], dtype=float),
    d1=np.array([1, 1, 1], dtype=float),
    claim="PureDP(epsilon=1)",
    bounds=(0, 1000000),
)


# R6: the same by k**2.
def geo_kind_square(x, rng):
    k = np.sum(x > 5) + rng.geometric(0.3) - rng.geometric(0.3)
    b = k**2 * 2**61 / -(2**61)
    total = 0.0
    for each in x:
        total += max(0.0, min(each, b))
    return k, b, total + rng.laplace(0, 0.001)


ATTACKS["geo_kind_square"] = dict(
    data=np.array([1.0, 2.0, 3.0]),
    d0=np.array([1, 1], dtype=float),
    d1=np.array([1, 1, 1], dtype=float),
    claim="PureDP(epsilon=1)",
    bounds=(0, 1000000),
)


# R6: the same by an element of a histogram.
def item_wrap(x, rng):
    h, _ = np.histogram(x, bins=[0.0, 1.0, 2.0])
    k = h[0] + rng.geometric(0.3) - rng.geometric(0.3)
    b = abs(k) * 2**62 / -(2**62)
    total = 0.0
    for each in x:
        total += max(0.0, min(each, b))
    return k, total + rng.laplace(0, 0.001)


ATTACKS["item_wrap"] = dict(
    data=np.array([1.0, 2.0, 3.0]),
    d0=np.array([5], dtype=float),
    d1=np.array([5, 1000000.0], dtype=float),
    claim="PureDP(epsilon=1)",
    bounds=(0, 1000000),
)


# R6: the same after round(k, 0).
def round_number_wrap(x, rng):
    r = round(np.sum(x > 5) + rng.geometric(0.3) - rng.geometric(0.3), 0)
    b = abs(r) * 2**62 / -(2**62)
    total = 0.0
    for each in x:
        total += max(0.0, min(b, each))
    return b, total + rng.laplace(0, 2.0)


ATTACKS["round_number_wrap"] = dict(
    data=np.array([1.0, 2.0, 3.0]),
    d0=np.array([1], dtype=float),
    d1=np.array([1, 1], dtype=float),
    claim="PureDP(epsilon=1)",
    bounds=(0, 1000000),
)


# R6: the same after k**3.
def power_op_number_wrap(x, rng):
    k = np.sum(x > 5) + rng.geometric(0.3) - rng.geometric(0.3)
    r = abs(k**3) * 2**60
    b = r / -(2**60)
    total = 0.0
    for each in x:
        total += max(0.0, min(b, each))
    return b, total + rng.laplace(0, 2.0)


ATTACKS["power_op_number_wrap"] = dict(
    data=np.array([1.0, 2.0, 3.0]),
    d0=np.array([1], dtype=float),
    d1=np.array([1, 1], dtype=float),
    claim="PureDP(epsilon=1)",
    bounds=(0, 1000000),
)


# R6: a record's Python int times such a number wraps within the loop: a record adds 1.15e18 where the proof says 0.
def record_wrap(x, rng):
    k = np.sum(x > 5) + rng.geometric(0.3) - rng.geometric(0.3)
    c = min(max(k, 0), 10)
    total = 0
    for each in x:
        total += max(0, 0 - int(each) * c)
    return k, total + rng.laplace(0, 0.001)


ATTACKS["record_wrap"] = dict(
    data=np.array([1, 2, 3]),
    d0=np.array([6], dtype=np.int64),
    d1=np.array([6, 2**61 + 2**60], dtype=np.int64),
    claim="PureDP(epsilon=1)",
    bounds=(0, 4611686018427387904),
)


# R6: count * c + (2**63 - 1): np.int64 wraps by 2**64, noise has scale 4 (k == 1 or 2 is released).
def private_times_c(x, rng):
    k = np.sum(x > 0) + rng.geometric(0.3) - rng.geometric(0.3)
    c = min(max(k, 1), 2)
    n = sum(1 for e in x)
    return k, n * c + (2**63 - 1) + rng.laplace(0, 4.0)


ATTACKS["private_times_c"] = dict(
    data=np.array([1, 2, 3]),
    d0=np.array([], dtype=np.int64),
    d1=np.array([1], dtype=np.int64),
    claim="PureDP(epsilon=1)",
)


# R7: tolist() gives Python ints, the proof still says int64: k * 2**103 is 'below 2**63'; the bound 'in [-1, 1]' is 2**41.
def tolist_kind(x, rng):
    h, _ = np.histogram(x, bins=[0.0, 1.0, 2.0])
    k = (h + rng.geometric(0.3, size=2) - rng.geometric(0.3, size=2)).tolist()[0]
    b = k * 2**103 / 2**63
    total = 0.0
    for each in x:
        total += max(0.0, min(each, b))
    return k, b, total + rng.laplace(0, 2.0)


ATTACKS["tolist_kind"] = dict(
    data=np.array([1.0, 2.0, 3.0]),
    d0=np.array([5], dtype=float),
    d1=np.array([5, 1000000.0], dtype=float),
    claim="PureDP(epsilon=1)",
    bounds=(0, 1000000),
)


# R8: a Python bool times 2**70 is 2**70, the proof says int64 and so at most 2**63: the bound 'at most 1' is 128.
def bool_times(data, rng):
    r = len(data) + rng.laplace(0, 2.0)
    b = (r > 0) * 2**70 / 2**63
    total = 0.0
    for x in data:
        total += max(0.0, min(x, b))
    return r, b, total + rng.laplace(0, 2.0)


ATTACKS["bool_times"] = dict(data=[1.0, 2.0, 3.0], d0=[], d1=[1e6], claim="PureDP(epsilon=1)", bounds=(0, 1000000))


# R8: the same by not.
def not_times(data, rng):
    r = len(data) + rng.laplace(0, 2.0)
    b = (not r < 0) * 2**80 / 2**63
    total = 0.0
    for x in data:
        total += max(0.0, min(x, b))
    return r, total + rng.laplace(0, 2.0)


ATTACKS["not_times"] = dict(data=[1.0, 2.0, 3.0], d0=[], d1=[1e6], claim="PureDP(epsilon=1)", bounds=(0, 1000000))


# R8: the same by a difference.
def bool_minus(data, rng):
    r = len(data) + rng.laplace(0, 2.0)
    b = ((r > 0) - 2**70 + 2**71) / 2**63
    total = 0.0
    for x in data:
        total += max(0.0, min(x, b))
    return r, total + rng.laplace(0, 2.0)


ATTACKS["bool_minus"] = dict(data=[1.0, 2.0, 3.0], d0=[], d1=[1e6], claim="PureDP(epsilon=1)", bounds=(0, 1000000))


# R8: the same.
def bool_times_int(data, rng):
    k = len(data) + rng.geometric(0.3) - rng.geometric(0.3)
    b = (k > 0) * abs(k) * 2**70 / 2**63
    total = 0.0
    for x in data:
        total += max(0.0, min(x, b))
    return k, total + rng.laplace(0, 2.0)


ATTACKS["bool_times_int"] = dict(data=[1.0, 2.0, 3.0], d0=[], d1=[1e6], claim="PureDP(epsilon=1)", bounds=(0, 1000000))


# R8: max(np.int64, 2**80) is Python's 2**80; 'int64' cuts its range to 2**63.
def float_of_max(data, rng):
    b = float(max(rng.integers(0, 2), 2**80)) / 2**63
    total = 0.0
    for x in data:
        total += max(0.0, min(x, b))
    return total + rng.laplace(0, 1.0)


ATTACKS["float_of_max"] = dict(data=[1.0, 2.0, 3.0], d0=[], d1=[1e6], claim="PureDP(epsilon=1)", bounds=(0, 1000000))


# R9: limits('int64') ends at 2**63 - 1024: float(2**63 - 1) - (2**63 - 1024) is 1024, the proof says 0: the record adds 1024 at noise of scale 0.001.
def limits_low(x, rng):
    k = rng.integers(0, 2)
    v = k * 0 + (2**63 - 1)
    c = max(float(v) - 9223372036854774784.0, 0.0)
    total = 0.0
    for each in x:
        total += max(0.0, min(each, c))
    return total + rng.laplace(0, 0.001)


ATTACKS["limits_low"] = dict(data=[1.0, 2.0, 3.0], d0=[], d1=[1e6], claim="PureDP(epsilon=1)", bounds=(0, 1000000))


# R9: the same by np.sum of int64.
def limits_low_call(x, rng):
    v = np.sum(rng.integers(2**62, 2**63 - 1, size=2) * 0 + np.array([2**63 - 1, 0]))
    c = max(float(v) - 9223372036854774784.0, 0.0)
    total = 0.0
    for each in x:
        total += max(0.0, min(each, c))
    return total + rng.laplace(0, 0.001)


ATTACKS["limits_low_call"] = dict(data=[1.0, 2.0, 3.0], d0=[], d1=[1e6], claim="PureDP(epsilon=1)", bounds=(0, 1000000))


# R10: np.max of a Python int is np.int64, the proof says a double: it wraps: bound 2 for 'at most -1'.
def max_kind(data, rng):
    k = len(data) + rng.geometric(0.3) - rng.geometric(0.3)
    c = np.clip(np.max(k), 1, 2)
    b = c * 2**62 / -(2**62)
    total = 0.0
    for x in data:
        total += max(0.0, min(b, x))
    return k, b, total + rng.laplace(0, 2.0)


ATTACKS["max_kind"] = dict(
    data=[1.0, 2.0, 3.0], d0=[1.0], d1=[1.0, 1e6], claim="PureDP(epsilon=1)", bounds=(0, 1000000)
)


# R10: np.sum.
def sum_kind(data, rng):
    k = len(data) + rng.geometric(0.3) - rng.geometric(0.3)
    b = abs(np.sum(k)) * 2**62 / -(2**62)
    total = 0.0
    for x in data:
        total += max(0.0, min(b, x))
    return k, b, total + rng.laplace(0, 2.0)


ATTACKS["sum_kind"] = dict(data=[1.0, 2.0, 3.0], d0=[], d1=[1e6], claim="PureDP(epsilon=1)", bounds=(0, 1000000))


# R10: np.sign.
def sign_kind(data, rng):
    k = len(data) + rng.geometric(0.3) - rng.geometric(0.3)
    b = abs(np.sign(k)) * 2**62 * 2 / -(2**62)
    total = 0.0
    for x in data:
        total += max(0.0, min(b, x))
    return k, b, total + rng.laplace(0, 2.0)


ATTACKS["sign_kind"] = dict(
    data=[1.0, 2.0, 3.0], d0=[1.0], d1=[1.0, 1e6], claim="PureDP(epsilon=1)", bounds=(0, 1000000)
)


# R10: np.dot.
def dot_kind(data, rng):
    k = len(data) + rng.geometric(0.3) - rng.geometric(0.3)
    b = abs(np.dot(k, k)) * 2**61 / -(2**61)
    total = 0.0
    for x in data:
        total += max(0.0, min(b, x))
    return k, b, total + rng.laplace(0, 2.0)


ATTACKS["dot_kind"] = dict(data=[1.0, 2.0, 3.0], d0=[], d1=[1e6], claim="PureDP(epsilon=1)", bounds=(0, 1000000))


# R10: np.cumsum: an int64 array.
def cumsum_kind(data, rng):
    k = len(data) + rng.geometric(0.3) - rng.geometric(0.3)
    q = np.abs(np.cumsum(k)) * 2**62
    b = float(q[0]) / -(2.0**62)
    total = 0.0
    for x in data:
        total += max(0.0, min(b, x))
    return k, b, total + rng.laplace(0, 2.0)


ATTACKS["cumsum_kind"] = dict(data=[1.0, 2.0, 3.0], d0=[], d1=[1e6], claim="PureDP(epsilon=1)", bounds=(0, 1000000))


# R10: np.outer.
def outer_abs_kind(data, rng):
    k = len(data) + rng.geometric(0.3) - rng.geometric(0.3)
    q = np.abs(np.outer(k, k)) * 2**61
    b = float(q[0, 0]) / -(2.0**61)
    total = 0.0
    for x in data:
        total += max(0.0, min(b, x))
    return k, b, total + rng.laplace(0, 2.0)


ATTACKS["outer_abs_kind"] = dict(data=[1.0, 2.0, 3.0], d0=[], d1=[1e6], claim="PureDP(epsilon=1)", bounds=(0, 1000000))


# R10: np.mod of ints is np.int64, the proof says a number without end.
def mod_number_wrap(x, rng):
    k = np.sum(x > 5) + rng.geometric(0.3) - rng.geometric(0.3)
    r = abs(np.mod(k, 7)) * 2**62
    b = r / -(2**62)
    total = 0.0
    for each in x:
        total += max(0.0, min(b, each))
    return b, total + rng.laplace(0, 2.0)


ATTACKS["mod_number_wrap"] = dict(
    data=np.array([1.0, 2.0, 3.0]),
    d0=np.array([1], dtype=float),
    d1=np.array([1, 1], dtype=float),
    claim="PureDP(epsilon=1)",
    bounds=(0, 1000000),
)


# R10: the same of Python's ints.
def mod_python_number_wrap(data, rng):
    k = len(data) + rng.geometric(0.3) - rng.geometric(0.3)
    r = abs(np.mod(k, 7)) * 2**62
    b = r / -(2**62)
    total = 0.0
    for each in data:
        total += max(0.0, min(b, each))
    return b, total + rng.laplace(0, 2.0)


ATTACKS["mod_python_number_wrap"] = dict(
    data=[1.0, 2.0, 3.0], d0=[], d1=[1e6], claim="PureDP(epsilon=1)", bounds=(0, 1000000)
)


# R10: np.power.
def power_number_wrap(x, rng):
    k = np.sum(x > 5) + rng.geometric(0.3) - rng.geometric(0.3)
    r = abs(np.power(k, 3)) * 2**60
    b = r / -(2**60)
    total = 0.0
    for each in x:
        total += max(0.0, min(b, each))
    return b, total + rng.laplace(0, 2.0)


ATTACKS["power_number_wrap"] = dict(
    data=np.array([1.0, 2.0, 3.0]),
    d0=np.array([1], dtype=float),
    d1=np.array([1, 1], dtype=float),
    claim="PureDP(epsilon=1)",
    bounds=(0, 1000000),
)


# R10: np.max(len(x)) where one record is replaced: no release is needed: 0 against 2 at noise of scale 0.001.
def replace_size_bound(x, rng):
    n = len(x)
    b = abs(np.max(n)) * 2**62 / -(2**62)
    total = 0.0
    for each in x:
        total += max(0.0, min(b, each))
    return total + rng.laplace(0, 0.001)


ATTACKS["replace_size_bound"] = dict(
    data=np.array([1.0, 2.0, 3.0]),
    d0=np.array([0.0, 0.0]),
    d1=np.array([0.0, 1000.0]),
    claim="PureDP(epsilon=1)",
    relation="replace",
    bounds=(0, 1000),
)


# R2: numpy compares int64 with a double as doubles: 2**53 + 1 == 2.0**53 is True; the proof says the record is 2**53 and adds 0; it adds 1.
def compare_rounds_equal(x, rng):
    total = 0.0
    for each in x:
        if each == 2.0**53:
            total += float(each - 2**52 - 2**52)
    return total + rng.laplace(0, 0.001)


ATTACKS["compare_rounds_equal"] = dict(
    data=np.array([1, 2, 3]),
    d0=np.array([], dtype=np.int64),
    d1=np.array([2**53 + 1], dtype=np.int64),
    claim="PureDP(epsilon=1)",
)


# R2: the same by <=.
def compare_rounds_loop(x, rng):
    total = 0.0
    for each in x:
        if each >= 2.0**53 and each <= 2.0**53:
            total += float(each - 2**52 - 2**52)
    return total + rng.laplace(0, 0.001)


ATTACKS["compare_rounds_loop"] = dict(
    data=np.array([1, 2, 3]),
    d0=np.array([], dtype=np.int64),
    d1=np.array([2**53 + 1], dtype=np.int64),
    claim="PureDP(epsilon=1)",
)


# R2: the same by a mask.
def column_compare(x, rng):
    m = (x >= 2.0**53) & (x <= 2.0**53)
    y = x[m]
    return np.sum(y - 2**52 - 2**52) + rng.laplace(0, 0.001)


ATTACKS["column_compare"] = dict(
    data=np.array([1, 2, 3]),
    d0=np.array([], dtype=np.int64),
    d1=np.array([2**53 + 1], dtype=np.int64),
    claim="PureDP(epsilon=1)",
)


# R12: the range of a sum within a record is summed in doubles, widened by one ulp: 1e16 + 0 - 1e16 + e is 'exactly 0' by numpy's order of a row; in real arithmetic (and by numpy's order of an array in Fortran order) it is e.
def column_sum_cancels(data, rng):
    X, y = data
    return np.sum(np.sum(X, axis=1)) + rng.laplace(0, 0.001)


ATTACKS["column_sum_cancels"] = dict(
    data=(np.array([ROW, ROW]), np.array([0.5, 0.5])),
    d0=(_x(2), np.ones(2)),
    d1=(_x(3), np.ones(3)),
    claim="PureDP(epsilon=1)",
    records=R,
)


# R12: in real arithmetic (the certificate's) a record adds 1, the proof says 0; numpy's own sum loses it, so the outputs agree.
def sum_cancels_real(data, rng):
    total = 0.0
    for x in data:
        y = max(0.0, min(1.0, x))
        total += float(np.sum(np.array([1e16, y, -1e16])))
    return total + rng.laplace(0, 0.001)


ATTACKS["sum_cancels_real"] = dict(data=[1.0, 2.0, 3.0], d0=[], d1=[1.0], claim="PureDP(epsilon=1)")


# R2: a Python int against np.float64 is rounded, too.
def python_int_against_float64(data, rng):
    total = 0.0
    for each in data:
        if each == P53:
            total += float(each - 2**52 - 2**52)
    return total + rng.laplace(0, 0.001)


ATTACKS["python_int_against_float64"] = dict(
    data=[1, 2, 3], d0=[], d1=[2**53 + 1], claim="PureDP(epsilon=1)", bounds=(0, 18014398509481984)
)


# R2: an int64 column against a column of doubles.
def int_less_than_column(x, rng):
    f = np.minimum(np.maximum(x.astype(float), 2.0**53), 2.0**53)
    m = (x >= f) & (x <= f)
    return np.sum(x[m] - 2**52 - 2**52) + rng.laplace(0, 0.001)


ATTACKS["int_less_than_column"] = dict(
    data=np.array([1, 2, 3]),
    d0=np.array([], dtype=np.int64),
    d1=np.array([2**53 + 1], dtype=np.int64),
    claim="PureDP(epsilon=1)",
)


# R6: R6 by a number of unknown home that meets a record (no check_alike there).
def unknown_times(x, rng):
    total = 0
    for e in x:
        total += min(max(e, 0), 1)
    k = total + rng.geometric(0.3) - rng.geometric(0.3)
    c = min(max(k, 0), 10)
    s = 0
    for e in x:
        s += max(0, 0 - min(max(int(e), 0), 2**62) * c)
    return k, s + rng.laplace(0, 0.001)


ATTACKS["unknown_times"] = dict(
    data=np.array([1, 2, 3]),
    d0=np.array([1], dtype=np.int64),
    d1=np.array([1, 2**61 + 2**60], dtype=np.int64),
    claim="PureDP(epsilon=1)",
)


# R6: R6 by a number of unknown home that meets a sum (no check_alike there).
def unknown_private(x, rng):
    total = 0
    for e in x:
        total += min(max(e, 0), 1)
    k = total + rng.geometric(0.3) - rng.geometric(0.3)
    c = min(max(k, 1), 2)
    n = sum(1 for e in x)
    return k, n * c + (2**63 - 1) + rng.laplace(0, 4.0)


ATTACKS["unknown_private"] = dict(
    data=np.array([1, 2, 3]),
    d0=np.array([], dtype=np.int64),
    d1=np.array([1], dtype=np.int64),
    claim="PureDP(epsilon=1)",
)


# R8: the same by bool().
def bool_from_not(data, rng):
    r = len(data) + rng.laplace(0, 2.0)
    b = bool(r) * 2**80 / 2**63
    total = 0.0
    for x in data:
        total += max(0.0, min(x, b))
    return r, total + rng.laplace(0, 2.0)


ATTACKS["bool_from_not"] = dict(data=[1.0, 2.0, 3.0], d0=[], d1=[1e6], claim="PureDP(epsilon=1)", bounds=(0, 1000000))


# R8: the same by tolist().
def tolist_bool(x, rng):
    h, _ = np.histogram(x, bins=[0.0, 1.0, 2.0])
    b = ((h + rng.laplace(0, 2.0, size=2)) > 0).tolist()[0] * 2**80 / 2**63
    total = 0.0
    for each in x:
        total += max(0.0, min(each, b))
    return b, total + rng.laplace(0, 2.0)


ATTACKS["tolist_bool"] = dict(
    data=np.array([1.0, 2.0, 3.0]),
    d0=np.array([], dtype=float),
    d1=np.array([1000000.0], dtype=float),
    claim="PureDP(epsilon=1)",
    bounds=(0, 1000000),
)


# R1: the same through numpy's minimum and maximum.
def sqrt_of_nan_scale(data, rng):
    s = np.sqrt(np.minimum(np.maximum(len(data) + math.nan + rng.laplace(0, 2.0), 1.0), 4.0))
    t = sum(min(x, s) for x in data if x >= 0)
    return t + rng.laplace(0, 4.0)


ATTACKS["sqrt_of_nan_scale"] = dict(
    data=[1.0, 2.0, 3.0], d0=[], d1=[1e6], claim="PureDP(epsilon=1)", bounds=(0, 1000000)
)


# R11: k is Python's int without records, np.int64 with; k <= t for a double t of kind 'number' is exact in Python and rounded in numpy: k == 2**58 + 4 <= 2.0**58 is False without a record, True with one, and k is released.
def alike_number(x, rng):
    total = 0
    for each in x:
        total += min(max(each, 0), 1)
    z = total * 0 + 2**29
    z = z * 2**29
    k = z + total + rng.geometric(0.5) - rng.geometric(0.5)
    t = round(rng.random() * 0 + 2.0**58, 0)
    return k, k <= t, k >= t


ATTACKS["alike_number"] = dict(
    data=np.array([1, 2, 3]),
    d0=np.array([], dtype=np.int64),
    d1=np.array([1], dtype=np.int64),
    claim="PureDP(epsilon=1)",
)


NOISE = {
    "geo_kind": {"geo": (3, 1)},
    "geo_kind_square": {"geo": (3, 1)},
    "item_wrap": {"geo": (3, 1)},
    "round_number_wrap": {"geo": (3, 1)},
    "power_op_number_wrap": {"geo": (3, 1)},
    "record_wrap": {"geo": (4, 1)},
    "private_times_c": {"geo": (2, 1)},
    "tolist_kind": {"geo": (3, 1)},
    "bool_times": {"lap": 1.0},
    "not_times": {"lap": 1.0},
    "bool_minus": {"lap": 1.0},
    "bool_times_int": {"geo": (3, 1)},
    "max_kind": {"geo": (3, 1)},
    "sum_kind": {"geo": (2, 1)},
    "sign_kind": {"geo": (3, 1)},
    "dot_kind": {"geo": (2, 1)},
    "cumsum_kind": {"geo": (2, 1)},
    "outer_abs_kind": {"geo": (2, 1)},
    "mod_number_wrap": {"geo": (3, 1)},
    "mod_python_number_wrap": {"geo": (2, 1)},
    "power_number_wrap": {"geo": (3, 1)},
    "unknown_times": {"geo": (4, 1)},
    "unknown_private": {"geo": (2, 1)},
    "bool_from_not": {"lap": 1.0},
    "tolist_bool": {"lap": 1.0},
    "alike_number": {"geo": (4, 1)},
}
"""The draws under which the two outputs are shown: geometric noise, Laplace noise in scales."""
ROOT = {
    "zero_part_wraps": "R4",
    "stack_wraps": "R4",
    "rowsum_wraps": "R4",
    "loose_overflow": "R3",
    "loose_overflow_raises": "R3",
    "loose_choice_overflow": "R3",
    "replace_loose": "R3",
    "min_int_or_float_div": "R3",
    "len_threshold": "R3",
    "len_threshold_divide": "R3",
    "len_threshold_float": "R3",
    "len_threshold_item": "R3",
    "geo_array_overflow": "R3",
    "int_array_overflow": "R3",
    "private_plus_int64": "R3",
    "private_times_array_bool": "R3",
    "stack_uint": "R5",
    "object_array_offset": "R5",
    "object_array": "R5",
    "object_concat": "R5",
    "nan_offset": "R1",
    "nan_offset_of_inf": "R1",
    "nan_offset_public": "R1",
    "nan_offset_in_loop": "R1",
    "nan_arrays": "R1",
    "nan_item": "R1",
    "nan_stack": "R1",
    "nan_start": "R1",
    "nan_loc": "R1",
    "geo_kind": "R6",
    "geo_kind_square": "R6",
    "item_wrap": "R6",
    "round_number_wrap": "R6",
    "power_op_number_wrap": "R6",
    "record_wrap": "R6",
    "private_times_c": "R6",
    "tolist_kind": "R7",
    "bool_times": "R8",
    "not_times": "R8",
    "bool_minus": "R8",
    "bool_times_int": "R8",
    "float_of_max": "R8",
    "limits_low": "R9",
    "limits_low_call": "R9",
    "max_kind": "R10",
    "sum_kind": "R10",
    "sign_kind": "R10",
    "dot_kind": "R10",
    "cumsum_kind": "R10",
    "outer_abs_kind": "R10",
    "mod_number_wrap": "R10",
    "mod_python_number_wrap": "R10",
    "power_number_wrap": "R10",
    "replace_size_bound": "R10",
    "compare_rounds_equal": "R2",
    "compare_rounds_loop": "R2",
    "column_compare": "R2",
    "column_sum_cancels": "R12",
    "sum_cancels_real": "R12",
    "python_int_against_float64": "R2",
    "int_less_than_column": "R2",
    "unknown_times": "R6",
    "unknown_private": "R6",
    "bool_from_not": "R8",
    "tolist_bool": "R8",
    "sqrt_of_nan_scale": "R1",
    "alike_number": "R11",
}
