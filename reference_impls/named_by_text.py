"""Things that a text names: ``mlp:784-1000-10`` a model, ``bayesrank`` an objective, so that claims can carry them.

Each file of a package may offer ``build(text)``, which returns the thing or None, and ``TEXTS``, what it reads. A new
model, objective or scoring function is a new file; there is no list to edit.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from dpverify.core.errors import InputError
from dpverify.core.rules import Rule


def find_in(package: str, text: str, *, kind: str) -> Any:
    """The first thing that a file of `package` builds from `text`; files are asked in the order of their names.

    Raises
    ------
    InputError
        When no file reads the text; the message lists the ``TEXTS`` of all files.
    """
    folder = importlib.import_module(package).__path__
    known: list[str] = []
    for info in sorted(pkgutil.iter_modules(folder), key=lambda info: info.name):
        module = importlib.import_module(f"{package}.{info.name}")
        build = getattr(module, "build", None)
        if build is None:
            continue
        found = build(text)
        if found is not None:
            return found
        known.append(module.TEXTS)
    raise InputError(f"no {kind} called {text!r}", allowed=", ".join(known))


@dataclass(frozen=True, slots=True)
class NamedBy(Rule):
    """Texts that `find` reads; it raises the InputError for any other.

    For annotations of fields: ``Annotated[str, NamedBy(find_model)]``.
    """

    find: Callable[[str], object]

    def kept(self, value: Any) -> Any:
        """The text, as it came."""
        self.find(value)
        return value

    @property
    def allowed(self) -> str:
        """What messages call it; `find` lists the texts itself."""
        return "a text that names something"
