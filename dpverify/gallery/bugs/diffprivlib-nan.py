"""The private mean of two numbers in [0, 1], one of which may be no number."""

import warnings

import numpy as np
from diffprivlib import BudgetAccountant
from diffprivlib.tools import mean

warnings.filterwarnings("ignore")


def claimed():
    """What the library's own accountant says after a mean."""
    accountant = BudgetAccountant()
    mean(np.array([0.5, 0.5]), epsilon=1.0, bounds=(0.0, 1.0), accountant=accountant)
    spent = accountant.total()
    assert spent[1] == 0
    return f"PureDP(epsilon={spent[0]:g})"


def draw(data, size, seed):
    """Means; NaN is an output like any other."""
    array = np.array([float(number) for number in data])
    return [mean(array, epsilon=1.0, bounds=(0.0, 1.0), random_state=(seed + number) % 2**32) for number in range(size)]
