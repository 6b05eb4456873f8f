"""Packages that only some work needs: imported when it is done, and where one is missing, the error names its extra."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from dpverify.core.errors import InputError

EXTRAS = {
    "pooch": ("data", "to download data sets"),
    "dp_accounting": ("crosscheck", "to compare with Google's"),
    "matplotlib": ("plot", "to plot a result"),
}
"""By package: the extra of dpverify that installs it, and what it is for."""

CAN_BE_LEFT_OUT = {
    "numba": "numba",
    "llvmlite": "numba",
    "sklearn": "scikit-learn",
    "joblib": "joblib",
    "jinja2": "jinja2",
    "hypothesis": "hypothesis",
}
"""By module, the package without which audits and rechecks of a callable still work: the smallest installation."""


def left_out(problem: BaseException) -> InputError | None:
    """The line for a module of `CAN_BE_LEFT_OUT` that is not there; None for any other exception."""
    package = str(getattr(problem, "name", "") or "").partition(".")[0]
    if not isinstance(problem, ModuleNotFoundError) or package not in CAN_BE_LEFT_OUT:
        return None
    return InputError(
        f"{CAN_BE_LEFT_OUT[package]} is not installed, which is needed here",
        allowed="an installation with all that dpverify depends on",
        remedy=f"pip install {CAN_BE_LEFT_OUT[package]}",
    )


def needed(module: str) -> Any:
    """The module, one of a package of `EXTRAS`; InputError, which names the extra, where it is not installed."""
    package = module.partition(".")[0]
    try:
        return import_module(module)
    except ModuleNotFoundError as problem:
        if (problem.name or "").partition(".")[0] != package:
            raise
        extra, use = EXTRAS[package]
        raise InputError(
            f"{package.replace('_', '-')} is not installed, which is needed {use}",
            allowed=f"dpverify with its extra {extra!r}",
            remedy=f"pip install 'dpverify[{extra}]'",
        ) from problem


def __getattr__(name: str) -> Any:
    """``from dpverify.core.extras import pooch``, inside the function that uses it."""
    if name not in EXTRAS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return needed(name)
