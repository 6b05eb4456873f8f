"""L, mu and R: never too small (too large), and as good as they can be."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from dpverify.core.errors import InputError
from dpverify.datasets.table import Table
from reference_impls.models.linear import LinearModel
from reference_impls.models.loss_constants import constants
from reference_impls.models.model import find_model

TEXTS = ["logistic", "huber-svm", "huber-svm:0.05", "huber-svm:4", "hinge", "squared", "softmax:2", "softmax:4"]
COLUMNS = 2


def gradient(text: str, x: np.ndarray, y: float, w: np.ndarray, l2: float) -> np.ndarray:
    return find_model(text).gradient(w, Table(features=x[None, :], labels=np.array([y]))) + l2 * w


def in_ball(numbers: list[float], radius: float) -> np.ndarray:
    """A point of the ball; the whole ball, its sphere included, is reached."""
    point = np.array(numbers)
    return point * (radius / max(1.0, float(np.linalg.norm(point))))


@dataclass(frozen=True)
class Case:
    text: str
    x: np.ndarray
    y: float
    w: np.ndarray
    v: np.ndarray
    norm: float
    l2: float
    radius: float


@st.composite
def cases(draw) -> Case:
    text = draw(st.sampled_from(TEXTS))
    model = find_model(text)
    size, numbers = model.dimension(COLUMNS), st.floats(-1.5, 1.5)
    norm, radius = draw(st.floats(0.1, 3)), draw(st.floats(0.1, 20))
    vectors = [
        in_ball(draw(st.lists(numbers, min_size=each, max_size=each)), bound)
        for each, bound in ((COLUMNS, norm), (size, radius), (size, radius))
    ]
    classes = model.classes if not isinstance(model, LinearModel) else 0
    label = float(draw(st.integers(0, classes - 1))) if classes else draw(st.sampled_from([-1.0, 1.0]))
    return Case(text, vectors[0], label, vectors[1], vectors[2], norm, draw(st.sampled_from([0.0, 0.001, 1.0])), radius)


@given(cases())
def test_they_bound_gradients_and_their_differences(case: Case) -> None:
    found = constants(find_model(case.text), norm=case.norm, l2=case.l2, radius=case.radius)
    here = gradient(case.text, case.x, case.y, case.w, case.l2)
    there = gradient(case.text, case.x, case.y, case.v, case.l2)
    assert np.linalg.norm(here) <= found.lipschitz * (1 + 1e-12)
    apart = case.w - case.v
    distance = float(np.linalg.norm(apart))
    assume(distance > 1e-6)
    rounding = 1e-14 * (np.linalg.norm(here) + np.linalg.norm(there))
    assert np.linalg.norm(here - there) <= found.smoothness * distance * (1 + 1e-12) + rounding
    assert (here - there) @ apart >= (found.strong_convexity * distance * (1 - 1e-12) - rounding) * distance


@given(cases(), st.lists(st.floats(-1.5, 1.5), min_size=COLUMNS, max_size=COLUMNS), st.booleans())
def test_two_records_differ_by_twice_the_bound_without_l2(case: Case, other: list[float], same: bool) -> None:
    """And so they do without any ball, squared loss aside: the l2 term is the same for both."""
    x, y = in_ball(other, case.norm), case.y if same else (1.0 - case.y if "softmax" in case.text else -case.y)
    assume(y >= 0 or "softmax" not in case.text)
    radius = case.radius if case.text == "squared" else math.inf
    bound = constants(find_model(case.text), norm=case.norm, radius=radius).lipschitz
    moved = gradient(case.text, case.x, case.y, case.w, case.l2) - gradient(case.text, x, y, case.w, case.l2)
    assert np.linalg.norm(moved) <= 2 * bound * (1 + 1e-12) + 1e-14 * case.l2 * case.radius


@pytest.mark.parametrize("l2", [0.0, 0.3])
@pytest.mark.parametrize("text", TEXTS)
def test_smoothness_and_strong_convexity_are_attained(text: str, l2: float) -> None:
    """Second derivatives along x where the loss bends most, and for x = 0."""
    model, norm, step = find_model(text), 0.7, 1e-4
    found = constants(model, norm=norm, l2=l2)
    x = norm * np.array([0.6, -0.8])
    w, along = np.zeros(model.dimension(2)), np.zeros(model.dimension(2))
    along[:2] = x / norm
    if text.startswith("huber"):  # the middle of the bend
        w[:2] = x / norm**2
    if text.startswith("softmax"):  # two classes share everything, any others nothing, and the two move apart
        along[2:4] = -along[:2]
        along /= math.sqrt(2)
        w[4:] = np.tile(-60 * x / norm**2, len(w[4:]) // 2)
    if text != "hinge":
        moved = gradient(text, x, 1.0, w + step * along, l2) - gradient(text, x, 1.0, w - step * along, l2)
        assert np.linalg.norm(moved) / (2 * step) == pytest.approx(found.smoothness, rel=1e-7)
    else:
        assert found.smoothness == math.inf
    flat = gradient(text, 0 * x, 1.0, w + along, l2) - gradient(text, 0 * x, 1.0, w, l2)
    assert np.linalg.norm(flat) == pytest.approx(found.strong_convexity, rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("l2", [0.0, 0.3])
@pytest.mark.parametrize("radius", [0.0, 0.5, 4.0])
@pytest.mark.parametrize("text", [*TEXTS[:-1], "softmax:4"])
def test_the_gradient_bound_is_attained(text: str, radius: float, l2: float) -> None:
    """At the weights furthest on the wrong side of the longest record."""
    model, norm = find_model(text), 0.7
    found = constants(model, norm=norm, l2=l2, radius=radius).lipschitz
    x = norm * np.array([0.6, -0.8])
    w = np.zeros(model.dimension(2))
    if text.startswith("softmax"):  # label 1 loses to label 0
        w[:4] = radius / math.sqrt(2) * np.concatenate([x, -x]) / norm
        # the l2 term points as the gradient does when there are two classes; others take their share of it
    else:
        w[:] = -radius * x / norm
    attained = np.linalg.norm(gradient(text, x, 1.0, w, l2))
    if text == "softmax:4":
        assert 0.5 * found < attained < found
    else:
        assert attained == pytest.approx(found, rel=1e-12)


def test_with_l2_gradients_are_bounded_in_a_ball_only() -> None:
    """RSGD's conditions 3 and 4 together."""
    for text in ("logistic", "huber-svm"):
        assert constants(find_model(text), l2=0.001).lipschitz == math.inf
        assert constants(find_model(text)).lipschitz == 1.0
    assert constants(find_model("squared")).lipschitz == math.inf


def test_values_of_the_papers_losses() -> None:
    logistic, huber = (constants(find_model(text), l2=0.001) for text in ("logistic", "huber-svm"))
    assert (logistic.smoothness, logistic.strong_convexity) == (0.251, 0.001)
    assert huber.smoothness == 1.001


def test_bad_input_is_refused() -> None:
    for wrong in ({"norm": 0.0}, {"norm": math.inf}, {"l2": -1.0}, {"radius": -1.0}, {"label": math.inf}):
        with pytest.raises(InputError, match=next(iter(wrong))):
            constants(find_model("logistic"), **wrong)

    class Other:
        name = "other"

    with pytest.raises(InputError, match="'other'"):
        constants(Other())  # type: ignore[arg-type]
