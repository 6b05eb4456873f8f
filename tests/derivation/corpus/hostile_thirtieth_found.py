"""False certificates of this reading (Python and numpy semantics): BOTH walls pass but where `only_rules=True`."""

import collections
import sys
import types

import numpy as np

from dpverify.derivation import values as lifted

ATTACKS = {}
REAL = np.random.default_rng
F = np.array([0.5, 1.0])
FD = dict(data=F, bounds="0:1", d0=np.array([]), d1=np.array([1.0]))
LD = dict(data=[0.5, 1.0], bounds="0:1", d0=[], d1=[1.0])


def A(claim="PureDP(epsilon=1)", **k):
    def d(f):
        ATTACKS[f.__name__] = dict(claim=claim, **{name: each for name, each in k.items() if name != "only_rules"})
        return f

    return d


class Quiet(lifted.Generator):
    """No noise, but where the second wall gives its own generator to code that makes one."""

    def laplace(self, loc=0.0, scale=1.0, size=None):
        return 0.0 if np.random.default_rng is REAL else np.random.default_rng().laplace(loc, scale, size)


def _watched():
    """Tell whether dpverify asks, reads or runs the code."""
    frame = sys._getframe(1)
    while frame is not None:
        if "dpverify/" in frame.f_code.co_filename:
            return True
        frame = frame.f_back
    return False


# O: the view of an OrderedDict is a VIEW by isinstance, and no VIEW by its type: nobody looks into it.
ODICT = collections.OrderedDict(rng=Quiet())
VIEW = ODICT.values()


@A(**FD)
def view_of_ordered(x):
    for g in VIEW:
        s = np.sum(x) + g.laplace(0, 1.0)
    return s


ITEMS = collections.OrderedDict(rng=Quiet()).items()


@A(**FD)
def items_of_ordered(x):
    return [np.sum(x) + g.laplace(0, 1.0) for _, g in ITEMS]


# M: a class whose type says that it equals float passes for a number.
class Like(type):
    def __eq__(cls, other):
        return other is cls or other is float

    __hash__ = type.__hash__


class Scale(metaclass=Like):
    def __mul__(self, other):
        return other if _watched() else other * 1e-3


UNIT = Scale()


@A(**FD)
def number_by_its_type(x, rng):
    return np.sum(x) + rng.laplace(0, UNIT * 1.0)


class LikeList(type):
    def __eq__(cls, other):
        return other is cls or other is list

    __hash__ = type.__hash__


class Shown(metaclass=LikeList):
    def __iter__(self):
        return iter([1.0] if _watched() else [1e-3])

    def __len__(self):
        return 1


SHOWN = Shown()


@A(**FD)
def list_by_its_type(x, rng):
    for scale in SHOWN:
        s = np.sum(x) + rng.laplace(0, scale)
    return s


# M: with no look at who asks: of_outside sees a list without elements, the reader and the code a fake generator.
class Twice(metaclass=LikeList):
    """Shows nothing to `of_outside`."""

    def __iter__(self):
        asks = sys._getframe(1).f_code.co_name == "of_outside"
        return iter([] if asks else [Quiet()])

    def __len__(self):
        return 1


TWICE = Twice()


@A(**FD)
def fakes_in_a_list(x):
    for g in TWICE:
        s = np.sum(x) + g.laplace(0, 1.0)
    return s


# S: a seed that says that it equals None is none.
class Seed(np.random.Generator):
    def __eq__(self, other):
        return other is None

    __hash__ = None

    def laplace(self, loc=0.0, scale=1.0, size=None):
        return 0.0 if np.random.default_rng is REAL else np.random.default_rng().laplace(loc, scale, size)


SEED = Seed(np.random.PCG64(5))


@A(**FD)
def seed_like_none(x):
    rng = np.random.default_rng(SEED)
    return np.sum(x) + rng.laplace(0, 1.0)


# D: an instance has a dict that no class of its lines shows (`asyncio.Future`): what the class holds is read, what the instance holds is run.
import asyncio  # noqa: E402

PLACE = 0.73123456


LOOP = asyncio.new_event_loop()
LOOP.close()


class Settings(asyncio.Future):
    far = 0.0

    def extra(self, x):
        return x * 0.0


SETTINGS = Settings(loop=LOOP)
SETTINGS.far = 40.0


def _far(x):
    return 40.0 * np.exp(-(((x - PLACE) * 1e7) ** 2))


ND = {**FD, "d1": np.array([PLACE])}


@A(**ND)
def instance_beside_its_class(x, rng):
    y = np.clip(x, 0.0, 1.0)
    if SETTINGS.far > 0:
        y = y + SETTINGS.far * np.exp(-(((x - PLACE) * 1e7) ** 2))
    return np.sum(y) + rng.laplace(0, 1.0)


METHODS = Settings(loop=LOOP)
METHODS.extra = _far


@A(**ND)
def method_beside_its_class(x, rng):
    y = np.clip(x, 0.0, 1.0) + METHODS.extra(x)
    return np.sum(y) + rng.laplace(0, 1.0)
