"""What a callable replaced or took away in the modules that an audit needs: no draw after that can be relied on."""

from __future__ import annotations

import builtins
import json
import os
import sys
import time
from collections.abc import Mapping
from types import ModuleType
from typing import Any

import numpy as np

_NEEDED = {"builtins": builtins, "json": json, "numpy": np, "numpy.random": np.random, "os": os, "time": time}

Present = Mapping[str, Mapping[str, Any]]


def present() -> Present:
    """The names of the needed modules, the loaded modules, and where more are found."""
    found = {
        name: {key: value for key, value in vars(module).items() if key != "_"} for name, module in _NEEDED.items()
    }
    return found | {"sys.modules": dict(sys.modules), "sys": {"path": len(sys.path), "meta_path": len(sys.meta_path)}}


def replaced(before: Present) -> tuple[str, ...]:
    """Such as ``numpy.random.Generator``; empty where all is as it was. New names do not count."""
    now, nothing = present(), object()
    ours = (
        name
        for name in before["sys.modules"]
        if name.partition(".")[0] in ("dpverify", "auditors", "numpy", "builtins")
    )
    gone = [name for name in ours if name not in now["sys.modules"]]
    names = [f"sys.{name}" for name, count in before["sys"].items() if count and not now["sys"][name]]
    names += [f"sys.modules[{name!r}]" for name in gone]
    names += [
        f"{module}.{name}"
        for module in _NEEDED
        for name, value in before[module].items()
        if now[module].get(name, nothing) is not value and (callable(value) or isinstance(value, ModuleType))
    ]
    return tuple(names)
