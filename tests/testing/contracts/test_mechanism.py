"""Each rule of the contract of mechanisms lets a plain mechanism pass, and fails one that breaks it alone."""

from __future__ import annotations

import os

import numpy as np
import pytest

from dpverify.testing import MechanismContract, check_mechanism
from dpverify.testing.contracts.mechanism import RULES

DATA = [0.2, 0.9, 1.0, 0.0]
CLAIM = "PureDP(epsilon=1)"
OWN = np.random.default_rng(3)


def noisy_sum(data, rng):
    return sum(data) + rng.laplace()


def noisy_sums(data, size, rng):
    return sum(data) + rng.laplace(size=size)


def without_rng(data):
    return sum(data)


def remembers(data, rng, _calls=[]):  # noqa: B006 - the fault
    _calls.append(1)
    return sum(data) + len(_calls) + rng.laplace()


def draws_globally(data, rng):
    return sum(data) + np.random.laplace()  # noqa: NPY002 - the fault


def seeds_globally(data, rng):
    np.random.seed(0)  # noqa: NPY002 - the fault
    return sum(data) + np.random.laplace()  # noqa: NPY002 - the fault


def without_noise(data, rng):
    return float(sum(data))


def of_two_forms(data, rng):
    return None if rng.random() < 0.5 else 1.0


def changes_data(data, rng):
    data.append(1.0)
    return sum(data) + rng.laplace()


def one_noise_a_batch(data, size, rng):
    return sum(data) + np.full(size, rng.laplace())


def prints(data, rng):
    print("hello")  # noqa: T201 - the fault
    return sum(data) + rng.laplace()


def writes(data, rng):
    os.write(2, b"hello")
    return sum(data) + rng.laplace()


def dies(data, rng):
    os._exit(0)


def hangs(data, rng):
    while True:
        pass


def floods(data, rng):
    while True:
        os.write(1, b"x" * 2**20)


def raises_on_some(data, rng):
    return 1 / (len(data) - 5) + rng.laplace()


def tells_records(data, rng):
    raise ValueError(f"bad: {data}")


@pytest.mark.parametrize("mechanism", [noisy_sum, noisy_sums])
def test_a_plain_mechanism_keeps_the_contract(mechanism):
    check_mechanism(mechanism, claim=CLAIM, data=DATA)


@pytest.mark.parametrize(
    ("mechanism", "said"),
    [
        (without_rng, "takes no rng"),
        (remembers, "different outputs from the same state"),
        (draws_globally, "different outputs from the same state"),
        (seeds_globally, "draws from a generator other than rng"),
        (without_noise, "adds no noise"),
        (of_two_forms, "outputs of 2 forms"),
        (changes_data, "changes the data set"),
        (one_noise_a_batch, "a batch of one_noise_a_batch"),
        (prints, "prints"),
        (writes, "prints"),
        (dies, "died (exit status 0)"),
        (hangs, "ran longer than its limit of 1 s"),
        (floods, "File too large|raised OSError"),
        (raises_on_some, "ZeroDivisionError"),
    ],
)
def test_what_breaks_a_rule_is_one_line(mechanism, said):
    with pytest.raises(AssertionError, match=said.replace("(", r"\(").replace(")", r"\)")) as broken:
        check_mechanism(mechanism, claim=CLAIM, data=DATA, max_seconds_per_call=1)
    assert "\n" not in str(broken.value)


@pytest.mark.parametrize(
    ("claim", "said"),
    [
        ("PureDP(epsilom=1)", "cannot be read"),
        ("PureDP(epsilon=1000)", "cannot be tested"),
        ("Expectation(bound=1)", ""),
    ],
)
def test_a_claim_that_no_audit_can_test_is_named(claim, said):
    with pytest.raises(AssertionError, match=said or "says nothing about privacy"):
        check_mechanism(noisy_sum, claim=claim, data=DATA)


def test_records_of_the_example_are_not_shown():
    with pytest.raises(AssertionError, match="raised ValueError") as broken:
        check_mechanism(tells_records, claim=CLAIM, data=[0.123456, 0.5])
    assert "0.123456" not in str(broken.value)


def test_printing_reaches_nobody(capfd):
    with pytest.raises(AssertionError):
        check_mechanism(prints, claim=CLAIM, data=DATA)
    assert capfd.readouterr() == ("", "")


class TestInherited(MechanismContract):
    mechanism = staticmethod(noisy_sum)
    claim = CLAIM
    data = DATA


def test_every_rule_is_a_test_to_inherit():
    names = {name for name in dir(MechanismContract) if name.startswith("test_")}
    assert names == {f"test_{rule.__name__}" for rule in RULES}
    with pytest.raises(AssertionError, match="lacks mechanism, claim or data"):
        MechanismContract().test_draws_noise()
