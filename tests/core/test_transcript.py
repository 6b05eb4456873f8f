"""Transcripts: what is released, what is not, and what a value must be."""

from __future__ import annotations

import math
from typing import get_args

import numpy as np
import pytest

from dpverify.core.errors import InputError
from dpverify.core.transcript import NoiseLaw, Perturbed, Transcript


def value(name: str, number: float, *, released: bool = True) -> Perturbed:
    return Perturbed(
        name=name, clean=np.array([number]), noise=np.array([0.5]), law="laplace", scale=1.0, released=released
    )


def test_hidden_values_are_not_released_and_their_noise_is_kept() -> None:
    transcript = Transcript(
        result=np.zeros(1),
        iterates=np.empty((0, 0)),
        perturbed=(value("query", 1.0), value("threshold", 2.0, released=False), value("query", 3.0)),
    )
    assert [each.tolist() for each in transcript.released("query")] == [[1.5], [3.5]]
    assert transcript.released("threshold") == ()
    assert [each.tolist() for each in transcript.noise("threshold")] == [[0.5]]
    assert transcript.released("nothing") == ()


def test_public_values_by_their_usual_names() -> None:
    transcript = Transcript(
        result=np.zeros(1),
        iterates=np.empty((0, 0)),
        public={"step-size": np.array([1.0, 2.0]), "answer": np.array([True]), "budget": np.array([0.1])},
    )
    assert transcript.step_sizes.tolist() == [1.0, 2.0]
    assert transcript.answers.tolist() == [True]
    assert transcript.budgets.tolist() == [0.1]
    empty = Transcript(result=np.zeros(1), iterates=np.empty((0, 0)))
    assert empty.step_sizes.size == empty.answers.size == empty.budgets.size == 0


@pytest.mark.parametrize(("law", "scale"), [("normal", 1.0), ("gaussian", -1.0), ("laplace", math.nan)])
def test_wrong_laws_and_scales_are_refused(law, scale) -> None:
    with pytest.raises(InputError, match="noise"):
        Perturbed(name="x", clean=np.zeros(1), noise=np.zeros(1), law=law, scale=scale)


@pytest.mark.parametrize("law", get_args(NoiseLaw))
def test_every_law_will_do(law) -> None:
    assert Perturbed(name="x", clean=np.ones(2), noise=np.ones(2), law=law, scale=0.0).value.tolist() == [2.0, 2.0]
