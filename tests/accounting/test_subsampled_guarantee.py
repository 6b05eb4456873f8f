"""The guarantee of Poisson-sampled Gaussians: what every definition keeps, and its own numbers."""

import copy
import dataclasses
import math
import pickle

import numpy as np
import pytest

from dpverify.accounting import loss_curve, subsampled_guarantee
from dpverify.accounting.accountants.pld import compose
from dpverify.accounting.subsampled_guarantee import SubsampledGaussian
from dpverify.core.errors import InputError
from dpverify.core.plugins import registry
from dpverify.core.subjects import PrivacyGuarantee
from dpverify.definitions.gdp import GDP
from dpverify.definitions.grammar import parse_guarantee
from tests.contracts import test_definitions as contract

EXAMPLES = SubsampledGaussian.examples()
examples = pytest.mark.parametrize("guarantee", EXAMPLES, ids=lambda item: item.text())


@pytest.fixture(scope="module", autouse=True)
def _smaller_grid():
    """Nothing here hangs on the grid being fine to less than a percent; other files get none of these curves."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(loss_curve, "LARGEST_GRID", 1 << 17)
        patched.setattr(loss_curve, "WIDTH", 1e-2)
        subsampled_guarantee._curve.cache_clear()
        yield
    subsampled_guarantee._curve.cache_clear()


@examples
def test_keeps_the_contract_of_definitions(guarantee):
    assert isinstance(guarantee, PrivacyGuarantee)
    for reverse in (False, True):
        contract.check_curve(guarantee, reverse=reverse)
        contract.check_profile(guarantee, reverse=reverse)
        contract.check_duality(guarantee, reverse=reverse)
        contract.check_reconstruction(guarantee, reverse=reverse)
    contract.check_inverse(guarantee)
    contract.check_measures(guarantee)
    contract.test_any_shape(guarantee)
    contract.test_ends(guarantee)


@examples
def test_reads_back_and_is_a_value(guarantee):
    known = dict(registry().definitions.items())
    assert parse_guarantee(guarantee.text(), known) == guarantee
    assert hash(guarantee) == hash(copy.deepcopy(guarantee))
    assert pickle.loads(pickle.dumps(guarantee)) == guarantee  # noqa: S301  # our own bytes


def test_the_headline_is_the_accountants_upper_end():
    guarantee = EXAMPLES[0]
    found = compose(guarantee.composition).epsilon(1e-5)
    assert guarantee.measures()[0].claimed == found.upper
    assert guarantee.bracket() == found
    assert found.width < 2e-3


def test_without_sampling_it_is_gdp():
    guarantee, exact = SubsampledGaussian(rate=1, sigma=4, steps=9), GDP(mu=0.75)
    at = np.linspace(0.001, 0.999, 50)
    assert np.all(guarantee.tradeoff(at) <= exact.tradeoff(at))
    assert np.allclose(guarantee.tradeoff(at), exact.tradeoff(at), atol=2e-4)


def test_more_noise_fewer_steps_or_a_smaller_rate_allow_less():
    at = np.array([1e-4, 0.01, 0.2, 0.7])
    lax = EXAMPLES[0]  # its curve is known already
    for change in ({"sigma": 3.1}, {"steps": 90}, {"rate": 0.225}):
        assert np.all(dataclasses.replace(lax, **change).tradeoff(at) > lax.tradeoff(at))


@pytest.mark.parametrize(
    "wrong",
    [{"rate": 0}, {"rate": 1.1}, {"sigma": 0}, {"sigma": math.nan}, {"steps": 0}, {"steps": 2.5}, {"at_delta": 0}],
)
def test_parameters_out_of_range_are_refused(wrong):
    with pytest.raises(InputError, match=f"SubsampledGaussian: {next(iter(wrong))}"):
        SubsampledGaussian(**{"rate": 0.1, "sigma": 1.0, "steps": 10, **wrong})
