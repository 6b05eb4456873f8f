"""Scores of transcripts: the likelihood ratio against its definition, and values that are no numbers."""

import numpy as np
import pytest
from scipy import stats

from auditors.privacy.transcript.scores import LARGEST, Score, scores_for

BASE = {"column": 0, "sign": 1.0, "centre": 0.0, "rate": 0.3, "sigma": 1.7}


def test_the_likelihood_ratio_is_that_of_the_two_laws():
    x = np.random.default_rng(0).normal(size=(5, 4, 1)) * 3
    absent = stats.norm(0, 1.7)
    present = stats.norm(1, 1.7)
    mixture = 0.7 * absent.pdf(x) + 0.3 * present.pdf(x)
    wanted = np.sum(np.log(mixture / absent.pdf(x)), axis=(1, 2))
    assert np.allclose(Score(kind="likelihood ratio", **BASE).of(x), wanted, rtol=1e-12)
    whole = Score(kind="likelihood ratio", **{**BASE, "rate": 1.0}).of(x)
    assert np.allclose(whole, np.sum(np.log(present.pdf(x) / absent.pdf(x)), axis=(1, 2)), rtol=1e-12)


def test_far_values_meet_the_asymptote_without_a_jump():
    sigma = 0.5
    score = Score(kind="likelihood ratio", **{**BASE, "sigma": sigma})
    near = 0.5 + 40 * sigma**2
    x = np.array([near - 1e-9, near, near + 1e-9])[:, None, None]
    assert np.ptp(score.of(x)) < 1e-7
    assert score.of(np.array([[[1e8]]]))[0] == pytest.approx((1e8 - 0.5) / sigma**2 + np.log(0.3), rel=1e-9)


def test_sign_centre_energy_and_largest():
    x = np.array([[[1.0], [-3.0]], [[0.0], [2.0]]])
    assert Score(kind="energy", **BASE).of(x).tolist() == [10.0, 4.0]
    assert Score(kind="largest", **BASE).of(x).tolist() == [1.0, 2.0]
    assert Score(kind="largest", **{**BASE, "sign": -1.0, "centre": 1.0}).of(x).tolist() == [4.0, 1.0]


def test_what_is_no_number_counts_as_large():
    x = np.array([[[np.nan]], [[np.inf]], [[-np.inf]], [[1e300]]])
    assert Score(kind="largest", **BASE).of(x).tolist() == [LARGEST, LARGEST, -LARGEST, LARGEST]
    assert np.all(np.isfinite(Score(kind="likelihood ratio", **BASE).of(x)))


def test_centres_are_found_and_blank_records_have_none():
    noise = np.random.default_rng(1).normal(size=(200, 10, 2))
    noise[:, :, 1] -= 4.0
    found = scores_for(noise, rate=0.3, sigma=1.0)
    assert {score.column for score in found} == {0, 1}
    assert all(score.centre == 0.0 for score in found if score.column == 0)
    assert all(score.centre == pytest.approx(-4.0, abs=0.1) for score in found if score.column == 1)
    assert found[0].kind == found[1].kind == "likelihood ratio"
    assert all(np.isfinite(score.centre) for score in scores_for(np.full((3, 2, 1), np.nan), rate=0.3, sigma=1.0))
    assert found[0].record()["sigma"] == 1.0
    assert "likelihood" in found[0].text()
