"""False certificates of the sixteenth reading. BOTH walls pass for all. No numpy is patched.

Z: a declared function gives an array of no dimensions for a number (``out = np.array(value); out += noise``: a double in the
   shape of the value, and nothing given is changed, so that it does what it is declared to do); it is read as a number, which
   cannot change: core/declared_noise.py:90 (`_look`: an array of shape () passes), derivation/draws.py:97 (`around`: no
   array). ``noisy += x`` then changes all its names: derivation/statements.py:68 asks arrays only. Natural.
L: a declared function is looked at in the first 64 calls only, however they look: core/declared_noise.py:68-70 (`around`,
   LOOKED_AT). All runs of `check_coupled` come first, so that nobody looks at a call on a narrow path, nor at the 65th call of
   one run. What is called there may be an array where numbers were before (in place), a size, an integer 0 of no records.
B: a declared function gives the same array at each call (``np.add(value, noise, out=BUFFER)``): an array that was returned
   before changes, and is read as one that does not: core/declared_noise.py:75 (`_look` compares what it is given only);
   machine.py:211 (`_decide`: a condition on one value is answered once). Somewhat contrived.
W: the parameters of a declared function are those that inspect.signature tells, at the time of its declaration, and not those
   that Python binds: recording/user_hooks.py:260 (follows `__wrapped__`, `__signature__`; defaults may change later).
   `default_of_a_wrapper` is natural: functools.wraps around a function with another default.
N: dicts in which Python looks names up may have keys of the user's own types, which say to dpverify alone that they are equal:
   derivation/frames.py:85 (globals), items.py:136 (modules), items.py:161 (classes), items.py:162 (objects),
   interpreter.py:276 (`__kwdefaults__`: `of_outside` is asked of values only). Contrived.
D: `of_outside` is not asked of the defaults of a declared function: derivation/draws.py:82-89, :71. Contrived.
C: a metaclass says what its class holds: derivation/paths.py:99 (`_unwrapped`: `vars(type(mechanism))`); read is another
   function than is called. Contrived.
"""

import builtins
import functools
import sys
import types

import numpy as np

import dpverify as dpv
from dpverify.derivation import values as lifted

ATTACKS = {}
F = np.array([0.5, 1.0])
FD = dict(data=F, bounds="0:1", d0=np.array([]), d1=np.array([1.0]))
LD = dict(data=[0.5, 1.0], bounds="0:1", d0=[], d1=[1.0])
WITH_RNG = "no_dimensions_asked_twice same_array_again name_of_an_attribute name_in_a_module name_in_a_class name_of_a_keyword another_call".split()
BORDERLINE = ("late_size", "late_in_place", "late_in_place_straight", "late_exception")
OWN = np.random.default_rng(7)


def A(claim="PureDP(epsilon=1)", f=None, **k):
    def d(g):
        ATTACKS[g.__name__] = dict(claim=claim, **({"f": f} if f else {}), **k)
        return g

    return d


@dpv.noise_primitive(law="laplace")
def copied(value, scale):
    out = np.array(value, dtype=float)
    out += OWN.laplace(0, scale, size=out.shape)
    return out


# Z: what is returned has the exact sum a million times.
@A(**FD)
def no_dimensions(x):
    noisy = min(max(copied(np.sum(x), 1.0), 0.0), 100.0)
    first = noisy
    noisy += 1e6 * np.sum(x)
    return first


def less(total, more):
    total -= more
    return total


# Z: a helper that subtracts in place changes the total of its caller, by a million times the exact sum.
@A(**FD)
def no_dimensions_in_a_function(x):
    total = min(max(copied(np.sum(x), 2.0), -1000.0), 1000.0)
    left = copied(less(total, 1e6 * np.sum(x)), 2e6)
    return total, left


# Z: `start` changes with `noisy`; `first` and `second` are equal for the reader. No sum meets a released number.
@A(**FD)
def no_dimensions_asked_twice(x, rng):
    noisy = copied(np.sum(x), 2.0)
    start = noisy
    first = 1 if start > 0.0 else 0
    noisy -= 5.0
    second = 1 if start > 0.0 else 0
    scale = 2.0 if first == second else 1e-6
    return first, np.sum(x) + rng.laplace(0, scale)


@dpv.noise_primitive(law="laplace")
def in_place(value, scale):
    value += OWN.laplace(0, scale, size=np.shape(value) or None)
    return value


# L: p - s has no sensitivity for the reader, and is p minus a public number in the code. Numbers cannot change, arrays do.
@A(**FD)
def late_in_place(x):
    p, s = np.sum(x > 0.5) * np.ones(1), np.sum(x > 0.5) * np.ones(1)
    r = in_place(0.0, 2.1)
    if 1.2345 < r < 1.2346:
        return r, in_place(s, 1.01) * 1.0, in_place(p - s, 1e-6)
    return r


# L: the same without a path.
@A(**FD)
def late_in_place_straight(x):
    p, s = np.sum(x > 0.5) * np.ones(1), np.sum(x > 0.5) * np.ones(1)
    for _ in range(64):
        in_place(0.0, 1.0)
    return in_place(s, 1.01) * 1.0, in_place(p - s, 1e-6)


@dpv.noise_primitive(law="laplace")
def sized(value, scale, size=None):
    return value + OWN.laplace(0, scale, size=size)


# L: 100,000 noisy copies.
@A(**FD)
def late_size(x):
    r = sized(0.0, 1.0)
    if 1.2345 < r < 1.2346:
        return r, sized(np.sum(x), 1.0, 100_000)
    return r


@dpv.noise_primitive(law="laplace")
def of_doubles(value, scale):
    out = np.array(value)
    out += OWN.laplace(0, scale, size=out.shape)
    return out * 1.0


# L: it raises for the integer 0 that `sum` gives of no records.
@A(**LD)
def late_exception(xs):
    trend = [of_doubles(float(len(xs)), 200.0) for _ in range(64)]
    return trend, of_doubles(sum(xs), 2.0)


BUFFER = np.zeros(1)


@dpv.noise_primitive(law="laplace")
def buffered(value, scale):
    return np.add(value, OWN.laplace(0, scale, size=np.shape(value)), out=BUFFER)


# B: `first` and `second` are equal for the reader.
@A(**FD)
def same_array_again(x, rng):
    a = buffered(np.sum(x) * np.ones(1), 2.0)
    first = 1 if a[0] > 0.5 else 0
    b = buffered(a * 0.0, 1.0)
    second = 1 if a[0] > 0.5 else 0
    scale = 2.0 if first == second else 1e-6
    return a, b, np.sum(x) + rng.laplace(0, scale)


def finer(function):
    @functools.wraps(function)
    def wrapped(value, scale=1e-6):
        return function(value, scale)

    return wrapped


@dpv.noise_primitive(law="laplace")
@finer
def wrapped_default(value, scale=1.0):
    return value + OWN.laplace(0, scale, size=np.shape(value) or None)


# W: the scale is 1e-6.
@A(**FD)
def default_of_a_wrapper(x):
    return wrapped_default(np.sum(x))


def exchanged(function):
    @functools.wraps(function)
    def wrapped(scale, value):
        return function(value, scale)

    return wrapped


@dpv.noise_primitive(law="laplace")
@exchanged
def scale_first(value, scale):
    return value + OWN.laplace(0, scale, size=np.shape(value) or None)


# W: 1 plus noise whose scale is the sum: exactly 1 where it is 0.
@A(**FD)
def order_of_a_wrapper(x):
    return scale_first(np.sum(x), 1.0)


@dpv.noise_primitive(law="laplace")
def with_default(value, scale=2.0):
    return value + OWN.laplace(0, scale, size=np.shape(value) or None)


with_default.__wrapped__.__defaults__ = (1e-6,)


# W: the default was another one at the time of the declaration.
@A(**FD)
def default_of_later(x):
    return with_default(np.sum(x))


def _asked_by_dpverify():
    frame = sys._getframe(1)
    while frame is not None:
        if any(each in frame.f_code.co_filename for each in ("dpverify/derivation/", "dpverify/proofs/")):
            return "/corpus/" not in frame.f_code.co_filename
        frame = frame.f_back
    return False


class Name(str):
    """A name that is there for dpverify only."""

    __hash__ = str.__hash__

    def __eq__(self, other):
        return str.__eq__(self, other) and _asked_by_dpverify()


# N: the scale is 1e-6 in the next four, and in `hostile_sixteenth_names`.
class Settings:
    width = 1e-6


SETTINGS = Settings()
SETTINGS.__dict__[Name("width")] = 1.0


@A(**FD)
def name_of_an_attribute(x, rng):
    return np.sum(x) + rng.laplace(0, SETTINGS.width)


HELPER = types.ModuleType("helper_of_16")
HELPER.__dict__[Name("width")] = 1.0
HELPER.__dict__["width"] = 1e-6


@A(**FD)
def name_in_a_module(x, rng):
    return np.sum(x) + rng.laplace(0, HELPER.width)


OfNames = type("OfNames", (), {Name("width"): 1.0})
OfNames.width = 1e-6
OF_NAMES = OfNames()


@A(**FD)
def name_in_a_class(x, rng):
    return np.sum(x) + rng.laplace(0, OF_NAMES.width)


def _with_keywords(x, rng, *, width):
    return np.sum(x) + rng.laplace(0, width)


_with_keywords.__kwdefaults__ = {Name("width"): 1.0, "width": 1e-6}


@A(f=_with_keywords, **FD)
def name_of_a_keyword(x, rng):
    """Read is `_with_keywords`."""


class FakeNumber:
    """1 for dpverify, and 1e-6 for everybody else."""

    @property
    def __class__(self):
        return lifted.Public if _asked_by_dpverify() else FakeNumber

    @property
    def node(self):
        frame = sys._getframe(1)
        while "machine" not in frame.f_locals and not hasattr(frame.f_locals.get("self"), "program"):
            frame = frame.f_back
        machine = frame.f_locals.get("machine", frame.f_locals.get("self"))
        return machine.program.constant(1.0)

    def __float__(self):
        return 1.0 if _asked_by_dpverify() else 1e-6

    def __deepcopy__(self, known):
        return 1.0


@dpv.noise_primitive(law="laplace")
def fake_default(value, scale=FakeNumber()):  # noqa: B008
    return value + OWN.laplace(0, scale, size=np.shape(value) or None)


# D: the scale is 1e-6.
@A(**FD)
def default_that_lies(x):
    return fake_default(np.sum(x))


def _fine(self, x, rng):
    return np.sum(x) + rng.laplace(0, 1.0)


class Shown(type):
    """Classes that say that they hold `_fine`."""

    @property
    def __dict__(cls):
        return {"__call__": _fine}


class Called(metaclass=Shown):
    def __call__(self, x, rng):
        return np.sum(x) + rng.laplace(0, 1.0 if _asked_by_dpverify() else 1e-6)


# C: the scale is 1e-6.
@A(f=Called(), **FD)
def another_call(x, rng):
    """Read is `_fine`, and called is `Called.__call__`."""
