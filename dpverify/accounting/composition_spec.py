"""Compositions as people write them: a file, JSON, or a literal such as ``gaussian(sigma=1)*10 + laplace(scale=2)``.

A file (JSON, or TOML by its suffix) holds ``{"steps": [{"step": NAME, ARGUMENT: value, ..., "count": 10000}, ...]}``:
registered steps with the arguments of their factories, each once unless a count is given. An amplification takes
another step as an argument called ``step``, so its own name stands under ``name``:
``{"name": NAME, "q": 0.01, "step": {"step": "gaussian", "sigma": 1}}``. Everything that is wrong is one line that says
where. Not to be confused with a plan or a suite: nothing is run here.

TOML is looked at before the standard library reads it, which takes cubic time and memory for dotted keys: ``a.a.a...``
of 100 kB takes it 40 seconds and 3 GB, and arrays in arrays end in a RecursionError. So the parts of a key and the
nesting of values are limited. The scan is linear; malformed text is passed on, since the reader refuses it.
"""

from __future__ import annotations

import inspect
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from dpverify.accounting.composition_grammar import WrittenStep, parse_steps
from dpverify.accounting.other_libraries import is_other, steps_of
from dpverify.core.composition import Composition, Part, Step
from dpverify.core.errors import DpverifyError, InputError, one_line
from dpverify.core.read_untrusted import parse_json, read_text, shortened
from dpverify.core.registry import Registry

SUFFIXES = (".json", ".toml")
LARGEST = 1_000_000
"""Bytes of a file: some twenty thousand steps."""

DEEPEST = 30
"""Steps inside one another."""

LARGEST_COUNT = 10**12
"""Runs of one step: a larger count is a slip, and costs would lose digits."""
_COUNTS = f"a whole number from 0 to {LARGEST_COUNT:.0e}".replace("+", "")
_SHAPE = '{"steps": [{"step": "gaussian", "sigma": 1, "count": 10}]}'


MOST_PARTS = 8
"""Of one dotted key."""

DEEPEST_VALUES = 50
"""Arrays and inline tables inside one another."""

# An unclosed string goes to the end of its line or of the text, so that no position is read twice. No repeated group
# is possessive: Python 3.11.2 matches such groups wrongly.
_STRING = r'"(?:[^"\\\n]|\\[^\n])*"?+|' + r"'[^'\n]*+'?+"
_PIECE = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*(?:"{3,5})?|'
    r"'''(?:[^']|'(?!''))*(?:'{3,5})?|"
    r"#[^\n]*+|"
    rf"(?P<key>(?:[\w+-]++|{_STRING})(?:[ \t]*+\.[ \t]*+(?:[\w+-]++|{_STRING}))*)|"
    r"(?P<bracket>[][{}])",
    re.ASCII | re.DOTALL,
)
_PART = re.compile(rf"[\w+-]++|{_STRING}", re.ASCII)


def read_composition(text: str, registry: Registry) -> Composition:
    """The composition in `text`, or in the file that it names.

    Parameters
    ----------
    text : str
        Path of a ``.json`` or ``.toml`` file, JSON text, or a literal by ``composition_grammar``.
    registry : Registry
        Whose steps may be named.

    Raises
    ------
    InputError
        A file that cannot be read, text that does not parse, unknown steps, wrong or missing numbers, bad counts, no
        step at all, or steps under different neighbour relations.
    """
    path = Path(text)
    where = ""
    if path.suffix.lower() in SUFFIXES:
        where = f"{path}: "
        written = _written_steps(_content(path), where)
    elif text.lstrip().startswith(("{", "[")):
        written = _written_steps(_json(text, "the composition"), where)
    else:
        written = parse_steps(text)
    parts = (_part(one, registry, f"{where}steps[{index}]: " if where else "") for index, one in enumerate(written))
    return Composition(parts=tuple(parts))


def composition_of(given: object, registry: Registry) -> Composition:
    """A composition as it is, one in text, one in the mappings that a file holds, or one of another library.

    Raises
    ------
    InputError
        As `read_composition`; and for anything else, what is not known of another library among it.
    """
    if isinstance(given, Composition):
        return given
    if isinstance(given, str):
        return read_composition(given, registry)
    if is_other(given):
        return composed(steps_of(given), registry)
    if isinstance(given, Mapping):
        given = dict(given) if "steps" in given else {"steps": [dict(given)]}
    elif isinstance(given, list | tuple) and all(isinstance(item, Mapping) for item in given):
        given = {"steps": list(given)}
    else:
        raise InputError(
            f"a composition of type {type(given).__name__}",
            allowed=f"a Composition, text such as 'gaussian(sigma=1)*10', or {_SHAPE}",
            remedy="a DpEvent of dp_accounting and the history of an Opacus accountant are read, too",
        )
    return composed(_written_steps(given, ""), registry)


def composed(written: Iterable[WrittenStep], registry: Registry, where: str = "") -> Composition:
    """The composition of steps as written; messages begin with `where` and the step's place."""
    return Composition(parts=tuple(_part(one, registry, f"{where}steps[{i}]: ") for i, one in enumerate(written)))


def whole_count(value: object, where: str) -> int:
    """A number of runs; whole floats such as 1e4 count."""
    whole = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= LARGEST_COUNT
    if not whole or value % 1:  # type: ignore[operator]  # a number, when `whole` holds
        raise InputError(f"{where} = {_short(value)}", allowed=_COUNTS)
    return int(value)  # type: ignore[call-overload,no-any-return]  # the same


def build_step(written: WrittenStep, registry: Registry) -> Step:
    """The registered step, with the steps inside it; InputError when the arguments do not fit."""
    factory = registry.steps.get(written.name)
    arguments: dict[str, Any] = {
        key: _inner(value, registry) if isinstance(value, WrittenStep) else value
        for key, value in written.arguments.items()
    }
    signature = _signature(factory)
    try:
        if signature is not None:
            signature.bind(**arguments)
        step = factory(**arguments)
        hash(step)
    except DpverifyError:
        raise
    except (TypeError, ValueError, OverflowError, AttributeError) as problem:
        allowed = "other arguments" if signature is None else f"{written.name}{_shown(signature)}"
        raise InputError(f"{written.name}: {one_line(str(problem))}", allowed=allowed) from problem
    return step


def _inner(written: WrittenStep, registry: Registry) -> Step:
    if written.count != 1:
        raise InputError(f"a count inside a step: {written.name}", allowed="counts on outer steps only")
    return build_step(written, registry)


def _part(written: WrittenStep, registry: Registry, where: str) -> Part:
    try:
        return Part(step=build_step(written, registry), count=whole_count(written.count, f"{written.name}: count"))
    except InputError as problem:
        raise InputError(f"{where}{problem.what}", allowed=problem.allowed, remedy=problem.remedy) from problem


def _signature(factory: Callable[..., Step]) -> inspect.Signature | None:
    try:
        return inspect.signature(factory)
    except (TypeError, ValueError):
        return None


def _shown(signature: inspect.Signature) -> str:
    items = signature.parameters.values()
    shown = (f"{item.name}={'...' if item.default is item.empty else repr(item.default)}" for item in items)
    return f"({', '.join(shown)})"


def _content(path: Path) -> object:
    try:
        text = read_text(path, largest=LARGEST)
        return parse_toml(text) if path.suffix.lower() == ".toml" else _json(text, str(path))
    except InputError:
        raise
    except FileNotFoundError:
        raise InputError(f"no file {path}", allowed="an existing composition file, or a literal") from None
    except (OSError, ValueError) as problem:
        what = f"{path} cannot be read: {one_line(str(problem))}"
        raise InputError(what, allowed="a whole JSON or TOML file") from problem


def _json(text: str, where: str) -> object:
    try:
        return parse_json(text, pairs=_once)
    except InputError as problem:
        raise InputError(f"{where}: {problem.what}", allowed=problem.allowed) from problem
    except ValueError as problem:
        what = f"{where} is not JSON: {one_line(str(problem))}"
        raise InputError(what, allowed=f"JSON such as {_SHAPE}") from problem


def _once(pairs: Iterable[tuple[str, object]]) -> dict[str, object]:
    found: dict[str, object] = {}
    for key, value in pairs:
        if key in found:
            raise InputError(f"the key {shortened(key)!r} twice in one object", allowed="each key once")
        found[key] = value
    return found


def _written_steps(content: object, where: str) -> list[WrittenStep]:
    steps = content.get("steps") if isinstance(content, Mapping) else None
    if not isinstance(steps, list) or not steps or not isinstance(content, Mapping) or len(content) > 1:
        raise InputError(f"{where}no list of steps, an empty one, or more than that", allowed=_SHAPE)
    return [_written(item, f"{where}steps[{index}]: ") for index, item in enumerate(steps)]


def _written(item: object, where: str, depth: int = 0) -> WrittenStep:
    if depth > DEEPEST:
        raise InputError(f"{where}more than {DEEPEST} steps inside one another", allowed="a step in a step or two")
    if not isinstance(item, Mapping):
        raise InputError(f"{where}{_short(item)}", allowed='an object such as {"step": "gaussian", "sigma": 1}')
    arguments = dict(item)
    name = arguments.pop("name" if "name" in arguments else "step", None)
    if not isinstance(name, str):
        allowed = '"step": NAME, or "name": NAME where "step" is the step inside'
        raise InputError(f"{where}a step without a name", allowed=allowed, remedy="`dpverify list steps` shows all")
    count = arguments.pop("count", 1)
    return WrittenStep(
        name=name, arguments={key: _value(value, where, depth) for key, value in arguments.items()}, count=count
    )


def _value(value: object, where: str, depth: int) -> object:
    if isinstance(value, Mapping):
        return _written(value, where, depth + 1)
    return tuple(value) if isinstance(value, list) else value


def _short(value: object) -> str:
    try:
        return repr(value)[:40]
    except ValueError:  # Python writes no integer of more than 4300 digits
        return "a huge number"


def parse_toml(text: str) -> dict[str, object]:
    """The table in a TOML text.

    Raises
    ------
    ValueError
        No TOML, or keys of more than `MOST_PARTS` parts, or values nested more than `DEEPEST_VALUES` deep.
    """
    depth = 0
    for piece in _PIECE.finditer(text):
        if (key := piece["key"]) is not None and "." in key and len(_PART.findall(key)) > MOST_PARTS:
            raise ValueError(f"a key of more than {MOST_PARTS} parts between dots: {key[:40]}...")
        if (bracket := piece["bracket"]) is not None:
            depth = depth + 1 if bracket in "[{" else max(0, depth - 1)
            if depth > DEEPEST_VALUES:
                raise ValueError(f"its values are nested more than {DEEPEST_VALUES} deep")
    return tomllib.loads(text)
