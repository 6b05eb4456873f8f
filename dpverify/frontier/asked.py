"""What is asked of a frontier: trainer, data, prices, references, and how much work."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dpverify.core.errors import InputError
from dpverify.core.relation_names import DEFAULT_RELATION, PRICED
from dpverify.frontier.trained import METRICS
from dpverify.runner.plan import check_confidence

EPSILONS, DELTA, SPLITS, SHARE, AUDIT_SECONDS, PER_CALL = (0.1, 0.5, 1.0), 1e-5, 10, 0.2, 40.0, 600.0
MOST_SPLITS, MOST_TRIALS = 10_000, 10**6
AGAINST = ("dp-sgd", "obj-pert")


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontierSettings:
    """Checked where it is made."""

    trainer: Any
    """The trainer, or its text ``module:name``, which other processes can load."""
    name: str
    """Of the trainer."""
    data: Any
    """As `labelled` takes it."""
    label: str | None = None
    """The label's column in a file."""
    epsilons: tuple[float, ...] = EPSILONS
    """Claimed prices, rising."""
    delta: float = DELTA
    """In [0, 1)."""
    relation: str = DEFAULT_RELATION
    """``add-remove`` or ``replace``."""
    against: tuple[str, ...] = AGAINST
    """Registered algorithms that are calibrated to the same prices."""
    metric: str = "accuracy"
    """``accuracy``, ``auc`` or ``loss``."""
    splits: int = SPLITS
    """Independent random splits, >= 2."""
    share: float = SHARE
    """Of the records in the test part."""
    norm: float = 1.0
    """L2 norm of the canary; the data's rows have norm 1 at most."""
    confidence: float = 0.999
    """One-sided, of all audited bounds together."""
    seconds: float = AUDIT_SECONDS
    """About so long all audits together may take."""
    trials: int | None = None
    """Counted trainings a side at each epsilon, instead of `seconds`."""
    few: bool = False
    """Audit on tables of a few records, too, where the number of records shows."""
    per_call: float = PER_CALL
    """Seconds that one training may take."""
    seed: int = 0

    def __post_init__(self) -> None:
        check_confidence(self.confidence)
        if not self.epsilons or any(not (math.isfinite(each) and each > 0) for each in self.epsilons):
            raise InputError(f"epsilons {self.epsilons}", allowed="numbers above 0, such as 0.1,0.5,1")
        object.__setattr__(self, "epsilons", tuple(sorted(set(self.epsilons))))
        if not 0 <= self.delta < 1:
            raise InputError(f"delta = {self.delta}", allowed="a number in [0, 1)")
        if self.relation not in PRICED:
            raise InputError(f"relation {self.relation!r}", allowed=", ".join(PRICED))
        if self.metric not in METRICS:
            raise InputError(f"metric {self.metric!r}", allowed=", ".join(METRICS))
        if not 2 <= self.splits <= MOST_SPLITS:
            raise InputError(f"splits = {self.splits}", allowed=f"an integer in [2, {MOST_SPLITS}]")
        if not 0 < self.share < 1:
            raise InputError(f"test share {self.share}", allowed="a number in (0, 1)")
        if not (math.isfinite(self.norm) and self.norm > 0):
            raise InputError(f"norm = {self.norm}", allowed="a number above 0")
        if not (math.isfinite(self.seconds) and self.seconds > 0):
            raise InputError(f"audit seconds {self.seconds}", allowed="a number above 0")
        if self.trials is not None and not 10 <= self.trials <= MOST_TRIALS:
            raise InputError(f"audit trials {self.trials}", allowed=f"an integer in [10, {MOST_TRIALS}]")
        if self.seed < 0:
            raise InputError(f"seed {self.seed}", allowed="an integer >= 0")
        if len(set(self.against)) < len(self.against):
            raise InputError(f"against {', '.join(self.against)}", allowed="each reference once")

    @property
    def alpha(self) -> float:
        """The false-alarm probability of one epsilon's audit: all of it, divided before the first draw."""
        return (1.0 - self.confidence) / len(self.epsilons)

    def told(self) -> dict[str, Any]:
        """Settings that decide the numbers, plain, but for the trainer and the data."""
        return {
            "data": str(self.data) if isinstance(self.data, str | Path) else "the caller's",
            "label": self.label,
            "epsilons": list(self.epsilons),
            "delta": self.delta,
            "relation": self.relation,
            "against": list(self.against),
            "metric": self.metric,
            "splits": self.splits,
            "share": self.share,
            "norm": self.norm,
            "few": self.few,
            "confidence": self.confidence,
            "seed": self.seed,
        }
