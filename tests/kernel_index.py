"""``python -m tests.kernel_index``: writes the indexes of kernels of our own packages (``make kernels``).

What audits compile is found by running the suite `core` and audits of callables with an empty cache, and looking at
what lies in it then. Under "others" stands what lies in the usual cache beside that: run the tests before (``make
test``). What the present index lists stays, as long as the kernel is there and takes as many arguments.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from dpverify.core.kernel_index import (
    AUDITS,
    NAME,
    OTHERS,
    KernelCall,
    calls,
    dispatcher,
    kept_types,
    text_of,
    types_of,
)

PACKAGES = ("auditors", "dpverify", "reference_impls")

Listed = dict[str, set[str]]
"""By kernel (``module:name``), for which argument types."""


def modules() -> Iterable[ModuleType]:
    """Every module of ours that speaks of numba."""
    for name in PACKAGES:
        folder = Path(import_module(name).__path__[0])
        for path in sorted(folder.rglob("*.py")):
            inner = path.relative_to(folder).with_suffix("")
            if "bugs" not in inner.parts and "njit" in path.read_text(encoding="utf-8"):
                yield import_module(".".join([name, *(part for part in inner.parts if part != "__init__")]))


def kernels_of(module: ModuleType) -> Iterator[tuple[str, Any]]:
    """The kernels that are kept when compiled, of those that the module defines: name and what numba makes of it."""
    for name, each in list(vars(module).items()):
        found = dispatcher(each)
        own = getattr(getattr(found, "py_func", None), "__module__", None) == module.__name__
        if own and hasattr(getattr(found, "_cache", None), "_cache_file"):
            yield name, found


def found_in_cache() -> Listed:
    """What lies in the cache that this process uses, but for types that only a calling kernel passes (literals)."""
    found: Listed = {}
    for module in modules():
        for name, kernel in kernels_of(module):
            if texts := {text for types in kept_types(kernel) if (text := text_of(types))}:
                found[f"{module.__name__}:{name}"] = texts
    return found


def still_there(listed: Iterable[KernelCall]) -> Listed:
    """What an index lists of kernels that are there."""
    found: Listed = {}
    for each in listed:
        try:
            code = each.dispatcher().py_func.__code__
        except (ImportError, AttributeError):
            continue
        any_number = code.co_flags & 0x04  # *arguments
        if any_number or code.co_argcount == len(types_of(each.types)):
            found.setdefault(f"{each.module}:{each.kernel}", set()).add(each.types)
    return found


def audited() -> Listed:
    """What the suite `core` and audits of callables compile, from an empty cache."""
    with tempfile.TemporaryDirectory() as cache:
        environment = os.environ | {"NUMBA_CACHE_DIR": cache}

        def ran(*words: str) -> str:
            return subprocess.run(
                [sys.executable, *words], env=environment, check=True, stdout=subprocess.PIPE, text=True
            ).stdout

        ran("-m", "dpverify", "run", "core", "--profile", "quick", "--quiet", "--out", str(Path(cache, "out")))
        ran("-m", "tests.kernel_index", "callables")
        found = json.loads(ran("-m", "tests.kernel_index", "look"))
    return {place: set(texts) for place, texts in found.items()}


def callables() -> None:
    """Audits of one's own mechanism, one of each kind of output and way of looking."""
    import numpy as np

    import dpverify as dpv

    def number(data: Any, size: int, rng: np.random.Generator) -> Any:
        return sum(data) + rng.laplace(size=size)

    def vector(data: Any, size: int, rng: np.random.Generator) -> Any:
        return np.asarray([sum(data), len(data)]) + rng.laplace(scale=2.0, size=(size, 2))

    def whole(data: Any, size: int, rng: np.random.Generator) -> Any:
        return (sum(data) + rng.geometric(0.5, size=size) - rng.geometric(0.5, size=size)).astype(np.int64)

    def once(data: Any, rng: np.random.Generator) -> float:
        return float(sum(data) + rng.laplace())

    pair: dict[str, Any] = {"d0": [1.0, 0.0], "d1": [1.0, 1.0], "relation": "replace"}
    example: dict[str, Any] = {"data": [0.0, 1.0]}
    for mechanism in (number, vector, whole, once):
        for data in (pair, example):
            for way in ({}, {"sequential": True}):
                dpv.audit(mechanism, **data, **way, claim="PureDP(epsilon=1)", trials=60_000)


def texts() -> dict[Path, str]:
    """The text of each package's index, by its path."""
    core = joined(still_there(each for each in calls(every=False)), audited())
    others = joined(still_there(calls(every=True)), found_in_cache())
    rest = {place: left for place, each in others.items() if (left := each - core.get(place, set()))}
    return {
        Path(import_module(name).__path__[0]) / NAME: _text({AUDITS: core, OTHERS: rest}, name) for name in PACKAGES
    }


def joined(one: Listed, two: Listed) -> Listed:
    """What either lists."""
    return {place: one.get(place, set()) | two.get(place, set()) for place in one | two}


def _text(parts: dict[str, Listed], package: str) -> str:
    own = {
        part: {place: sorted(each) for place, each in sorted(listed.items()) if place.partition(".")[0] == package}
        for part, listed in parts.items()
    }
    return json.dumps(own, indent=1) + "\n"


def _look() -> None:
    sys.stdout.write(json.dumps({place: sorted(each) for place, each in found_in_cache().items()}))


def _write() -> None:
    for path, text in texts().items():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    ways: dict[str, Callable[[], None]] = {"": _write, "callables": callables, "look": _look}
    ways["".join(sys.argv[1:2])]()
