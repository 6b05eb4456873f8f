"""The index of kernels: for which argument types each is compiled, so that this can be done before an audit.

Each package has one, a file ``compiled.json``; a plug-in may have one, too. ``make kernels`` writes ours from what runs
have compiled; nothing is listed by hand. An old index costs time only: what it lacks is compiled by the first audit
that calls it.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from dpverify.core.lazy_njit import Kernel
from dpverify.core.plugins import GROUP

NAME = "compiled.json"

AUDITS = "audits"
"""What the suite `core` and audits of a callable compile; all else stands under `OTHERS`."""

OTHERS = "others"


@dataclass(frozen=True, slots=True)
class KernelCall:
    """A kernel and the types of its arguments, as text: the unit that numba compiles and keeps."""

    module: str
    kernel: str
    types: str

    def dispatcher(self) -> Any:
        """Return the dispatcher that numba makes of the kernel; its module is imported."""
        return dispatcher(getattr(import_module(self.module), self.kernel))

    def compile(self) -> None:
        """Compile the kernel for these types, or load it where it is kept already."""
        self.dispatcher().compile(types_of(self.types))

    def kept(self) -> bool:
        """Tell whether it is kept already; its machine code is not loaded for that."""
        return types_of(self.types) in kept_types(self.dispatcher())

    def depth(self) -> int:
        """Count the kernels below it, each called by the one above: those are compiled first."""
        return _depth(self.dispatcher())


def calls(*, every: bool) -> list[KernelCall]:
    """All that the indexes list for audits, or all that they list."""
    found = []
    for folder in folders():
        try:
            index = json.loads((folder / NAME).read_text(encoding="utf-8"))
        except FileNotFoundError:
            continue
        for part in (AUDITS, OTHERS) if every else (AUDITS,):
            for place, listed in index[part].items():
                module, _, kernel = place.partition(":")
                found += [KernelCall(module, kernel, types) for types in listed]
    return found


def folders() -> list[Path]:
    """The folder of each package that is a plug-in, without importing it."""
    names = sorted({point.module.partition(".")[0] for point in entry_points(group=GROUP)})
    specs = [spec for name in names if (spec := find_spec(name)) is not None]
    return [Path(folder) for spec in specs for folder in spec.submodule_search_locations or ()]


def dispatcher(kernel: Any) -> Any:
    """Return the dispatcher that numba makes of a kernel; all else is returned as it is."""
    return kernel.compiled() if isinstance(kernel, Kernel) else kernel


def kept_types(found: Any) -> list[tuple[Any, ...]]:
    """Return the types for which a kernel is kept, compiled for this processor and from this text of its file.

    numba does not say so in public. Where a version keeps its index otherwise, nothing is known to be kept, and what
    looks missing is loaded instead of compiled.
    """
    try:
        one = found._cache._index_key((), found.targetctx.codegen())
        return [key[0] for key in found._cache._cache_file._load_index() if key[1:] == one[1:]]
    except (AttributeError, TypeError, LookupError):
        return []


def _depth(kernel: Any) -> int:
    known = kernel.py_func.__globals__
    below = [dispatcher(known.get(name)) for name in kernel.py_func.__code__.co_names]
    return max((1 + _depth(each) for each in below if each is not kernel and hasattr(each, "py_func")), default=0)


_ARRAY = re.compile(r"(readonly )?array\((\w+), (\d+)d, ([ACF])\)")
_TUPLE = re.compile(r"Tuple\((.*)\)")
_SAME = re.compile(r"UniTuple\((.*) x (\d+)\)")


def types_of(text: str) -> tuple[Any, ...]:
    """The numba types that the text names, in order.

    ValueError for a type that is none of these.
    """
    return tuple(_type(part) for part in _parts(text))


def text_of(types: tuple[Any, ...]) -> str:
    """The text from which `types_of` makes these types again; empty where it cannot."""
    text = ", ".join(map(str, types))
    try:
        return text if types_of(text) == types else ""
    except ValueError:
        return ""


def _type(text: str) -> Any:
    types: Any = import_module("numba.types")
    if found := _ARRAY.fullmatch(text):
        return types.Array(_type(found[2]), int(found[3]), found[4], readonly=bool(found[1]))
    if found := _SAME.fullmatch(text):
        return types.UniTuple(_type(found[1]), int(found[2]))
    if found := _TUPLE.fullmatch(text):
        return types.Tuple(types_of(found[1]))
    for each in (types.boolean, *types.number_domain):
        if str(each) == text:
            return each
    raise ValueError(f"no type of a kernel's argument: {text}")


def _parts(text: str) -> list[str]:
    """The text, cut at the commas outside parentheses."""
    parts, depth, begun = [], 0, 0
    for place, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if letter == "," and not depth:
            parts.append(text[begun:place])
            begun = place + 1
    return [part.strip() for part in (*parts, text[begun:]) if part.strip()]
