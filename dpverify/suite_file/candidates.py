"""What looks like a mechanism in a package, each tried out once; the package is imported watched.

Its signature and docstring say whether it is one, of what data, with what claim. All of it is guesswork, for a first
suite file that a person then corrects; each guess says what it rests on.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
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

LONGEST, LONGEST_IMPORT, LONGEST_TRIAL = 300.0, 30.0, 10.0
"""Seconds for all imports, for the import of one module, and for the trial of one function."""

MOST = 100
"""Functions that are written out."""


def candidates(package: str, folders: Sequence[Path]) -> tuple[list[Guess], list[str]]:
    """Guesses on the package's functions, and lines on modules that could not be imported.

    `package`: the name of an importable package or module. `folders`: from which modules are imported beside those that
    are installed.

    InputError for a package that cannot be imported.
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


BUDGETS: Mapping[str, tuple[str, ...]] = {
    "epsilon": ("epsilon", "eps", "epsilon_"),
    "delta": ("delta",),
    "rho": ("rho",),
    "mu": ("mu",),
}
"""Names of parameters that say what is promised, by quantity."""

_NAMED = {name: quantity for quantity, names in BUDGETS.items() for name in names}
_NUMBER = r"(\d+(?:\.\d*)?(?:e-?\d+)?)"
_SAID = {
    "epsilon": (rf"\bepsilon\s*=\s*{_NUMBER}", rf"\beps\s*=\s*{_NUMBER}", rf"\b{_NUMBER}\s*-?\s*(?:DP\b|differential)"),
    "delta": (rf"\bdelta\s*=\s*{_NUMBER}",),
    "rho": (rf"\brho\s*=\s*{_NUMBER}", rf"\b{_NUMBER}\s*-?\s*zCDP\b"),
    "mu": (rf"\bmu\s*=\s*{_NUMBER}", rf"\b{_NUMBER}\s*-?\s*GDP\b"),
}
_PRIVATE = re.compile(
    r"differential(?:ly)?[ -]+priva|\bz?CDP\b|\bGDP\b|\bDP\b|\bepsilon\b|privacy budget", re.IGNORECASE
)
_EXAMPLES: tuple[tuple[str, Any], ...] = (
    (r"\bbool\b", [True, False, True]),
    (r"tuple\[\s*int", [[0, 1], [1, 0], [1, 1]]),
    (r"tuple\[|ndarray.*2|Matrix", [[0.0, 1.0], [1.0, 0.0], [0.5, 0.25]]),
    (r"\bint\b", [0, 1, 1, 0]),
    (r"\bstr\b", ["a", "b", "a"]),
)
NUMBERS = [0.0, 1.0, 0.25]
"""The example where nothing says another one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Guess:
    """A function, class or instance that looks like a mechanism."""

    name: str
    mechanism: str
    """`name`, `mechanism`: of the audit; ``module:callable``."""
    claim: str
    why_claim: str
    """`claim`, `why_claim`: the text of a guarantee, and what it rests on."""
    data: list[Any]
    why_data: str
    """`data`, `why_data`: A made-up example, and what it rests on."""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """Values of parameters that have no default, guessed; of a class, its budgets."""
    problem: str = ""
    """Why it cannot be audited as it is; empty where it can."""

    @property
    def bounds(self) -> list[float]:
        """The least and the largest number of the example; empty where it has others than numbers."""
        values = [value for record in self.data for value in (record if isinstance(record, list) else [record])]
        numbers = all(type(value) in (int, float) for value in values)
        return [min(values), max(values)] if numbers else []


def guess(thing: Any, mechanism: str) -> Guess | None:
    """Guess what a function, an instance, or a class with a budget among its arguments is; None for no mechanism."""
    try:
        function, fields = _called(thing)
        parameters = [each for each in inspect.signature(function).parameters.values() if each.name != "self"]
    except (TypeError, ValueError):
        return None
    positional = [each for each in parameters if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)]
    named = {each.name for each in (*parameters, *fields)}
    data = next((each for each in positional if each.name not in ("rng", "size", "cls", *_NAMED)), None)
    text = "\n".join(inspect.getdoc(each) or "" for each in dict.fromkeys((thing, function)))
    private = bool(named & {"rng", *_NAMED}) or bool(_PRIVATE.search(text))
    if data is None or data.default is not data.empty or not private:
        return None
    required = [
        each
        for each in (*fields, *parameters)
        if each.default is each.empty
        and each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)
        and each.name not in ("rng", "size", data.name)
    ]
    claim, why = _claim({each.name: each.default for each in (*parameters, *fields)}, text)
    values, unknown = dict[str, Any](), [each.name for each in required]
    for each in required:
        if each.name in _NAMED:
            values[each.name] = _budget(_NAMED[each.name], text)
            unknown.remove(each.name)
    if isinstance(thing, type):  # which needs an argument to be an instance
        values |= {each.name: each.default for each in fields if each.name in _NAMED and each not in required}
    example, why_data = _example(data)
    bind = f"parameters = {{ {unknown[0]} = ... }}" if unknown else ""
    return Guess(
        name=mechanism.partition(":")[2],
        mechanism=mechanism,
        claim=claim,
        why_claim=why,
        data=example,
        why_data=why_data,
        parameters=values,
        problem=f"it needs {', '.join(unknown)} beside the data set: {bind}" if unknown else "",
    )


def _called(thing: Any) -> tuple[Any, list[inspect.Parameter]]:
    """Return the callable, and the fields of its object; TypeError for what is no mechanism."""
    if inspect.isroutine(thing) or hasattr(thing, "__wrapped__"):
        if inspect.iscoroutinefunction(thing):
            raise TypeError
        return thing, []
    kind = thing if isinstance(thing, type) else type(thing)
    methods = [vars(base)[name] for name in ("__call__", "sample") for base in kind.__mro__ if name in vars(base)]
    if not methods or not inspect.isfunction(methods[0]):
        raise TypeError
    if isinstance(thing, type):
        fields = list(inspect.signature(thing).parameters.values())
        if not any(each.name in _NAMED for each in fields):
            raise TypeError
        return methods[0], fields
    return methods[0], [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=getattr(thing, name))
        for name in _NAMED
        if hasattr(thing, name)
    ]


def _claim(defaults: Mapping[str, Any], text: str) -> tuple[str, str]:
    """The claim, and what it rests on: the defaults of parameters, words of the docstring, or nothing."""
    found: dict[str, tuple[float, str]] = {}
    for name, default in defaults.items():
        if name in _NAMED:
            number = isinstance(default, int | float) and not isinstance(default, bool) and default > 0
            value = float(default) if number else _budget(_NAMED[name], text)
            found[_NAMED[name]] = value, f"the {'default of the ' if number else ''}parameter {name}"
    for quantity in BUDGETS:
        said = _quoted(quantity, text)
        if said is not None:
            found.setdefault(quantity, (said, f"{quantity} in the docstring"))
    if "rho" in found:
        return f"ZCDP(rho={found['rho'][0]:g})", found["rho"][1]
    if "mu" in found and "epsilon" not in found:
        return f"GDP(mu={found['mu'][0]:g})", found["mu"][1]
    if "epsilon" not in found:
        return "PureDP(epsilon=1)", "nothing: neither signature nor docstring says what is promised"
    epsilon, why = found["epsilon"]
    if "delta" in found and 0.0 < found["delta"][0] < 1.0:
        return f"ApproxDP(epsilon={epsilon:g}, delta={found['delta'][0]:g})", f"{why}, and {found['delta'][1]}"
    return f"PureDP(epsilon={epsilon:g})", why


def _budget(quantity: str, text: str) -> float:
    """Return the docstring's number for a quantity, or a usual value."""
    return _quoted(quantity, text) or (1e-5 if quantity == "delta" else 1.0)


def _quoted(quantity: str, text: str) -> float | None:
    for form in _SAID[quantity]:
        if (match := re.search(form, text, re.IGNORECASE)) and float(match[1]) > 0:
            return float(match[1])
    return None


def _example(data: inspect.Parameter) -> tuple[list[Any], str]:
    """A made-up data set of the annotated kind, and what it rests on."""
    if data.annotation is data.empty:
        return NUMBERS, f"nothing: {data.name} has no annotation"
    annotation = data.annotation if isinstance(data.annotation, str) else inspect.formatannotation(data.annotation)
    for form, example in _EXAMPLES:
        if re.search(form, annotation):
            return example, f"the annotation {data.name}: {annotation}"
    return NUMBERS, f"the annotation {data.name}: {annotation}"
