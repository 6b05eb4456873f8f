"""The installed diffprivlib: everything is walked, and seeds decide (skipped where it cannot be imported)."""

import numpy as np
import pytest

pytest.importorskip("diffprivlib", exc_type=ImportError)

from dpverify.adapters.libraries import find_library
from dpverify.sampling.streams import stream


@pytest.fixture(scope="module")
def offers():
    return find_library("diffprivlib").offers("quick")


def test_every_mechanism_tool_and_model_has_a_claim_or_a_reason(offers):

    examined = {each.constructor for each in offers.claims if not each.twin}
    assert {each.constructor for each in offers.not_examined} == set(offers.constructors) - examined == {"Vector"}
    assert examined >= {"Laplace", "Gaussian", "mean", "histogram", "quantile", "GaussianNB", "KMeans", "PCA"}
    twins = {each.constructor for each in offers.claims if each.twin}
    assert twins == examined


def test_a_seed_repeats_a_release_and_the_default_is_the_system_generator(offers):
    (claim,) = [each for each in offers.claims if each.id.startswith("Laplace:") and not each.twin]
    mechanism = claim.build()
    first, second = (mechanism(1.0, 5, rng=stream(0, "seed")) for _ in range(2))
    assert np.array_equal(first, second)
    assert len({claim.single()(1.0) for _ in range(5)}) == 5
