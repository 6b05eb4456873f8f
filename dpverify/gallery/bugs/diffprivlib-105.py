"""The coefficient of a regression through the origin, on records (x, y) with x in [0, 100] and y in [0, 1]."""

import warnings

from diffprivlib import BudgetAccountant
from diffprivlib.models import LinearRegression

warnings.filterwarnings("ignore")


def claimed():
    """What the library's own accountant says after a fit."""
    accountant = BudgetAccountant()
    _fit([[1.0, 0.0]], accountant, 0)
    spent = accountant.total()
    assert spent[1] == 0
    return f"PureDP(epsilon={spent[0]:g})"


def draw(data, size, seed):
    """Coefficients, one a fit."""
    return [_fit(data, None, (seed + number) % 2**32) for number in range(size)]


def _fit(data, accountant, seed):
    model = LinearRegression(
        epsilon=1.0,
        bounds_X=(0.0, 100.0),
        bounds_y=(0.0, 1.0),
        fit_intercept=False,
        random_state=seed,
        accountant=accountant,
    )
    model.fit([[x] for x, _ in data], [y for _, y in data])
    return float(model.coef_[0])
