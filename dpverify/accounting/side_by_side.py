"""The results of all accountants for one composition, side by side.

An accountant that does not apply says why; one that fails is reported as failed and hides no other. Bounds of different
theorems bound the same truth, so the largest lower end and the smallest upper end hold together; where they cross,
one of the accountants is wrong, and that is said. A side ``printed`` is a paper's formula as it stands: shown, never
taken for a bound.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Literal

from dpverify.core.composition import Accountant, Bracket, Composition, Side
from dpverify.core.errors import DpverifyError, InputError, UnsupportedError, one_line
from dpverify.core.plugins import registry
from dpverify.shown.mixin import Displayed
from dpverify.shown.rounded import rounded_bound
from dpverify.shown.view import Dots, View

LONGEST_TITLE = 200
"""Characters of a composition in a title."""

RELIED_ON: Mapping[Side, str] = {
    "bracket": "both",
    "lower": "at least",
    "upper": "at most",
    "printed": "neither: as printed",
}
"""Which ends of a result may be relied on, in words."""

DEFAULT_DELTA = 1e-5
"""Where neither delta nor epsilon is given."""
CROSSING = 1e-9
"""Relative: lower ends above upper ends by more than this contradict them, by less is rounding."""

Asked = Literal["epsilon", "delta", "sigma"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountantRow:
    """One accountant's answer."""

    accountant: str
    version: str
    source: str
    """`accountant`, `version`, `source`: which accountant; paper and locus of its theorem."""
    side: Side
    """Which ends of `bracket` may be relied on."""
    bracket: Bracket
    """The asked quantity."""
    seconds: float
    """Wall time of composing and asking."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """An accountant without an answer, and why; `failed` when it should have had one."""

    accountant: str
    reason: str
    failed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Accounts(Displayed):
    """All answers to one question.

    Attributes
    ----------
    composition : str
        As the grammar of compositions reads it.
    runs : int
        How many runs in all.
    relation : str
        The neighbour relation that all costs hold for.
    asked : str
        ``epsilon``, ``delta``, or ``sigma``: the noise that suffices.
    given : mapping
        At which delta, epsilon, or both.
    rows : tuple of AccountantRow
        Those with a bound first, the smallest upper end first; then those as printed.
    refusals : tuple of Refusal
        By name.
    renyi : mapping of float to Bracket
        The Renyi divergence in nats at the orders that were asked.
    """

    composition: str
    runs: int
    relation: str
    asked: Asked
    given: Mapping[str, float]
    rows: tuple[AccountantRow, ...]
    refusals: tuple[Refusal, ...]
    renyi: Mapping[float, Bracket] = field(default_factory=dict)

    @property
    def lowest(self) -> AccountantRow | None:
        """The row with the smallest finite upper end that may be relied on."""
        finite = (row for row in self._sound() if math.isfinite(row.bracket.upper))
        return min(finite, key=lambda row: row.bracket.upper, default=None)

    @property
    def highest(self) -> AccountantRow | None:
        """The row with the largest lower end that may be relied on."""
        return max(self._sound(), key=lambda row: row.bracket.lower, default=None)

    @property
    def contradiction(self) -> str | None:
        """Return two accountants that exclude each other, if any do."""
        above, below = self.highest, self.lowest
        if above is None or below is None or above.bracket.lower <= below.bracket.upper * (1 + CROSSING):
            return None
        return (
            f"{above.accountant} proves {self.asked} >= {above.bracket.lower:.9g}, {below.accountant} proves "
            f"{self.asked} <= {below.bracket.upper:.9g}: one of them is wrong; please report it"
        )

    @property
    def complete(self) -> bool:
        """Tell whether there is a result, no accountant failed, and no two contradict each other."""
        return bool(self.rows) and not any(item.failed for item in self.refusals) and self.contradiction is None

    def view(self) -> View:
        """The view has a row for each accountant."""
        best, asked = self.lowest, ", ".join(f"{name} = {value:g}" for name, value in self.given.items())
        rows = [
            (
                row.accountant,
                rounded_bound(row.bracket.lower, up=False) if row.side in ("bracket", "lower") else "-",
                rounded_bound(row.bracket.upper, up=True),
                RELIED_ON[row.side],
                row.source,
            )
            for row in self.rows
        ]
        facts = [("relation", self.relation), ("runs", str(self.runs))]
        if best is not None:
            facts.append(
                ("smallest", f"{self.asked} <= {rounded_bound(best.bracket.upper, up=True)} by {best.accountant}")
            )
        for order, point in self.renyi.items():
            ends = rounded_bound(point.lower, up=False), rounded_bound(point.upper, up=True)
            facts.append((f"Renyi divergence at order {order:g}", f"{ends[0]} to {ends[1]}"))
        notes = [f"{each.accountant} does not apply: {each.reason}" for each in self.refusals]
        return View(
            title=f"{self.asked} of {self.composition[:LONGEST_TITLE]} at {asked}",
            facts=facts,
            table=[("accountant", "at least", "at most", "may be relied on", "source"), *rows],
            dots=Dots(
                x=self.asked,
                marks=("at least", "at most"),
                rows=[
                    (
                        row.accountant,
                        (row.bracket.lower if row.side in ("bracket", "lower") else None, row.bracket.upper),
                    )
                    for row in self.rows
                ],
            ),
            notes=[*([self.contradiction] if self.contradiction else []), *notes],
        )

    def _sound(self) -> list[AccountantRow]:
        return [row for row in self.rows if row.side != "printed"]


def account(
    composition: Composition | str | Mapping[str, Any] | Sequence[Mapping[str, Any]],
    *,
    delta: float | None = None,
    epsilon: float | None = None,
    accountants: Iterable[str] | None = None,
    prove: bool = False,
    orders: Iterable[float] = (),
) -> Accounts:
    """Compute the cost of a composition by every registered accountant that applies.

    Parameters
    ----------
    composition : Composition, str, mapping, or list of mappings
        Steps with counts; text is read by ``spec.read_composition``, a mapping is what a file holds. Events of
        dp_accounting, histories of Opacus and ``{"opendp": measurement, "d_in": 1}`` are taken, too.
    delta : float or None
        In [0, 1): epsilon is asked at it; `DEFAULT_DELTA` when neither is given.
    epsilon : float or None
        >= 0, in nats: delta is asked at it.
    accountants : iterable of str or None
        Names of those to ask; None uses all.
    prove : bool
        Ask ``proved`` as well: both ends are theorems, and ``row.bracket.certificate`` is the file by which anybody can
        check them. It takes seconds. The steps are a fixed multiset, in any order, stopped at any time; their numbers
        depend on no answer.
    orders : iterable of float
        Above 1, finite: the result has the Renyi divergence at each.

    Returns
    -------
    Accounts
        Brackets with the side of each error: `upper` never below the truth, `lower` never above it, but for the side
        ``printed``.

    Raises
    ------
    InputError
        Bad text or numbers, both of `delta` and `epsilon`, an unknown accountant.
    """
    from dpverify.accounting.accountant_inputs import checked_delta, checked_epsilon
    from dpverify.accounting.composition_spec import composition_of
    from dpverify.accounting.renyi_points import renyi_points

    if delta is not None and epsilon is not None:
        raise InputError(
            f"delta = {delta:g} and epsilon = {epsilon:g}",
            allowed="one of the two: the other is computed",
            remedy="`dpverify account --poisson-gaussian q ? steps` asks for the sigma that reaches both",
        )
    found = composition_of(composition, registry())
    beside = _prover() if prove else {}
    renyi = renyi_points(found, orders)
    if epsilon is not None:
        at = checked_epsilon(epsilon)
        accounts = ask(
            accountants,
            lambda one: admitted(one, found).compose(found).delta(at),
            text=written(found),
            composition=found,
            asked="delta",
            given={"epsilon": at},
            beside=beside,
        )
    else:
        at = checked_delta(DEFAULT_DELTA if delta is None else delta)
        accounts = ask(
            accountants,
            lambda one: admitted(one, found).compose(found).epsilon(at),
            text=written(found),
            composition=found,
            asked="epsilon",
            given={"delta": at},
            beside=beside,
        )
    return replace(accounts, renyi=renyi)


def _prover() -> dict[str, Accountant]:
    from dpverify.accounting.proved.prove import ProvedAccountant

    return {"proved": ProvedAccountant()}


def written(composition: Composition) -> str:
    """The composition as the grammar reads it back: ``gaussian(sigma=1, sensitivity=1)*10 + ...``."""
    return " + ".join(f"{part.step.text()}*{part.count}" for part in composition) or "no-op()*0"


def admitted(accountant: Accountant, composition: Composition) -> Accountant:
    """The accountant, if it applies; UnsupportedError with its reason otherwise."""
    reason = accountant.refuses(composition)
    if reason is not None:
        raise UnsupportedError(reason)
    return accountant


def ask(
    names: Iterable[str] | None,
    question: Callable[[Accountant], Bracket],
    *,
    text: str,
    composition: Composition,
    asked: Asked,
    given: Mapping[str, float],
    beside: Mapping[str, Accountant] = MappingProxyType({}),
) -> Accounts:
    """Put one question to accountants: an error raised on purpose is a refusal, any other a failure."""
    section = registry().accountants
    chosen = dict(section.items()) if names is None else {name: section.get(name) for name in names}
    chosen |= beside
    rows, refusals = list[AccountantRow](), list[Refusal]()
    for name, accountant in chosen.items():
        begun = time.perf_counter()
        try:
            bracket = question(accountant)
        except DpverifyError as problem:
            refusals.append(Refusal(accountant=name, reason=one_line(str(problem))))
            continue
        except Exception as problem:  # noqa: BLE001 - one accountant's failure hides no other's answer
            reason = f"failed: {type(problem).__name__}: {one_line(str(problem))}; please report it"
            refusals.append(Refusal(accountant=name, reason=reason, failed=True))
            continue
        rows.append(
            AccountantRow(
                accountant=name,
                version=accountant.version,
                source=accountant.source,
                side=accountant.side,
                bracket=bracket,
                seconds=time.perf_counter() - begun,
            )
        )
    rows.sort(key=lambda row: (row.side == "printed", row.bracket.upper, -row.bracket.lower, row.accountant))
    return Accounts(
        composition=text,
        runs=composition.size,
        relation=composition.relation,
        asked=asked,
        given=dict(given),
        rows=tuple(rows),
        refusals=tuple(refusals),
    )
