import numpy as np
import pytest
from sklearn.metrics import log_loss, roc_auc_score

from dpverify.core.errors import InputError
from dpverify.datasets.table import Table
from dpverify.frontier.trained import METRICS, Trained, accuracy, area_under_curve, logistic_loss, read_trained

X = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]])
TABLE = Table(features=X, labels=np.array([1.0, -1.0, 1.0]))


class Predicts:
    def __init__(self, found):
        self.found = found

    def predict(self, features):
        return self.found


def read(returned, classes=2):
    return read_trained(returned, TABLE, name="train", classes=classes)


@pytest.mark.parametrize("weights", [np.array([2.0, -3.0]), [2.0, -3.0], np.array([[2.0, -3.0]])])
def test_weights_score_and_predict(weights):
    scores, labels = read(weights).outputs(X)
    assert scores.tolist() == [2.0, -3.0, 1.0]
    assert labels.tolist() == [1.0, -1.0, 1.0]
    assert read(weights).numbers(X).tolist() == [2.0, -3.0]


def test_an_intercept_is_added_and_seen():
    found = read(([2.0, -3.0], -1.5))
    assert found.outputs(X)[0].tolist() == [0.5, -4.5, -0.5]
    assert found.numbers(X).tolist() == [2.0, -3.0, -1.5]


def test_functions_and_objects():
    assert read(lambda features: features[:, 0]).outputs(X)[1].tolist() == [1.0, -1.0, -1.0]
    assert read(lambda features: features[:, :1] * 2).outputs(X)[0].tolist() == [2.0, 0.0, -2.0]
    assert read(lambda features: features).outputs(X)[0].tolist() == [-1.0, 1.0, 0.0]  # a score a class
    scores, labels = read(Predicts(np.array([1.0, -1.0, 1.0]))).outputs(X)
    assert scores is None
    assert labels.tolist() == [1.0, -1.0, 1.0]


def test_classes():
    weights = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]])
    assert read(weights, classes=3).outputs(X)[1].tolist() == [0.0, 1.0, 2.0]
    assert read(weights.ravel(), classes=3).outputs(X)[1].tolist() == [0.0, 1.0, 2.0]
    assert read(Predicts(np.array([2, 0, 1])), classes=3).outputs(X)[1].tolist() == [2.0, 0.0, 1.0]


@pytest.mark.parametrize(
    ("returned", "says"),
    [
        (None, "returned nothing"),
        (np.zeros(3), r"shape \(3,\) for a table of 2 columns"),
        (np.zeros((2, 2)), r"shape \(2, 2\)"),
        ([1.0, np.nan], "not finite"),
        (([1.0, 2.0], np.inf), "not finite"),
        ("weights", "no array of numbers"),
        ({"w": 1}, "no array of numbers"),
        (np.array([1.0 + 2.0j, 0.0]), "has complex numbers"),
        (([1.0, 2.0], 1j), "has complex numbers"),
    ],
)
@pytest.mark.filterwarnings("error")
def test_what_is_no_model_is_one_line(returned, says):
    with pytest.raises(InputError, match=says) as caught:
        read(returned)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("found", "says"),
    [
        (np.ones(2), r"shape \(2,\) for 3 records"),
        (np.ones((3, 5)), r"shape \(3, 5\)"),
        (np.array([0.1, 0.7, 0.9]), "between 0 and 1"),
        (np.array([0, 1, 1]), "between 0 and 1"),
        (np.array([1.0, np.nan, 1.0]), "not finite"),
        (np.array(["a", "b", "c"]), "no array of numbers"),
        (np.array([1j, 0.5, 2.0]), "has complex numbers"),
    ],
)
def test_predictions_that_do_not_fit_are_one_line(found, says):
    with pytest.raises(InputError, match=says):
        read(Predicts(found)).outputs(X)


def test_a_model_that_raises_is_one_line():
    def model(features):
        raise ValueError("no such column")

    with pytest.raises(InputError, match="the model that train returned raised ValueError: no such column"):
        read(model).outputs(X)
    with pytest.raises(InputError, match="gave 7"):
        read(Predicts(np.array([7, 0, 1])), classes=3).outputs(X)


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
