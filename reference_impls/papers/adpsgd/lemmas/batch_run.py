"""Section 6's batches of 256 against ADPSGD Theorem 4.1: another algorithm than Algorithm 1 (ledger row AP-THM41.c).

Whatever the noise of (6) is for single records, 256 are averaged and it is not: one record moves a step by 2 G / 256.
The pair is :mod:`reference_impls.papers.adpsgd.lemmas.whole_run`'s, batches drawn without replacement; its epsilon is
bracketed by privacy-loss distributions. Far below 16 epsilon_bar, and above footnote 3's numbers, which count a record
added or removed.

Limits: alpha = 1; a bracket is no proof, an event is (`proved_ratio`, far below).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from dpverify.accounting.accountants.pld import compose
from dpverify.accounting.filters import CONSTANT
from dpverify.accounting.steps.gaussian import MixtureGaussianStep
from dpverify.core.composition import Bracket, Composition
from dpverify.core.evidence import Enclosed
from dpverify.core.fields import Checked
from dpverify.core.ledger_words import Shown
from reference_impls.papers.accounting.lemmas.table_adpsgd import PRINTED
from reference_impls.papers.adpsgd.lemmas.whole_run import BUDGETS, DELTA, RECORDS, TRAINING, WholeRun

BATCH = 256
_WIDTH, _GRID = 0.01, 2**18  # of a bracket: coarse, for speed


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchRun(Checked):
    """Subject ``lemma-adp-sgd-batch-run``: the same for section 6's batches, the pair's epsilon by its privacy-loss
    distribution.

    Attributes
    ----------
    epsilon, delta, n, steps, batch
        As :class:`WholeRun`.
    """

    epsilon: float = CONSTANT * BUDGETS[0]
    delta: float = DELTA
    n: int = RECORDS
    steps: int = TRAINING
    batch: int = BATCH

    def validate(self) -> None:
        """What the run itself refuses is refused when the subject is made."""
        self._run()

    def printed(self) -> Enclosed:
        """The claimed epsilon."""
        return Enclosed(value=self.epsilon)

    def truth(self) -> Enclosed:
        """Half-way up the bracket, whose ends are its error."""
        found = self.bracket(self.epsilon)
        return Enclosed(value=(found.lower + found.upper) / 2, error=(found.upper - found.lower) / 2)

    def proved_ratio(self) -> Enclosed | None:
        """A proof by one event."""
        return self._run().proved_ratio()

    def bracket(self, epsilon: float) -> Bracket:
        """The pair's epsilon at sigma of (6) for `epsilon`."""
        run = WholeRun(epsilon=epsilon, delta=self.delta, n=float(self.n), steps=float(self.steps), batch=self.batch)
        return _bracket(run.rate, 2.0 / self.batch / run.sigma, self.steps, self.delta)

    def describe(self) -> dict[str, Any]:
        """Section 6's budgets: the claimed epsilon, footnote 3's, and the pair's."""
        rows = []
        for budget in BUDGETS:
            found, row = self.bracket(CONSTANT * budget), {"claimed": CONSTANT * budget, "footnote 3": PRINTED[budget]}
            rows.append(row | {"one replaced >=": round(found.lower, 4), "<=": round(found.upper, 4)})
        return {"batches of 256": rows}

    def _run(self) -> WholeRun:
        return WholeRun(
            epsilon=self.epsilon, delta=self.delta, n=float(self.n), steps=float(self.steps), batch=self.batch
        )


@lru_cache(maxsize=16)
def _bracket(rate: float, shift: float, steps: int, delta: float) -> Bracket:
    step = MixtureGaussianStep(weights=(1.0 - rate, rate), shifts=(0.0, shift), sigma=1.0)
    return compose(Composition.repeat(step, steps), width=_WIDTH, largest_grid=_GRID).epsilon(delta)


def shown() -> Shown:
    """The numbers shown beside the remark on AP-THM41.c."""
    run = WholeRun(epsilon=CONSTANT * BUDGETS[-1], batch=BATCH)
    rate, shift = run.rate, 2.0 / BATCH / run.sigma
    replaced, counted = _bracket(rate, shift, TRAINING, DELTA).lower, PRINTED[BUDGETS[-1]]
    numbers = (
        ("noise multiplier 256 sigma / C_G at epsilon_bar = 6.4", BATCH * run.sigma),
        ("the same over what a replaced record moves, 2 C_G", 1.0 / shift),
        ("epsilon with one record replaced, at least", replaced),
        ("footnote 3's, one record added or removed", counted),
        ("epsilon claimed", run.epsilon),
    )
    return Shown(numbers=numbers, holds=counted < replaced < run.epsilon)
