"""What a subject returns is checked in one line, on both sides and in every call."""

from types import SimpleNamespace

import numpy as np
import pytest
from numba import njit
from scipy import stats

import dpverify as dpv
from auditors.privacy.outputs import LARGEST_CHUNK, SMALLEST_CHUNK, Drawer, Sample
from dpverify.core.errors import InputError
from dpverify.core.subjects import Pair

PAIR = Pair(d0=[0.0], d1=[1.0])


def drawer(sample=None, counts=None, pair=PAIR):
    if counts is not None:
        return Drawer(SimpleNamespace(counts=lambda dataset, size, *, rng: counts(dataset, size)), pair)
    return Drawer(SimpleNamespace(sample=lambda dataset, size, *, rng: sample(dataset, size)), pair)


def rng():
    return np.random.default_rng(0)


@pytest.mark.parametrize(
    ("outputs", "words"),
    [
        (lambda d, n: np.full(n, np.nan), "output 0 of 8 has a NaN or an infinity"),
        (lambda d, n: np.append(np.inf, np.zeros(n - 1)), "output 0 of 8 has a NaN or an infinity"),
        (lambda d, n: np.append(np.zeros(n - 1), np.nan), "output 7 of 8 has a NaN or an infinity"),
        (lambda d, n: np.where(np.arange(n)[:, None] == 5, np.inf, np.zeros((n, 2))), "output 5 of 8 has a NaN"),
        (lambda d, n: np.asfortranarray(np.where(np.eye(n) > 0, -np.inf, 0.0))[:, 3:5], "output 3 of 8 has a NaN"),
        (lambda d, n: np.where(np.eye(n) > 0, np.nan, 0.0)[:, 3:5], "output 3 of 8 has a NaN"),
        (lambda d, n: [[1.0], [1.0, 2.0]] * (n // 2), "ragged"),
        (lambda d, n: np.array([[1], [1, 2]] * (n // 2), dtype=object), "ragged"),
        (lambda d, n: ["yes"] * n, "of type <U3"),
        (lambda d, n: np.zeros(n, dtype=complex), "of type complex128"),
        (lambda d, n: np.zeros(n - 1), "shape (7,) where 8 were asked for"),
        (lambda d, n: 3.0, "shape () where 8 were asked for"),
        (lambda d, n: np.zeros((n, 0)), "nothing in them"),
        (lambda d, n: None, "ragged or no numbers"),
    ],
)
def test_bad_outputs_are_one_clear_line(outputs, words):
    with pytest.raises(InputError) as caught:
        drawer(outputs).draw(1, 8, rng=rng())
    text = str(caught.value)
    assert words in text
    assert "d1" in text
    assert "\n" not in text


def test_a_change_between_sides_or_calls_is_refused():
    shape = drawer(lambda d, n: np.zeros((n, 2 if d[0] == 0 else 3)))
    shape.draw(0, 4, rng=rng())
    with pytest.raises(InputError, match=r"on d1 are of shape \(size, 3\).*on d0 were of shape \(size, 2\)"):
        shape.draw(1, 4, rng=rng())
    kind = drawer(lambda d, n: np.zeros(n, dtype=int if d[0] == 0 else float))
    kind.draw(0, 4, rng=rng())
    with pytest.raises(InputError, match=r"type float64.*type int64"):
        kind.draw(1, 4, rng=rng())
    call = drawer(lambda d, n: np.zeros((n, n)))
    call.draw(0, 4, rng=rng())
    with pytest.raises(InputError, match="one shape and type of output"):
        call.draw(0, 5, rng=rng())


@pytest.mark.parametrize(
    ("before", "after"), [("float16", "float64"), ("longdouble", "float64"), (">i4", "<i4"), ("bool", "int8")]
)
def test_types_that_kernels_read_alike_are_types_of_their_own(before, after):
    kind = drawer(lambda d, n: np.zeros(n, dtype=before if d[0] == 0 else after))
    kind.draw(0, 8, rng=rng())
    with pytest.raises(InputError, match="one shape and type of output"):
        kind.draw(1, 8, rng=rng())


@pytest.mark.parametrize("offered", ["sample", "counts"])
def test_masked_outputs_are_refused(offered):
    subject = drawer(**{offered: lambda d, n: np.ma.masked_array([n - 1, 1], mask=[True, False])})
    with pytest.raises(InputError, match="outputs on d1 have values that are masked") as caught:
        subject.draw(1, 2, rng=rng())
    assert "\n" not in str(caught.value)


def test_each_call_gets_its_own_copy():
    def spoil(dataset, size):
        dataset[0] += 1.0
        return np.full(size, dataset[0])

    own = drawer(spoil, pair=Pair(d0=[0.0], d1=np.array([5.0])))
    for _ in range(2):
        assert own.draw(0, 3, rng=rng()).values.tolist() == [1.0] * 3
        assert own.draw(1, 3, rng=rng()).values.tolist() == [6.0] * 3


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        (lambda d, n: np.array([n - 1, 0]), "sum 7 and least 0 of 8 runs"),
        (lambda d, n: np.array([n + 1, -1]), "least -1"),
        (lambda d, n: np.array([n / 2, n / 2]), "type float64"),
        (lambda d, n: np.zeros((2, 2), dtype=int), "shape (2, 2)"),
    ],
)
def test_bad_counts_are_one_clear_line(counts, words):
    with pytest.raises(InputError) as caught:
        drawer(counts=counts).draw(0, 8, rng=rng())
    assert words in str(caught.value)


def test_counts_of_another_alphabet_are_refused():
    changing = drawer(counts=lambda d, n: np.array([n] + [0] * int(d[0] + 1)))
    changing.draw(0, 4, rng=rng())
    with pytest.raises(InputError, match=r"counts of 3 outcomes.*counts of 2 outcomes"):
        changing.draw(1, 4, rng=rng())


def test_forms_and_chunks():
    scalar = drawer(lambda d, n: np.zeros(n))
    assert scalar.draw(0, 8, rng=rng()).width == 1
    assert scalar.scalar
    assert scalar.chunks(2 * LARGEST_CHUNK + 5) == [LARGEST_CHUNK, LARGEST_CHUNK, 5]
    assert scalar.chunks(7) == [7]
    wide = drawer(lambda d, n: np.zeros((n, 5, 2000)))
    sample = wide.draw(0, 8, rng=rng())
    assert (sample.width, sample.values.shape, sample.column(3).shape) == (10_000, (8, 10_000), (8,))
    assert not wide.scalar
    assert wide.chunks(SMALLEST_CHUNK + 1) == [SMALLEST_CHUNK, 1]
    assert drawer(lambda d, n: np.zeros(n, dtype=bool)).draw(0, 8, rng=rng()).values.dtype == np.int8


KINDS = ("f2", "f4", ">f4", "f8", ">f8", "longdouble", "i1", ">i2", "i4", ">i8", "u1", ">u4", "u8", "bool")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", [(8,), (8, 3)])
def test_all_real_types_come_as_what_kernels_read_and_with_their_values(kind, shape):
    outputs = np.arange(np.prod(shape)).reshape(shape).astype(kind)
    values = drawer(lambda d, n: outputs).draw(0, 8, rng=rng()).values
    assert values.dtype.isnative
    assert values.dtype.itemsize in ((4, 8) if outputs.dtype.kind == "f" else (1, 2, 4, 8))
    assert np.array_equal(values, outputs)
    assert bool(_kernel(np.atleast_2d(values)))


@pytest.mark.parametrize("kind", ["f2", "f4", "f8", "longdouble"])
@pytest.mark.parametrize("columns", [None, 2])
def test_negative_zero_is_an_output_of_its_own(kind, columns):
    """It lies below 0 and above all other negative numbers that a mechanism returns; nothing else changes."""
    outputs = np.array([0.0, -0.0, 1.0, -1e-7], dtype=kind)
    given = outputs if columns is None else np.column_stack([outputs] * columns)
    found = drawer(lambda d, n: given).draw(0, 4, rng=rng()).column(0)
    assert found[3] < found[1] < found[0] == 0.0 < found[2]
    assert np.allclose(found, outputs.astype(found.dtype), atol=1e-37, rtol=0)
    assert np.signbit(given.reshape(4, -1)[1, 0]), "the mechanism keeps its array"


@pytest.mark.parametrize("method", ["event", "histogram", "tradeoff", "sequential", "renyi", "search"])
def test_what_tells_the_sides_apart_by_the_sign_of_zero_is_refuted(method):
    def signed(data, size, rng):
        rows = rng.laplace(size=(size, 2))
        rows[:, 1] = np.where(rng.random(size) < 0.5, 1.0, -0.0 if data else 0.0)
        return rows

    found = dpv.audit(signed, [1.0], [], claim="PureDP(epsilon=1)", methods=(method,), trials=5_000)
    assert found.verdict == "refuted"
    if method == "event":
        assert "-0.0" in found.evidence.witness["event"]


def test_a_long_double_beyond_all_doubles_is_refused_as_infinite():
    huge = np.full(8, np.finfo(np.longdouble).max)
    if not np.isinf(float(huge[0])):
        pytest.skip("long doubles are doubles here")  # on such a machine there is no number to refuse
    with pytest.raises(InputError, match="output 0 of 8 has a NaN or an infinity"):
        drawer(lambda d, n: huge).draw(0, 8, rng=rng())


@njit
def _kernel(values):
    return values.size > 0


def test_halves_share_nothing_and_lose_nothing():
    whole = Sample(values=np.arange(9), weights=None, size=9)
    first, second = whole.halves(rng())
    assert sorted([*first.values, *second.values]) == list(range(9))
    assert (first.size, second.size) == (4, 5)
    weights = np.array([1000, 0, 3000, 1])
    counted = Sample(values=np.arange(4), weights=weights, size=4001)
    first, second = counted.halves(rng())
    assert (first.size, int(first.weights.sum()), second.size, int(second.weights.sum())) == (2000, 2000, 2001, 2001)
    assert np.array_equal(first.weights + second.weights, weights)
    # hypergeometric: outside these bounds with probability 1e-12
    low, high = stats.hypergeom(4001, 1000, 2000).interval(1 - 1e-12)
    assert low <= first.weights[0] <= high


def test_the_head_is_the_first_draws_and_counts_have_none():
    rows = np.arange(12.0).reshape(6, 2)
    whole = Sample(values=rows, weights=None, size=6)
    for size in (1, 5):
        assert whole.head(size).values.tolist() == rows.tolist()[:size]
        assert (whole.head(size).size, whole.head(size).weights) == (size, None)
    assert whole.head(6) is whole
    assert whole.head(7) is whole
    counted = Sample(values=np.arange(2), weights=np.array([3, 4]), size=7)
    assert counted.head(2) is counted


def test_joined_samples_lose_nothing():
    first, second = (Sample(values=np.full((size, 2), size), weights=None, size=size) for size in (2, 3))
    both = first.joined(second)
    assert (both.size, both.values.tolist()) == (5, [[2, 2]] * 2 + [[3, 3]] * 3)
    left, right = (Sample(values=np.arange(2), weights=np.array(w), size=sum(w)) for w in ([3, 4], [0, 9]))
    both = left.joined(right)
    assert (both.size, both.values.tolist(), both.weights.tolist()) == (16, [0, 1], [3, 13])


def test_vectors_lie_by_columns_and_keep_their_rows():
    values = drawer(lambda d, n: np.arange(3.0 * n).reshape(n, 3)).draw(0, 4, rng=rng()).values
    assert values.flags.f_contiguous
    assert values.tolist() == np.arange(12.0).reshape(4, 3).tolist()
