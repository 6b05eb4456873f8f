"""What a model is worth on the test part: accuracy, AUC, or the mean logistic loss.

Accuracy and AUC lie in [0, 1], larger is better; the loss (the objective without its penalty, on the test part) is
better where it is smaller. AUC and loss need scores and two classes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dpverify.core.errors import InputError
from dpverify.core.subjects import Float
from dpverify.datasets.table import Table
from dpverify.frontier.trained import Trained


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """One number for a model and a test part.

    Attributes
    ----------
    name : str
    larger : bool
        Whether larger is better.
    scored : bool
        Whether it needs scores.
    of : callable
        Scores (or labels) and true labels to the number.
    """

    name: str
    larger: bool
    scored: bool
    of: Callable[[Float, Float], float]

    def measure(self, trained: Trained, test: Table) -> float:
        """The number on the test part; InputError where the model gives no scores and the metric needs them."""
        scores, labels = trained.outputs(test.features)
        if not self.scored:
            return self.of(labels, test.labels)
        if scores is None:
            raise InputError(
                f"{self.name} of {trained.name}, whose model gives labels only",
                allowed="a model of scores: weights, decision_function or predict_proba",
                remedy="--metric accuracy",
            )
        return self.of(scores, test.labels)


def accuracy(found: Float, truth: Float) -> float:
    """Share of records whose label was found."""
    return float(np.mean(found == truth))


def area_under_curve(scores: Float, truth: Float) -> float:
    """The chance that a record of +1 has a larger score than one of -1, ties counted half; 1/2 for one label only."""
    from scipy.stats import rankdata

    positive = truth > 0
    many, few = int(positive.sum()), int((~positive).sum())
    if not many or not few:
        return 0.5
    ranks = rankdata(scores)
    return float((ranks[positive].sum() - many * (many + 1) / 2) / (many * few))


def logistic_loss(scores: Float, truth: Float) -> float:
    """Mean of ln(1 + e^(-label score)), in nats."""
    return float(np.mean(np.logaddexp(0.0, -truth * scores)))


METRICS = {
    each.name: each
    for each in (
        Metric(name="accuracy", larger=True, scored=False, of=accuracy),
        Metric(name="auc", larger=True, scored=True, of=area_under_curve),
        Metric(name="loss", larger=False, scored=True, of=logistic_loss),
    )
}
