"""The installed OpenDP: coverage, members of the domains, and its own map as the claim (skipped without OpenDP)."""

import json
import math
import os
import sys

import numpy as np
import pytest
from scipy.special import softmax

pytest.importorskip("opendp")

from dpverify.adapters.libraries import find_library
from dpverify.adapters.libraries.opendp.claims import POINT, guarantee_of
from dpverify.adapters.libraries.opendp.draws import fast_draws, single_draws
from dpverify.adapters.libraries.opendp.library import prelude
from dpverify.adapters.libraries.opendp.spaces import spaces
from dpverify.definitions.pure_dp import ApproxDP, PureDP
from dpverify.definitions.rdp import ZCDP
from tests import forked


@pytest.fixture(scope="module")
def dp():
    return prelude()


@pytest.fixture(scope="module")
def offers():
    return find_library("opendp").offers("quick")


def test_at_least_nine_in_ten_constructors_have_a_claim(offers):
    examined = {each.constructor for each in offers.claims if not each.twin}
    assert len(examined) >= 0.9 * len(offers.constructors)
    assert {each.constructor for each in offers.not_examined} == set(offers.constructors) - examined
    assert all(each.reason for each in offers.not_examined)
    assert len({each.id for each in offers.claims}) == len(offers.claims)


def test_every_kind_that_is_promised_is_there(offers):
    names = {each.constructor for each in offers.claims}
    assert names >= {
        "make_laplace",
        "make_gaussian",
        "make_geometric",
        "make_noisy_max",
        "make_laplace_threshold",
        "make_private_quantile",
        "make_randomized_response",
        "make_canonical_noise",
        "make_composition",
        "make_privacy_filter",
    }
    twins = {each.constructor for each in offers.claims if each.twin}
    assert len(twins) >= 20
    assert any("bounds taken from the data" in each.twin for each in offers.claims)


def test_a_twin_of_the_noisy_maximum_loses_twice_what_is_claimed(offers):
    """With Gumbel noise the output's law is the exponential mechanism's."""
    twins = [each for each in offers.claims if each.constructor == "make_report_noisy_max_gumbel" and each.twin]
    assert twins
    for each in twins:
        laws = [
            [softmax(np.array(side) / each.parameters["scale"]) for side in (pair.d0, pair.d1)] for pair in each.pairs
        ]
        assert max(np.abs(np.log(one / other)).max() for one, other in laws) >= 2.0 * each.guarantee.epsilon


def test_the_pairs_are_members_of_their_domains(dp):
    from dpverify.adapters.libraries.opendp.spaces import pairs_of

    looked = 0
    for space in spaces(dp):
        for pair in pairs_of(space.domain, space.metric):
            if "Map" in repr(space.domain) or "BitVector" in repr(space.domain):
                continue  # what Python passes for these is made into another type on the way
            assert space.domain.member(pair.d0) and space.domain.member(pair.d1)
            looked += 1
    assert looked > 100


def test_the_guarantee_is_the_map_in_its_measure(dp):
    assert guarantee_of(dp.max_divergence(), 1.5) == (PureDP(epsilon=1.5), "")
    assert guarantee_of(dp.zero_concentrated_divergence(), 0.5) == (ZCDP(rho=0.5), "")
    assert guarantee_of(dp.approximate(dp.max_divergence()), (1.0, 1e-3)) == (ApproxDP(epsilon=1.0, delta=1e-3), "")
    with pytest.raises(LookupError, match="promises nothing"):
        guarantee_of(dp.max_divergence(), math.inf)


def test_the_implied_epsilon_is_above_what_a_gaussian_really_has(dp):
    found, how = guarantee_of(dp.approximate(dp.zero_concentrated_divergence()), (0.5, 1e-3))
    from scipy.stats import norm

    epsilon = found.epsilon  # the Gaussian mechanism with mu = 1 is 0.5-zCDP
    delta = norm.cdf(0.5 - epsilon) - math.exp(epsilon) * norm.cdf(-0.5 - epsilon)
    assert delta < POINT
    assert found == ApproxDP(epsilon=epsilon, delta=1e-3 + POINT)
    assert "implied" in how


def test_draws_many_a_call_are_as_many_as_asked_for_and_of_the_same_law(dp):
    def make():
        return dp.m.make_geometric(dp.atom_domain(T=int), dp.absolute_distance(T=int), 1.0)

    fast, single = fast_draws(make, example=0)(), single_draws(make)()
    drawn = np.concatenate([fast(3, size) for size in (1, 2, 63, 64, 65, 4805)])
    assert drawn.shape == (5000,)
    alone = np.array([single(3) for _ in range(5000)])
    # The chance of exactly 3 is (1 - 1/e) / (1 + 1/e) = 0.462; two counts of 5,000 differ by 6.5 standard deviations
    # (0.065) with probability 1e-10.
    assert abs((drawn == 3).mean() - (alone == 3).mean()) < 0.065
    assert abs((drawn == 3).mean() - 0.462) < 0.05


def test_rust_backtraces_are_off_in_this_process(dp):
    assert os.environ["RUST_BACKTRACE"] == "0"


@pytest.mark.slow
def test_a_sum_passes_and_its_twins_are_found(tmp_path):
    out = tmp_path / "out"
    words = ["audit-library", "opendp", "--only", "make_sum+noise*", "--out", out]
    result = forked.run([sys.executable, "-m", "dpverify", *words])
    assert result.returncode == 0, result.stdout + result.stderr
    found = json.loads((out / "opendp.json").read_text())
    assert {each["verdict"] for each in found if each["twin"]} == {"refuted"}
    assert {each["verdict"] for each in found if not each["twin"]} == {"not_refuted"}
