"""The syntax tree of a function, from its file; refused where the file is not what runs."""

from __future__ import annotations

import ast
import linecache
import os
import sys
import types
from functools import lru_cache
from typing import Any

from dpverify.derivation.stop import NotDerivedError

Definition = ast.FunctionDef | ast.Lambda


def definition_of(function: types.FunctionType) -> Definition:
    """The definition of a function; NotDerivedError where its source is not to be had, or is not what was compiled."""
    code = function.__code__
    text = "".join(linecache.getlines(code.co_filename, function.__globals__))
    name = getattr(function, "__qualname__", code.co_name)
    if not text:
        raise NotDerivedError(f"the source of {name} is not to be had", "put it into a file")
    try:
        begun, compiled = _read(text, code.co_filename)
    except (SyntaxError, ValueError):
        raise NotDerivedError(f"the source of {name} cannot be read") from None
    if sum(each == code for each in compiled) != 1:
        raise NotDerivedError(
            f"the file of {name} is not the code that runs, or has two functions that look alike there"
        )
    wanted = begun.get((code.co_firstlineno, code.co_name), [])
    if len(wanted) != 1:
        raise NotDerivedError(f"{name} cannot be told from another function of its line", "one function a line")
    found = wanted[0]
    if not isinstance(found, Definition):
        raise NotDerivedError(f"{name} is asynchronous")
    return found


def module_of(function: types.FunctionType) -> str:
    """The module whose file a function was read from; what the function says of itself, a wrapper may have copied."""
    name = function.__globals__.get("__name__")
    file = getattr(sys.modules.get(name), "__file__", None) if type(name) is str else None
    try:
        if type(name) is str and file and os.path.samefile(file, function.__code__.co_filename):
            return name
    except OSError:
        pass
    raise NotDerivedError(f"{function.__code__.co_name} is in no file of a module", "put it into a module")


def _begins(node: ast.AST) -> tuple[int, str] | None:
    """The line and the name that the code of a function has."""
    if isinstance(node, ast.Lambda):
        return node.lineno, "<lambda>"
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return min([node.lineno, *(each.lineno for each in node.decorator_list)]), node.name
    return None


@lru_cache(maxsize=64)
def _read(text: str, filename: str) -> tuple[dict[tuple[int, str], list[ast.AST]], list[types.CodeType]]:
    """Functions by line and name, and all code of a file."""
    module = compile(text, filename, "exec", dont_inherit=True)
    found: list[types.CodeType] = []
    waiting: list[Any] = [module]
    while waiting:
        code = waiting.pop()
        found.append(code)
        waiting.extend(each for each in code.co_consts if isinstance(each, types.CodeType))
    begun: dict[tuple[int, str], list[ast.AST]] = {}
    for node in ast.walk(ast.parse(text, filename)):
        if (place := _begins(node)) is not None:
            begun.setdefault(place, []).append(node)
    return begun, found
