"""Trees: our loop against the library's own prediction, and what they look at."""

import json

import numpy as np
import pytest

from auditors.privacy.event import trees as event_trees
from auditors.privacy.event.statistics import Statistic
from tests.auditors.privacy.samples import sample


@pytest.fixture
def sides():
    """Four coordinates of noise; on d1 the product of the first two has another sign."""
    rng = np.random.default_rng(0)
    first, second = rng.normal(size=(4000, 4)), rng.normal(size=(4000, 4))
    first[:, 1] = np.where(rng.random(4000) < 0.7, np.abs(first[:, 1]) * np.sign(first[:, 0]), first[:, 1])
    return sample(first), sample(second)


def test_our_loop_predicts_what_the_library_does(sides, monkeypatch):
    models = []
    of = event_trees._forest
    from sklearn.ensemble import HistGradientBoostingClassifier as Boosted

    fit = Boosted.fit

    def watched(self, inputs, target):
        models.append((self, inputs))
        return fit(self, inputs, target)

    monkeypatch.setattr(Boosted, "fit", watched)
    score = event_trees.trees(*sides, [Statistic(name="sum")], rng=np.random.default_rng(1))
    model, inputs = models[0]
    baseline = float(model._baseline_prediction.item())
    values = np.concatenate([side.values for side in sides])
    assert score(values) + baseline == pytest.approx(model.decision_function(inputs), abs=1e-9)
    assert len(of([]).value) == 0


def test_an_interaction_is_learned_and_what_nobody_looks_at_is_not_computed(sides):
    score = event_trees.trees(*sides, [Statistic(name="ties")], rng=np.random.default_rng(1))
    assert {0, 1} <= set(score.columns)
    assert score.scores == (), "the number of ties is constant here: no tree can split on it"
    assert score(sides[0].values).mean() > score(sides[1].values).mean() + 0.1
    assert "boosted trees" in score.text(0.5, above=True)
    json.dumps(score.plain(), allow_nan=False)


def test_one_generator_one_forest(sides):
    one, again = (event_trees.trees(*sides, (), rng=np.random.default_rng(2)) for _ in range(2))
    assert np.array_equal(one(sides[0].values), again(sides[0].values))
