import numpy as np
import pytest
from sklearn.metrics import log_loss, roc_auc_score

from dpverify.core.errors import InputError
from dpverify.datasets.table import Table
from dpverify.frontier.metrics import METRICS, accuracy, area_under_curve, logistic_loss
from dpverify.frontier.trained import Trained


def test_each_is_what_scikit_learn_says():
    rng = np.random.default_rng(2)
    truth = np.where(rng.random(200) < 0.3, 1.0, -1.0)
    scores = np.round(truth + 2 * rng.normal(size=200), 1)  # with ties
    assert area_under_curve(scores, truth) == pytest.approx(roc_auc_score(truth, scores), abs=1e-12)
    assert logistic_loss(scores, truth) == pytest.approx(log_loss(truth, 1 / (1 + np.exp(-scores))), abs=1e-12)
    assert accuracy(np.sign(scores), truth) == np.mean(np.sign(scores) == truth)
    assert area_under_curve(scores[:3], np.ones(3)) == 0.5


def test_scores_are_needed_for_a_metric_of_scores():
    test = Table(features=np.eye(2), labels=np.array([1.0, -1.0]))
    model = Trained(name="train", classes=2, model=lambda features: np.array([1.0, -1.0]))
    assert METRICS["accuracy"].measure(model, test) == 1.0
    with pytest.raises(InputError, match="gives labels only"):
        METRICS["auc"].measure(model, test)
