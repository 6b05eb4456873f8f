"""``dpverify.derive(f, claim=..., data=EXAMPLE)``: what a callable costs on every path, proved from its code."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from dpverify.adapters.signature import signature
from dpverify.core.errors import InputError
from dpverify.core.subjects import Guarantee
from dpverify.derivation.domain import RELATIONS, Domain, domain_of
from dpverify.derivation.interpreter import Interpreter
from dpverify.derivation.machine import Machine, next_answers
from dpverify.derivation.stop import NotDerivedError
from dpverify.derivation.values import Draw, Generator, Lifted, Public
from dpverify.derivation.written import certificate
from dpverify.gate.neighbours import Bounds, neighbours_of
from dpverify.proofs.certificate import AT_MOST, MEASURED
from dpverify.proofs.cost import Cost, cost_of, upper_bound
from dpverify.proofs.node import Node
from dpverify.proofs.operations import ProofError
from dpverify.proofs.program import Program

MOST_PATHS = 256

Outcome = Literal["proved", "above the claim", "not derived"]


@dataclass(frozen=True)
class Path:
    """One path: its proof, the conditions on public values under which it is taken, and what it returns."""

    program: Program
    conditions: tuple[tuple[Node, bool], ...]
    returned: Any
    modules: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Derivation:
    """What was derived.

    Attributes
    ----------
    outcome : str
        ``proved`` (the cost is at most the claim on all paths), ``above the claim`` (no refutation), ``not derived``.
    upper : float or None
        The claim's parameter (epsilon, mu, rho) that the code supports, rounded up; None where nothing was derived.
    why : str
        What stands in the way, with its line.
    condition : str
        Where the claim is proved for records like the example's only: what to state; no certificate.
    domain : Domain or None
    paths : tuple of Path
    """

    outcome: Outcome
    claim: Guarantee | None
    upper: float | None = None
    why: str = ""
    condition: str = ""
    domain: Domain | None = None
    paths: tuple[Path, ...] = ()
    relation: str = ""
    modules: tuple[str, ...] = ()

    def certificate(self) -> dict[str, Any]:
        """The proof as JSON has it, for ``dpverify check-proof``."""
        if self.outcome != "proved" or self.claim is None or self.domain is None or self.upper is None:
            raise InputError(f"a certificate of what is {self.outcome}", allowed="a claim that was proved")
        claim = {"kind": type(self.claim).__name__, "parameters": _parameters(self.claim), "text": self.claim.text()}
        return certificate(self.domain, self.relation, claim, self.upper, self.paths, self.modules)

    def text(self) -> str:
        """The answer in a line or two."""
        claimed = "" if self.claim is None else self.claim.text()
        if self.outcome == "proved":
            return (
                f"proved: {claimed} holds, at {self.upper:.12g}, for records {self.domain.text if self.domain else ''}"
            )
        if self.outcome == "above the claim":
            return f"above the claim: {self.upper:.6g} was derived, {claimed} is claimed; no refutation"
        return f"not derived: {self.why}" + (f"; {self.condition}" if self.condition else "")


def derive(
    mechanism: Callable[..., Any],
    *,
    claim: Guarantee | None = None,
    data: Any,
    relation: str | None = None,
    records: Any = None,
    bounds: Bounds | str | None = None,
) -> Derivation:
    """Derive what a callable costs, from its code."""
    neighbours = neighbours_of(data, relation=relation, records=records, bounds=bounds)
    if neighbours.change not in RELATIONS:
        raise InputError(f"relation {neighbours.change!r}", allowed=", ".join(RELATIONS))
    try:
        domain = domain_of(data, neighbours)
        paths = _paths(mechanism, domain, neighbours.change)
        return _judged(claim, domain, neighbours.change, paths)
    except NotDerivedError as stop:
        condition = ""
        if neighbours.shown:
            try:
                narrow = domain_of(data, neighbours, example=True)
                found = _judged(claim, narrow, neighbours.change, _paths(mechanism, narrow, neighbours.change))
                if found.outcome == "proved" or claim is None:
                    condition = f"proved if records are {neighbours.record.text()}: state it, or clip"
            except NotDerivedError:
                pass
        return Derivation(outcome="not derived", claim=claim, why=str(stop), condition=condition)


def _judged(claim: Guarantee | None, domain: Domain, relation: str, paths: tuple[Path, ...]) -> Derivation:
    cost = Cost()
    for path in paths:
        try:
            cost = cost.most(cost_of(path.program))
        except (ProofError, RecursionError) as problem:
            raise NotDerivedError(str(problem)) from None
    if claim is None:
        return Derivation(outcome="proved", claim=None, upper=cost.pure, domain=domain, relation=relation, paths=paths)
    kind, parameters = type(claim).__name__, _parameters(claim)
    target = parameters.pop(MEASURED.get(kind, ""), None)
    if target is None:
        raise NotDerivedError(f"a claim of the kind {kind}", "PureDP, ApproxDP, GDP, ZCDP, RDP")
    upper = upper_bound(cost, kind, **parameters)
    if not upper < float("inf"):
        raise NotDerivedError("the noise and the claim are of different kinds, or a part has no bound")
    outcome: Outcome = "proved" if upper <= target * AT_MOST else "above the claim"
    modules = tuple({name: None for path in paths for name in path.modules})
    return Derivation(
        outcome=outcome, claim=claim, upper=upper, domain=domain, relation=relation, paths=paths, modules=modules
    )


def _parameters(claim: Guarantee) -> dict[str, float]:
    from dataclasses import fields

    return {each.name.removeprefix("claimed_"): getattr(claim, each.name) for each in fields(claim)}  # type: ignore[arg-type]


def _paths(mechanism: Callable[..., Any], domain: Domain, relation: str) -> tuple[Path, ...]:
    found: list[Path] = []
    answers: list[bool] | None = []
    while answers is not None:
        path = _path(mechanism, domain, relation, answers)
        found.append(path)
        answers = next_answers(path.conditions)
        if len(found) > MOST_PATHS:
            raise NotDerivedError(f"more than {MOST_PATHS} paths by released values")
    return tuple(found)


def _path(mechanism: Callable[..., Any], domain: Domain, relation: str, answers: list[bool]) -> Path:
    program = Program(relation, domain.fields)
    machine = Machine(program, answers)
    data = domain.lifted(program)
    keywords, _ = signature(mechanism, getattr(mechanism, "__name__", "the mechanism"))
    named: dict[str, Any] = {"rng": Generator(), "size": 1}
    function, before, bound = _unwrapped(mechanism)
    try:
        value = Interpreter(machine).call(function, [*before, data], {**bound, **{key: named[key] for key in keywords}})
    except RecursionError:
        raise NotDerivedError("a computation that is too deep") from None
    _check_returned(value, machine)
    return Path(program, tuple(machine.conditions), value, tuple(machine.modules))


def _unwrapped(mechanism: Any) -> tuple[Any, list[Any], Mapping[str, Any]]:
    import functools

    if type(mechanism) is functools.partial:
        function, before, bound = _unwrapped(mechanism.func)
        return function, [*before, *mechanism.args], {**bound, **mechanism.keywords}
    if not inspect.isroutine(mechanism):
        method = vars(type(mechanism)).get("__call__")
        if inspect.isfunction(method):
            return method, [mechanism], {}
    return mechanism, [], {}


def _check_returned(value: Any, machine: Machine) -> None:
    """Only numbers, texts, arrays and containers of these that are known or released."""
    if isinstance(value, Public):
        return
    if isinstance(value, Lifted):
        if isinstance(value, Draw):
            raise NotDerivedError("noise is returned that no value was added to")
        raise NotDerivedError(f"{value.described()} is returned", "add noise to it")
    if type(value) in (list, tuple):
        for each in value:
            _check_returned(each, machine)
    elif type(value) is dict:
        for each in value.values():
            _check_returned(each, machine)
    else:
        from dpverify.derivation.known import plain as known

        if not known(value):
            raise NotDerivedError(
                f"a {type(value).__name__} is returned", "numbers, texts, arrays, lists, tuples or dicts"
            )
