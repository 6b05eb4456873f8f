"""Events: in words, as sets, and as counts."""

import json

import numpy as np

from auditors.privacy.event.learned import Feature, Linear
from auditors.privacy.event.scores import Coordinate, Event, Scored
from tests.auditors.privacy.samples import sample

ROWS = np.random.default_rng(0).integers(0, 3, size=(200, 5)).astype(float)


def test_coordinates():
    assert Coordinate(column=1)(ROWS).tolist() == ROWS[:, 1].tolist()
    assert Coordinate()(ROWS[:, 0]).tolist() == ROWS[:, 0].tolist()
    assert Coordinate(column=1).text(2.0, above=False) == "output[1] <= 2"
    assert Coordinate().text(2.0, above=True) == "output > 2"


def test_events_count_draws_and_weights():
    event = Event(score=Coordinate(), threshold=1.0, above=True)
    assert event.hits(sample([0.0, 1.0, 2.0, 3.0])) == 2
    assert event.hits(sample(np.arange(4), weights=np.array([5, 7, 11, 13]))) == 24
    below = Event(score=Coordinate(), threshold=1.0, above=False)
    assert below.hits(sample(np.arange(4), weights=np.array([5, 7, 11, 13]))) == 12
    assert json.loads(json.dumps(event.plain())) == {
        "threshold": 1.0,
        "above": True,
        "kind": "coordinate",
        "column": None,
    }


def test_a_score_that_others_are_made_of_is_computed_once_and_gives_the_same_bits():
    class Watched:
        calls = 0

        def __call__(self, values):
            self.calls += 1
            return np.sqrt(values[:, 0])

    inner = Watched()
    middle = Linear(features=(Feature(name="x", column=1),), scores=(inner,), weights=(0.3, 0.7))
    outer = Linear(features=(), scores=(middle, inner), weights=(0.1, -0.2))
    alone = outer(ROWS), middle(ROWS)
    inner.calls = 0
    scored = Scored(values=ROWS)
    assert (scored.of(outer) == alone[0]).all()
    assert (scored.of(middle) == alone[1]).all()
    assert (scored.of(inner) == np.sqrt(ROWS[:, 0])).all()
    assert inner.calls == 1
