"""A function's source without its clipping, compiled again: the mutant that forgot to clip.

Taken out are ``np.clip(x, a, b)``, ``x.clip(a, b)``, ``min(max(x, a), b)`` either way round (with ``np.minimum`` and
``np.maximum``, too), and the factors of gradient clipping: ``x / max(1, norm / c)``, ``x * min(1, c / norm)``.
Functions of the same module that it calls are rewritten, too. Limits: clipping in other modules, by ``where`` or an
``if``, and functions whose source is not at hand.
"""

from __future__ import annotations

import ast
import functools
import inspect
import textwrap
import types
from collections.abc import Callable
from typing import Any

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
