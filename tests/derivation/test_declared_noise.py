"""Noise of the user's own, declared by ``noise_primitive``: proved as declared, and named among the assumptions."""

import secrets

import numpy as np
import pytest

import dpverify as dpv
from dpverify.proofs.check import check
from dpverify.proofs.operations import ProofError
from dpverify.proofs.told import holds

DATA = [0.2, 0.9, 1.0, 0.0]


@dpv.noise_primitive(law="laplace")
def secure(value, scale):
    rng = np.random.default_rng(secrets.randbits(64))
    return value + rng.laplace(scale=scale, size=np.shape(value) or None)


@dpv.noise_primitive(law="gaussian", value_arg="x", scale_arg="sigma")
def gaussian(x, rng, sigma=1.0):
    return x + rng.normal(0.0, sigma, size=np.shape(x) or None)


def clipped(data):
    return np.clip(np.nan_to_num(data), 0, 1).sum()


def total(data):
    return secure(clipped(data), scale=1.0)


def mean(data):
    return secure(clipped(data), 2.0) / max(secure(len(data), 2.0), 1.0)


def histogram(data, rng):
    return gaussian(np.histogram(np.nan_to_num(data), bins=4, range=(0, 1))[0], rng)


def of_public(data, rng):
    return secure(1.0, 3.0), len(data) + rng.laplace(scale=1.0)


@pytest.mark.parametrize(
    ("function", "claim"),
    [
        (total, "PureDP(epsilon=1)"),
        (mean, "PureDP(epsilon=1)"),
        (histogram, "GDP(mu=1)"),
        (of_public, "PureDP(epsilon=1)"),
    ],
)
def test_it_is_proved_as_declared(function, claim):
    found = dpv.derive(function, data=DATA, claim=claim)
    assert found.outcome == "proved", found
    name = "gaussian adds fresh, independent normal" if function is histogram else "secure adds fresh, independent"
    assert holds(found.certificate())["rests_on"][-1].startswith(f"{__name__}.{name}")


def half(data):
    return secure(clipped(data), 0.5)


def twice(data):
    value = clipped(data)
    return secure(value, 1.0), secure(value, 1.0)


def of_records(data):
    return [secure(each, 1.0) for each in data]


def of_a_column(data):
    return secure(np.clip(np.nan_to_num(data), 0, 1), 1.0)


def private_scale(data):
    return secure(1.0, clipped(data) + 1.0)


def private_scale_beside(data):
    return secure(clipped(data), clipped(data) + 1.0)


@dpv.noise_primitive(law="laplace")
def salted(value, scale, salt):
    return value + salt


def data_in_another_argument(data):
    return salted(clipped(data), 1.0, clipped(data))


def scale_for_each(data):
    counts = np.histogram(np.nan_to_num(data), bins=1, range=(0, 1))[0]
    return secure(counts[0], np.array([1.0, 1.0]))


def returned_bare(data):
    secure(clipped(data), 1.0)
    return clipped(data)


def undeclared(value, scale):
    return value + np.random.default_rng(secrets.randbits(64)).laplace(scale=scale)


def of_undeclared(data):
    return undeclared(clipped(data), 1.0)


class SaysItIsSecure:
    def __eq__(self, other):
        return True

    def __hash__(self):
        return hash(secure)

    def __call__(self, value, scale):
        return value


PRETENDED = SaysItIsSecure()


def of_pretended(data):
    return PRETENDED(clipped(data), 1.0)


@pytest.mark.parametrize(
    "function",
    [
        half,
        twice,
        of_records,
        of_a_column,
        private_scale,
        private_scale_beside,
        data_in_another_argument,
        scale_for_each,
        returned_bare,
        of_undeclared,
        of_pretended,
    ],
)
def test_what_is_wrong_is_not_proved(function):
    assert dpv.derive(function, data=DATA, claim="PureDP(epsilon=1)").outcome != "proved"


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (of_records, "noise for each record"),
        (of_a_column, "of what is no number and no array of sums over the records"),
        (scale_for_each, "with scales of another shape than the value's"),
        (data_in_another_argument, "with arguments that are no known numbers or texts"),
        (private_scale_beside, "the scale of the noise is a sum over the records"),
    ],
)
def test_the_line_says_why(function, words):
    assert words in dpv.derive(function, data=DATA, claim="PureDP(epsilon=1)").why


def test_a_certificate_cannot_leave_out_what_was_declared():
    told = dpv.derive(total, data=DATA, claim="PureDP(epsilon=1)").certificate()
    (draw,) = [node for node in told["paths"][0]["nodes"] if node["op"] == "draw"]
    with pytest.raises(ProofError, match="assumptions"):
        holds(told | {"assumptions": told["assumptions"][:-1]})
    draw["params"]["declared"] = "noise of\nanother kind"
    with pytest.raises(ProofError, match="no name"):
        holds(told)


def test_the_code_must_use_the_declared_law_and_scale():
    told = dpv.derive(total, data=DATA, claim="PureDP(epsilon=1)").certificate()
    check(told, total)
    told["code"]["function"] = f"{__name__}:half"
    with pytest.raises(ProofError, match=r"scale 0\.5"):
        check(told, half)


def test_outside_of_a_check_the_function_is_its_own():
    drawn = {secure(0.0, 1.0) for _ in range(20)}
    assert len(drawn) == 20
    assert salted(1.0, 1.0, 2.0) == 3.0


@dpv.noise_primitive(law="laplace")
def right_for_numbers_only(value, scale):
    rng = np.random.default_rng(secrets.randbits(64))
    if np.shape(value):
        return [each + rng.laplace(scale=scale) for each in value]
    return value + rng.laplace(scale=scale)


def of_a_number(data):
    return right_for_numbers_only(clipped(data), 1.0)


def of_an_array(data):
    return right_for_numbers_only(np.histogram(np.nan_to_num(data), bins=4, range=(0, 1))[0], 1.0)


def test_each_proof_looks_at_the_function_anew():
    for _ in range(2):
        assert dpv.derive(of_a_number, data=DATA, claim="PureDP(epsilon=1)").outcome == "proved"
    found = dpv.derive(of_an_array, data=DATA, claim="PureDP(epsilon=1)")
    assert "returns a list" in found.why
