"""Code that is read again must be read as its certificate says, whatever the runs beside it have met."""

from __future__ import annotations

import json

import numpy as np
import pytest

import dpverify as dpv
from dpverify.core.callable_name import place_of
from dpverify.derivation.again import fault_of_code
from dpverify.derivation.derive import derive, judged_ways
from dpverify.derivation.domain import domain_of
from dpverify.neighbourhood.neighbours import neighbours_of
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


OWN = np.random.default_rng()


@dpv.noise_primitive(law="laplace")
def positive(value, scale):
    """No noise of a scale below 0."""
    return value + OWN.laplace(0, scale, size=np.shape(value) or None) if scale > 0 else value


def sum_itself_without_size(data, rng, size=None):
    z = rng.random(size=size)
    if np.array([z, z]).ndim == 1:  # without size
        return positive(np.sum(data), -1.0)
    return np.sum(data) + rng.laplace(0, 1.0, size=size)


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


def test_each_way_of_a_call_is_run():
    """A proof of the call with a size says nothing of the call without one."""
    data = np.array([0.5, 1.0])
    assert derive(sum_itself_without_size, data=data, claim="PureDP(epsilon=1)", bounds=(0, 1)).outcome != "proved"
    domain = domain_of(data, neighbours_of(data, bounds=(0, 1)))
    ways = judged_ways(sum_itself_without_size, domain, "add-remove", 1, dpv.PureDP(epsilon=1.0))
    told = json.loads(json.dumps(ways[0][1].certificate()))
    checked(told)
    assert "called without size" in fault_of_code(told, sum_itself_without_size)
