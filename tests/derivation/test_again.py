"""Code that is read again must be read as its certificate says, whatever the runs beside it have met."""

from __future__ import annotations

import json

import pytest

from dpverify.core.callable_name import place_of
from dpverify.derivation.again import fault_of_code
from dpverify.derivation.derive import derive
from dpverify.proofs.certificate import checked
from tests.derivation.corpus.right import RIGHT

DATA = [0.5, 1.0]


def noisy_sum(data, rng):
    return sum(data) + rng.laplace(0.0, 1.0)


def rarely_without_noise(data, rng):
    total = sum(data)
    noisy = total + rng.laplace(0.0, 1.0)
    return total if 0.5663 <= noisy < 0.5709 else noisy


def rarely_something_else(data, rng):
    noisy = sum(data) + rng.laplace(0.0, 1.0)
    return 1.0 if 0.5663 <= noisy < 0.5663001 else noisy


def certificate_of(function, **given):
    return json.loads(json.dumps(derive(function, **given).certificate()))


@pytest.mark.parametrize("case", RIGHT, ids=lambda case: case.name)
def test_each_proof_is_read_again(case):
    told = certificate_of(case.function, data=case.data, claim=case.claim, **case.domain)
    assert fault_of_code(told, case.function) == ""


def test_a_branch_that_is_left_out_is_found():
    told = certificate_of(noisy_sum, data=DATA, claim="PureDP(epsilon=1)", bounds=(0, 1))
    checked(told)
    assert fault_of_code(told, noisy_sum) == ""
    told["code"]["function"] = place_of(rarely_without_noise)
    assert "returned" in fault_of_code(told, rarely_without_noise)
    told["code"]["function"] = place_of(rarely_something_else)
    assert fault_of_code(told, rarely_something_else) == "the code is read otherwise here: derive it again"
