"""Statements. What is not among them has no rule."""

from __future__ import annotations

import ast
import builtins
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from dpverify.derivation import items, loops, membership
from dpverify.derivation.frames import Frame, Local
from dpverify.derivation.homes import is_array
from dpverify.derivation.known import IN_PLACE, compute, plain, plain_array, replica
from dpverify.derivation.reader import Reader
from dpverify.derivation.signals import BreakSignal, ContinueSignal, ReturnSignal
from dpverify.derivation.source import Definition
from dpverify.derivation.stop import NotDerivedError
from dpverify.derivation.values import DataColumn, DataRows, Lifted, RunningTotal, Unusable


def _assign(self: Reader, node: ast.Assign, frame: Frame) -> None:
    value = self.value(node.value, frame)
    for target in node.targets:
        self.store(target, value, frame)
    if len(node.targets) > 1:
        self.machine.share(value)


def _annotated(self: Reader, node: ast.AnnAssign, frame: Frame) -> None:
    if not isinstance(node.target, ast.Name):
        raise NotDerivedError("an annotation of what is no variable")
    if node.value is not None:
        self.store(node.target, self.value(node.value, frame), frame)


def _augmented(self: Reader, node: ast.AugAssign, frame: Frame) -> None:
    """``a += b``: of an array it changes the array that ``a`` names, so that must have no other name."""
    target = node.target
    if isinstance(target, ast.Attribute):
        raise NotDerivedError(
            "an attribute is changed: what outlives the call is output", "keep it in a local variable"
        )
    if isinstance(target, ast.Subscript):
        holder, key = self.peek(target.value, frame), self.value(target.slice, frame)
        if isinstance(holder, RunningTotal) and isinstance(target.value, ast.Name):
            right = self.value(node.value, frame)
            if id(holder) not in self.machine.fresh or target.value.id not in frame.names:
                raise NotDerivedError("an array that may have another name is changed in a loop over records")
            added = loops.added_at(self, holder, key, node.op, right)
            frame.names[target.value.id] = self.machine.own(added)
            return
        key = membership.resolved(self.machine, holder, key)
        before = items.item(self, holder, key)
        if is_array(before) or isinstance(before, list | dict):
            raise NotDerivedError("an array within an array or a list is changed in place")
        value = self.binary(node.op, before, self.value(node.value, frame))
        self.store_at(target, holder, key, value, frame)
        return
    before = frame.read(target.id)
    if isinstance(before, Unusable):
        raise NotDerivedError(before.why)
    if isinstance(before, list | dict):
        raise NotDerivedError("a list is extended in place", "list.append")
    right = self.value(node.value, frame)  # it may give the array another name
    if is_array(before) and id(before) not in self.machine.fresh:
        raise NotDerivedError("an array that may have another name is changed in place", "a = a + b")
    if plain_array(before) and plain(right):  # it keeps its order of memory
        value = self.machine.own(compute(IN_PLACE[type(node.op)], replica(before), right))
    else:
        value = self.binary(node.op, before, right)
    _check_in_place(self, before, right, value)
    frame.names[target.id] = value


def _check_in_place(self: Reader, before: Any, right: Any, value: Any) -> None:
    """Check that an array keeps its shape and its type in place."""
    if not is_array(before):
        return
    if isinstance(before, RunningTotal):
        loops.check_added(self.machine, before, right)
        return
    old, new = self.machine.node(before), self.machine.node(value)
    if (
        old.shape != new.shape
        or old.kind != new.kind
        or isinstance(before, DataColumn) != isinstance(value, DataColumn)
    ):
        raise NotDerivedError("an array takes another type or shape in place", "a = a + b")


def _returned(self: Reader, node: ast.Return, frame: Frame) -> None:
    raise ReturnSignal(None if node.value is None else self.value(node.value, frame))


def _if(self: Reader, node: ast.If, frame: Frame) -> None:
    self.block(node.body if self.machine.holds(self.value(node.test, frame)) else node.orelse, frame)


def _for(self: Reader, node: ast.For, frame: Frame) -> None:
    if node.orelse:
        raise NotDerivedError("an else of a loop has no rule")
    over = self.value(node.iter, frame)
    if isinstance(over, DataColumn | DataRows):
        loops.over_records(self, node, over, frame)
        return
    if isinstance(over, list | dict):
        self.machine.freeze(over)
    for item in self.items(over):
        self.machine.share(item)
        self.store(node.target, item, frame)
        try:
            self.block(node.body, frame)
        except BreakSignal:
            break
        except ContinueSignal:
            continue


def _while(self: Reader, node: ast.While, frame: Frame) -> None:
    if node.orelse:
        raise NotDerivedError("an else of a loop has no rule")
    while True:
        self.machine.step()
        if not self.machine.holds(self.value(node.test, frame)):
            return
        try:
            self.block(node.body, frame)
        except BreakSignal:
            return
        except ContinueSignal:
            continue


def _break(self: Reader, node: ast.Break, frame: Frame) -> None:
    raise BreakSignal


def _continue(self: Reader, node: ast.Continue, frame: Frame) -> None:
    raise ContinueSignal


def _expression(self: Reader, node: ast.Expr, frame: Frame) -> None:
    self.value(node.value, frame)


def _function(self: Reader, node: ast.FunctionDef, frame: Frame) -> None:
    if node.decorator_list:
        raise NotDerivedError("a decorated function within the function")
    arguments = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs, node.args.vararg, node.args.kwarg)
    notes = [node.returns, *(each.annotation for each in arguments if each is not None)]
    if any(each is not None and not isinstance(each, ast.Constant) for each in notes):
        raise NotDerivedError("an annotation of a function within the function, which Python computes")
    frame.names[node.name] = local_function(self, node, node.args, frame, node.name)


def local_function(self: Reader, node: Definition, arguments: ast.arguments, frame: Frame, name: str) -> Local:
    """A function that the code defines, with the values of its defaults now."""
    defaults = [self.value(each, frame) for each in arguments.defaults]
    self.machine.share(*defaults)
    named = {
        each.arg: self.value(default, frame)
        for each, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
        if default is not None
    }
    self.machine.share(*named.values())
    return Local(node, frame, defaults, named, name)


def _assert(self: Reader, node: ast.Assert, frame: Frame) -> None:
    for each in ast.walk(node.test):
        asked = isinstance(each, ast.Call) and isinstance(each.func, ast.Name) and each.func.id in ASKED
        if isinstance(each, ast.NamedExpr | ast.Call) and not asked:
            raise NotDerivedError("an assertion that does more than ask: `python -O` leaves it out", "do it before")
    found = self.value(node.test, frame)
    if isinstance(found, Lifted) or not self.machine.holds(found):
        raise NotDerivedError("an assertion that is not known to hold")


def _import(self: Reader, node: ast.Import, frame: Frame) -> None:
    for each in node.names:
        module = {"numpy": np, "math": math}.get(each.name)
        if module is None or builtins.__import__ is not IMPORT or IMPORT(each.name) is not module:
            raise NotDerivedError(f"an import of {each.name} within the function", "import at the top of the file")
        frame.names[each.asname or each.name] = module


IMPORT = builtins.__import__

ASKED = ("len", "isinstance", "all", "any", "abs", "min", "max", "sum", "float", "int", "round")
"""Functions that an assertion may call."""


STATEMENTS: dict[type[ast.stmt], Callable[..., None]] = {
    ast.Assign: _assign,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _augmented,
    ast.Return: _returned,
    ast.If: _if,
    ast.For: _for,
    ast.While: _while,
    ast.Break: _break,
    ast.Continue: _continue,
    ast.Expr: _expression,
    ast.Pass: lambda *_: None,
    ast.FunctionDef: _function,
    ast.Assert: _assert,
    ast.Import: _import,
}
