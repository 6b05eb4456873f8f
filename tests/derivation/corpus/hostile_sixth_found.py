"""False certificates: `derive` proves each of these (rules and run), and none is true. `demo()` shows why, one by one."""

import math
import numpy as np

ATTACKS = {}
L = [0.5, 1.5, 2.5]
A = np.array(L)
LI = [1, 2, 3]
AI = np.array(LI)
RARE = math.sqrt(0.47125)


def atk(d0, d1, data=L, claim="PureDP(epsilon=1)", **kw):
    def keep(f):
        ATTACKS[f.__name__] = dict(claim=claim, data=data, d0=d0, d1=d1, relation="add-remove", **kw)
        return f

    return keep


# 1. np.searchsorted([known list], released): the proof says that the place is 0 or 1 (noise.py:64 takes the length of
#    the first *released* input, which is the number that is looked for), so `[place]` is decided as 1 and never 2.
#    Where `first` falls into the window the real scale is 0.001 instead of 4: epsilon 0.5 + 1000.
@atk([1.0] * 11, [1.0] * 12)
def searchsorted_list(data, rng):
    s = sum(min(max(x, 0.0), 1.0) for x in data if x == x)
    first = s + rng.laplace(0.0, 2.0)
    place = np.searchsorted([0.0, 12.3450, 12.3451], first)
    scale = [4.0, 4.0, 0.001, 4.0][place]
    return float(first), s + rng.laplace(0.0, scale)


@atk([1.0] * 11, [1.0] * 12)
def searchsorted_tuple(data, rng):
    s = sum(min(max(x, 0.0), 1.0) for x in data if x == x)
    first = s + rng.laplace(0.0, 2.0)
    place = np.searchsorted((0.0, 12.3450, 12.3451), first)
    scale = (4.0, 4.0, 0.001, 4.0)[place]
    return float(first), s + rng.laplace(0.0, scale)


# 2. A running total of numpy's 64-bit integers (or a huge Python integer) meets a number that does not fit: OverflowError
#    for a data set with such a record only. operators.py `_check_part` looks at what is added, never at `like`; a result
#    that is dropped is not checked again by `_after`. (`if False: t = 0` makes t a name that the loop changes.)
@atk([1], [1, 1000004], data=LI)
def dropped_int64_plus_huge(data, rng):
    t = np.int64(0)
    n = 0
    for x in data:
        if False:
            t = 0
        n += 1
        if 1000003 < x < 1000005:
            y = t + min(max(x * x * x * x, 0), 2**90)
    return n + rng.laplace()


@atk(np.array([1]), np.array([1, 1000004]), data=AI)
def dropped_huge_plus_int64(data, rng):
    t = 10**30
    n = 0
    for x in data:
        if False:
            t = 0
        n += 1
        if 1000003 < x < 1000005:
            y = t + x
    return n + rng.laplace()


@atk([1], [1, 1000004], data=LI)
def dropped_array_plus_huge(data, rng):
    t = np.zeros(3, dtype=int)
    n = 0
    for x in data:
        if False:
            t = 0
        n += 1
        if 1000003 < x < 1000005:
            y = t + 2**70
    return n + rng.laplace()


@atk([1.0], [1.0, RARE])
def dropped_cell(data, rng):
    t = [np.int64(0)]
    n = 0
    for x in data:
        if False:
            t[0] = 0
        n += 1
        if 0.4712 < min(10.0, max(-10.0, x)) ** 2 < 0.4713:
            y = t[0] + 2**70
    return n + rng.laplace()


# 3. numpy's True in a list with an element for each record becomes the integer 1 (loops.py `_number`, in `of_record`):
#    True + True is True there, and -True raises.
T = np.array([True])[0]


@atk([1.0], [1.0, RARE])
def np_bool_in_list(data, rng):
    lst = [T if x == x and 0.4712 < min(max(x, -10.0), 10.0) ** 2 < 0.4713 else 1 for x in data]
    return sum([(v + v - 2) * 1000 for v in lst]) + rng.laplace()


@atk([1.0], [1.0, RARE])
def np_bool_neg(data, rng):
    lst = [T if x == x and 0.4712 < min(max(x, -10.0), 10.0) ** 2 < 0.4713 else 1 for x in data]
    return sum([-v for v in lst]) + rng.laplace()


@atk([1.0], [1.0, RARE])
def np_bool_append(data, rng):
    true = np.array([True])[0]
    lst = []
    for x in data:
        if 0.4712 < min(10.0, max(-10.0, x)) ** 2 < 0.4713:
            lst.append(true)
        else:
            lst.append(1)
    return sum([-v for v in lst]) + rng.laplace()


# 4. rng.choice(n) without a size is an int of Python's, not numpy's int64 (draws.py `_choice`): the proof says that
#    k * 2**61 wraps round below 2**63, so that the branch is never taken. P(k == 513) = 1e-5, then the scale is 0.001.
@atk(np.zeros(1), np.zeros(2), data=A)
def choice_is_python(data, rng):
    k = rng.choice(100000, p=np.full(100000, 1e-5))
    big = k * 2**61
    scale = 1.0
    if 2**70 < big < 2**70 + 2**62:
        scale = 0.001
    return k, len(data) + rng.laplace(0.0, scale)


# 5. numpy.round of an array of int64 is said to be of Python's integers (noise.py:59), and numpy.mod etc. of such an
#    array are tried on doubles (noise.py:73 `_example`): zeros_like is float64 in the proof, and int64 in the code, where
#    z[0] = 0.5 stores 0. The branch on what is released keeps the run from seeing it.
@atk(np.array([0.5]), np.array([0.5, 1.5]), data=A)
def round_of_ints(data, rng):
    h = np.histogram(np.clip(np.nan_to_num(data), 0, 3), bins=[0.0, 1.0, 2.0, 3.0])[0]
    c = h + rng.geometric(0.39, size=3) - rng.geometric(0.39, size=3)
    scale = 2.0
    if 600 < c[0] < 602:
        z = np.zeros_like(np.mod(np.round(c), 5))
        z[0] = 0.5
        scale = 2.0 if z[0] > 0.4 else 0.001
    return c, len(data) + rng.laplace(0.0, scale)


# 6. Conditions of Python's (True is an integer without end) become int64 (operations.py `common_type`, aggregates.py
#    `total`): the second multiplication "wraps round" in the proof, so that big > 2**70 is decided as False.
@atk([1.0] * 11, [1.0] * 12)
def bool_times_twice(data, rng):
    c = len(data) + rng.laplace(0.0, 2.0)
    scale = 2.0
    if c < 12.3451:
        big = (c > 12.3450) * 2**61 * 2**61
        if big > 2**70:
            scale = 0.001
    return c, len(data) + rng.laplace(0.0, scale)


@atk([1.0] * 11, [1.0] * 12)
def bool_sum_twice(data, rng):
    c = len(data) + rng.laplace(0.0, 2.0)
    scale = 2.0
    if c < 12.3451:
        big = sum([c > t for t in (12.3450, 12.34501)]) * 2**61 * 2**61
        if big > 2**70:
            scale = 0.001
    return c, len(data) + rng.laplace(0.0, scale)


@atk([1.0] * 11, [1.0] * 12)
def not_twice(data, rng):
    c = len(data) + rng.laplace(0.0, 2.0)
    scale = 2.0
    if c < 12.3451:
        big = (not c <= 12.3450) * 2**61 * 2**61
        if big > 2**70:
            scale = 0.001
    return c, len(data) + rng.laplace(0.0, scale)


@atk([1.0], [1.0, 1.0])
def sum_of_python_conditions(data, rng):
    c = sum(x > 0 for x in data) + rng.geometric(0.39) - rng.geometric(0.39)
    big = c * 2**61
    scale = 2.0
    if 2**70 < big < 2**70 + 2**62:
        scale = 0.001
    return c, len(data) + rng.laplace(0.0, scale)


@atk([1.0], [1.0, 1.0])
def total_of_python_conditions(data, rng):
    t = 0
    for x in data:
        t += (x > 0) * 1
    c = t + rng.geometric(0.39) - rng.geometric(0.39)
    big = c * 2**61
    scale = 2.0
    if 2**70 < big < 2**70 + 2**62:
        scale = 0.001
    return c, len(data) + rng.laplace(0.0, scale)


@atk(np.array([0.5]), np.array([0.5, 1.5]), data=A)
def mod_by_max_int(data, rng):  # 5, without numpy.round: `_example` has a double for Python's integer, the code int64
    h = np.histogram(np.clip(np.nan_to_num(data), 0, 3), bins=[0.0, 1.0, 2.0, 3.0])[0]
    c = h + rng.geometric(0.39, size=3) - rng.geometric(0.39, size=3)
    n = len(data) + rng.laplace(0.0, 4.0)
    scale = 4.0
    if 12.3450 < n < 12.3451:
        z = np.zeros_like(c % max(int(n), 1))
        z[0] = 0.5
        scale = 4.0 if z[0] > 0.4 else 0.001
    return c, n, len(data) + rng.laplace(0.0, scale)


@atk(np.array([0.5]), np.array([0.5, 1.5]), data=A)
def round_of_ints_square(data, rng):  # 5: int64 wraps round, Python's integers of the proof do not
    h = np.histogram(np.clip(np.nan_to_num(data), 0, 3), bins=[0.0, 1.0, 2.0, 3.0])[0]
    c = h + rng.geometric(0.39, size=3) - rng.geometric(0.39, size=3)
    scale = 2.0
    if 600 < c[0] < 602:
        r = np.round(c)[0] * 3037000507
        scale = 2.0 if r**2 >= 0 else 0.001
    return c, len(data) + rng.laplace(0.0, scale)


@atk(np.array([1.0]), np.array([1.0, 1.0]), data=A)
def int_of_private(data, rng):  # 6, another place: functions.py `_int` of a sum keeps int64
    c = int(np.count_nonzero(data > 0)) + rng.geometric(0.39) - rng.geometric(0.39)
    big = c * 2**61
    scale = 2.0
    if 2**70 < big < 2**70 + 2**62:
        scale = 0.001
    return c, len(data) + rng.laplace(0.0, scale)


@atk([True], [True, True], data=[True, False])
def bool_list_sum(data, rng):  # 6
    c = sum(data) + rng.geometric(0.39) - rng.geometric(0.39)
    big = c * 2**61
    scale = 2.0
    if 2**70 < big < 2**70 + 2**62:
        scale = 0.001
    return c, len(data) + rng.laplace(0.0, scale)


@atk(np.array([0.5]), np.array([0.5, 1.5]), data=A)
def searchsorted_array(data, rng):  # 1, of three numbers: places up to 3 in the proof, up to 6 in the code
    h = np.histogram(np.clip(np.nan_to_num(data), 0, 3), bins=[0.0, 1.0, 2.0, 3.0])[0]
    c = h + rng.laplace(0.0, 2.0, size=3)
    place = np.searchsorted([-9e9, -8e9, -7e9, 12.3450, 12.3451, 12.3452], c)[0]
    scale = [2.0, 2.0, 2.0, 2.0, 0.001, 2.0, 2.0][place]
    return c, len(data) + rng.laplace(0.0, scale)


@atk(np.array([0.5]), np.array([0.5, 1.5]), data=A, only_rules=True)
def power_by_max_int(data, rng):  # 5, by the rules alone: the run meets an OverflowError of its own
    h = np.histogram(np.clip(np.nan_to_num(data), 0, 3), bins=[0.0, 1.0, 2.0, 3.0])[0]
    c = h + rng.geometric(0.39, size=3) - rng.geometric(0.39, size=3)
    n = len(data) + rng.laplace(0.0, 4.0)
    scale = 4.0
    if 12.3450 < n < 12.3451:
        z = np.zeros_like(c ** max(int(n), 1))
        z[0] = 0.5
        scale = 4.0 if z[0] > 0.4 else 0.001
    return c, n, len(data) + rng.laplace(0.0, scale)


class Forced(np.random.Generator):
    """Noise that makes the first release what it is told; notes the scales."""

    def __init__(self, laplace=(), geometric=(), choice=None):
        super().__init__(np.random.PCG64(1))
        self.l, self.g, self.c, self.scales = list(laplace), list(geometric), choice, []

    def laplace(self, loc=0.0, scale=1.0, size=None):
        self.scales.append(scale)
        return self.l.pop(0) if self.l else super().laplace(loc, scale, size)

    def geometric(self, p, size=None):
        if not self.g:
            return super().geometric(p, size)
        v = self.g.pop(0)
        return v if size is None else np.full(size, v)

    def choice(self, a, p=None):
        return super().choice(a, p=p) if self.c is None else type(super().choice(a, p=p))(self.c)


def demo():
    def run(name, d, **kw):
        r = Forced(**kw)
        try:
            return globals()[name](d, r), r.scales
        except Exception as e:  # noqa: BLE001
            return repr(e)

    for name, a in ATTACKS.items():
        for d in (a["d0"], a["d1"]):
            n = len(d)
            kw = {}
            if name in ("searchsorted_list", "searchsorted_tuple", "bool_times_twice", "bool_sum_twice", "not_twice"):
                kw = dict(laplace=[12.34505 - n])
            elif name == "choice_is_python":
                kw = dict(choice=513)
            elif name.startswith("round_of_ints"):
                kw = dict(geometric=[601, 1])
            elif name in ("mod_by_max_int", "power_by_max_int"):
                kw = dict(laplace=[12.34505 - n])
            elif name == "searchsorted_array":
                kw = dict(laplace=[np.array([12.34505 - 1, 0.0, 0.0])])
            elif name.endswith("python_conditions") or name in ("int_of_private", "bool_list_sum"):
                kw = dict(geometric=[514 - n, 1])
            print(name, "n =", n, run(name, d, **kw))


if __name__ == "__main__":
    demo()
