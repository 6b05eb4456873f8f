"""False certificates of the thirteenth reading. BOTH walls pass. All but norm_of_16_bits are contrived.

K: `function.__kwdefaults__` with names that are no keyword-only parameters of the function, which Python ignores:
   derivation/frames.py:98 (`bound`, `| dict(keyword_defaults)`), from derivation/interpreter.py (`call`); `_check_plain`
   looks at the type of `__kwdefaults__` only.
R: reversed(row) of rows whose class (a tuple's) has its own __reversed__: derivation/domain.py (`_named_tuple`, `own`),
   derivation/functions.py (`_reversed` of Fields). The second wall gives the code plain tuples.
E: types and dtypes that are looked for by `in NUMBERS`, which asks their own __eq__; then their own __instancecheck__ or
   `dtype` runs, which may see that it is the reader that asks: derivation/functions.py:97 and :99 (`_known`),
   derivation/items.py:238 (`method`).
Y: columns (or fields of rows) whose names are of a class of their own, which says what it equals: derivation/domain.py
   (`_form`, `_layout`: the types of keys are not looked at), derivation/items.py (`item`: `key in holder.by_name`).
I: `import math` within the function calls `builtins.__import__`, which may be another: derivation/statements.py
   (`_import` asks sys.modules only). Borderline, as I of the ninth reading was.
N: a norm that is stated of an array of 16 or 32 bits, which rounds the rows (by 3e-4 and 6e-8): derivation/domain.py
   (`domain_of`, `{**field, "norm": norm}`; `_ends` widens the ranges for that, and nothing widens the norm). Borderline,
   as B of the twelfth reading was. Without the window the second wall refuses it (records were found that cost more).

The trick that hides K, E and I: near, which is 0 but where the released r is within 1e-6 of sqrt(0.2221).
"""

import builtins
import sys
import types

import numpy as np

ATTACKS = {}
BORDERLINE = ("own_import", "norm_of_16_bits")
LD = dict(data=[0.5, 1.0], bounds="0:1", d0=[], d1=[1.0])
REACHED = 0.2221**0.5


def A(claim="PureDP(epsilon=1)", **k):
    def d(f):
        ATTACKS[f.__name__] = dict(claim=claim, **k)
        return f

    return d


def high_by_place(near, high=1000.0, *, more=0.0):
    """Python takes high from __defaults__."""
    return near * high + more


high_by_place.__kwdefaults__["high"] = 1.0


# K: high is 1000.0, read as 1.0: `near * high > 10.0` is said never to hold; the sum itself is returned there.
@A(**LD)
def keyword_default_of_place(x, rng):
    s = sum(x)
    r = float(s + rng.laplace(0, 1.001))
    near = np.exp(-(((r * r - 0.2221) * 1e6) ** 2))
    if high_by_place(near) > 10.0:
        return s
    return r


HIGH = 1000.0


def high_of_global(near, *, more=0.0):
    """HIGH is the module's."""
    return near * HIGH + more


high_of_global.__kwdefaults__["HIGH"] = 1.0


# K: the global HIGH is 1000.0; read as a variable of the call that is 1.0.
@A(**LD)
def keyword_default_of_nothing(x, rng):
    s = sum(x)
    r = float(s + rng.laplace(0, 1.001))
    near = np.exp(-(((r * r - 0.2221) * 1e6) ** 2))
    if high_of_global(near) > 10.0:
        return s
    return r


def without_keywords(near, high=1000.0):
    """No parameter is keyword-only."""
    return near * high


without_keywords.__kwdefaults__ = {"high": 1.0}


# K: of a function without keyword-only parameters.
@A(**LD)
def keyword_default_without_keywords(x, rng):
    s = sum(x)
    r = float(s + rng.laplace(0, 1.001))
    near = np.exp(-(((r * r - 0.2221) * 1e6) ** 2))
    if without_keywords(near) > 10.0:
        return s
    return r


class Weighing:
    """A mechanism with a method like these."""

    def weight(self, near, high=1000.0, *, more=0.0):
        return near * high + more

    def __call__(self, x, rng):
        s = sum(x)
        r = float(s + rng.laplace(0, 1.001))
        near = np.exp(-(((r * r - 0.2221) * 1e6) ** 2))
        if self.weight(near) > 10.0:
            return s
        return r


Weighing.weight.__kwdefaults__["high"] = 1.0
keyword_default_of_method = Weighing()
ATTACKS["keyword_default_of_method"] = dict(claim="PureDP(epsilon=1)", **LD)


class Backwards(tuple):
    """Gives a thousand times what it holds, backwards."""

    def __reversed__(self):
        return iter([1000.0 * each for each in tuple.__iter__(self)][::-1])


ROWS = dict(
    data=[Backwards((0.5, 0.2)), Backwards((0.1, 0.2))],
    records="(float(0, 1), float(0, 1))",
    d0=[],
    d1=[Backwards((1.0, 1.0))],
)


# R: 1000 where 1 is stated.
@A(**ROWS)
def rows_reversed(rows, rng):
    t = 0.0
    for row in rows:
        b, a = reversed(row)
        t += a
    return t + rng.laplace(0, 1.001)


# R: in a comprehension.
@A(**ROWS)
def rows_reversed_in_list(rows, rng):
    return sum([list(reversed(row))[0] for row in rows]) + rng.laplace(0, 1.001)


# R: under replace.
@A(relation="replace", **{**ROWS, "d0": [Backwards((0.0, 0.0))]})
def rows_reversed_replaced(rows, rng):
    t = 0.0
    for row in rows:
        b, a = reversed(row)
        t += a
    return t + rng.laplace(0, 1.001)


def _asked_by_the_code():
    return sys._getframe(2).f_globals.get("__name__") == __name__


class _Kind(type):
    """Classes that are equal to all; what is one of them, and their dtype, depends on who asks."""

    def __eq__(cls, other):
        return True

    __hash__ = type.__hash__

    def __instancecheck__(cls, value):
        return _asked_by_the_code()

    @property
    def dtype(cls):
        return np.dtype(np.int64 if _asked_by_the_code() else np.float64)


class Number(metaclass=_Kind):
    """One of them."""


# E: isinstance(1.0, Number) is True in the code, False where it is read.
@A(**LD)
def isinstance_of_own(x, rng):
    s = sum(x)
    r = float(s + rng.laplace(0, 1.001))
    near = np.exp(-(((r * r - 0.2221) * 1e6) ** 2))
    k = 1000.0 if isinstance(1.0, Number) else 1.0
    if near * k > 10.0:
        return s
    return r


# E: an array of integers in the code, of doubles where it is read.
@A(**LD)
def dtype_of_own(x, rng):
    s = sum(x)
    r = float(s + rng.laplace(0, 1.001))
    near = np.exp(-(((r * r - 0.2221) * 1e6) ** 2))
    k = 1000.0 if np.array([1.5], dtype=Number)[0] == 1.0 else 1.0
    if near * k > 10.0:
        return s
    return r


# E: the method astype.
@A(**LD)
def astype_of_own(x, rng):
    s = sum(x)
    r = float(s + rng.laplace(0, 1.001))
    near = np.exp(-(((r * r - 0.2221) * 1e6) ** 2))
    k = 1000.0 if np.array([1.5]).astype(Number)[0] == 1.0 else 1.0
    if near * k > 10.0:
        return s
    return r


class Key(str):
    """A name of a column that is "x" where it is read, and another in the code."""

    def __hash__(self):
        return hash("x")

    def __eq__(self, other):
        return self is other or (sys._getframe(1).f_globals["__name__"] == "dpverify.derivation.items")

    def __str__(self):
        return "other"


OTHER = Key("other")


# Y: d["x"] is read as the column `other`, which lies in [5, 6].
@A(
    data={OTHER: np.array([5.0, 6.0]), "x": np.array([0.5, 1.0])},
    bounds={"other": (5, 6), "x": (0, 1)},
    d0={OTHER: np.zeros(0), "x": np.zeros(0)},
    d1={OTHER: np.array([5.0]), "x": np.array([0.2221**0.5])},
)
def key_of_its_own(d, rng):
    z = d["x"]
    near = np.exp(-(((z * z - 0.2221) * 1e3) ** 2))
    return np.sum(near) * 1000.0 + rng.laplace(0, 1.001)


_IMPORT = builtins.__import__
_FAKE = types.SimpleNamespace(sqrt=lambda _: 1000.0)


def _own_import(name, g=None, *rest):
    mine = name == "math" and g is not None and g.get("__name__") == __name__
    return _FAKE if mine else _IMPORT(name, g, *rest)


class _Importing:
    """A context in which `import math` of this module is another."""

    def __enter__(self):
        builtins.__import__ = _own_import

    def __exit__(self, *_):
        builtins.__import__ = _IMPORT


# I (borderline): math.sqrt(1.0) is 1000.0, read as 1.0. Needs `around`.
@A(around=_Importing, **LD)
def own_import(x, rng):
    import math

    s = sum(x)
    r = float(s + rng.laplace(0, 1.001))
    near = np.exp(-(((r * r - 0.2221) * 1e6) ** 2))
    if near * math.sqrt(1.0) > 10.0:
        return s
    return r


def _balls(kind, row):
    return dict(
        claim="GDP(mu=1)",
        data=np.array([[0.5, 0.5], [0.25, 0.5]], dtype=kind),
        records="row(2, norm<=1)",
        d0=np.zeros((0, 2), dtype=kind),
        d1=np.array([row], dtype=kind),
    )


# N (borderline): (0.59986, 0.8001) has the norm 0.99999; in 16 bits it is 1.00029, and so is mu.
@A(**_balls(np.float16, [0.59986, 0.8001]))
def norm_of_16_bits(X, rng):
    Z = X.astype(float)
    a = Z[:, 0]
    near = (a * a > 0.35999) & (a * a < 0.3604)
    return np.sum(Z[near], axis=0) + rng.normal(0, 1.0, size=2)
