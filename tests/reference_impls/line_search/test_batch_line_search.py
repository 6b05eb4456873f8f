"""NoisyBTLS on the tape: its queries written out, its answer from its own noise, its sensitivity."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpverify.core.errors import InputError
from dpverify.datasets.table import Table
from dpverify.recording.tape import Tape
from dpverify.sampling.streams import stream
from reference_impls.line_search.batch_line_search import BatchSearch
from reference_impls.models.model import find_model

BATCH = np.array([1, 4, 5, 20])
WEIGHTS, DIRECTION = np.array([0.5, -1.0, 0.25]), np.array([3.0, 2.0, -4.0])
NUMBERS = st.floats(-30.0, 30.0)


def search(**settings: object) -> BatchSearch:
    given_settings: dict[str, object] = {
        "model": find_model("logistic"),
        "weights": WEIGHTS,
        "direction": DIRECTION,
        "batch": BATCH,
        "sensitivity": 0.9,
        "eta0": 4.0,
        "max_it": 12,
        "regular": 0.07,
        **settings,
    }
    return BatchSearch(**given_settings)  # type: ignore[arg-type]


def naive_objective(table: Table, weights: np.ndarray, batch: np.ndarray, clip: float, regular: float) -> float:
    losses = [min(math.log1p(math.exp(-table.labels[i] * float(table.features[i] @ weights))), clip) for i in batch]
    return math.fsum(losses) + regular * float(weights @ weights)


def test_queries_are_algorithm_1s(small: Table) -> None:
    """The sum over the sample of the losses clipped at C_obj, the direction's own norm, the public regulariser."""
    expected, eta = [], 4.0
    for _ in range(12):
        before = naive_objective(small, WEIGHTS, BATCH, 0.9, 0.07)
        after = naive_objective(small, WEIGHTS - eta * DIRECTION, BATCH, 0.9, 0.07)
        expected.append(before - 0.5 * eta * float(DIRECTION @ DIRECTION) - after)
        eta *= 0.8
    assert search().query(small) == pytest.approx(np.array(expected), abs=1e-12)


@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
@pytest.mark.parametrize("number", range(20))
def test_the_answer_is_the_first_query_that_reaches_the_threshold(small: Table, noise: str, number: int) -> None:
    """From the tape's own clean values and noise; every clean query is the one of `query`, bit for bit."""
    tape, subject = Tape.recording(stream(number, "search")), search(noise=noise, budget=0.05)
    answer = subject.run(small, tape)
    transcript = tape.transcript(0.0)
    queries = [entry for entry in transcript.perturbed if entry.name == "query"]
    (threshold,) = (entry for entry in transcript.perturbed if entry.name == "threshold")
    assert [entry.clean[0] for entry in queries] == subject.query(small)[: len(queries)].tolist()
    reached = [bool(entry.value[0] >= threshold.value[0]) for entry in queries]
    assert reached.index(True) == answer if answer < 12 else len(reached) == 12 and not any(reached)
    assert not any(reached[:-1]) and len(reached) == min(answer + 1, 12)
    assert transcript.answers.tolist() == [answer]


@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
def test_only_the_answer_is_public(small: Table, noise: str) -> None:
    tape, subject = Tape.recording(stream(0, "search")), search(noise=noise, budget=2.0)
    subject.run(small, tape)
    transcript = tape.transcript(0.0)
    assert not any(entry.released for entry in transcript.perturbed)
    assert set(transcript.public) == {"search-budget", "answer"}
    for entry in transcript.perturbed:
        unit = {"laplace": (0.9 / 1.0, 0.9 / 0.5), "gaussian": (0.9 * 0.75**0.5, 0.9 * 1.5**0.5)}[noise]
        assert entry.scale == pytest.approx(unit[entry.name == "query"])
        assert entry.sensitivity == (0.9 if entry.name == "query" else 0.0)


def test_an_empty_sample_leaves_the_regulariser(small: Table) -> None:
    nobody = np.array([], dtype=np.int64)
    decrease = search(batch=nobody).query(small)
    steps = search().step_sizes
    far = [0.07 * (WEIGHTS @ WEIGHTS - (WEIGHTS - step * DIRECTION) @ (WEIGHTS - step * DIRECTION)) for step in steps]
    assert decrease == pytest.approx(np.array(far) - 0.5 * steps * (DIRECTION @ DIRECTION))


def test_a_direction_that_overflows_is_never_taken(small: Table) -> None:
    tape = Tape.recording(stream(0, "search"))
    assert search(direction=np.array([1e200, 0.0, 0.0]), budget=1e3).run(small, tape) == 12


def test_the_exact_law_of_one_search(small: Table) -> None:
    """Far-apart scales: with a large budget the law sits on the first query that is above zero."""
    subject = search(budget=1e6, direction=-WEIGHTS, eta0=0.5, alpha=0.0, batch=None, regular=0.0)
    queries = subject.query(small)
    first = int(np.argmax(queries > 0)) if (queries > 0).any() else 12
    assert np.exp(subject.output_law(small).log_probabilities())[first] > 1 - 1e-9
    assert subject.run(small, Tape.recording(stream(0, "search"))) == first


@given(
    rows=st.lists(st.tuples(NUMBERS, NUMBERS, st.sampled_from([-1.0, 1.0])), min_size=1, max_size=4),
    weights=st.tuples(NUMBERS, NUMBERS),
    direction=st.tuples(NUMBERS, NUMBERS),
    clip=st.floats(1e-2, 10.0),
    loss=st.sampled_from(["logistic", "huber-svm", "hinge"]),
)
def test_one_record_moves_every_query_by_at_most_c_obj(
    rows: list[tuple[float, float, float]],
    weights: tuple[float, float],
    direction: tuple[float, float],
    clip: float,
    loss: str,
) -> None:
    """BL-SENS-OBJ on the tape, and BL-AC: for any threshold, which clips and scales at once."""
    array = np.array(rows)
    table = Table(features=array[:, :2], labels=array[:, 2])
    queries = [
        search(
            model=find_model(loss),
            weights=np.array(weights),
            direction=np.array(direction),
            batch=batch,
            sensitivity=clip,
            alpha=0.0,
            regular=0.0,
        ).query(table)
        for batch in (np.arange(len(rows)), np.arange(len(rows) - 1))
    ]
    assert np.abs(queries[0] - queries[1]).max() <= clip + 1e-14 * len(rows) * clip


def test_c_obj_is_attained(small: Table) -> None:
    """A record that goes from no loss to the bound."""
    far = 100.0 * small.labels[4] * small.features[4]
    subject, others = (
        search(model=find_model("hinge"), weights=far, direction=far, batch=batch, eta0=2.0, alpha=0.0, regular=0.0)
        for batch in (np.array([4]), np.array([], dtype=np.int64))
    )
    assert np.abs(subject.query(small) - others.query(small)).max() == pytest.approx(0.9, rel=1e-12)


def test_bad_data(small: Table) -> None:
    with pytest.raises(InputError, match="Table"):
        search().query([1.0, 2.0])
