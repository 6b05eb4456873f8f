"""False certificates of the fifteenth reading. BOTH walls pass for all. No numpy is patched but in `patched_before`.

M: a function that is declared to add noise gets lists, dicts and arrays that the code goes on to use, and may change
   them: derivation/draws.py:86 (`around`: `known.plain(each)` lets lists, dicts and arrays through; the value and the
   scale may be arrays, too). Neither wall runs the function itself (core/declared_noise.py `around` stands in), so nobody
   sees it; no assumption says that it changes nothing. A ledger of what was spent is natural, `value += noise` more so.
L: such a function returns something else than a number or an array of the value's shape, such as a list:
   derivation/draws.py:93 (`around`: the result is read as `value + noise`). `w * 1000` repeats a list. Borderline: the
   docstring of noise_primitive says "one number or one array", the assumption does not.
F: `of_outside` is not asked, or is deceived, so that an object of the user's passes for the reader's own Generator:
   (a) `__self__` of a bound method: derivation/interpreter.py:70 (`call`, MethodType), derivation/paths.py:68 (`_path`);
   (b) what is in the view of a dict: derivation/frames.py:36 (`of_outside` looks into lists, tuples, sets, dicts only);
   (c) a metaclass whose `__mro__` is a property: frames.py:46 (`kind.__mro__`);
   (d) a class whose `__getattribute__` says what `__class__` is: frames.py:46 (only `__class__` is looked for). Contrived.
P: what functools.partial binds to `size` (or `rng`) is thrown away, and size 1 (the reader's generator) is read:
   derivation/paths.py:72 (`{**bound, **{key: given[key] for key in keywords}}`); proofs/check.py:80 (`given`).
S: `size is None` is read as false: derivation/values.py (NEVER_NONE has Size). With the default None, as numpy has it,
   the way that a call without a size takes is not read at all, and the second wall gives size=1. Nearly excused: "it is
   read with size 1: what a longer batch returns is not covered" - but None is no longer batch.
"""

import builtins
import functools
import types

import numpy as np

import dpverify as dpv
from dpverify.derivation import values as lifted

ATTACKS = {}
F = np.array([0.5, 1.0])
FD = dict(data=F, bounds="0:1", d0=np.array([]), d1=np.array([1.0]))
X2 = dict(data=np.array([[0.5, 1.0], [1.0, 0.2]]), bounds="0:1", d0=np.zeros((0, 2)), d1=np.array([[1.0, 1.0]]))
BORDERLINE = ("a_list_comes_back", "bound_generator", "none_is_a_size")
OWN = np.random.default_rng(7)
REAL = np.random.default_rng


def A(claim="PureDP(epsilon=1)", f=None, **k):
    def d(g):
        ATTACKS[g.__name__] = dict(claim=claim, **({"f": f} if f else {}), **k)
        return g

    return d


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


builtins.kept_generator = Quiet()


# F (e)
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
    """Run each on both data sets, as a user does."""
    for name, k in ATTACKS.items():
        f = k.get("f", globals()[name])
        given = (
            {"rng": np.random.default_rng(3)} if name in ("bound_size", "none_is_a_size", "a_list_comes_back") else {}
        )
        for data in (k["d0"], k["d1"]):
            found = f(data, **given)
            many = np.size(found) > 3
            print(name, f"{np.size(found)} numbers, mean {np.mean(found):.3f}" if many else found)


if __name__ == "__main__":
    demo()
