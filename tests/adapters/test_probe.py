"""Bad mechanisms: what is said of each, and that none of them corrupts an audit."""

import itertools

import numpy as np
import pytest

import dpverify as dpv
from dpverify.adapters.callable_mechanism import CallableMechanism
from dpverify.adapters.probe import OWN_NOISE, probe
from dpverify.core.errors import InputError
from dpverify.core.note import plain_notes
from dpverify.core.verdict import Status
from dpverify.sampling.streams import stream

D0, D1 = [1.0, 1.0], [1.0]
CLAIM = dpv.PureDP(epsilon=1.0)
SURE = 1 - 1e-9
"""Confidence of audits that must not refute: a false alarm comes with probability 1e-9."""


def notes(function, **given):
    subject = CallableMechanism(function, **given)
    return probe(subject, D0, D1, stream=lambda *names: stream(0, *names)), subject


def audit(function, **given):
    return dpv.audit(function, D0, D1, **({"claim": CLAIM, "trials": 2000, "confidence": SURE} | given))


def test_a_sound_mechanism_gets_no_notes():
    for function in (
        lambda data, rng: sum(data) + rng.laplace(),
        lambda data, size, rng: sum(data) + rng.laplace(size=size),
    ):
        found, subject = notes(function)
        assert found == ()
        assert subject.reproducible


# Ignores its rng


def test_noise_from_elsewhere_is_found_by_replay():
    found, subject = notes(lambda data, rng: sum(data) + np.random.laplace())  # noqa: NPY002 - the fault
    assert found == (OWN_NOISE,)
    assert not subject.reproducible


def test_half_of_the_noise_from_elsewhere_is_found_too():
    found, subject = notes(lambda data, rng: rng.laplace() + np.random.laplace())  # noqa: NPY002 - the fault
    assert len(found) == 1
    assert "the same state of its rng gave other outputs" in found[0].text
    assert not subject.reproducible


def test_plain_callables_are_told_that_their_seed_is_their_own():
    assert notes(lambda data: 0.0)[0] == (OWN_NOISE,)


def test_an_rng_that_is_never_drawn_from_is_noticed():
    found, subject = notes(lambda data, rng: float(len(data)))
    assert found == plain_notes("the mechanism never drew from its rng: it has no noise, or seeds itself")
    assert subject.reproducible


def test_its_own_fixed_seed_at_each_call_is_no_noise_at_all():
    result = audit(lambda data, rng: len(data) + np.random.default_rng(7).laplace())
    assert result.verdict is Status.REFUTED
    assert any("seeds itself" in note for note in result.notes)


# Constants


def test_one_constant_whatever_the_data_is_inconclusive_and_said_to_teach_nothing():
    result = audit(lambda data, rng: 3.5)
    assert result.verdict is Status.INCONCLUSIVE
    assert "ignores its data" in result.row.verdict.reason
    assert result.epsilon_lower == 0
    assert any("was 3.5: a constant output does not depend on the data" in note for note in result.notes)


def test_a_constant_label_is_named_and_not_its_code():
    assert any("was 'none': a constant" in note for note in audit(lambda data, rng: "none").notes)


def test_the_sign_of_a_zero_is_no_constant():
    result = audit(lambda data, rng: -0.0 if rng.random() < 0.5 else 0.0, methods=["floating-point"])
    assert not any("constant" in note for note in result.notes)


def test_labels_stand_in_the_row_that_reports_are_made_of():
    result = audit(lambda data, rng: "big" if rng.random() < 0.5 else "small")
    assert sorted(result.evidence.witness["labels"]) == ["big", "small"]
    assert result.row.verdict.leading == result.evidence


@pytest.mark.parametrize("relation", [None, "add-remove"])
def test_one_data_set_twice_is_said_to_be_that(relation):
    with pytest.raises(InputError, match="d0 and d1 are the same"):
        dpv.audit(lambda data, rng: rng.random(), D0, D0, claim=CLAIM, relation=relation)


def test_two_constants_are_refuted_of_course():
    result = audit(lambda data, size, rng: np.full(size, float(len(data))))
    assert result.verdict is Status.REFUTED
    assert not any("constant" in note for note in result.notes)


def test_a_mechanism_that_varies_a_little_is_no_constant():
    result = audit(lambda data, size, rng: (rng.random(size) < 0.01).astype(float))
    assert not any("constant" in note for note in result.notes)


# Data that is written to


def mutating(data, rng):
    answer = sum(data) + rng.laplace(scale=2.0)
    data.append(1000.0)
    return answer


def test_a_mechanism_that_changes_its_data_is_reported_and_corrupts_nothing():
    d0, d1 = list(D0), list(D1)
    result = dpv.audit(mutating, d0, d1, claim=CLAIM, trials=2000, confidence=SURE)
    assert any("changes the data set it is given" in note for note in result.notes)
    assert (d0, d1) == (D0, D1)
    clean = dpv.audit(
        lambda data, rng: sum(data) + rng.laplace(scale=2.0), d0, d1, claim=CLAIM, trials=2000, name=mutating.__name__,
        confidence=SURE,
    )  # fmt: skip
    assert result.evidence.statistics == clean.evidence.statistics


@pytest.mark.parametrize("kind", [np.array, lambda data: {"rows": list(data)}])
def test_arrays_and_dicts_that_are_written_to(kind):
    def writes(data, rng):
        (data["rows"] if isinstance(data, dict) else data)[0] = -1.0
        return rng.random()

    subject = CallableMechanism(writes)
    found = probe(subject, kind(D0), kind(D1), stream=lambda *names: stream(0, *names))
    assert len(found) == 1
    assert "changes the data set" in found[0].text


# Exceptions


def raises_on_one(data, rng):
    if len(data) == 1:
        raise ValueError("no\nrows")
    return sum(data) + rng.laplace()


def test_an_exception_on_one_neighbour_only_is_called_a_leak_in_one_line():
    words = r"raised ValueError: no rows on one data set and returned on the other, which tells the two apart if"
    with pytest.raises(InputError, match=words) as caught:
        audit(raises_on_one)
    assert "\n" not in str(caught.value)
    assert "on_error 'output'" in str(caught.value)


def test_an_exception_now_and_then_is_not_said_to_be_the_data():
    turns = itertools.count()

    def now_and_then(data, rng):
        if next(turns) % 7 == 6:
            raise ValueError("no")
        return rng.random()

    with pytest.raises(InputError, match="raised ValueError: no;"):
        audit(now_and_then)


@pytest.mark.parametrize("swap", [False, True])
@pytest.mark.parametrize("vector", [False, True])
def test_exceptions_as_outputs_refute_what_only_they_tell(swap, vector):
    def function(data, rng):
        if len(data) == (2 if swap else 1):
            raise ValueError("no")
        return [0.0, 0.0] if vector else 0.0

    result = audit(function, on_error="output")
    assert result.verdict is Status.REFUTED
    assert result.evidence.witness["errors"] == {"ValueError": 1}
    assert any(
        "their first number is 0 where the mechanism returned, 1 where it raised ValueError" in n for n in result.notes
    )


def test_exceptions_as_outputs_do_not_refute_what_they_do_not_tell():
    """Raises with the same probability on both data sets; the audit's false alarm is 1e-9."""

    def function(data, rng):
        if rng.random() < 0.3:
            raise KeyError("no")
        return len(data) + rng.laplace()

    assert audit(function, on_error="output").verdict is Status.NOT_REFUTED


def test_kinds_of_exceptions_have_codes_of_their_own():
    def function(data, rng):
        raise (KeyError if len(data) == 1 else ValueError)("no")

    result = audit(function, on_error="output")
    assert result.verdict is Status.REFUTED
    assert set(result.evidence.witness["errors"]) == {"KeyError", "ValueError"}


def test_exceptions_before_anything_returned_are_outputs_like_those_after_it():
    turns = itertools.count()

    def late(data, rng):
        if next(turns) < 66:
            raise ValueError("no")
        return 1.0

    found = CallableMechanism(late, on_error="output").sample(D0, 5, rng=stream(0))
    assert len(found) == 5
    assert {row[0] for row in found.tolist()} == {0.0, 1.0}


def test_batches_fail_as_a_whole_and_cannot_be_outputs():
    with pytest.raises(InputError, match="fail as a whole"):
        audit(lambda data, size, rng: rng.random(size), on_error="output")
    with pytest.raises(InputError, match="on_error 'ignore'"):
        audit(raises_on_one, on_error="ignore")


# Shape and type


@pytest.mark.parametrize("on_error", ["raise", "output"])
def test_an_output_whose_length_tells_the_data_refutes(on_error):
    result = audit(lambda data, rng: [rng.random() for _ in data], on_error=on_error)
    assert result.verdict is Status.REFUTED
    assert any("0: list of 2 (float); 1: list of 1 (float)" in note for note in result.notes)
    assert result.evidence.witness["forms"] == {"0": "list of 2 (float)", "1": "list of 1 (float)"}


def test_keys_that_follow_the_data_refute_and_keys_that_follow_noise_do_not():
    """A noisy group-by: the key of the record that only one data set has, or keys above a noisy threshold.

    The second mechanism is 0-DP: it is refuted with probability 1e-9.
    """
    present = audit(lambda data, rng: {f"group {i}": rng.laplace() for i in range(len(data))})
    assert present.verdict is Status.REFUTED
    chance = audit(lambda data, rng: {key: rng.laplace() for key in "abcd" if rng.random() < 0.5})
    assert chance.verdict is Status.INCONCLUSIVE  # it ignores its data


def test_values_of_outputs_whose_form_varies_are_still_compared():
    """Length and values from one mechanism: only the last value, far from the code of the form, tells the data."""

    def function(data, rng):
        return [rng.random() for _ in range(rng.integers(1, 4))] + [float(len(data))]

    assert audit(function).verdict is Status.REFUTED


def test_a_rare_leak_in_a_form_that_the_look_never_saw_is_found():
    """Once in 100 calls the data comes out as a list; certain not to be in a look of 64 is not needed: both refute."""

    def function(data, rng):
        return list(data) if rng.random() < 0.01 else rng.laplace()

    result = dpv.audit(function, D0, D1, claim=dpv.PureDP(epsilon=0.5), trials=20000, confidence=SURE)
    assert result.verdict is Status.REFUTED


def test_the_first_look_gives_labels_no_codes():
    subject = CallableMechanism(lambda data, rng: rng.choice(list("abcdefgh")))
    subject.look(D0, 64, rng=stream(0))
    assert subject.labels == {}
