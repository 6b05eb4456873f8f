"""False certificates of the fifteenth reading. BOTH walls pass for all. No numpy is patched but in `patched_before`.

E: delta of a Gaussian mechanism: erfc of numbers beyond 26.5 is denormal, and rounded to a few bits, 4.9e-324 in the end,
   where it is 2.5e-324 at least; times e**epsilon the second term is then up to twice what it is, and delta, its
   difference from the first, is up to 1e11 times too small: proofs/cost.py:216 (`delta_of`: `second`; its slack
   `rounded * first` takes the error of erfc as relative). No trick: one sum with Gaussian noise.
M: a function that is declared to add noise gets lists, dicts and arrays that the code goes on to use, and may change
   them: derivation/draws.py:89 (`around`: `known.plain(each)` lets lists, dicts and arrays through; the value and the
   scale may be arrays, too). Neither wall runs the function itself (core/declared_noise.py `around` stands in), so nobody
   sees it; no assumption says that it changes nothing. A ledger of what was spent is natural, `value += noise` more so.
L: such a function returns something else than a number or an array of the value's shape, such as a list,
   or a number of 32 bits, which overflows where the reader's does not: derivation/draws.py:96 (`around`: the result is read as `value + noise`). `w * 1000` repeats a list. Borderline: the
   docstring of noise_primitive says "one number or one array", the assumption does not.
F: `of_outside` is not asked, or is deceived, so that an object of the user's passes for the reader's own Generator:
   (a) `__self__` of a bound method: derivation/interpreter.py:61 (`call`, MethodType), derivation/paths.py:63 (`_path`);
   (b) what is in the view of a dict: derivation/frames.py:34 (`of_outside` looks into lists, tuples, sets, dicts only);
   (c) a metaclass whose `__mro__` is a property: frames.py:40 (`kind.__mro__`);
   (d) a class whose `__getattribute__` says what `__class__` is: frames.py:40 (only `__class__` is looked for);
   (e) weakref.proxy of a fake, which has the class of what it stands for: as (d);
   (f) what is found among Python's builtins: frames.py:71 (`read`: `getattr(builtins, name)`). All contrived.
K: keys of the user's own types: a slice with an object that has `__index__`, where an item is changed:
   derivation/interpreter.py:328 (`_known_key` takes any slice); a class of tuples whose `__iter__` says what it likes:
   derivation/items.py:78 (`item`), derivation/aggregates.py:73 (`column_item`), interpreter.py:328. Contrived.
B: numpy that was patched before dpverify was imported: rules go by the identity of what numpy held then
   (derivation/functions.py:366 `_RULES`, known_functions.py). Contrived.
P: what functools.partial binds to `size` (or `rng`) is thrown away, and size 1 (the reader's generator) is read:
   derivation/paths.py:66 (`{**bound, **{key: given[key] for key in keywords}}`); proofs/check.py:81 (`given`).
S: `size is None` is read as false: derivation/values.py:206 (NEVER_NONE has Size). With the default None, as numpy has it,
   the way that a call without a size takes is not read at all, and the second wall gives size=1. Nearly excused: "it is
   read with size 1: what a longer batch returns is not covered" - but None is no longer batch.
"""

import builtins
import functools
import sys
import types
import weakref

import numpy as np

import dpverify as dpv
from dpverify.derivation import values as lifted

ATTACKS = {}
F = np.array([0.5, 1.0])
FD = dict(data=F, bounds="0:1", d0=np.array([]), d1=np.array([1.0]))
X2 = dict(data=np.array([[0.5, 1.0], [1.0, 0.2]]), bounds="0:1", d0=np.zeros((0, 2)), d1=np.array([[1.0, 1.0]]))
WITH_RNG = "bound_size none_is_a_size a_list_comes_back single_precision slice_of_its_own key_that_lies place_that_lies".split()
BORDERLINE = ("a_list_comes_back", "single_precision", "bound_generator", "none_is_a_size")
OWN = np.random.default_rng(7)
REAL = np.random.default_rng


def A(claim="PureDP(epsilon=1)", f=None, **k):
    def d(g):
        ATTACKS[g.__name__] = dict(claim=claim, **({"f": f} if f else {}), **k)
        return g

    return d


# E: delta is 1.4e-268, and 4.2e-279 is claimed.
@A("ApproxDP(epsilon=128, delta=4.2e-279)", **FD)
def delta_of_128(x, rng):
    return np.sum(x) + rng.normal(0, 0.2864887)


# E: delta is 1.8e-157, and 1.4e-168 is claimed.
@A("ApproxDP(epsilon=384, delta=1.4e-168)", **FD)
def delta_of_384(x, rng):
    return np.sum(x) + rng.normal(0, 0.0847984)


# E: delta is 1.13e-101, and 2.8e-102 is claimed.
@A("ApproxDP(epsilon=512, delta=2.8e-102)", **FD)
def delta_of_512(x, rng):
    return np.sum(x) + rng.normal(0, 0.0583979)


# E: delta is 1.05e-24, and 8.3e-25 is claimed.
@A("ApproxDP(epsilon=688, delta=8.3e-25)", **FD)
def delta_of_688(x, rng):
    return np.sum(x) + rng.normal(0, 0.0353383)


@dpv.noise_primitive(law="laplace")
def noted(value, scale, spent):
    spent.append(1 / scale)
    return value + OWN.laplace(0, scale)


@dpv.noise_primitive(law="laplace")
def in_place(value, scale):
    value += OWN.laplace(0, scale, size=np.shape(value))
    return value


@dpv.noise_primitive(law="laplace")
def scaled_in_place(value, scale):
    found = value + OWN.laplace(0, scale, size=np.shape(value))
    scale *= 1e-6
    return found


@dpv.noise_primitive(law="laplace")
def as_list(value, scale):
    return [each + OWN.laplace(0, scale) for each in value]


# M: the ledger is empty for the reader after the first release. The second release has noise 1e-6.
@A(**FD)
def noted_in_a_list(x):
    spent = []
    first = noted(np.sum(x), 2.0, spent)
    scale = 1e-6 if spent else 2.0
    return first, noted(np.sum(x), scale, spent)


# M: a budget that is kept in the list; the reader never sees it spent, and so does not see what comes after.
@A(**FD)
def ledger(x):
    spent = []
    out = noted(np.sum(x), 1.0, spent)
    if sum(spent) >= 1.0:
        return out, noted(np.sum(x) * 1e6, 1.0, spent)
    return out


# M: p - s has no sensitivity for the reader (both count the same records), and is p minus a public number in the code.
@A(**FD)
def changed_value(x):
    p, s = np.sum(x > 0.5) * np.ones(1), np.sum(x > 0.5) * np.ones(1)
    a = in_place(s, 1.01)
    return a * 1.0, in_place(p - s, 1e-6)


# M: the second release has noise 2e-6.
@A(**FD)
def changed_scale(x):
    v, scale = np.sum(x) * np.ones(1), np.full(1, 2.0)
    return scaled_in_place(v, scale), scaled_in_place(v, scale)


@dpv.noise_primitive(law="laplace")
def single(value, scale):
    return np.float32(value + OWN.laplace(0, scale))


# L: t is 1e60 for the reader, and infinite in 32 bits; t - t is NaN. Noise of 1e-6.
@A(**FD)
def single_precision(x, rng):
    w = single(np.sum(x), 2.0)
    t = np.clip((np.abs(w) + 1.0) * 1e30 * 1e30, 0.0, 1e70)
    scale = 2.0 if t - t <= 1e71 else 1e-6
    return w, np.sum(x) + rng.laplace(0, scale)


# L: 2000 noisy copies of a sum; two are read.
@A(**X2)
def a_list_comes_back(X, rng):
    w = as_list(np.sum(X, axis=0), 4.0)
    scales = np.clip(w * 1000, 8.0, 9.0)
    return np.sum(X[:, 0]) + rng.laplace(0, scales)


class Quiet(lifted.Generator):
    """No noise, but where the second wall gives its own generator to code that makes one."""

    def laplace(self, loc=0.0, scale=1.0, size=None):
        return 0.0 if np.random.default_rng is REAL else np.random.default_rng().laplace(loc, scale, size)


class Meta(type):
    @property
    def __mro__(cls):
        return (object,)


class Faked(metaclass=Meta):
    laplace = Quiet.laplace

    @property
    def __class__(self):
        return lifted.Generator


class Asked:
    laplace = Quiet.laplace

    def __getattribute__(self, name):
        return lifted.Generator if name == "__class__" else object.__getattribute__(self, name)


def _of_self(self, x):
    return np.sum(x) + self.laplace(0, 1.0)


def _draw(self, scale):
    return self.laplace(0, scale)


NOISE = types.MethodType(_draw, Quiet())
VIEW = {"rng": Quiet()}.values()
FAKED, ASKED = Faked(), Asked()


# F (a): the mechanism is a bound method.
@A(f=types.MethodType(_of_self, Quiet()), **FD)
def bound_to_a_fake(x):
    """Read is `_of_self`, bound to a fake."""


# F (a): a bound method that the module holds.
@A(**FD)
def bound_in_the_module(x):
    return np.sum(x) + NOISE(1.0)


# F (b)
@A(**FD)
def in_a_view(x):
    for g in VIEW:
        s = np.sum(x) + g.laplace(0, 1.0)
    return s


# F (c)
@A(**FD)
def metaclass_of_a_fake(x):
    return np.sum(x) + FAKED.laplace(0, 1.0)


# F (d)
@A(**FD)
def attribute_of_a_fake(x):
    return np.sum(x) + ASKED.laplace(0, 1.0)


HELD = Quiet()
PROXY = weakref.proxy(HELD)


# F (e)
@A(**FD)
def proxy_of_a_fake(x):
    return np.sum(x) + PROXY.laplace(0, 1.0)


def _place():
    """0 where dpverify asks, reads or runs the code; 1 for users."""
    frame = sys._getframe(1)
    while frame is not None:
        if "dpverify/" in frame.f_code.co_filename:
            return 0
        frame = frame.f_back
    return 1


class Where:
    def __index__(self):
        return _place()


class OfColumns(tuple):
    def __iter__(self):
        return iter((slice(None), _place()))


class OfNumbers(tuple):
    def __iter__(self):
        return iter((_place(),))


SLICE = slice(Where(), None)
COLUMN, NUMBER = OfColumns((slice(None), 0)), OfNumbers((0,))
TWO = dict(
    data=np.array([[0.5, 10.0], [1.0, 20.0]]),
    bounds={"[0]": (0, 1), "[1]": (0, 1000)},
    d0=np.zeros((0, 2)),
    d1=np.array([[1.0, 1000.0]]),
)


# K: the scale stays 1e-6.
@A(**FD)
def slice_of_its_own(x, rng):
    scale = np.full(1, 1e-6)
    scale[SLICE] = 1.0
    return np.sum(x) * np.ones(1) + rng.laplace(0, scale)


# K: the other column, whose numbers are up to 1000.
@A(**TWO)
def key_that_lies(X, rng):
    return np.sum(X[COLUMN]) + rng.laplace(0, 1.0)


# K: the same of the sums.
@A(**TWO)
def place_that_lies(X, rng):
    return np.sum(X, axis=0)[NUMBER] + rng.laplace(0, 1.0)


builtins.kept_generator = Quiet()


# F (f)
@A(**FD)
def among_builtins(x):
    return np.sum(x) + kept_generator.laplace(0, 1.0)  # noqa: F821


def _sized(x, size, rng):
    return np.sum(x) + rng.laplace(0, 1.0, size=size)


def _with_rng(x, rng):
    return np.sum(x) + rng.laplace(0, 1.0)


class NoNoise:
    def laplace(self, loc=0.0, scale=1.0, size=None):
        return 0.0


# P: each call gives 1000 noisy copies.
@A(f=functools.partial(_sized, size=1000), **FD)
def bound_size(x, rng):
    """Read is `_sized` with size 1."""


# P (borderline: "where the code takes rng, it is given one"; it is not: `f(data)` is a whole call).
@A(f=functools.partial(_with_rng, rng=NoNoise()), **FD)
def bound_generator(x):
    """Read is `_with_rng` with a generator."""


# S: f(data, rng) has noise 1e-6.
@A(**FD)
def none_is_a_size(x, rng, size=None):
    if size is None:
        return np.sum(x) + rng.laplace(0, 1e-6)
    return np.sum(x) + rng.laplace(0, 1.0, size=size)


def demo():
    """Run each on both data sets, as a user does; of E: delta, exactly."""
    import mpmath as mp

    mp.mp.dps = 60
    for scale, epsilon, stated in (
        (0.2864887, 128, "4.2e-279"),
        (0.0847984, 384, "1.4e-168"),
        (0.0583979, 512, "2.8e-102"),
        (0.0353383, 688, "8.3e-25"),
    ):
        mu = 1 / mp.mpf(scale)
        half = [mp.erfc((epsilon / mu + sign * mu / 2) / mp.sqrt(2)) / 2 for sign in (-1, 1)]
        print("delta at", epsilon, "is", mp.nstr(half[0] - mp.exp(epsilon) * half[1], 6), "where it is claimed", stated)
    for name, k in ATTACKS.items():
        if name.startswith("delta_of"):
            continue
        f = k.get("f", globals()[name])
        given = {"rng": np.random.default_rng(3)} if name in WITH_RNG else {}
        for data in (k["d0"], k["d1"]):
            found = f(data, **given)
            many = np.size(found) > 3
            print(name, f"{np.size(found)} numbers, mean {np.mean(found):.3f}" if many else found)


if __name__ == "__main__":
    demo()
