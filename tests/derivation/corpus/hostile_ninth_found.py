"""False certificates of the ninth reading .

T: True and False that each record gives into a list are read as the numbers 1 and 0 (derivation/loops.py:170,
   `of_record` through `_number`): numpy takes True as a mask where it takes 1 as a place, and adds conditions otherwise.
B: the builtins of a function are those that it was made with (`function.__builtins__`), and not those that its module
   holds now (derivation/interpreter.py:269 `_check_builtins`, derivation/frames.py:79).
G: globals that are no plain dict: Python reads them with `__getitem__`, the rules with `in` first
   (derivation/frames.py:77, interpreter.py:84).
D: an instance's `__dict__` that is no plain dict: Python reads it past its methods, the rules with them
   (derivation/items.py:158).
K: `function.__defaults__` and `__kwdefaults__` that are no plain tuple or dict: Python reads them past their methods, the
   rules with them (derivation/interpreter.py:63-75, derivation/frames.py:105).
I: `import math` within the function takes what sys.modules holds; read as the real one (derivation/statements.py:173).
   `around`: a context to be in; borderline.
W: functools.wraps hides the parameter rng from inspect.signature, so that the code is read with rng=None
   (adapters/signature.py:39, derivation/paths.py:58). Borderline.

The trick that hides T from the runs: a bump exp(-((v*v - 0.2221) * 1e6)**2), which is 0 but within 1e-6 of sqrt(0.2221);
no condition asks for it, so that no run looks for it. The trick that hides all others: a window of the released value
that the rules say is never asked for.
"""

import builtins
import contextlib
import functools
import math
import sys
import types

import numpy as np

ATTACKS = {}
BORDERLINE = ("math_of_modules", "hidden_rng")
F = np.array([0.5, 1.0])
L = [0.5, 1.0]
FD = dict(data=F, bounds="0:1", d0=np.array([]), d1=np.array([1.0]))
V = math.sqrt(0.2221)
VD = dict(data=F, bounds="0:1", d0=np.array([]), d1=np.array([V]))
VL = dict(data=L, bounds="0:1", d0=[], d1=[V])
W = np.array([1.0, 2.0])
TRUE, TRUES = np.True_, np.array([True])


def A(claim="PureDP(epsilon=1)", **k):
    def d(f):
        ATTACKS[f.__name__] = dict(claim=claim, **k)
        return f

    return d


# T: counts[True] += a adds to all 50 places: epsilon is 50, said 0.999.
@A(**VD)
def counts_true(x, rng):
    ones = [True for v in x]
    counts = np.zeros(50)
    for b, v in zip(ones, x):
        counts[b] += np.exp(-(((v * v - 0.2221) * 1e6) ** 2))
    return counts + rng.laplace(0, 1.001, size=50)


# T: of a list of Python's floats, by append; under replace.
@A(data=L, bounds="0:1", relation="replace", d0=[0.1], d1=[V])
def counts_true_replaced(x, rng):
    ones = []
    for v in x:
        ones.append(1 < 2)
    counts = np.zeros(50)
    for b, v in zip(ones, x):
        counts[b] += math.exp(-(((v * v - 0.2221) * 1e6) ** 2))
    return counts + rng.laplace(0, 2.002, size=50)


# T: W[True] is [[1.0, 2.0]], read as W[1] = 2.0: the sum moves by 100, said 0.
@A(**VD)
def lookup_true(x, rng):
    ones = []
    for v in x:
        ones.append(True)
    t = 0.0
    for b, v in zip(ones, x):
        w = W[b]
        t += (np.sum(w) - 2.0) * 100.0 * np.exp(-(((v * v - 0.2221) * 1e6) ** 2))
    return t + rng.laplace(0, 1.001)


# T: W[False] is empty, read as W[0] = 1.0.
@A(**VL)
def lookup_false(x, rng):
    ones = [False for v in x]
    t = 0.0
    for b, v in zip(ones, x):
        w = W[b]
        t += (np.sum(w) - 1.0) * 100.0 * math.exp(-(((v * v - 0.2221) * 1e6) ** 2))
    return t + rng.laplace(0, 1.001)


# T: a list of True and 1; the way of the record where w < -0.5 is said to be impossible, and was not explored.
@A(**VD)
def lookup_true_or_one(x, rng):
    ones = [True if v > 0.4 else 1 for v in x]
    t = 0.0
    for b, v in zip(ones, x):
        w = (2.0 - np.sum(W[b])) * np.exp(-(((v * v - 0.2221) * 1e6) ** 2))
        if w < -0.5:
            t += 1000.0
        t += 0.5 * v
    return t + rng.laplace(0, 1.001)


# T: numpy.True_ + True is True, read as 2. (Main stops since 9ffd6fa7: check_mixed.)
@A(**VD)
def true_plus_true(x, rng):
    ones = [True for v in x]
    t = 0.0
    for b, v in zip(ones, x):
        t += 100.0 * ((TRUE + b) - 2.0) * np.exp(-(((v * v - 0.2221) * 1e6) ** 2))
    return t + rng.laplace(0, 1.001)


# T: the same of an array of conditions. (Main stops.)
@A(**VD)
def trues_plus_true(x, rng):
    ones = [True if v > 0.4 else 1 for v in x]
    t = 0.0
    for b, v in zip(ones, x):
        t += 100.0 * (np.sum(TRUES + b) - 2.0) * np.exp(-(((v * v - 0.2221) * 1e6) ** 2))
    return t + rng.laplace(0, 1.001)


# T: `in` is read as True or False on each way of the record, and a list of these as numbers.
@A(data=L, bounds="0:1", d0=[], d1=[V])
def counts_membership(x, rng):
    rare = [v not in (0.25, 0.75) for v in x]
    counts = np.zeros(50)
    for b, v in zip(rare, x):
        counts[b] += math.exp(-(((v * v - 0.2221) * 1e6) ** 2))
    return counts + rng.laplace(0, 1.001, size=50)


# T, by the rules alone: the simplest.
@A(only_rules=True, **FD)
def flags_counted(x, rng):
    flags = [True for v in x]
    counts = np.zeros(50)
    for b in flags:
        counts[b] += 1
    return counts + rng.laplace(0, 1.001, size=50)


# B: made while __builtins__ is a dict of the module's own, which is gone when the function is read.
__builtins__ = {**vars(builtins), "max": min}


def kept_builtins(x, rng):
    r = np.sum(x) + rng.laplace(0, 2.0)
    if max(r, 1e9) < 0.6866 and r > 0.6864:
        return np.sum(x) + rng.laplace(0, 1e-6)
    return r


__builtins__ = builtins
A(**FD)(kept_builtins)


class Names(dict):
    """Has a name that it says it has not."""

    def __contains__(self, key):
        return key != "max" and dict.__contains__(self, key)


# G: max is `min` in the function's globals.
def _hidden_globals(x, rng):
    r = np.sum(x) + rng.laplace(0, 2.0)
    if max(r, 1e9) < 0.6866 and r > 0.6864:
        return np.sum(x) + rng.laplace(0, 1e-6)
    return r


hidden_globals = types.FunctionType(_hidden_globals.__code__, Names({**globals(), "max": min}), "hidden_globals")
A(**FD)(hidden_globals)


class Zeros(dict):
    """Gives 0.0, whatever it holds."""

    def __getitem__(self, key):
        return 0.0


class Settings:
    """Nothing of its own."""


SETTINGS = Settings()
SETTINGS.__dict__ = Zeros()
SETTINGS.debug = 1.0


# D: SETTINGS.debug is 1.0, read as 0.0.
@A(**FD)
def instance_dict(x, rng):
    r = np.sum(x) + rng.laplace(0, 2.0)
    if SETTINGS.debug > 0.5 and 0.6864 < r < 0.6866:
        return np.sum(x) + rng.laplace(0, 1e-6)
    return r


class Others(tuple):
    """Goes through something else than it holds."""

    def __iter__(self):
        return iter((0.0,))


class OtherNames(dict):
    """The same, of a dict."""

    def keys(self):
        return ["debug"]

    def __iter__(self):
        return iter(["debug"])

    def __getitem__(self, key):
        return 0.0


# K: debug is 1.0, read as 0.0.
def defaults_tuple(x, rng, debug=1.0):
    r = np.sum(x) + rng.laplace(0, 2.0)
    if debug > 0.5 and 0.6864 < r < 0.6866:
        return np.sum(x) + rng.laplace(0, 1e-6)
    return r


defaults_tuple.__defaults__ = Others((1.0,))
A(**FD)(defaults_tuple)


# K: the same of a keyword.
def defaults_dict(x, rng, *, debug=1.0):
    r = np.sum(x) + rng.laplace(0, 2.0)
    if debug > 0.5 and 0.6864 < r < 0.6866:
        return np.sum(x) + rng.laplace(0, 1e-6)
    return r


defaults_dict.__kwdefaults__ = OtherNames({"debug": 1.0})
A(**FD)(defaults_dict)


@contextlib.contextmanager
def fake_math():
    """Another module in the place of math."""
    real, fake = sys.modules["math"], types.ModuleType("math")
    vars(fake).update({**vars(real), "pi": 0.0})
    sys.modules["math"] = fake
    try:
        yield
    finally:
        sys.modules["math"] = real


# I: math.pi is 0.0 in the code.
@A(around=fake_math, **FD)
def math_of_modules(x, rng):
    import math

    r = np.sum(x) + rng.laplace(0, 2.0)
    if math.pi == 0.0 and 0.6864 < r < 0.6866:
        return np.sum(x) + rng.laplace(0, 1e-6)
    return r


def _plain(x):
    return 0.0


# W: hidden_rng(x, rng) returns the sum itself; the proof is of hidden_rng(x).
def hidden_rng(x, rng=None):
    if rng is None:
        return np.sum(x) + np.random.default_rng().laplace(0, 1.0)
    return np.sum(x)


hidden_rng = functools.update_wrapper(hidden_rng, _plain, assigned=())
A(**FD)(hidden_rng)
