"""Callables as mechanisms: the three kinds, the encodings, and one clear line for every bad output."""

import copy
import functools

import numpy as np
import pytest

from dpverify.adapters.callable import CallableMechanism
from dpverify.core.errors import InputError


def draw(function, dataset=(1, 2, 3), size=5, **given):
    return CallableMechanism(function, **given).sample(list(dataset), size, rng=np.random.default_rng(0))


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
    assert CallableMechanism(functools.partial(lambda data, scale, rng: 0.0, scale=1.0)).call == "scalar"


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda data, rng: float("nan"), "returned nan"),
        (lambda data, rng: float("inf"), "returned inf"),
        (lambda data, size, rng: np.full(size, np.nan), "returned nan"),
        (lambda data, rng: 1 / 0, "raised ZeroDivisionError"),
        (lambda data, rng: None, "returned None"),
        (lambda data, rng: [[1, 2], [3, 4]], "nested"),
        (lambda data, rng: [], "returned"),
        (lambda data, size, rng: rng.normal(size=size + 1), r"shape \(6,\)"),
        (lambda data, size, rng: [[1], [1, 2], [3], [4], [5]], "ragged|shape"),
        (lambda data, rng: complex(1, 2), "returned"),
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
    ],
)
def test_outputs_that_change_type_or_size_are_refused(outputs):
    values = iter(outputs)
    with pytest.raises(InputError, match="after a"):
        draw(lambda data, rng: next(values), size=2)


@pytest.mark.parametrize(
    "outputs",
    [
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
    ],
)
def test_a_type_that_changes_from_draw_to_draw_is_refused_and_not_said_to_be_the_data(outputs):
    values = iter(outputs)
    with pytest.raises(InputError, match="after a value of type") as caught:
        draw(lambda data, rng: next(values), size=2)
    assert "other data set" not in str(caught.value)


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


@pytest.mark.parametrize("data", [[1], np.zeros(3), {"a": np.zeros(2)}])
def test_a_type_that_the_data_decides_is_called_a_leak(data):
    mechanism = CallableMechanism(lambda data, rng: 1 if len(data) == 0 else 1.0)
    rng = np.random.default_rng(0)
    mechanism.sample(data, 3, rng=rng)
    with pytest.raises(InputError, match=r"type int after .* type float on the other data set, which tells"):
        mechanism.sample([], 3, rng=rng)


@pytest.mark.parametrize("data", [[1, 2], np.zeros(2000), {"a": np.zeros(2)}])
def test_a_copy_of_the_data_is_not_another_data_set(data):
    values = iter([1.0, 1])
    mechanism = CallableMechanism(lambda data, rng: next(values))
    rng = np.random.default_rng(0)
    mechanism.sample(data, 1, rng=rng)
    with pytest.raises(InputError, match="after a value of type") as caught:
        mechanism.sample(copy.deepcopy(data), 1, rng=rng)
    assert "other data set" not in str(caught.value)


@pytest.mark.parametrize("batch", [[1.0, 1], ["1", 1], [True, 1], [[1.0, 2], [1, 2.0]], [np.float32(1), 1.0]])
def test_a_batch_that_is_a_list_of_several_types_is_refused(batch):
    with pytest.raises(InputError, match="after a value of type"):
        draw(lambda data, size, rng: batch, size=2)


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
def test_batches_that_differ_in_kind_between_the_sides_are_refused(on_d0, on_d1):
    mechanism = CallableMechanism(lambda data, size, rng: on_d0 if data else on_d1)
    rng = np.random.default_rng(0)
    mechanism.sample([1], 4, rng=rng)
    with pytest.raises(InputError, match="after a"):
        mechanism.sample([], 4, rng=rng)


@pytest.mark.parametrize(
    "function",
    [
        lambda data, rng: 2**60 + 1,
        lambda data, rng: 10**400,
        lambda data, size, rng: np.full(size, 2**60 + 1),
        lambda data, size, rng: np.full(size, np.longdouble(1) + np.longdouble(1e-18)),
    ],
)
def test_numbers_that_no_double_holds_are_refused_and_not_rounded_together(function):
    with pytest.raises(InputError, match="which no 64-bit float holds"):
        draw(function)


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
