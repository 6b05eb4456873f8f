"""The usual ways to break a mechanism, each made without touching the mechanism's own code.

A mutant is a callable of the same kind (one output a call, or batches), or it is left out, with the reason.

The mutant that forgot to clip is the function's source without its clipping, compiled again. Taken out are ``np.clip(x,
a, b)``, ``x.clip(a, b)``, ``min(max(x, a), b)`` either way round (with ``np.minimum`` and ``np.maximum``, too), and the
factors of gradient clipping: ``x / max(1, norm / c)``, ``x * min(1, c / norm)``. Functions of the same module that it
calls are rewritten, too. Limits: clipping in other modules, by ``where`` or an ``if``, and functions whose source is
not at hand.
"""

from __future__ import annotations

import ast
import functools
import inspect
import textwrap
import types
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpverify.adapters.signature import signature
from dpverify.core.subjects import Pair
from dpverify.datasets.examples.container import container_of
from dpverify.testing.sabotage.altered_generator import Alteration, AlteredGenerator

Mechanism = Callable[..., Any]
Replaced = Callable[[Any, Any], Any]
"""``replaced(rng, data) -> rng'``: what the mechanism draws from instead."""


@dataclass(frozen=True, kw_only=True)
class Mutant:
    """One way to break one mechanism."""

    name: str
    what: str
    """`name`, `what`: for tables, and in words."""
    broken: Mechanism | None = None
    """The broken mechanism; None where it is left out."""
    twin: Mechanism | None = None
    """The mechanism itself, called the same way, so that the two can be compared draw by draw."""
    left_out: str = ""
    """Why there is none."""


HALVED = Alteration(scale=lambda b: b / 2, uniform=lambda u: 0.25 + u / 2, chance=lambda p: 1 - (1 - p) ** 2)
NONE = Alteration(scale=lambda b: 0 * b, uniform=lambda u: 0 * u + 0.5, chance=lambda p: 0 * p + 1.0)
ROOT = Alteration(scale=lambda b: np.sqrt(b))
UPWARDS = Alteration(sign=True)
REUSED = Alteration(once=True)

GENERATOR_MUTANTS: tuple[tuple[str, str, Alteration, bool], ...] = (
    ("noise-halved", "noise has half its scale", HALVED, False),
    ("noise-removed", "noise has scale 0", NONE, False),
    ("noise-reused", "all numbers of one run are the same draw", REUSED, True),
    ("noise-root", "noise has the square root of its scale", ROOT, False),
    ("noise-one-sided", "noise is never negative", UPWARDS, False),
)
"""Name, words, alteration, and whether each output needs a call of its own."""


def kinds_of(mechanism: Mechanism, name: str, pairs: Sequence[Pair], *, altered: bool) -> list[Mutant]:
    """All mutants of a mechanism.

    `pairs`: neighbours: the largest data among them stand for the bound that a sensitivity is taken from. `altered`:
    whether the mechanism takes a generator that passes calls on; else mutants of its noise are left out.
    """
    found = []
    for kind, what, alteration, alone in GENERATOR_MUTANTS:
        found.append(_with_generator(mechanism, name, kind, what, _altering(alteration), alone=alone, altered=altered))
    what = "the same seed in every run"
    fixed: Replaced = lambda _rng, _data: np.random.default_rng(0)  # noqa: E731
    found.append(_with_generator(mechanism, name, "seed-fixed", what, fixed, alone=True, altered=altered))
    what = "noise is scaled by the largest record of the data, not by the largest possible"
    largest = max((size_of(side) for pair in pairs for side in (pair.d0, pair.d1)), default=0.0)
    if largest > 0:
        scaled: Replaced = lambda rng, data: AlteredGenerator(  # noqa: E731
            rng, Alteration(scale=lambda b: b * (size_of(data) / largest))
        )
        found.append(_with_generator(mechanism, name, "sensitivity-from-data", what, scaled, altered=altered))
    unclipped = without_clip(mechanism)
    what = "records are not clipped"
    if unclipped is None:
        found.append(Mutant(name="clip-dropped", what=what, left_out="no clipping was found in the source"))
    else:
        broken = _called(unclipped, f"{name}[clip-dropped]", alone=False)
        found.append(Mutant(name="clip-dropped", what=what, broken=broken, twin=mechanism))
    return found


def passing_on(mechanism: Mechanism, name: str) -> Mechanism:
    """The mechanism with a generator that passes every call on, unaltered."""
    return _called(mechanism, name, _altering(Alteration()))


def size_of(data: Any) -> float:
    """The largest number in a data set, in absolute value; where it holds none, how many different records."""
    try:
        numbers = np.abs(np.asarray(data, dtype=np.float64))
        return float(numbers.max(initial=0.0))
    except (TypeError, ValueError):
        records = container_of(data).records
    fields = [value for record in records for value in (record if isinstance(record, tuple) else (record,))]
    sizes = [abs(float(value)) for value in fields if isinstance(value, int | float)]
    return max(sizes) if sizes else float(len(set(map(repr, records))))


def _altering(alteration: Alteration) -> Replaced:
    return lambda rng, _data: AlteredGenerator(rng, alteration)


def _with_generator(
    mechanism: Mechanism, name: str, kind: str, what: str, replaced: Replaced, *, altered: bool, alone: bool = False
) -> Mutant:
    keywords, _ = signature(mechanism, name)
    if "rng" not in keywords or not altered:
        why = "it takes no rng" if "rng" not in keywords else "it takes no generator but numpy's own"
        return Mutant(name=kind, what=what, left_out=why)
    broken = _called(mechanism, f"{name}[{kind}]", replaced, alone=alone)
    return Mutant(name=kind, what=what, broken=broken, twin=_called(mechanism, name, alone=alone))


def _called(mechanism: Mechanism, name: str, replaced: Replaced | None = None, *, alone: bool = False) -> Mechanism:
    """The mechanism as a function of the same signature; with `alone` each output has a call of its own."""
    keywords, _ = signature(mechanism, name)

    def words(data: Any, rng: Any) -> dict[str, Any]:
        return {"rng": rng if replaced is None else replaced(rng, data)} if "rng" in keywords else {}

    def one(data: Any, rng: np.random.Generator) -> Any:
        if "size" in keywords:
            return mechanism(data, size=1, **words(data, rng))[0]
        return mechanism(data, **words(data, rng))

    def many(data: Any, size: int, rng: np.random.Generator) -> Any:
        return mechanism(data, size=size, **words(data, rng))

    def plain(data: Any) -> Any:
        return mechanism(data)

    found: Any = plain if not keywords else many if "size" in keywords and not alone else one
    found.__name__ = found.__qualname__ = name
    found.__module__ = getattr(mechanism, "__module__", None) or __name__
    return found  # type: ignore[no-any-return]


LEAST, GREATEST = ("min", "minimum", "fmin"), ("max", "maximum", "fmax")


class _Unclipped(ast.NodeTransformer):
    """Takes clipping out, and counts."""

    def __init__(self) -> None:
        self.taken = 0

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """A call that clips becomes what it clipped."""
        self.generic_visit(node)
        name, given = _name(node), node.args
        if name == "clip":
            if not isinstance(node.func, ast.Attribute):
                return node
            if not _is_numpy(node.func.value):
                return self._as(node, node.func.value)
            array = ast.Attribute(value=node.func.value, attr="asarray", ctx=ast.Load())  # a list stays an array
            return self._as(node, ast.Call(func=array, args=given[:1], keywords=[])) if given else node
        if name not in LEAST + GREATEST or len(given) != 2 or node.keywords:
            return node
        other = GREATEST if name in LEAST else LEAST
        for outer in given:
            if isinstance(outer, ast.Call) and _name(outer) in other and len(outer.args) == 2:
                return self._as(node, next((each for each in outer.args if not _is_constant(each)), outer.args[0]))
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        """``x / max(1, r)`` and ``x * min(1, r)`` become ``x``."""
        self.generic_visit(node)
        sides = {ast.Div: ((node.right, node.left),), ast.Mult: ((node.right, node.left), (node.left, node.right))}
        for factor, kept in sides.get(type(node.op), ()):
            names = GREATEST if isinstance(node.op, ast.Div) else LEAST
            if isinstance(factor, ast.Call) and _name(factor) in names and any(map(_is_one, factor.args)):
                return self._as(node, kept)
        return node

    def _as(self, _old: ast.AST, new: ast.AST) -> ast.AST:
        self.taken += 1
        return new


def without_clip(mechanism: Callable[..., Any]) -> Callable[..., Any] | None:
    """The mechanism without its clipping; None where its source shows none."""
    if isinstance(mechanism, functools.partial):
        inner = without_clip(mechanism.func)
        return None if inner is None else functools.partial(inner, *mechanism.args, **mechanism.keywords)
    if inspect.ismethod(mechanism):
        rewritten = _rewritten(mechanism.__func__, {})
        return None if rewritten is None else types.MethodType(rewritten, mechanism.__self__)
    if isinstance(mechanism, types.FunctionType):
        return _rewritten(mechanism, {})
    call = getattr(type(mechanism), "__call__", None)  # noqa: B004 - the method of an object that is called
    rewritten = _rewritten(call, {}) if isinstance(call, types.FunctionType) else None
    return None if rewritten is None else types.MethodType(rewritten, mechanism)


def _rewritten(function: Any, known: dict[int, Any]) -> types.FunctionType | None:
    """The function with rewritten source, and with rewritten functions of its module; None where nothing changes."""
    if id(function) in known:
        return known[id(function)]  # type: ignore[no-any-return]
    known[id(function)] = None  # while it is being rewritten: a function that calls itself
    home: dict[str, Any] = dict(function.__globals__)
    changed = False
    for name in _names(function.__code__):
        other = home.get(name)
        if isinstance(other, types.FunctionType) and other.__module__ == function.__module__:
            new = _rewritten(other, known)
            if new is not None:
                home[name], changed = new, True
    compiled, taken = _compiled(function, home)
    if not taken and not changed:
        return None
    if compiled is None or not taken:
        made = types.FunctionType(function.__code__, home, function.__name__, None, function.__closure__)
    else:
        made = compiled
    made.__defaults__, made.__kwdefaults__ = function.__defaults__, function.__kwdefaults__
    known[id(function)] = made
    return made


def _compiled(function: Any, home: dict[str, Any]) -> tuple[types.FunctionType | None, int]:
    """The function compiled without its clipping, and how much was taken out; what it closes over becomes global."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError):
        return None, 0
    if len(tree.body) != 1 or not isinstance(tree.body[0], ast.FunctionDef):
        return None, 0
    definition = tree.body[0]
    definition.decorator_list = []
    rewriter = _Unclipped()
    definition.body = [rewriter.visit(each) for each in definition.body]
    if not rewriter.taken:
        return None, 0
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=False)
    home |= {name: cell.cell_contents for name, cell in cells}
    definition.args.defaults = [ast.Constant(None) for _ in definition.args.defaults]
    definition.args.kw_defaults = [each and ast.Constant(None) for each in definition.args.kw_defaults]
    found: dict[str, Any] = {}
    code = compile(ast.fix_missing_locations(tree), f"<{function.__name__} without clipping>", "exec")
    exec(code, home, found)  # noqa: S102 - the author's own function, as it would run anyway
    made: types.FunctionType = found[definition.name]
    return made, rewriter.taken


def _names(code: types.CodeType) -> set[str]:
    """Global names that the code uses, comprehensions and inner functions included."""
    inner = (each for each in code.co_consts if isinstance(each, types.CodeType))
    return set(code.co_names).union(*map(_names, inner))


def _name(node: ast.Call) -> str:
    if isinstance(node.func, ast.Attribute):
        return node.func.attr
    return node.func.id if isinstance(node.func, ast.Name) else ""


def _is_numpy(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in ("np", "numpy")


def _is_constant(node: ast.expr) -> bool:
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError):
        return False
    return True


def _is_one(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value == 1
