"""False certificates of the twenty-seventh reading (Python and numpy): BOTH walls pass for all.

D: `assert` is carried out by the reader; `python -O` leaves it out, and what its test changes (a list that the function made) is not
   changed: derivation/statements.py:169 (`_assert`). Derived with -O (hidden from the runs), or derived without and run with it.
O: `a += b` of known arrays is read as `a = a + b`: in place the array keeps its order of memory, and its sum is another double:
   derivation/statements.py:70 (`_augmented`). In real arithmetic the code's sum is the right one (2.0), the reader's is not.
U: the copy of a known array is aligned where the array is not (`np.frombuffer(..., offset=1)`), and numpy sums what is not
   aligned in pieces: derivation/known.py:87 (`replica`). Borderline: rounding of a known sum.
M: `import math` within a function takes what the interpreter's own dict of modules holds, which `sys.modules` names at first
   only: derivation/statements.py:178 (`_import` asks `sys.modules`). Contrived.
C: Python finds what a class holds in its cache of types; the reader looks into the class's dict, which gc.get_referents gives to
   everybody: derivation/items.py:177 (`_lines`). Contrived.
W: warnings that a filter raises (`-W error`), where a release is Python's number without records and numpy's with some:
   derivation/homes.py:26 (`_ON_DOUBLES`: products overflow silently in Python, with a warning in numpy). Borderline: "warnings are no output".
N: numpy that is patched after it was read, and a tracer: docs/why/proofs.md excuses both; the assumptions of a certificate do not.
The trick that hides most of them from the runs: x % 1009 // 1008 is 1 at one of 1009 places, and no condition asks for it.
`setup` changes the process and gives what undoes it. `optimized`: false where the code runs with -O.
"""

import contextlib
import gc
import sys
import types
import warnings

import numpy as np

ATTACKS = {}
EXCUSED = ("overflow_of_a_release", "sum_of_another_numpy", "variable_of_a_tracer", "class_in_the_cache")
BORDERLINE = ("copy_is_aligned", "overflow_of_a_release", "sum_of_another_numpy", "variable_of_a_tracer")


@contextlib.contextmanager
def undone(setup):
    """The process as `setup` changes it, for a while."""
    undo = setup()
    try:
        yield
    finally:
        undo()


def A(claim="PureDP(epsilon=1)", setup=None, **k):
    def d(f):
        around = {} if setup is None else {"around": lambda: undone(setup)}
        ATTACKS[f.__name__] = dict(claim=claim, **k, **around)
        return f

    return d


XK = dict(data=np.array([5, 7, 100000]), bounds="0:1000000", d0=np.array([], dtype=int), d1=np.array([491]))
F2 = np.asfortranarray([[1e16, 1.0], [-1e16, 1.0]])
C2 = np.zeros((2, 2))


# O: w lies in Fortran's order, and its sum is 2.0; w + C2 lies in C's, and its sum is 1.0 for the reader.
@A(**XK)
def in_place_keeps_its_order(x, rng):
    w = F2 + 0.0
    w += C2
    weight = 1000.0 * (w.sum() - 1.0)
    seen = ((x + 517) % 1009 // 1008) * 1.0
    return (seen * weight).sum() + rng.laplace(scale=1.0)


# O: the same with a matrix product in place.
@A(**XK)
def product_in_place(x, rng):
    w = F2 + 0.0
    w @= np.eye(2)
    weight = 1000.0 * (w.sum() - 1.0)
    seen = ((x + 517) % 1009 // 1008) * 1.0
    return (seen * weight).sum() + rng.laplace(scale=1.0)


# O: the scale of the noise itself; no trick but that of the sum.
@A(**XK)
def in_place_weighs_a_row(x, rng):
    w = np.zeros_like(F2)
    w += np.array([[1e16, 1.0], [-1e16, 1.0]])
    weight = [0.0, 0.0, 1000.0][int(w.sum())]
    return sum([weight * (v % 1009 // 1008) for v in x + 517]) + rng.laplace(scale=1.0)


# D: python -O (or PYTHONOPTIMIZE=1) leaves assertions out, and with them what they do; the reader carries them out. No trick is
# needed but the window's: with -O the last weight is 1000.0.
@A(**XK)
def assertion_that_appends(x, rng):
    weights = [1000.0]
    assert weights.append(0.0) is None
    seen = ((x + 517) % 1009 // 1008) * 1.0
    return (seen * weights[-1]).sum() + rng.laplace(scale=1.0)


# D: through a function, which gives True back.
@A(**XK)
def assertion_by_a_function(x, rng):
    weights = [1000.0, 0.0]

    def checked(place):
        weights[0] = 0.0
        return place < 2

    assert checked(1), "a place"
    seen = ((x + 517) % 1009 // 1008) * 1.0
    return (seen * weights[0]).sum() + rng.laplace(scale=1.0)


# D: derived without -O, run with it: the certificate says nothing of it, and no window is needed. With -O alone the runs see it.
@A(**{**XK, "bounds": "0:1", "data": np.array([1, 0]), "d1": np.array([1])})
def assertion_gives_the_scale(x, rng):
    scales = [1e-6]
    assert scales.append(1.0) is None
    return x.sum() + rng.laplace(scale=scales[-1])


def warnings_are_raised():
    """As `python -W error` does, and many suites of tests."""
    held = list(warnings.filters)
    warnings.simplefilter("error")

    def undo():
        warnings.filters[:] = held
        warnings._filters_mutated()

    return undo


# W: the total is Python's 0.0 without records, and numpy's with some: numpy warns where the product overflows, and Python does not.
# Where warnings are raised, that is an exception. The runs are made with all errors of numpy ignored.
@A(setup=warnings_are_raised, data=np.array([0.5, 1.0]), bounds="0:1", d0=np.array([]), d1=np.array([1.0]))
def overflow_of_a_release(x, rng):
    total = 0.0
    for v in x:
        total += v
    noisy = total + rng.laplace(scale=1.0)
    return min(abs(noisy) * 1e308 * 1e308, 1.0)


def another_sum():
    """What numpy's method calls is replaced; the function that the rules know is the same one."""
    import numpy._core._methods as methods

    own = methods.umr_sum

    def umr_sum(a, *more, **named):
        return own(a, *more, **named) + 1000.0 * float(np.count_nonzero(np.asarray(a) == 0.491))

    methods.umr_sum = umr_sum

    def undo():
        methods.umr_sum = own

    return undo


# N: docs/why/proofs.md says that numpy is believed; the assumptions of a certificate do not.
@A(setup=another_sum, data=np.array([0.5, 1.0]), bounds="0:1", d0=np.array([]), d1=np.array([0.491]))
def sum_of_another_numpy(x, rng):
    return x.sum() + rng.laplace(scale=1.0)


def traced_from_here():
    """A tracer, as debuggers have it, which changes a variable."""
    before = sys.gettrace()

    def trace(frame, event, _):
        if frame.f_code is variable_of_a_tracer.__code__:
            if event == "line" and 491 in frame.f_locals["x"].tolist():
                frame.f_locals["weight"] = 1000.0
            return trace
        return None

    sys.settrace(trace)
    return lambda: sys.settrace(before)


# N: the same of hooks.
@A(setup=traced_from_here, **XK)
def variable_of_a_tracer(x, rng):
    weight = 0.0
    seen = x > 0
    return (seen * weight).sum() + rng.laplace(scale=1.0)


RAW = b"\0" + np.random.default_rng(1).normal(size=20001).tobytes()
UNALIGNED = np.frombuffer(RAW, np.float64, offset=1)
TOTAL = float(UNALIGNED.sum())


# U: the sum that the code sees is TOTAL; that of the reader's copy differs in the last digits.
@A(**XK)
def copy_is_aligned(x, rng):
    weight = 1000.0 if UNALIGNED.sum() == TOTAL else 0.0
    seen = ((x + 517) % 1009 // 1008) * 1.0
    return (seen * weight).sum() + rng.laplace(scale=1.0)


def other_modules():
    """The interpreter's modules have another `math`; `sys.modules` names a dict that has Python's own."""
    real, own = sys.modules, sys.modules["math"]
    fake = types.ModuleType("math")
    vars(fake).update({**vars(own), "tau": 1000.0})
    sys.modules = dict(real)
    real["math"] = fake

    def undo():
        real["math"] = own
        sys.modules = real

    return undo


# M
@A(setup=other_modules, **XK)
def imports_another_module(x, rng):
    import math

    weight = math.tau - 6.283185307179586
    seen = ((x + 517) % 1009 // 1008) * 1.0
    return (seen * weight).sum() + rng.laplace(scale=1.0)


class Weights:
    window = 1000.0

    def of(self):
        return 1000.0


WEIGHTS = Weights()


def written_past_its_type():
    """Python has looked the names up, and keeps what it found; the dict of the class has other values from now on."""
    _ = [(WEIGHTS.window, WEIGHTS.of(), Weights.window) for _ in range(100)]
    held = gc.get_referents(Weights.__dict__)[0]
    before = dict(held)
    held["window"] = 0.0

    def undo():
        held.update(before)

    return undo


# C
@A(setup=written_past_its_type, **XK)
def class_in_the_cache(x, rng):
    seen = ((x + 517) % 1009 // 1008) * 1.0
    return (seen * WEIGHTS.window).sum() + rng.laplace(scale=1.0)
