"""A key of everything that a user's audit follows from: what changes it makes old verdicts and old evidence void.

The code is that of the mechanism's module and of the modules beside it that it uses, and the versions of the packages
that these import. A program (`dpverify.command`) is known by its text and the files that it names. Limits: files that a
mechanism reads, the environment, and what is imported inside functions are not seen. Errs on the side of change: a
comment makes a new key.
"""

from __future__ import annotations

import copyreg
import functools
import hashlib
import inspect
import json
import sys
import types
import warnings
from importlib import metadata
from pathlib import Path
from typing import Any

from dpverify.datasets.neighbors.json_values import plain_dataset


def code_key(mechanism: Any, *things: Any) -> str:
    """Of the mechanism's code, what it is bound to, and other things in their plain form: 16 hexadecimal digits."""
    found = hashlib.sha256()
    own = getattr(mechanism, "code_words", None)
    words = own() if own is not None else [*_bound(mechanism), *_sources(mechanism)]
    for word in (*words, *map(_told, things)):
        found.update(f"{len(word)}:{word}\n".encode(errors="replace"))
    return found.hexdigest()[:16]


def _bound(mechanism: Any) -> list[str]:
    """The function's name and what its code does not show: bound arguments, closures, the state of its object."""
    words: list[str] = []
    while isinstance(mechanism, functools.partial):
        words.append(_told([mechanism.args, dict(sorted(mechanism.keywords.items()))]))
        mechanism = mechanism.func
    owner = getattr(mechanism, "__self__", None)
    if owner is not None and not isinstance(owner, types.ModuleType):
        words.append(_told(_state(owner)))
    function = getattr(mechanism, "__func__", mechanism)
    if not isinstance(function, types.FunctionType):
        words.append(_told(_state(mechanism)))
    for cell in getattr(function, "__closure__", None) or ():
        try:
            words.append(_told(cell.cell_contents))
        except ValueError:  # not bound yet
            words.append("")
    return [getattr(function, "__qualname__", type(function).__qualname__), *words]


def _state(thing: Any) -> dict[str, Any]:
    """Attributes of an object, those in slots among them."""
    slots = {name: getattr(thing, name) for name in copyreg._slotnames(type(thing)) if hasattr(thing, name)}  # type: ignore[attr-defined]
    return slots | dict(getattr(thing, "__dict__", {}))


def _sources(mechanism: Any) -> list[str]:
    """Texts of the modules that are followed, and versions of those that are not."""
    while isinstance(mechanism, functools.partial):
        mechanism = mechanism.func
    name = getattr(mechanism, "__module__", None) or type(mechanism).__module__
    texts: dict[str, str] = {}
    versions: dict[str, str] = {}
    waiting = [name]
    root = _folder(sys.modules.get(name), name)
    while waiting:
        module = sys.modules.get(current := waiting.pop())
        if module is None or current in texts:
            continue
        path = getattr(module, "__file__", None)
        if path is None or root is None or not Path(path).is_relative_to(root) or "site-packages" in path:
            top = current.partition(".")[0]
            if top not in versions and top not in sys.stdlib_module_names:
                versions[top] = _version(top)
            continue
        texts[current] = inspect.getsource(module) if Path(path).suffix == ".py" else path
        for value in vars(module).values():
            used = value.__name__ if isinstance(value, types.ModuleType) else getattr(value, "__module__", None)
            if isinstance(used, str):
                waiting.append(used)
    return [sys.version, *(texts[each] for each in sorted(texts)), *(f"{k} {versions[k]}" for k in sorted(versions))]


def _folder(module: Any, name: str) -> Path | None:
    """The folder below which modules are the user's own: that of the mechanism's top package."""
    path = getattr(module, "__file__", None)
    return None if path is None else Path(path).resolve().parents[name.count(".")]


def _version(package: str) -> str:
    with warnings.catch_warnings():  # packages that wish nobody to ask them warn
        warnings.simplefilter("ignore")
        found = getattr(sys.modules.get(package), "__version__", None)
    if isinstance(found, str):
        return found
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""


def _told(value: Any) -> str:
    if isinstance(value, types.FunctionType):
        return f"{value.__module__}.{value.__qualname__}"
    return json.dumps(plain_dataset(value), sort_keys=True, default=repr)
