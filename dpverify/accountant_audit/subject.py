"""An accountant that is asked: a function, a class or object, one of ours, or one of a library; each answer is kept.

The forms, of which the first that fits is taken:

- a name of ours (``rdp``) or of a library's accountant (``dp_accounting.rdp``);
- a function of ``sigma``, ``steps``, ``delta``, and of ``q`` and ``sensitivity`` where it has them;
- a class, a function of nothing, or an object (it is copied), with ``compose(step, count)`` and ``epsilon(delta)``.
  ``step`` is a dict such as ``{"step": "poisson-gaussian", "q": 0.1, "sigma": 1.0}``. It may have ``delta(epsilon)``,
  ``state_dict()`` with ``load_state_dict(state)``, and ``steps``: the kinds that it takes, or their numbers by kind.

An answer is an upper bound on epsilon, or (lower, upper) where the accountant states both.
"""

from __future__ import annotations

import copy
import inspect
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from dpverify.accountant_audit.kinds import KINDS, NUMBERS, RELATIONS, Runs, size_of
from dpverify.accounting.composition_spec import composition_of
from dpverify.adapters.foreign_call import foreign_call
from dpverify.adapters.libraries.library_accountant import LibraryAccountant
from dpverify.adapters.time_limit import TimeLimit
from dpverify.core.callable_name import callable_name
from dpverify.core.composition import Accountant, Bracket, Composition
from dpverify.core.errors import DpverifyError, InputError, one_line
from dpverify.core.plugins import registry

FORMS = (
    "a function of sigma, steps, delta (q, sensitivity), or a class with compose(step, count) and epsilon(delta), or a "
    "name that `dpverify audit-accountant --list` shows"
)
ANSWERS = "a number, or (lower, upper)"
ABSOLUTE, RELATIVE = 1e-9, 1e-6
"""Two answers that differ by less are equal, whatever the accountant states."""

Question = Callable[[Any], Any]


class RefusedError(DpverifyError):
    """The accountant gave no answer to one question."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An upper bound, and a lower one where the accountant states it."""

    upper: float
    lower: float | None = None

    def text(self) -> str:
        """The numbers as a table has them."""
        return f"{self.upper:.6g}" if self.lower is None else f"{self.lower:.6g} to {self.upper:.6g}"


@dataclass(slots=True, kw_only=True)
class Subject:
    """An accountant, its steps, and the answers that it has given."""

    name: str
    version: str
    make: Callable[[], Any]
    """Returns an accountant of nothing yet, with `compose` and `epsilon`."""
    steps: Mapping[str, tuple[str, ...]]
    relation: str
    error: float | None
    """The relative error that is stated; None where none is."""
    limit: TimeLimit
    relative: float = RELATIVE
    absolute: float = ABSOLUTE
    per_run: float = 0.0
    known: str = ""
    """What its library says against its answers."""
    one_run: bool = False
    """Whether it takes one step, repeated, and no other."""
    calls: int = 0
    _known: dict[Any, Answer | str] = field(default_factory=dict)

    def epsilon(self, runs: Runs, delta: float, *, saved_after: int | None = None, again: bool = False) -> Answer:
        """The epsilon of these runs; its state is saved and restored behind the first `saved_after` of them.

        RefusedError where it gives none.
        """
        return self._asked(("epsilon", runs, delta, saved_after, again), lambda one: one.epsilon(delta))

    def delta(self, runs: Runs, epsilon: float) -> Answer:
        """The delta of these runs; RefusedError where it gives none."""
        return self._asked(("delta", runs, epsilon, None, False), lambda one: one.delta(epsilon))

    def has(self, method: str) -> bool:
        """Tell whether its objects have a method."""
        try:
            with foreign_call(self.name, self.limit, allowed=FORMS):
                return callable(getattr(self.make(), method, None))
        except InputError:
            return False

    def slack(self, runs: Runs, *answers: float) -> float:
        """Two answers to one question may differ by so much."""
        return self.relative * max(map(abs, answers), default=0.0) + self.per_run * size_of(runs) + self.absolute

    def _asked(self, key: tuple[Any, ...], question: Question) -> Answer:
        if key not in self._known:
            try:
                self._known[key] = self._called(key[1], key[3], question)
            except InputError as problem:
                self._known[key] = one_line(problem.what)
        found = self._known[key]
        if isinstance(found, str):
            raise RefusedError(found)
        return found

    def _called(self, runs: Runs, saved_after: int | None, question: Question) -> Answer:
        self.calls += 1
        with warnings.catch_warnings(), foreign_call(self.name, self.limit, allowed=FORMS):
            warnings.simplefilter("ignore")
            one = self.make()
            for place, run in enumerate(runs):
                if place == saved_after:
                    one = self._restored(one)
                one.compose({"step": run.kind, **dict(run.numbers)}, run.count)
            if saved_after == len(runs):
                one = self._restored(one)
            return self._read(question(one))

    def _restored(self, one: Any) -> Any:
        state = copy.deepcopy(one.state_dict())
        other = self.make()
        other.load_state_dict(state)
        return other

    def _read(self, found: Any) -> Answer:
        lower, upper = found if isinstance(found, tuple | list) and len(found) == 2 else (None, found)
        try:
            if isinstance(upper, bool | str):
                raise TypeError
            answer = Answer(float(upper), None if lower is None else float(lower))
        except (TypeError, ValueError):
            raise InputError(f"{self.name} answered {one_line(repr(found))[:80]}", allowed=ANSWERS) from None
        if answer.lower is not None and answer.lower > answer.upper:
            raise InputError(f"{self.name} answered {answer.text()}", allowed="a lower end that is not above the upper")
        if answer.lower is None and self.error is not None:
            return Answer(answer.upper, answer.upper * (1.0 - self.error))
        return answer


def subject_of(
    accountant: Any, *, steps: Any, relation: str | None, error: float | None, limit: TimeLimit, name: str | None
) -> Subject:
    """The accountant as it is asked; InputError where it has none of the forms."""
    known: dict[str, Any] = {"limit": limit, "error": error}
    if isinstance(accountant, str):
        name, accountant = name or accountant, named(accountant)
    if isinstance(accountant, LibraryAccountant):
        known |= {each: getattr(accountant, each) for each in ("relative", "absolute", "per_run", "known")}
        known |= {"version": f"{accountant.package} {accountant.version()}", "make": accountant.make}
        given, relation = steps or accountant.steps(), relation or accountant.relation
    elif isinstance(accountant, Accountant):
        known |= {"version": accountant.version, "make": lambda: Own(accountant)}
        name, given = name or accountant.name, steps or own_steps(accountant)
    elif isinstance(accountant, type) or not callable(accountant):
        if not all(callable(getattr(accountant, each, None)) for each in ("compose", "epsilon")):
            raise InputError(f"an accountant that is a {callable_name(accountant)}", allowed=FORMS)
        known["make"] = accountant if isinstance(accountant, type) else lambda: copy.deepcopy(accountant)
        given = steps or getattr(accountant, "steps", ("gaussian",))
    else:
        words = _words(accountant)
        if {"sigma", "steps", "delta"} <= set(words):
            kind = "poisson-gaussian" if "q" in words else "gaussian"
            numbers = tuple(each for each in ("q", "sigma", "sensitivity") if each in words)
            known |= {"make": lambda: OneFunction(accountant), "one_run": True}
            given = {kind: numbers}
        elif any(needed for needed in words.values()):
            raise InputError(f"{callable_name(accountant)}({', '.join(words)})", allowed=FORMS)
        else:
            known["make"] = accountant
            given = steps or getattr(accountant, "steps", ("gaussian",))
    relation = relation or getattr(accountant, "relation", RELATIONS[0])
    if relation not in RELATIONS:
        raise InputError(f"relation {relation!r}", allowed=", ".join(RELATIONS))
    known.setdefault("version", "")
    return Subject(name=name or callable_name(accountant), steps=kinds_of(given), relation=str(relation), **known)


def named(name: str) -> Any:
    """One of ours, or one of a library, by its name."""
    known = registry()
    section: Any = known.accountants if name in known.accountants else known.library_accountants
    return section.get(name)


def kinds_of(given: Any) -> dict[str, tuple[str, ...]]:
    """The numbers of each kind of step; InputError for kinds and numbers that are not known."""
    if isinstance(given, str) or not isinstance(given, Mapping | list | tuple | set | frozenset) or not given:
        raise InputError(f"steps = {given!r}", allowed=f"some of {', '.join(KINDS)}, or their numbers by kind")
    found = {}
    for kind in sorted(given) if isinstance(given, set | frozenset) else given:
        if kind not in KINDS:
            raise InputError(f"a step {kind!r}", allowed=", ".join(KINDS))
        numbers = tuple(given[kind]) if isinstance(given, Mapping) else KINDS[kind].numbers
        if not set(KINDS[kind].numbers) <= set(numbers) or not set(numbers) <= set(NUMBERS):
            raise InputError(
                f"numbers of {kind}: {', '.join(map(str, numbers))}",
                allowed=f"{', '.join(KINDS[kind].numbers)}, and sensitivity where it takes one",
            )
        found[str(kind)] = numbers
    return found


def _words(function: Callable[..., Any]) -> dict[str, bool]:
    """The names of a function's parameters, and whether each must be given."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        raise InputError(f"{callable_name(function)} has no signature", allowed=FORMS) from None
    return {
        each.name: each.default is each.empty and each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)
        for each in parameters
    }


class OneFunction:
    """A function of ``sigma, steps, delta`` as an object that composes one step."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function, self._given = function, dict[str, Any]()

    def compose(self, step: Mapping[str, Any], count: int) -> None:
        """Keep what the function is given."""
        self._given = {name: value for name, value in step.items() if name != "step"} | {"steps": count}

    def epsilon(self, delta: float) -> Any:
        """The function's answer."""
        return self._function(**self._given, delta=delta)


class Own:
    """One of our accountants as an object that composes."""

    def __init__(self, accountant: Accountant) -> None:
        self._accountant, self._composition = accountant, Composition()

    def compose(self, step: Mapping[str, Any], count: int) -> None:
        """Add the step; nothing is computed yet."""
        numbers = ", ".join(f"{name}={value!r}" for name, value in step.items() if name != "step")
        found = composition_of(f"{step['step']}({numbers})*{count}", registry())
        self._composition = self._composition.then(found)

    def epsilon(self, delta: float) -> Any:
        """The upper end, and the lower one where it may be relied on."""
        return self._ends(self._accountant.compose(self._composition).epsilon(delta))

    def delta(self, epsilon: float) -> Any:
        """The upper end, and the lower one where it may be relied on."""
        return self._ends(self._accountant.compose(self._composition).delta(epsilon))

    def _ends(self, found: Bracket) -> Any:
        return (found.lower, found.upper) if self._accountant.side == "bracket" else found.upper


def own_steps(accountant: Accountant) -> dict[str, tuple[str, ...]]:
    """The steps that one of our accountants takes, at numbers that cost little."""
    found = {}
    for kind, numbers in OWN_STEPS.items():
        step = ", ".join(f"{name}={NUMBERS[name].plain[-1]!r}" for name in numbers)
        if accountant.refuses(composition_of(f"{kind}({step})", registry())) is None:
            found[kind] = numbers
    return found


OWN_STEPS: Mapping[str, tuple[str, ...]] = {
    "gaussian": ("sigma", "sensitivity"),
    "poisson-gaussian": ("q", "sigma"),
    "laplace": ("scale", "sensitivity"),
    "pure": ("epsilon",),
}
