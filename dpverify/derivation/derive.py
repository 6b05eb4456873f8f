"""``dpverify.derive(f, data=EXAMPLE)``: what a callable costs on every path, derived from its code."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from dpverify.core.callable_name import place_of
from dpverify.core.errors import InputError
from dpverify.core.relation_names import ADD_REMOVE, PRICED
from dpverify.core.subjects import Guarantee
from dpverify.datasets.neighbors.of_example import OfExample
from dpverify.definitions.claims import guarantee_of
from dpverify.derivation.calls import all_ways, called_with
from dpverify.derivation.domain import Domain, domain_of
from dpverify.derivation.paths import Path as CodePath
from dpverify.derivation.stop import NotDerivedError
from dpverify.derivation.written import certificate
from dpverify.neighbourhood.neighbours import Bounds, neighbours_of
from dpverify.proofs.certificate import AT_MOST, MEASURED
from dpverify.proofs.check import check
from dpverify.proofs.cost import Cost, cost_of, sensitivities, upper_bound
from dpverify.proofs.operations import ProofError
from dpverify.proofs.told import parameters_of, relation_words
from dpverify.shown.rounded import upward

MOST_TOGETHER = 1_000_000

MOST_LINES = 4
"""Releases that an answer names."""

Outcome = Literal["proved", "above the claim", "derived", "not derived"]


@dataclass(frozen=True, kw_only=True, repr=False)
class Derivation:
    """Keeps what the code of a callable costs, for every data set of its domain; or what stands in the way.

    A proof is in real arithmetic with ideal noise, and rests on the assumptions in its certificate.

    Attributes
    ----------
    outcome : str
        ``proved`` (the cost is at most the claim), ``above the claim`` (more was derived than is claimed: no
        refutation, for the bound may be too large), ``derived`` (nothing was claimed), ``not derived``.
    claim : Guarantee or None
        What was claimed.
    upper : float or None
        The parameter of the claim (epsilon, mu, rho) that the code supports: never below what it costs. None where
        nothing was derived, or nothing was claimed.
    why : str
        The line that stands in the way, the operation, and why no rule allows it, with the usual rewrite; above the
        claim, the releases with what moves them and their noise.
    condition : str
        What to state, where the claim is proved for records like the example's only.
    function : str
        ``module:name`` of what was read.
    domain : Domain or None
        Which data sets the proof is about.
    records : int
        How many records are added or removed at once: the most that one user has.
    """

    outcome: Outcome
    claim: Guarantee | None = None
    upper: float | None = None
    why: str = ""
    condition: str = ""
    function: str = ""
    domain: Domain | None = None
    relation: str = ""
    records: int = 1
    paths: tuple[CodePath, ...] = ()
    cost: Cost | None = None

    def upper_for(self, claim: Guarantee | str) -> float:
        """The parameter that the code supports for a claim of this kind, rounded up; infinity where there is none.

        Raises
        ------
        InputError
            Where nothing was derived, and for claims of a kind without a rule.
        """
        guarantee = guarantee_of(claim)
        if self.cost is None:
            raise InputError("nothing was derived", allowed="a derivation with a cost", remedy=self.why)
        kind, parameters = type(guarantee).__name__, parameters_of(guarantee)
        if parameters.pop(MEASURED.get(kind, ""), None) is None:
            raise InputError(f"a claim of the kind {kind}", allowed=", ".join(MEASURED))
        return upper_bound(self.cost, kind, **parameters)

    def certificate(self) -> dict[str, Any]:
        """The proof as JSON has it, for ``dpverify check-proof``; InputError for what is not proved."""
        if self.outcome != "proved" or self.claim is None or self.domain is None or self.upper is None:
            raise InputError(f"a certificate of what is {self.outcome}", allowed="a claim that was proved")
        claim = {"kind": type(self.claim).__name__, "parameters": parameters_of(self.claim), "text": self.claim.text()}
        return certificate(self.function, self.domain, self.relation, self.records, claim, self.upper, self.paths)

    def save(self, path: Path | str) -> None:
        """Write the certificate to a file."""
        told = json.dumps(self.certificate(), indent=1)
        Path(path).write_text(told + "\n", encoding="utf-8")

    def __repr__(self) -> str:
        """The answer in a few lines."""
        if self.outcome == "not derived":
            lines = [f"not derived: {self.why}", *([f"  {self.condition}"] if self.condition else [])]
            return "\n".join(lines)
        assert self.domain is not None
        relation = relation_words({"relation": self.relation, "records": self.records})
        domain = f"  records: {self.domain.text}; {relation}"
        if self.claim is None or self.upper is None:
            return f"derived from {len(self.paths)} path(s)\n{domain}"
        claimed = self.claim.text()
        if self.outcome == "above the claim":
            head = f"above the claim: {self.upper:.6g} was derived where {claimed} is claimed (no refutation)"
            return f"{head}\n  {self.why}\n{domain}"
        return f"proved: {claimed}, at {upward(self.upper)}\n{domain}\n  in real arithmetic, with ideal noise"


def derive(
    mechanism: Callable[..., Any],
    *,
    data: Any,
    claim: Guarantee | str | None = None,
    relation: str | None = None,
    records: Any = None,
    bounds: Bounds | str | None = None,
    unit: str | None = None,
    most_per_unit: int | None = None,
) -> Derivation:
    """Derive an upper bound on what a callable costs, from its code, for every data set of the domain.

    The code is read statement by statement on a generic data set, all paths by released values; nothing rests on the
    example but which container it is and which types it holds. What no rule is known for stops. A proof is then held
    against the code, which runs on data sets of the domain.

    Parameters
    ----------
    mechanism : callable
        ``f(dataset, rng)``, ``f(dataset, size, rng)`` (read with size 1) or ``f(dataset)``, with its source in a file.
    data : object
        An example data set: a list of numbers, tuples or dicts, an array, a dict of columns, ``(X, y)``.
    claim : Guarantee, str or None
        ``PureDP``, ``ApproxDP``, ``GDP``, ``ZCDP`` or ``RDP``.
    relation : str or None
        ``add-remove`` (None) or ``replace``.
    records, bounds : object
        The domain, as for `dpverify.audit`. Where nothing is stated, a record is any value of its type: NaN,
        infinities, the ends of integers.
    unit : str or None
        The column that says whose record it is: all records of one user are added or removed.
    most_per_unit : int or None
        The most records that a user has, in every data set. It is stated, never counted in the example.

    Returns
    -------
    Derivation

    Raises
    ------
    InputError
        For bad data, claims, relations.
    """
    guarantee = None if claim is None else guarantee_of(claim)
    stated = {"relation": relation, "records": records, "bounds": bounds}
    together = _together(neighbours_of(data, **stated, unit=unit), most_per_unit)
    return derived_from(mechanism, data, neighbours_of(data, **stated), guarantee, together)


def _together(neighbours: OfExample, most: int | None) -> int:
    """Records that change together; InputError where a user's are not stated, or the example has more."""
    if not neighbours.unit:
        if most is not None:
            raise InputError(f"most_per_unit {most!r} without a unit", allowed="unit: the column of the users")
        return 1
    if most is None:
        remedy = "most_per_unit says it, for every data set: the code is not believed to bound it"
        raise InputError(f"the most records of one {neighbours.unit} are not stated", allowed="a number", remedy=remedy)
    if type(most) is not int or not neighbours.busiest <= most <= MOST_TOGETHER:
        allowed = f"a whole number from {neighbours.busiest} (which the example has) to {MOST_TOGETHER:,}"
        raise InputError(f"most_per_unit {most!r}", allowed=allowed)
    if neighbours.change != ADD_REMOVE:
        raise InputError(
            f"relation {neighbours.relation!r}", allowed=f"{ADD_REMOVE}, where all records of a user change"
        )
    return most


def derived_from(
    mechanism: Callable[..., Any],
    data: Any,
    neighbours: OfExample,
    guarantee: Guarantee | None,
    together: int = 1,
) -> Derivation:
    """The derivation for neighbours that are made from the example already; errors as for `derive`."""
    if neighbours.unit:
        remedy = f"dpverify.derive(..., unit={neighbours.unit!r}, most_per_unit=...)"
        raise InputError(f"the most records of one {neighbours.unit} are not stated", allowed="a number", remedy=remedy)
    if neighbours.relation not in PRICED:
        raise InputError(f"relation {neighbours.relation!r}", allowed=", ".join(PRICED))

    def derived(*, example: bool) -> list[JudgedWay]:
        domain = domain_of(data, neighbours, example=example)
        return judged_ways(mechanism, domain, neighbours.change, together, guarantee)

    try:
        return beside_its_code(derived(example=False), mechanism)
    except NotDerivedError as stop:
        condition = ""
        if neighbours.shown and _passes(derived, mechanism):
            condition = f"proved if records are {neighbours.record.text()}: state it (bounds, records), or clip"
        return Derivation(outcome="not derived", claim=guarantee, why=str(stop), condition=condition)


JudgedWay = tuple[tuple[str, ...], Derivation]
"""What a call gives beside the data, and what was derived of it."""


def judged_ways(
    mechanism: Callable[..., Any], domain: Domain, relation: str, together: int, guarantee: Guarantee | None
) -> list[JudgedWay]:
    """Derive each way of a call, that with rng and size first; NotDerivedError as for `all_ways`."""
    ways = all_ways(mechanism, domain, relation)
    judged = [(given, _judged(guarantee, domain, relation, together, paths)) for given, paths in ways]
    return [(given, replace(each, function=place_of(mechanism))) for given, each in judged]


def beside_its_code(ways: list[JudgedWay], mechanism: Callable[..., Any]) -> Derivation:
    """The proof, after the code was run beside it in each way of a call; NotDerivedError where they differ."""
    (_, found), *others = ways
    if found.outcome == "above the claim":
        return found
    if any(each.outcome != found.outcome for _, each in others):
        raise NotDerivedError("a call without size, which costs more than one with it")
    for given, each in ways:
        some = _with_some_claim(each)
        if some.outcome != "proved":
            raise NotDerivedError("the noise gives no bound of any kind")
        try:
            check(some.certificate(), called_with(mechanism, given) if others else mechanism)
        except ProofError as problem:
            without = " and ".join(name for name in ("rng", "size") if name not in given and len(ways) > 1)
            where = f", called without {without}," if without else ""
            raise NotDerivedError(f"the code{where} does not do what was read: {problem}") from None
    return found


def _with_some_claim(found: Derivation) -> Derivation:
    """The derivation with a claim that it supports, where it has none."""
    if found.outcome != "derived" or found.cost is None:
        return found
    for kind in ("PureDP", "ZCDP"):
        upper = float(upper_bound(found.cost, kind))
        if upper < math.inf:
            claim = guarantee_of(f"{kind}({MEASURED[kind]}={max(upper, 1e-9)!r})")
            return replace(found, outcome="proved", claim=claim, upper=upper)
    return found


def _passes(derived: Callable[..., list[JudgedWay]], mechanism: Callable[..., Any]) -> bool:
    """Tell whether the ranges of the example would do."""
    try:
        return beside_its_code(derived(example=True), mechanism).outcome in ("proved", "derived")
    except NotDerivedError:
        return False


def _judged(
    claim: Guarantee | None, domain: Domain, relation: str, together: int, paths: tuple[CodePath, ...]
) -> Derivation:
    cost = Cost()
    for path in paths:
        try:
            cost = cost.most(cost_of(path.program))
        except (ProofError, RecursionError, ArithmeticError, ValueError) as problem:
            raise NotDerivedError(str(problem)) from None
    found = Derivation(outcome="derived", claim=claim, domain=domain, relation=relation, records=together, paths=paths)
    found = replace(found, cost=cost.of_group(together))
    if claim is None:
        return found
    target = parameters_of(claim).get(MEASURED.get(type(claim).__name__, ""))
    if target is None:
        raise NotDerivedError(f"a claim of the kind {type(claim).__name__} has no rule", ", ".join(MEASURED))
    upper = found.upper_for(claim)
    if not upper < math.inf:
        raise NotDerivedError(f"the noise gives no bound of the kind {type(claim).__name__}")
    holds = upper <= target * AT_MOST
    outcome: Outcome = "proved" if holds else "above the claim"
    why = "" if holds else _shortage(claim, upper / target if target else math.inf, paths, together)
    return replace(found, outcome=outcome, upper=upper, why=why)


def _shortage(claim: Guarantee, times: float, paths: tuple[CodePath, ...], together: int) -> str:
    """The releases of the path that costs most: their lines, what moves them, and their noise."""
    kind, parameters = type(claim).__name__, parameters_of(claim)
    parameters.pop(MEASURED[kind])
    worst = max(paths, key=lambda path: upper_bound(cost_of(path.program), kind, **parameters))
    told = [
        f"{place}: {law} noise of scale {scale:.6g} where a neighbour moves the value by {together * moved:.6g}"
        for place, (moved, law, scale) in zip(worst.released, sensitivities(worst.program), strict=True)
    ]
    more = [f"and {len(told) - MOST_LINES} more"] if len(told) > MOST_LINES else []
    if kind in ("PureDP", "GDP", "ZCDP"):
        times = math.sqrt(times) if kind == "ZCDP" else times
        more.append(f"with {times:.6g} times as much noise the claim would be met")
    return "; ".join([*told[:MOST_LINES], *more])
