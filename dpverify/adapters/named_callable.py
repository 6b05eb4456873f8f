"""A callable by its name: ``package.module:function``, or an instance, ``package.module:Class(epsilon=1.0)``."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import sys
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from pathlib import PureWindowsPath
from typing import Any

from dpverify.adapters.bound import instance
from dpverify.adapters.literals import literal_keywords, parse_expression
from dpverify.core.callable_name import callable_name
from dpverify.core.errors import InputError, one_line
from dpverify.core.read_untrusted import shortened

FORM = "PACKAGE.MODULE:CALLABLE, such as mymodule:noisy_sum or mymodule:NoisySum(epsilon=1.0)"


def load_callable(text: str) -> Callable[..., Any]:
    """Import ``package.module:name`` (``name`` may have dots); a class with arguments, which are data, is an instance.

    To import is to run the module, and to make an instance is to call the class: only for names that the user typed or
    declared, never for one that a record has.

    Raises
    ------
    InputError
        For a missing module or name, a module that raises when imported, or an object that is neither callable nor
        has a method ``sample``.
    """
    named, bracket, arguments = text.partition("(")
    module_name, colon, path = named.rpartition(":")
    if file := next((each for each in (module_name, named) if each.endswith(".py")), ""):
        raise _file(text, file, f"{path}{bracket}{arguments}" if file == module_name else "CALLABLE")
    expression = parse_expression(f"{path}{bracket}{arguments}") if colon and module_name and path else None
    if expression is None:
        raise InputError(f"mechanism {shortened(repr(text), most=120)}", allowed=FORM)
    found = _reached(expression, _module(module_name, text), text)
    if not (callable(found) or callable(getattr(found, "sample", None))):
        raise InputError(f"{text!r} is a {type(found).__name__}", allowed="a callable, or an object that has sample")
    return found  # type: ignore[no-any-return]


def _module(name: str, text: str) -> Any:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as problem:
        missing = str(problem.name)
        near = near_module(missing) if name.startswith(missing) else ""
        meant = f"did you mean {text.replace(missing, near, 1)}?"
        raise InputError(
            f"no module called {missing!r} (for {text!r})",
            allowed="an installed module, or a file in the working directory",
            remedy=meant if near else "start in the folder that holds it, or install it",
        ) from problem
    except (Exception, SystemExit) as problem:
        raise InputError(
            f"importing {name!r} raised {type(problem).__name__}: {one_line(str(problem))}",
            allowed="a module that can be imported",
        ) from problem


def _reached(node: ast.expr, module: Any, text: str) -> Any:
    """What an expression of names, dots and arguments of classes is in a module; nothing else is looked at."""
    if isinstance(node, ast.Name):
        return _attribute(module, node.id, text)
    if isinstance(node, ast.Attribute):
        return _attribute(_reached(node.value, module, text), node.attr, text)
    if not isinstance(node, ast.Call):
        raise InputError(f"mechanism {shortened(repr(text), most=120)}", allowed=FORM)
    kind = _reached(node.func, module, text)
    if not isinstance(kind, type):
        raise InputError(
            f"{text!r} gives arguments to {callable_name(kind)}, which is no class",
            allowed="arguments of a class, whose instance is meant",
            remedy="bind a function's parameters: --parameters 'epsilon=1.0', parameters = {epsilon = 1.0} in a file",
        )
    if node.args:
        raise InputError(f"{text!r} gives {ast.unparse(node.args[0])} without a name", allowed="NAME=VALUE")
    return instance(kind, literal_keywords(node.keywords, kind.__qualname__))


def _attribute(owner: Any, name: str, text: str) -> Any:
    if hasattr(owner, name):
        return getattr(owner, name)
    names = [key for key in dir(owner) if not key.startswith("_") and callable(getattr(owner, key, None))]
    near = _near(name, names)
    where = owner.__name__ if isinstance(owner, type(sys)) else callable_name(owner)
    raise InputError(
        f"{where!r} has no {name!r} (for {text!r})",
        allowed=", ".join(names[:8]) or "(it has no callable)",
        remedy=f"did you mean {near}?" if near else "",
    )


def _near(name: str, names: Sequence[str]) -> str:
    return next(iter(get_close_matches(name, names, n=1)), "")


def near_module(name: str) -> str:
    """A module that is called nearly so, of the package that it would be in or of all folders that are searched."""
    package, dot, _ = name.rpartition(".")
    folders = getattr(sys.modules.get(package), "__path__", []) if dot else sys.path
    found = pkgutil.iter_modules([folder or "." for folder in folders])
    return _near(name, [f"{package}{dot}{each.name}" for each in found])


def _file(text: str, file: str, name: str) -> InputError:
    """The error for a file in the place of a module, with the module that is meant."""
    path, where = PureWindowsPath(file), ""  # which takes both kinds of slash
    module = ".".join(path.with_suffix("").parts)
    if path.anchor or ".." in path.parts:
        module, where = path.stem, f", started in the folder {file[: -len(path.name)]}"
    return InputError(
        f"mechanism {shortened(repr(text), most=120)} names a file",
        allowed=FORM,
        remedy=f"did you mean {module}:{name}{where}?",
    )
