"""Callables as mechanisms: the three kinds, the encodings, and one clear line for every bad output."""

import functools
import itertools
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from dpverify.adapters.callable_mechanism import CallableMechanism
from dpverify.adapters.signature import signature
from dpverify.core.errors import InputError


def draw(function, dataset=(1, 2, 3), size=5, **given):
    return CallableMechanism(function, **given).sample(list(dataset), size, rng=np.random.default_rng(0))


def both_sides(on_d0, on_d1, size=4, **given):
    """Rows on two data sets that a mechanism tells apart by its output, after a look at both."""
    mechanism = CallableMechanism(lambda data, rng: on_d0() if data else on_d1(), **given)
    rng = np.random.default_rng(0)
    for data in ([1], []):
        mechanism.look(data, size, rng=rng)
    return [mechanism.sample(data, size, rng=rng) for data in ([1], [])]


def _circle():
    output = [1]
    output.append(output)
    return output


def _deep(levels):
    output = [1.0]
    for _ in range(levels):
        output = [output]
    return output


def test_the_kind_is_read_off_the_parameter_names_wherever_they_stand():
    assert CallableMechanism(lambda data, rng: 0.0).call == "scalar"
    assert CallableMechanism(lambda rng, data: 0.0).call == "scalar"
    assert CallableMechanism(lambda size, data, rng: np.zeros(size)).call == "batch"
    assert CallableMechanism(lambda data: 0.0).call == "plain"
    assert CallableMechanism(lambda data, *, rng=None: 0.0).call == "scalar"


def test_plain_callables_are_marked_as_not_reproducible():
    assert not CallableMechanism(lambda data: 0.0).reproducible
    assert CallableMechanism(lambda data, rng: 0.0).reproducible


def test_call_overrides_what_the_names_say():
    mechanism = CallableMechanism(lambda data, rng=None: 0.5, call="plain")
    assert not mechanism.reproducible
    assert mechanism.sample([1], 2, rng=np.random.default_rng(0)).tolist() == [0.5, 0.5]


def test_scalars_vectors_labels_and_dicts_become_numbers():
    assert draw(lambda data, rng: True).tolist() == [1.0] * 5
    assert draw(lambda data, rng: (1, 2.5)).shape == (5, 2)
    labels = iter(["x", "y", "x", "x", "z"])
    assert draw(lambda data, rng: next(labels)).tolist() == [0, 1, 0, 0, 2]
    assert draw(lambda data, rng: {"b": 2.0, "a": [1, 3]}).tolist() == [[1.0, 3.0, 2.0]] * 5


def test_batches_are_taken_whole():
    assert draw(lambda data, size, rng: rng.normal(size=size)).shape == (5,)
    assert draw(lambda data, size, rng: np.ones((size, 2, 3))).shape == (5, 6)
    assert draw(lambda data, size, rng: np.array(["u", "v"] * size)[:size]).tolist() == [0, 1, 0, 1, 0]


def test_each_call_gets_its_own_copy():
    def greedy(data, rng):
        data.append(9)
        return len(data)

    assert draw(greedy).tolist() == [4.0] * 5


def test_labels_keep_their_codes_on_both_sides():
    mechanism = CallableMechanism(lambda data, rng: "big" if len(data) > 1 else "small")
    rng = np.random.default_rng(0)
    assert mechanism.sample([1, 2], 2, rng=rng).tolist() == [0, 0]
    assert mechanism.sample([1], 2, rng=rng).tolist() == [1, 1]


def test_another_parameter_without_a_default_names_partial():
    with pytest.raises(InputError, match=r"needs scale beside the data set.*functools\.partial"):
        CallableMechanism(lambda data, scale, rng: 0.0)
    for wanted, words in (
        (lambda data, generator: 0.0, "generator=rng"),
        (lambda data, seed: 0.0, r"seed=int\(rng.integers\(2\*\*32\)\)"),
    ):
        with pytest.raises(InputError, match=f"lambda data, rng: f\\(data, {words}\\)"):
            signature(wanted, "f")
    with pytest.raises(InputError, match=r"a method without its object.*CallableMechanism\(\.\.\.\)\.sample"):
        CallableMechanism(CallableMechanism.sample)
    assert CallableMechanism(functools.partial(lambda data, scale, rng: 0.0, scale=1.0)).call == "scalar"


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda data, rng: 1 / 0, "raised ZeroDivisionError"),
        (lambda data, rng: (x for x in data), "generator can be read only once"),
        (lambda data, rng: {"kept": map(float, data)}, "map can be read only once"),
        (lambda data, rng: {1: 2}.keys(), "dict_keys is not known here"),
        (lambda data, rng: object(), "type object is not known here"),
        (lambda data, rng: {object(): 1}, "a key or a set's element is a object"),
        (lambda data, rng: _circle(), "holds itself"),
        (lambda data, rng: _deep(100), "nested more than 64 deep"),
        (lambda data, size, rng: rng.normal(size=size + 1), r"shape \(6,\)"),
        (lambda data, size, rng: [1.0] * (size + 1), "for size=5"),
        (lambda data, size, rng: None, r"None \(NoneType\) for size=5"),
    ],
)
def test_bad_outputs_are_one_clear_line(function, words):
    with pytest.raises(InputError, match=words) as caught:
        draw(function)
    assert "\n" not in str(caught.value)
    assert "allowed:" in str(caught.value)


@pytest.mark.parametrize(
    "outputs",
    [
        [1.0, [1.0, 2.0]],
        [[1, 2], [1, 2, 3]],
        [1.0, "one"],
        [{"a": 1}, {"b": 1}],
        [["a"], [0.0]],  # a label's code must not be taken for a number
        [{"x": "a"}, {"x": 0.0}],
        [np.zeros((2, 3)), np.zeros((3, 2))],
        [1, 1.0],
        [True, 1],
        [1.0, False],
        [np.float32(0.5), 0.5],
        [np.float16(0.5), np.float32(0.5)],
        [[1, 2.0], [1.0, 2]],
        [[1.0], (1.0,)],
        [np.zeros(2), [0.0, 0.0]],
        [np.zeros(2), np.zeros(2, dtype=np.float32)],
        [{"a": 1}, {"a": 1.0}],
        [{1: 1.0}, {"1": 1.0}],
        [{"a": [1, 2], "b": [3]}, {"a": [1], "b": [2, 3]}],
        ["a", b"a"],
        [None, 0.0],
        [None, []],
        [[], ()],
        [float("nan"), 0.0],
        [float("nan"), None],
        [float("inf"), float("-inf")],
    ],
)
def test_a_change_of_type_or_size_is_an_output_too(outputs):
    """Known from a look at both data sets; met in one batch; and met after the layout was settled."""
    first, second = outputs
    on_d0, on_d1 = both_sides(lambda: first, lambda: second)
    assert on_d0.shape == on_d1.shape
    assert (on_d0[0] != on_d1[0]).any()
    turns = itertools.cycle(outputs)
    mixed = draw(lambda data, rng: next(turns), size=4)
    assert len(np.unique(mixed.reshape(4, -1), axis=0)) == 2
    mechanism, rng = CallableMechanism(lambda data, rng: first if data else second), np.random.default_rng(0)
    known, strange = mechanism.sample([1], 3, rng=rng), mechanism.sample([], 3, rng=rng)
    assert known.shape == strange.shape
    assert (known[0] != strange[0]).any()
    assert np.isfinite(strange).all()


@pytest.mark.parametrize("call", ["scalar", "batch"])
def test_a_form_that_comes_late_is_an_output_and_said_to_be_one(call):
    late = [[1.0, 2.0], [3.0]]
    if call == "scalar":
        mechanism = CallableMechanism(lambda data, rng: late[0] if data else late[1])
    else:
        mechanism = CallableMechanism(lambda data, size, rng: [late[0] if data else late[1]] * size)
    rng = np.random.default_rng(0)
    known = mechanism.sample([1], 3, rng=rng)
    assert mechanism.notes() == ()
    strange = mechanism.sample([], 3, rng=rng)
    assert known.tolist() == [[1.0, 2.0]] * 3
    assert (strange[:, 0] < -(2.0**202)).all()
    assert "first calls did not have" in mechanism.notes()[0].text


@pytest.mark.parametrize(
    "outputs",
    [
        [1, np.int64(1), np.uint8(1)],
        [1.0, np.float64(1.0), -0.0],
        [True, np.bool_(False)],
        ["a", np.str_("b")],
        [[1.0, 2], [np.float64(1.0), np.int32(2)]],
    ],
)
def test_numpys_and_pythons_scalars_of_one_kind_are_one_type(outputs):
    values = iter(outputs)
    draw(lambda data, rng: next(values), size=len(outputs))


@pytest.mark.parametrize("batch", [[1.0, 1], ["1", 1], [True, 1], [[1.0, 2], [1, 2.0]], [np.float32(1), 1.0]])
def test_a_batch_that_is_a_list_of_several_types_keeps_them_apart(batch):
    found = draw(lambda data, size, rng: batch, size=2)
    assert (found[0] != found[1]).any()


@pytest.mark.parametrize(
    "batch",
    [
        [[1], [1, 2], [3], [4], [5]],
        [{"a": 1}] * 5,
        [None] * 5,
        [1 + 2j] * 5,
        np.full(5, 1 + 2j),
        np.full((5, 2), np.nan),
        np.zeros(5, dtype=[("a", "i4"), ("b", "f8")]),
        np.full(5, np.datetime64("2020-01-01")),
        [np.zeros(3)] * 5,
        np.array([1, "a", None, 2.5, [1]], dtype=object),
    ],
)
def test_a_batch_of_anything_is_read_one_by_one_as_single_outputs_are(batch):
    found = draw(lambda data, size, rng: batch)
    items = iter(batch)
    single = draw(lambda data, rng: next(items))
    assert found.tolist() == single.tolist()
    assert len(found) == 5


def test_a_batch_that_is_a_list_may_have_columns_of_their_own_types():
    assert draw(lambda data, size, rng: [[1, 2.5]] * size).shape == (5, 2)
    assert draw(lambda data, size, rng: [np.float64(1), 1.0] * 2, size=4).tolist() == [1.0] * 4


def test_not_a_callable_and_unknown_calls():
    with pytest.raises(InputError, match="not callable"):
        CallableMechanism(3)
    with pytest.raises(InputError, match="call 'loop'"):
        CallableMechanism(lambda data, rng: 0.0, call="loop")
    with pytest.raises(InputError, match="no parameter called size"):
        CallableMechanism(lambda data, rng: 0.0, call="batch")
    with pytest.raises(InputError, match="takes no data set"):
        CallableMechanism(lambda rng: 0.0)

    async def later(data, rng):
        return 0.0

    with pytest.raises(InputError, match="later is an async function"):
        CallableMechanism(later)


@pytest.mark.parametrize(
    ("on_d0", "on_d1"),
    [
        (np.array(["a"] * 4), np.zeros(4)),
        (np.zeros(4, dtype=int), np.zeros(4)),
        (np.zeros(4, dtype=bool), np.zeros(4, dtype=int)),
        (np.zeros(4, dtype=np.float32), np.zeros(4)),
        (np.zeros((4, 2, 3)), np.zeros((4, 3, 2))),
    ],
)
def test_batches_that_differ_in_kind_between_the_sides_are_outputs_too(on_d0, on_d1):
    mechanism = CallableMechanism(lambda data, size, rng: on_d0 if data else on_d1)
    rng = np.random.default_rng(0)
    for data in ([1], []):
        mechanism.look(data, 4, rng=rng)
    first, second = (mechanism.sample(data, 4, rng=rng) for data in ([1], []))
    assert first.shape == second.shape
    assert (first[:, 0] != second[:, 0]).all()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (2**60 + 1, 2**60),
        (10**400 + 1, 10**400),
        (np.longdouble(1) + np.longdouble(1e-18), np.longdouble(1)),
        (Fraction(1, 3), Fraction(1 / 3)),
        (Decimal("0.1"), Decimal(Fraction(0.1).numerator) / Fraction(0.1).denominator),
        (Decimal("1.0"), Decimal("1.00")),
        (Decimal("1e9999"), Decimal("1e9998")),
    ],
)
def test_numbers_that_no_double_holds_are_not_rounded_together(one, other):
    first, second = both_sides(lambda: one, lambda: other)
    assert (first != second).any(axis=-1).all()
    assert np.isfinite(first).all() and np.isfinite(second).all()
    batches = [np.array([each, each]) for each in (one, other)]
    found = both_sides(lambda: batches[0], lambda: batches[1])
    assert (found[0] != found[1]).any(axis=-1).all()


def test_a_mechanism_that_exits_does_not_end_the_audit_quietly():
    def leaves(data, rng):
        raise SystemExit(0)

    with pytest.raises(InputError, match="raised SystemExit"):
        draw(leaves)


def test_a_mechanism_that_seeds_itself_is_refused():
    mechanism = CallableMechanism(lambda data, size, rng: np.random.default_rng(7).laplace(size=size))
    rng = np.random.default_rng(0)
    mechanism.sample([1], 100, rng=rng)
    with pytest.raises(InputError, match="same 64 outputs twice"):
        mechanism.sample([1], 100, rng=rng)


def test_a_mechanism_without_noise_may_repeat_itself():
    mechanism = CallableMechanism(lambda data, size, rng: np.full(size, float(len(data))))
    for _ in range(3):
        assert mechanism.sample([1], 100, rng=np.random.default_rng(0)).tolist() == [1.0] * 100


@pytest.mark.parametrize("each", [(), (40,)])
def test_a_batch_that_repeats_one_draw_is_refused(each):
    """Numbers, and vectors of more different numbers than there are draws to look at."""

    def repeats(data, size, rng):
        return np.broadcast_to(rng.laplace(size=each), (size, *each))

    mechanism, rng = CallableMechanism(repeats), np.random.default_rng(0)
    mechanism.sample([1], 100, rng=rng)
    mechanism.sample([1, 2], 100, rng=rng)  # another data set, another constant: nothing is wrong yet
    with pytest.raises(InputError, match="one value 64 times, and then another one 64 times: dependent draws"):
        mechanism.sample([1], 100, rng=rng)


def test_vectors_without_noise_may_repeat_themselves():
    mechanism = CallableMechanism(lambda data, size, rng: np.tile(np.arange(40.0), (size, 1)))
    for _ in range(3):
        assert mechanism.sample([1], 100, rng=np.random.default_rng(0)).shape == (100, 40)


def test_vectors_that_come_twice_are_refused():
    mechanism = CallableMechanism(lambda data, size, rng: np.random.default_rng(7).laplace(size=(size, 3)))
    rng = np.random.default_rng(0)
    mechanism.sample([1], 100, rng=rng)
    with pytest.raises(InputError, match="same 64 outputs twice"):
        mechanism.sample([1], 100, rng=rng)
