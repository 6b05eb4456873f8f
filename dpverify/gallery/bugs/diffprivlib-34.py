"""The noisy sum of y^2 that a fitted regression keeps, on records (x, y) with x in [-1, 1] and y in [0, 10]."""

import importlib.util
import os
import sys
import types
import warnings

warnings.filterwarnings("ignore")

# The package of models is entered without its __init__, which imports models that need another scikit-learn.
_FOLDER = importlib.util.find_spec("diffprivlib").submodule_search_locations[0]
for _name, _place in (("diffprivlib", _FOLDER), ("diffprivlib.models", os.path.join(_FOLDER, "models"))):
    _package = types.ModuleType(_name)
    _package.__path__ = [_place]
    sys.modules[_name] = _package

from diffprivlib.accountant import BudgetAccountant  # noqa: E402
from diffprivlib.models.linear_regression import LinearRegression  # noqa: E402


def claimed():
    """What the library's own accountant says after a fit."""
    accountant = BudgetAccountant()
    _fit([[1.0, 0.0]], accountant)
    spent = accountant.total()
    assert spent[1] == 0
    return f"PureDP(epsilon={spent[0]:g})"


def draw(data, size, seed):
    """The first coefficient of the objective; the library draws from the system's generator."""
    del seed
    return [float(_fit(data, BudgetAccountant())._obj_coefs[0][0]) for _ in range(size)]


def _fit(data, accountant):
    model = LinearRegression(
        epsilon=1.0, bounds_X=(-1.0, 1.0), bounds_y=(0.0, 10.0), fit_intercept=False, accountant=accountant
    )
    return model.fit([[x] for x, _ in data], [y for _, y in data])
