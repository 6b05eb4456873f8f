"""Loads plug-ins by entry point (group ``dpverify.plugins``); our own packages are plug-ins like any other.

No plug-ins at all is an error, never an empty pass. A package that shadows one of ours (a file ``auditors.py`` in the
working directory, say) is refused by name instead of being audited with; so is a plug-in that registers a name which
another has registered: nothing replaces anything.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from contextlib import redirect_stdout, suppress
from functools import cache, lru_cache
from importlib.metadata import Distribution, EntryPoint, entry_points
from pathlib import Path

import dpverify
from dpverify.core.errors import AuditError, one_line
from dpverify.core.registry import Registry
from dpverify.core.watchdog_page import asked_to_stop

GROUP = "dpverify.plugins"
OURS = "dpverify"


def load_registry(points: Iterable[EntryPoint]) -> Registry:
    """Call every entry point's ``register(registry)``.

    Raises
    ------
    AuditError
        When there is no plug-in, when one cannot be imported or registers a name that is taken, or when a foreign
        package stands in the place of ours.
    """
    registry = Registry()
    names: dict[str, str] = {}
    for point in sorted(points, key=lambda point: (_owner(point) != OURS, point.name)):
        owner = _owner(point)
        if point.name in names:
            raise AuditError(
                f"two plug-ins are called {point.name!r}: of {names[point.name]} and of {owner}; rename one"
            )
        names[point.name] = owner
        try:
            with redirect_stdout(sys.stderr):  # what it prints must not stand among results
                register = point.load()
        except BaseException as problem:  # `sys.exit` in a module must not end the program
            if asked_to_stop(problem):
                raise
            raise AuditError(
                f"plug-in {point.name!r} of {owner} ({point.value}) cannot be loaded: {_said(problem)}"
            ) from problem
        if owner == OURS:
            _refuse_shadow(point)
        _register(register, registry, f"plug-in {point.name!r} of {owner}")
    if not len(registry.auditors) or not (len(registry.mechanisms) or len(registry.known_broken)):
        raise AuditError(
            f"no plug-ins: nothing in the entry-point group {GROUP!r} registers auditors and mechanisms; "
            "reinstall dpverify (pip install --force-reinstall dpverify) or install a plug-in"
        )
    return registry


LEFT_OUT = "DPVERIFY_NO_PLUGINS_FROM"
"""In the environment, for workers, too: a folder whose plug-ins nobody has installed."""


def leave_out_working_directory() -> None:
    """Take no plug-in that merely lies in the working directory, which Python itself or we put on the path.

    One that is installed there stands on the path a second time, or in ``PYTHONPATH``.
    """
    with suppress(OSError):
        if (here := str(Path.cwd())) not in sys.path[1:]:
            os.environ[LEFT_OUT] = here


def installed() -> list[EntryPoint]:
    """The plug-ins; none is imported."""
    found, out = entry_points(group=GROUP), os.environ.get(LEFT_OUT)
    return [each for each in found if each.dist is None or os.path.abspath(str(each.dist.locate_file(""))) != out]


@cache
def registry() -> Registry:
    """The registry of everything that is installed (loaded once a process)."""
    return load_registry(installed())


@cache
def own_registry() -> Registry:
    """The registry of dpverify's own packages, without code of other plug-ins."""
    points = installed()
    ours = [point for point in points if _owner(point) == OURS]
    return registry() if len(ours) == len(points) else load_registry(ours)


def has_others() -> bool:
    """Tell whether plug-ins of other distributions are installed."""
    return any(_owner(point) != OURS for point in installed())


def _owner(point: EntryPoint) -> str:
    return _named(point.dist) if point.dist is not None else "(an unknown distribution)"


@lru_cache(maxsize=256)
def _named(dist: Distribution) -> str:
    """Return its name, for which all of its metadata is read: once for all plug-ins that were found together."""
    return dist.name


def _register(register: Callable[[Registry], object], registry: Registry, plugin: str) -> None:
    try:
        with registry.registering(plugin), redirect_stdout(sys.stderr):
            register(registry)
    except BaseException as problem:
        if asked_to_stop(problem):
            raise
        raise AuditError(f"{plugin} is refused: {_said(problem)}") from problem


def _said(problem: BaseException) -> str:
    """Return the problem's own words, where they say enough."""
    text = one_line(str(problem))
    return text if text and isinstance(problem, Exception) else f"{type(problem).__name__}: {text}".rstrip(": ")


def _refuse_shadow(point: EntryPoint) -> None:
    """Our packages lie side by side: one that comes from elsewhere is somebody else's."""
    package = point.module.partition(".")[0]
    found = getattr(sys.modules.get(package), "__file__", None)
    home = Path(dpverify.__file__).resolve().parent.parent
    if found is None or Path(found).resolve().parent.parent != home:
        raise AuditError(
            f"the package {package!r} comes from {found}, not from {home}: a foreign package shadows dpverify's own; "
            "rename it, or start from another directory"
        )
