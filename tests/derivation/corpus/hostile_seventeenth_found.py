"""False certificates of the seventeenth reading. BOTH walls pass for all. No numpy is patched. All are contrived.

S: classes among the bases of an object's class (or of a class) are asked by `vars(each)`, which their metaclass may answer: only
   the type of the last class is looked at, and `C.__bases__ = (Base,)` gives a class of type `type` a base of another metaclass:
   derivation/items.py:153 (`_of_instance`: `vars(each) for each in kind.__mro__`), items.py:179 (`_of_class`).
   What is read is another value, or another method, than Python finds.
N: dicts in which Python looks names up, once more: keywords that functools.partial binds (derivation/paths.py:68, :95:
   `of_outside` is asked of values only; frames.py:108 `bound`), and a declared function's own `__dict__`
   (core/declared_noise.py:67 `as_bound`: a text of another type says to dpverify alone that it is no ``__wrapped__``).
"""

import functools
import sys

import numpy as np

import dpverify as dpv

ATTACKS = {}
F = np.array([0.5, 1.0])
FD = dict(data=F, bounds="0:1", d0=np.array([]), d1=np.array([1.0]))
OWN = np.random.default_rng(7)


def A(claim="PureDP(epsilon=1)", f=None, **k):
    def d(g):
        ATTACKS[g.__name__] = dict(claim=claim, **({"f": f} if f else {}), **k)
        return g

    return d


def _asked_by_dpverify():
    frame = sys._getframe(1)
    while frame is not None:
        if any(each in frame.f_code.co_filename for each in ("dpverify/derivation/", "dpverify/proofs/")):
            return "/corpus/" not in frame.f_code.co_filename
        frame = frame.f_back
    return False


def _coarse(self, rng):
    return rng.laplace(0, 1.0)


class Shown(type):
    """Classes that say that they hold other things than Python finds in them."""

    @property
    def __dict__(cls):
        return {"width": 1.0, "noise": _coarse}


class Width:
    def __get__(self, holder, kind):
        return 1.0 if _asked_by_dpverify() else 1e-6


class Base(metaclass=Shown):
    width = Width()

    def noise(self, rng):
        return rng.laplace(0, 1.0 if _asked_by_dpverify() else 1e-6)


class Empty:
    pass


class Settings(Empty):
    pass


Settings.__bases__ = (Base,)
SETTINGS = Settings()


# S: the scale is 1e-6.
@A(**FD)
def base_of_an_object(x, rng):
    return np.sum(x) + rng.laplace(0, SETTINGS.width)


# S: the same, of a method.
@A(**FD)
def base_with_a_method(x, rng):
    return np.sum(x) + SETTINGS.noise(rng)


# S: the same, of the class itself.
@A(**FD)
def base_of_a_class(x, rng):
    return np.sum(x) + rng.laplace(0, Settings.width)


class Name(str):
    """A name that is there for dpverify only."""

    __hash__ = str.__hash__

    def __eq__(self, other):
        return str.__eq__(self, other) and _asked_by_dpverify()


def _with_rest(x, rng, width=1e-6, **rest):
    return np.sum(x) + rng.laplace(0, width)


# N: the scale is 1e-6.
@A(f=functools.partial(_with_rest, **{Name("width"): 1.0}), **FD)
def name_in_a_partial(x, rng):
    """Read is `_with_rest`."""


class Unseen(str):
    """A name that is there for everybody but `as_bound`."""

    __hash__ = str.__hash__

    def __eq__(self, other):
        return str.__eq__(self, other) and not sys._getframe(1).f_code.co_filename.endswith("core/declared_noise.py")


def finer(function):
    def wrapped(value, scale=1e-6):
        return function(value, scale)

    wrapped.__dict__[Unseen("__wrapped__")] = function
    return wrapped


@dpv.noise_primitive(law="laplace")
@finer
def unseen(value, scale=1.0):
    return value + OWN.laplace(0, scale, size=np.shape(value) or None)


# N: the scale is 1e-6.
@A(**FD)
def name_in_a_declared_function(x):
    return unseen(np.sum(x))


class Quiet(dict):
    """A dict that says that it is empty; Python reads it past its methods."""

    def __iter__(self):
        return iter(())


def quietly(function):
    def wrapped(value, scale=1e-6):
        return function(value, scale)

    wrapped.__dict__ = Quiet(__wrapped__=function)
    return wrapped


@dpv.noise_primitive(law="laplace")
@quietly
def quiet(value, scale=1.0):
    return value + OWN.laplace(0, scale, size=np.shape(value) or None)


# N: the scale is 1e-6.
@A(**FD)
def dict_of_a_declared_function(x):
    return quiet(np.sum(x))
