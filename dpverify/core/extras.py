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
