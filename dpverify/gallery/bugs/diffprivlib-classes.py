"""Naive Bayes on records (x, label) with x in [0, 1]: how many classes the fitted model has."""

import warnings

from diffprivlib import BudgetAccountant
from diffprivlib.models import GaussianNB

warnings.filterwarnings("ignore")


def claimed():
    """What the library's own accountant says after a fit."""
    accountant = BudgetAccountant()
    _fit([[0.1, 0.0], [0.2, 1.0]], 0, accountant)
    spent = accountant.total()
    assert spent[1] == 0
    return f"PureDP(epsilon={spent[0]:g})"


def draw(data, size, seed):
    """Numbers of classes, one a fit."""
    return [float(len(_fit(data, (seed + number) % 2**32, None).classes_)) for number in range(size)]


def _fit(data, seed, accountant):
    model = GaussianNB(epsilon=1.0, bounds=(0.0, 1.0), random_state=seed, accountant=accountant)
    return model.fit([[x] for x, _ in data], [int(label) for _, label in data])
