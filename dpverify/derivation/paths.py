"""Paths of a callable: it is read once for each list of answers to what it asks of released values."""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from dpverify.adapters.signature import signature
from dpverify.derivation.domain import Domain
from dpverify.derivation.draws import check_seeds
from dpverify.derivation.frames import of_outside, own_names
from dpverify.derivation.interpreter import Interpreter
from dpverify.derivation.items import held
from dpverify.derivation.known import plain
from dpverify.derivation.machine import Machine, next_answers
from dpverify.derivation.stop import NotDerivedError
from dpverify.derivation.values import Generator, Lifted, NoiseDraw, Public, Size
from dpverify.proofs.node import Node
from dpverify.proofs.program import ProofProgram

MOST_PATHS = 256


@dataclass(frozen=True)
class Path:
    """One path: its proof, the conditions on public values under which it is taken, and what it returns.

    `modules` are those whose files were read; `released` has the line of each release.
    `ways`: what holds on each way of one record through the loops over records.
    """

    program: ProofProgram
    conditions: tuple[tuple[Node, bool], ...]
    returned: Any
    modules: tuple[str, ...]
    released: tuple[str, ...] = ()
    ways: tuple[tuple[tuple[Node, bool], ...], ...] = ()


def paths_with(
    mechanism: Callable[..., Any], domain: Domain, relation: str, given: Collection[str]
) -> tuple[Path, ...]:
    """All paths of a call with the names of `given`, of those that the function takes.

    NotDerivedError where one of them has an operation without a rule, or there are too many.
    """
    found: list[Path] = []
    answers: list[bool] | None = []
    while answers is not None:
        path = _path(mechanism, domain, relation, answers, given)
        found.append(path)
        answers = next_answers(path.conditions)
        if len(found) > MOST_PATHS:
            raise NotDerivedError(f"more than {MOST_PATHS} paths by released values")
    return tuple(found)


def _path(
    mechanism: Callable[..., Any], domain: Domain, relation: str, answers: list[bool], given: Collection[str]
) -> Path:
    program = ProofProgram(relation, domain.fields)
    machine = Machine(program, answers)
    data = domain.lifted(program)
    keywords, _ = signature(mechanism, getattr(mechanism, "__name__", "the mechanism"))
    function, before, bound = unwrapped(mechanism)
    _check_called(function, set(keywords) - set(bound), set(bound))
    lifted = {"rng": Generator(), "size": Size()}
    if set(bound) & set(lifted):
        raise NotDerivedError("a size or a generator that functools.partial binds", "a parameter of the function")
    for each in (*before, *bound.values()):
        of_outside(each)
    try:
        value = Interpreter(machine).call(
            function, [*before, data], {**bound, **{key: lifted[key] for key in keywords & set(given)}}
        )
    except RecursionError:
        raise NotDerivedError("a computation that is too deep") from None
    except (ValueError, TypeError, LookupError, AttributeError, ArithmeticError) as problem:
        raise NotDerivedError(f"values that do not fit one another ({type(problem).__name__}: {problem})") from None
    check_seeds(program, tuple(machine.modules))
    try:
        _check_returned(value)
    except RecursionError:
        raise NotDerivedError("a list within itself is returned") from None
    return Path(
        *(program, tuple(machine.conditions), value, tuple(machine.modules)),
        released=tuple(machine.released),
        ways=tuple(machine.ways),
    )


def _check_called(function: Any, keywords: set[str], bound: set[str]) -> None:
    """The function itself must take what its signature says: a wrapper may say otherwise."""
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    if isinstance(code, types.CodeType):
        own = set(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])
        if (own & {"rng", "size"}) - bound != keywords:
            raise NotDerivedError("a function that takes something else than its signature says")


def unwrapped(mechanism: Any) -> tuple[Any, list[Any], Mapping[str, Any]]:
    """The function, and the arguments that come before and beside the data."""
    if type(mechanism) is functools.partial:
        function, before, bound = unwrapped(mechanism.func)
        return function, [*before, *mechanism.args], {**bound, **own_names(mechanism.keywords)}
    if not inspect.isroutine(mechanism) and not isinstance(mechanism, type):
        method = held(type(mechanism), "__call__")
        if inspect.isfunction(method):
            return method, [mechanism], {}
    return mechanism, [], {}


def _check_returned(value: Any) -> None:
    """Only numbers, texts, arrays and containers of these that are known or released."""
    if isinstance(value, Public):
        return
    if isinstance(value, NoiseDraw):
        raise NotDerivedError("noise is returned that no value was added to")
    if isinstance(value, Lifted):
        raise NotDerivedError(f"{value.described()} is returned", "add noise to it")
    if type(value) in (list, tuple):
        for each in value:
            _check_returned(each)
    elif type(value) is dict:
        for each in value.values():
            _check_returned(each)
    elif not plain(value) or isinstance(value, range | slice):
        raise NotDerivedError(f"a {type(value).__name__} is returned", "numbers, texts, arrays, lists, tuples or dicts")
