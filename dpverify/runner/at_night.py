"""One more night: the sequential auditor of a unit, told what is worth finding and where earlier nights are kept.

The file is opened here (`dpverify.runner.nights`), so that what does not fit is refused before the first draw. Other
auditors of the unit are left as they are.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from dpverify.core.errors import InputError
from dpverify.core.subjects import Pair
from dpverify.runner.night import Identity, Night
from dpverify.runner.nights import Nights
from dpverify.runner.plan import Unit


def at_night(
    unit: Unit, *, worth: float | None, file: Path | str | None, pair: Pair, confidence: float, reproducible: bool
) -> Unit:
    """The unit with its sequential auditor told what is worth finding, and where earlier nights are kept.

    Raises
    ------
    InputError
        For a file that does not fit, or a value that is not worth finding.
    """
    claim, task = unit.entry.claim, unit.task
    head = claim.guarantee.measures()[0]
    if worth is not None and not worth > head.claimed:
        raise InputError(
            f"worth = {worth:g}",
            allowed=f"a number above the claimed {head.label()} = {head.claimed:g}",
            remedy="say which true value would have to be found",
        )

    def told(auditor: Any) -> Any:
        if not getattr(auditor, "by_request", False) or not hasattr(auditor, "journal"):
            return auditor
        journal = None
        if file is not None:
            identity = Identity.of(
                claim=claim.guarantee.text(),
                relation=claim.relation,
                mechanism=claim.id,
                pair=pair,
                method=f"{auditor.name} {auditor.version}",
            )
            asked = Night(seed=task.seed, trials=task.trials, confidence=confidence)
            journal = Nights.open(file, identity, asked=asked, reproducible=reproducible)
        return replace(auditor, worth=worth, journal=journal)

    return replace(unit, auditors=tuple(told(auditor) for auditor in unit.auditors))
