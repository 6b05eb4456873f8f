"""The audits of a steered run: how far each has come, which of them are over, and the rows of those."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from dpverify.core.errors import DpverifyError, one_line
from dpverify.runner.execute import Watcher
from dpverify.runner.limits import Limits
from dpverify.runner.plan import Plan, Unit
from dpverify.runner.row import Cut, Row
from dpverify.runner.steer_instalment import Instalment, stake, steerable
from dpverify.runner.steer_order import PARTS, Order, Standing, next_round
from dpverify.runner.steer_round import InstalmentOrder
from dpverify.runner.store.schema import StoreError
from dpverify.runner.store.store import Store

SERIES = "instalment"
"""The name of a claim's instalments among the store's chunks."""


@dataclass(kw_only=True)
class Audit:
    """One claim of a steered run.

    Attributes
    ----------
    kept : dict of int to Instalment
        Instalments that an earlier attempt of this run finished, by number.
    stop : str
        Why the audit gets no more draws (``refuted``, ``power``, ``repeats``, ``failed``, ``refused``); empty while it
        continues.
    problem : str
        One line of explanation for ``failed`` and ``refused``.
    """

    unit: Unit
    standing: Standing
    kept: dict[int, Instalment]
    instalments: list[Instalment] = field(default_factory=list)
    stop: str = ""
    problem: str = ""

    def given(self, trials: int) -> InstalmentOrder:
        """The order for the audit's next instalment."""
        before = tuple(self.instalments)
        name, detect = self.standing.name, self.standing.detect
        return InstalmentOrder(claim=name, place=len(before), trials=trials, detect=detect, before=before)

    def take(self, found: Instalment | str) -> Standing:
        """Add one instalment, or the reason why it failed, and update the standing."""
        if isinstance(found, str):
            self.stop, self.problem = "failed", f"{auditor_of(self.unit)}: {one_line(found)}"
            return self.standing
        self.instalments.append(found)
        evidence, before = found.evidence, self.standing
        if evidence is None:
            self.stop = "repeats"
            return before
        said, place = evidence.statistics, len(self.instalments)
        e_value, fresh = said["e_value"], stake(place)
        self.standing = replace(
            before,
            fewest=_fewest(self.unit, place),
            spent=before.spent + evidence.trials,
            wealth=e_value + fresh if e_value >= fresh else fresh,
            growth=_log(said["e_value_here"]) / max(1, evidence.trials),
        )
        if evidence.trials >= before.largest and evidence.measure == self.unit.entry.claim.guarantee.measures()[0]:
            self.standing = replace(self.standing, largest=evidence.trials, detectable=evidence.detectable)
        self.stop = said["stop"] if said["stop"] in ("refuted", "power") else ""
        return self.standing


@dataclass(kw_only=True)
class SteeredAudits:
    """All audits of a run, and the rows of those that have ended."""

    audits: dict[str, Audit]
    total: int
    row: Callable[..., Row]
    watch: Watcher
    keep: Callable[[Row], None] | None
    rows: dict[str, Row] = field(default_factory=dict)
    left: int = 0

    def __post_init__(self) -> None:
        self.left = self.total
        for audit in self.audits.values():
            if audit.stop:
                self._close(audit, audit.stop, audit.problem)

    def due(self, width: int, order: Order) -> list[InstalmentOrder]:
        """The orders of the next round; empty when all audits have ended or no draws are left."""
        standings = [audit.standing for audit in self.audits.values() if not audit.stop]
        ordered = order(standings, self.left)
        return [self.audits[one.name].given(size) for one, size in next_round(ordered, self.left, width)]

    def take(self, due: Sequence[InstalmentOrder], outcomes: dict[str, Instalment | str]) -> None:
        """Enter the results of a round, in the order of the orders, whichever finished first."""
        for audit in [self.audits[one.claim] for one in due if one.claim in outcomes]:
            before = audit.standing
            standing = audit.take(outcomes[before.name])
            self.left -= standing.spent - before.spent
            told = f"wealth {standing.wealth:.3g} after {standing.spent} pairs; of all draws"
            self.watch.step(audit.unit, told, 1.0 - self.left / self.total)
            if audit.stop:
                self._close(audit, audit.stop, audit.problem)

    def end(self, cut: Cut, limits: Limits) -> None:
        """Make the rows of all audits that have not ended."""
        when = f"by the limit of {limits.seconds:g} s (--max-seconds)" if cut == "out of time" else "by hand"
        why = f"cut {when}: the e-value is that of the instalments finished by then; --resume goes on with it"
        for audit in self.audits.values():
            if not audit.stop:
                self._close(audit, "cut" if cut else "total", why if cut else "", cut)

    def _close(self, audit: Audit, stop: str, problem: str = "", cut: Cut = "") -> None:
        row = self.row(audit.unit, audit.instalments, stop=stop, problem=problem, cut=cut)
        self.rows[row.id] = row
        if self.keep is not None and not cut:
            self.keep(row)
        self.watch.finish(audit.unit, row)


def auditor_of(unit: Unit) -> str:
    """The name of the sequential auditor."""
    auditor = steerable(unit)
    return "" if auditor is None else auditor.name


def audits_of(
    plan: Plan, *, total: int, detect: float | None, store: Store | None = None, run: int = 0
) -> dict[str, Audit]:
    """All audits before their first instalment, by claim; claims without a sequential auditor are stopped already."""
    able = sum(steerable(unit) is not None for unit in plan.units)
    audits = {
        unit.entry.claim.id: _audit(
            unit,
            share=total // max(1, able),
            detect=detect,
            kept={} if store is None else _kept(store, run, unit),
        )
        for unit in plan.units
    }
    return audits


def _audit(unit: Unit, *, share: int, detect: float | None, kept: dict[int, Instalment]) -> Audit:
    claim, task = unit.entry.claim, unit.task
    auditor: Any = steerable(unit)
    claimed = claim.guarantee.measures()[0].claimed
    start = Standing(name=claim.id, alpha=task.alpha, fewest=1, first=1, claimed=claimed)
    if auditor is None:
        return Audit(unit=unit, standing=start, kept=kept, stop="refused", problem="; ".join(unit.refusals))
    try:
        fewest = _fewest(unit, 0)
    except DpverifyError as problem:
        why = f"{auditor.name}: {one_line(str(problem))}"
        return Audit(unit=unit, standing=start, kept=kept, stop="failed", problem=why)
    found = detect * claimed if detect is not None and claimed > 0 else None
    standing = replace(start, fewest=fewest, first=max(fewest, share // PARTS), detect=found)
    return Audit(unit=unit, standing=standing, kept=kept)


def _fewest(unit: Unit, place: int) -> int:
    """The fewest pairs with which that instalment could refute by itself."""
    auditor: Any = steerable(unit)
    return auditor.lacks(replace(unit.task, trials=1, alpha=unit.task.alpha * stake(place))) or 1


def _log(e_value: float) -> float:
    return math.log(e_value) if e_value > 0.0 else -math.inf


def _kept(store: Store, run: int, unit: Unit) -> dict[int, Instalment]:
    """The instalments of a claim that an earlier attempt of this run finished."""
    claim = unit.entry.claim.id
    try:
        found = store.chunks(run, claim, auditor_of(unit), SERIES)
        return {place: Instalment.of(plain) for place, plain in found.items()}
    except (ValueError, TypeError, KeyError) as problem:
        raise StoreError(f"the store {store.path} holds what dpverify did not write: {claim}") from problem
