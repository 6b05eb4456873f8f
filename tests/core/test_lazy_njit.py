"""Kernels that wait for numba: the same bits as numba's, and numba is not loaded where there is little to do."""

import pickle
import subprocess
import sys
import textwrap
from time import sleep

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from auditors.privacy import outputs, outputs_in_numpy
from auditors.privacy.event import cell_lookup, cell_lookup_in_numpy, tables, tables_in_numpy
from dpverify.core import lazy_njit
from dpverify.core.lazy_njit import Kernel, exact_njit, njit
from dpverify.runner.row_sources.definition import definition
from dpverify.runner.row_sources.import_graph import ExternalName, Key, Sources
from dpverify.stats import betting, betting_in_numpy, e_mixture, e_mixture_in_numpy


@exact_njit(nogil=True)
def _doubled(x):
    return 2 * x


@exact_njit(nogil=True)
def _total(values):
    found = 0
    for each in values:
        found += _doubled(each)
    return found


@pytest.fixture
def plain(monkeypatch):
    """As in a process without numba."""
    monkeypatch.setattr(lazy_njit, "_numba_is_loaded", lambda: False)
    monkeypatch.setattr(Kernel, "plain_numbers", 0)
    monkeypatch.setattr(Kernel, "numpy_numbers", 0)


@pytest.mark.parametrize("on", ["data=[0.0, 1.0, 0.3]", "d0=[0.0, 1.0], d1=[0.0]"])
def test_an_audit_of_a_batch_callable_does_without_numba_and_scipy_optimize(on):
    """On an example as on a pair, where all auditors are asked what they can examine."""
    code = f"""
        import sys
        import dpverify as dpv

        def noisy_sum(data, size, rng):
            return sum(data) + rng.laplace(size=size)

        print(dpv.audit(noisy_sum, claim="PureDP(epsilon=1)", {on}).verdict.value)
        print([name for name in ("numba", "scipy.optimize") if name in sys.modules])
    """
    found = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=True)
    assert found.stdout.split("\n")[:2] == ["not_refuted", "[]"]


def test_a_kernel_calls_others_compiled_and_plain(plain):
    few, many = np.arange(5), np.arange(lazy_njit.MOST_NUMBERS + 1)
    assert _total(few) == 20
    assert _total._compiled is None
    assert _total(many) == 2 * many.sum()
    assert _total._compiled.signatures
    assert _total(few) == 20


def test_plain_python_gets_so_many_numbers(plain, monkeypatch):
    monkeypatch.setattr(Kernel, "plain_numbers", lazy_njit.MOST_IN_SUM - 5)
    kernel = exact_njit()(lambda values: values.sum())
    assert kernel(np.arange(3)) == 3
    assert kernel._compiled is None
    assert kernel(np.arange(3)) == 3
    assert kernel._compiled.signatures


def test_numpy_gets_more_numbers_than_plain_python(plain, monkeypatch):
    values, finite = np.zeros(lazy_njit.MOST_NUMBERS + 1), exact_njit()(outputs._finite.py_func)
    assert finite(values) and finite._compiled is None
    monkeypatch.setattr(Kernel, "numpy_numbers", lazy_njit.MOST_IN_NUMPY - 5)
    assert finite(values) and finite._compiled.signatures


def test_a_slow_machine_loads_numba_no_sooner(plain):
    kernel = exact_njit()(lambda values: sleep(0.5))
    kernel(np.arange(3))
    kernel(np.arange(3))
    assert kernel._compiled is None


def test_one_that_may_round_otherwise_is_always_compiled(plain):
    kernel = njit()(lambda values: np.exp(values).sum())
    assert kernel(np.zeros(2)) == 2.0
    assert kernel._compiled.signatures


def test_a_kernel_is_pickled_by_its_name():
    assert pickle.loads(pickle.dumps(tables._mix)) is tables._mix  # noqa: S301 - our own


def test_a_digest_takes_them_for_numbas():
    function = "\n\n\n@njit(cache=True)\ndef f(x):\n    return x\n"
    texts = {
        "auditors.one": f"from numba import njit{function}",
        "auditors.two": f"from dpverify.core.lazy_njit import exact_njit as njit{function}",
        "auditors.three": f"from dpverify.core.other import njit{function}",
    }
    sources = Sources(packages=("auditors",), texts=texts)
    one, two, three = (
        definition(sources, Key(module, name)).text
        for module, name in (("auditors.one", "f"), ("auditors.two", "f"), ("auditors.three", "f"))
    )
    assert one == two != three
    assert sources.find(sources.module("auditors.two"), "njit", {}) == ExternalName("numba.njit")


def test_a_digest_takes_the_light_root_for_scipys():
    function = "\n\n\ndef f(x):\n    return optimize.brentq(x, 0, 1)\n"
    texts = {
        "auditors.one": f"from scipy import optimize{function}",
        "auditors.two": f"from dpverify.core import light_optimize as optimize{function}",
        "auditors.three": f"from dpverify.core import heavy_optimize as optimize{function}",
    }
    sources = Sources(packages=("auditors",), texts=texts)
    one, two, three = (definition(sources, Key(f"auditors.{name}", "f")).text for name in ("one", "two", "three"))
    assert one == two != three


FINITE = st.floats(-1e6, 1e6)


def _compiled(kernel):
    return kernel.compiled() if isinstance(kernel, Kernel) else kernel


def _python(kernel, *args):
    """As `Kernel` runs it: every kernel that it calls in plain Python, too."""
    lazy_njit._running.plain = True
    try:
        with np.errstate(all="ignore"):
            return getattr(kernel, "plain", kernel.py_func)(*args)
    finally:
        lazy_njit._running.plain = False


@given(
    st.lists(FINITE, min_size=1, max_size=60, unique=True).map(sorted),
    arrays(np.float64, st.integers(1, 40), elements=FINITE),
)
def test_cells_are_the_same_in_plain_python(edges, values):
    edges = np.array(edges)
    values = np.concatenate([values, edges])
    first, second = (np.empty(values.size, dtype=np.int64) for _ in range(2))
    _compiled(cell_lookup._number)(values, edges, first)
    _python(cell_lookup._number, values, edges, second)
    assert np.array_equal(first, second)
    assert np.array_equal(first, np.searchsorted(edges, values, side="right"))
    steps, sums = np.linspace(-1.0, 1.0, edges.size + 1) ** 3, [np.full(values.size, 0.1) for _ in range(2)]
    _compiled(cell_lookup._add)(values, edges, steps, sums[0])
    _python(cell_lookup._add, values, edges, steps, sums[1])
    assert sums[0].tobytes() == sums[1].tobytes()
    counts = [np.zeros(edges.size + 1, dtype=np.int64) for _ in range(3)]
    _compiled(cell_lookup._count)(values, edges, counts[0])
    _python(cell_lookup._count, values, edges, counts[1])
    cell_lookup_in_numpy._count(values, edges, counts[2])
    assert counts[0].tolist() == counts[1].tolist() == counts[2].tolist()
    for kernel, start, more in (
        (cell_lookup._number, np.zeros(values.size, dtype=np.int64), ()),
        (cell_lookup._add, sums[0], (steps,)),
    ):
        left, right = start.copy(), start.copy()
        _compiled(kernel)(values, edges, *more, left)
        getattr(cell_lookup_in_numpy, kernel.__name__)(values, edges, *more, right)
        assert left.tobytes() == right.tobytes()


@settings(max_examples=40, deadline=None)
@given(arrays(np.uint64, 7), arrays(np.uint64, 7))
def test_keys_are_the_same_in_plain_python(key, bits):
    first, second = key.copy(), key.copy()
    _compiled(tables._mix)(first, bits)
    _python(tables._mix, second, bits)
    tables_in_numpy._mix(key, bits)
    assert first.tolist() == second.tolist() == key.tolist()


@settings(max_examples=40, deadline=None)
@given(arrays(np.float64, (9, 2)))
def test_finite_numbers_are_found_in_plain_python(rows):
    finite = bool(np.isfinite(rows).all())
    flat = rows.ravel()
    assert _compiled(outputs._finite)(flat) == outputs_in_numpy._finite(flat) == finite
    turned = [np.empty(rows.shape, order="F") for _ in range(2)]
    assert _compiled(outputs._turn)(rows, turned[0]) == outputs_in_numpy._turn(rows, turned[1]) == finite
    assert turned[0].tobytes() == turned[1].tobytes()


@given(st.integers(1, 3), st.floats(0.0, 0.1), st.integers(0, 2**32 - 1), st.sampled_from([1.0, 1e249, 1e-250]))
def test_bets_are_the_same_in_plain_python(claims, delta, seed, wealth):
    rng = np.random.default_rng(seed)
    slopes = np.exp(np.sort(rng.uniform(0.0, 4.0, claims)))
    payoffs = np.array([[x - slope * y - delta for slope in slopes] for x in (0, 1) for y in (0, 1)])
    kinds = rng.choice(4, size=120, p=rng.dirichlet([4, 1, 4, 1])).astype(np.int8)
    found = []
    for kernel in (_compiled(betting._bet), betting_in_numpy._bet):
        state = np.zeros(4, dtype=np.int64), np.full(claims, wealth), np.full(claims, wealth)
        kernel(kinds, payoffs, 0.5 / (slopes + delta), *state)
        found.append([part.tobytes() for part in state])
    assert found[0] == found[1]


@given(st.integers(1, 3), st.integers(1, 3), st.integers(0, 2**32 - 1), st.sampled_from([1.0, 1e248, 1e-4]))
def test_mixtures_of_bets_are_the_same_in_numpy(claims, slots, seed, start):
    rng = np.random.default_rng(seed)
    factors = np.exp(rng.normal(0.0, 0.4, (claims, slots, 4, 5)))
    kinds = rng.integers(0, 4, (70, slots)).astype(np.int8)
    settled = rng.uniform(0.0, 0.2, claims)
    found = []
    for kernel in (_compiled(e_mixture._bet), e_mixture_in_numpy._bet):
        capital = start * np.random.default_rng(seed).uniform(0.0, 1.0, (claims, slots, 5))
        state = capital, np.zeros(claims), np.full(claims, -1, dtype=np.int64)
        kernel(kinds, factors, settled, *state, 20.0, 32)
        found.append([part.tobytes() for part in state])
    assert found[0] == found[1]


def _mixtures(kinds, factors, settled, capital, threshold):
    """Bytes of the state that either kernel leaves."""
    found = []
    for kernel in (_compiled(e_mixture._bet), e_mixture_in_numpy._bet):
        state = capital.copy(), np.zeros(len(capital)), np.full(len(capital), -1, dtype=np.int64)
        kernel(kinds, factors, settled, *state, threshold, 32)
        found.append(state)
    assert [part.tobytes() for part in found[0]] == [part.tobytes() for part in found[1]]
    return found[0]


def test_mixtures_end_ruined_bets_and_reach_thresholds_alike():
    """Where a bet is ruined, and where a threshold is missed by the rounding that is allowed for."""
    kinds, half = np.zeros((1, 1), dtype=np.int8), np.full((1, 1, 4, 2), 0.5)
    capital = np.array([[[1.5 * e_mixture.RUINED, 1.0]]])
    (left,), *_ = _mixtures(kinds, half, np.zeros(1), capital, 20.0)
    assert left.tolist() == [[0.0, 0.5]]
    double, one = np.full((1, 1, 4, 1), 2.0), np.ones((1, 1, 1))
    for places, time in ((102, -1), (134, 33)):  # the allowance is for 32 + 0 + 101 = 133 pairs
        threshold = 2.0 * (1.0 - e_mixture.ROUNDING_PER_PAIR * places)
        assert _mixtures(kinds, double, np.zeros(1), one, threshold)[2].tolist() == [time]


def test_the_modules_of_stand_ins_are_found():
    for kernel, beside in (
        (betting._bet, betting_in_numpy._bet),
        (e_mixture._bet, e_mixture_in_numpy._bet),
        (cell_lookup._add, cell_lookup_in_numpy._add),
        (tables._mix, tables_in_numpy._mix),
        (outputs._finite, outputs_in_numpy._finite),
        (outputs._turn, outputs_in_numpy._turn),
    ):
        assert exact_njit()(getattr(kernel, "py_func", kernel)).plain is beside
