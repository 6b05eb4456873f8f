"""What looks like a mechanism in a package, each tried out once; the package is imported watched."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

from dpverify.adapters.bound import bound
from dpverify.adapters.callable_mechanism import CallableMechanism
from dpverify.adapters.named_callable import load_callable, near_module
from dpverify.adapters.time_limit import Interrupted, OutOfTimeError, TimeLimit
from dpverify.core.errors import AuditError, DpverifyError, InputError, one_line
from dpverify.core.read_untrusted import shortened
from dpverify.core.watchdog_page import handle_ctrl_c_here
from dpverify.runner.watched_process import WatchedProcess
from dpverify.sampling.streams import stream
from dpverify.suite_file.guess import Guess, guess

LONGEST, LONGEST_IMPORT, LONGEST_TRIAL = 300.0, 30.0, 10.0
"""Seconds for all imports, for the import of one module, and for the trial of one function."""

MOST = 100
"""Functions that are written out."""


def candidates(package: str, folders: Sequence[Path]) -> tuple[list[Guess], list[str]]:
    """Guesses on the package's functions, and lines on modules that could not be imported.

    Parameters
    ----------
    package : str
        The name of an importable package or module.
    folders : sequence of Path
        From which modules are imported beside those that are installed.

    Raises
    ------
    InputError
        For a package that cannot be imported.
    """
    found = WatchedProcess(partial(_found, package, [str(each) for each in folders])).result()
    guesses = [Guess(**each) for each in found["guesses"]]
    return [_tried(each, folders) for each in guesses], [str(line) for line in found["left_out"]]


def _found(package: str, folders: list[str]) -> dict[str, Any]:
    sys.path.extend(each for each in folders if each not in sys.path)
    left_out: list[str] = []
    limit = TimeLimit(seconds=LONGEST, per_call=LONGEST_IMPORT)
    try:
        with limit:
            modules = list(_modules(package, left_out, limit))
    except OutOfTimeError:
        raise InputError(
            f"importing the modules of {package!r} took longer than {LONGEST:g} s",
            allowed="modules that are imported in time",
            remedy="name one of them: dpverify init PACKAGE.MODULE",
        ) from None
    guesses = [found for module in modules for found in _of_module(module)]
    return {"guesses": [asdict(each) for each in _named_apart(guesses[:MOST])], "left_out": left_out}


def _modules(package: str, left_out: list[str], limit: TimeLimit) -> Iterator[ModuleType]:
    """The package and the modules below it, but for its tests."""
    try:
        top = _imported(package, limit)
    except Exception as problem:  # noqa: BLE001 - another's code
        raise InputError(
            f"{package!r} cannot be imported ({_said(problem)})",
            allowed="a package or a module that is installed, or in the working directory or its folder src",
            remedy=f"did you mean {near}?" if (near := near_module(package)) not in ("", package) else "",
        ) from None
    yield from _with_those_below(top, left_out, limit)


def _with_those_below(module: ModuleType, left_out: list[str], limit: TimeLimit) -> Iterator[ModuleType]:
    yield module
    for info in pkgutil.iter_modules(getattr(module, "__path__", [])):
        if info.name.startswith(("test", "_")) or info.name == "conftest":
            continue
        name = f"{module.__name__}.{info.name}"
        try:
            below = _imported(name, limit)
        except Exception as problem:  # noqa: BLE001 - another's code
            left_out.append(f"{name} cannot be imported ({_said(problem)})")
        else:
            yield from _with_those_below(below, left_out, limit)


def _imported(name: str, limit: TimeLimit) -> ModuleType:
    begun = time.monotonic()
    try:
        with limit.call(name), handle_ctrl_c_here(f"importing {name}", Interrupted):
            return importlib.import_module(name)
    except InputError:
        if time.monotonic() - begun < LONGEST_IMPORT:
            raise
        raise AuditError(f"it takes longer than {LONGEST_IMPORT:g} s") from None


def _said(problem: Exception) -> str:
    return one_line(str(problem) if isinstance(problem, DpverifyError) else f"{type(problem).__name__}: {problem}")


def _of_module(module: ModuleType) -> Iterator[Guess]:
    """Return the public functions, classes and instances that are defined in the module."""
    top = module.__name__.partition(".")[0]
    for name, value in sorted(vars(module).items()):
        made_in = str(getattr(value, "__module__", None))
        named = isinstance(value, type) or inspect.isroutine(value) or hasattr(value, "__wrapped__")
        own = made_in == module.__name__ if named else made_in.partition(".")[0] == top
        if name.startswith(("_", "test")) or not own:
            continue
        found = guess(value, f"{module.__name__}:{name}")
        if found is not None:
            yield found


def _named_apart(guesses: list[Guess]) -> list[Guess]:
    """Functions of one name in several modules are called by their modules, too."""
    names = [each.name for each in guesses]
    return [
        replace(each, name=each.mechanism.replace(":", ".")) if names.count(each.name) > 1 else each for each in guesses
    ]


def _tried(found: Guess, folders: Sequence[Path]) -> Guess:
    """The guess, with what went wrong where the function does not return on the example."""
    if found.problem:
        return found

    def work() -> str:
        sys.path.extend(str(each) for each in folders if str(each) not in sys.path)
        with TimeLimit(seconds=LONGEST_TRIAL):
            function = bound(load_callable(found.mechanism), found.parameters)
            CallableMechanism(function).sample(found.data, 2, rng=stream(0, "init"))
        return ""

    try:
        problem = str(WatchedProcess(work).result())
    except DpverifyError as raised:
        problem = one_line(raised.what if isinstance(raised, InputError) else str(raised))
    return replace(found, problem=shortened(problem, most=200))
