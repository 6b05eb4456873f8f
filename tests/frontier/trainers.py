"""Small trainers with known privacy: the noisy sum of label times features, whose sensitivity is 1 in the unit ball."""

import numpy as np


def sigma(epsilon, delta):
    """The classical Gaussian mechanism, more noise than is needed up to epsilon 1."""
    return np.sqrt(2 * np.log(1.25 / delta)) / epsilon


def sound(table, epsilon, delta, rng):
    noise = rng.standard_normal(table.columns)
    return np.einsum("i,ij->j", table.labels, table.features) + sigma(epsilon, delta) * noise


def tenth(table, epsilon, delta, rng):
    noise = rng.standard_normal(table.columns)
    return np.einsum("i,ij->j", table.labels, table.features) + 0.1 * sigma(epsilon, delta) * noise


def ignores(table, epsilon, delta, rng):
    return sound(table, 1.0, delta, rng)


def majority(table, epsilon, delta, rng):
    """The label that most records have, by a count with Laplace noise: one record moves it by 1, or by 2 replaced."""
    best = 1.0 if table.labels.sum() + rng.laplace(scale=2 / epsilon) > 0 else -1.0
    return lambda features: np.full(len(features), best)


def constant(table, epsilon, delta, rng):
    return lambda features: np.ones(len(features))


class Estimator:
    """The same as an estimator of scikit-learn's kind."""

    def __init__(self, epsilon=1.0, random_state=None):
        self.epsilon, self.random_state = epsilon, random_state

    def get_params(self, deep=True):
        return {"epsilon": self.epsilon, "random_state": self.random_state}

    def set_params(self, **words):
        for name, value in words.items():
            setattr(self, name, value)
        return self

    def fit(self, features, labels):
        rng = np.random.default_rng(self.random_state)
        noise = sigma(self.epsilon, 1e-5) * rng.standard_normal(features.shape[1])
        self.coef_ = (labels @ features + noise)[None, :]
        return self

    def decision_function(self, features):
        return features @ self.coef_[0]

    def predict(self, features):
        return np.where(self.decision_function(features) > 0, 1.0, -1.0)


def two_clouds(rows=300, columns=4, seed=3):
    """(features, labels): two clouds, some 90 % of which a line tells apart."""
    rng = np.random.default_rng(seed)
    labels = np.where(rng.random(rows) < 0.5, 1.0, -1.0)
    features = rng.normal(size=(rows, columns)) + labels[:, None] * 0.7
    return features, labels
