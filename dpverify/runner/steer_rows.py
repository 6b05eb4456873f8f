"""The row of one claim in a steered run: its instalments merged into one piece of evidence.

The evidence has the form of one sequential audit: the series of consecutive instalments with the highest wealth. Their
blocks are listed one after another; the bound is that of the last instalment, which includes all of them. `instalments`
lists for every instalment of the claim its number of blocks, its stake, and the factors by which its bets multiplied
the stake and the earlier wealth. From these the wealth can be computed again (`dpverify.runner.steer_instalment`).
Draws are counted over all instalments. The detectable value is that of the largest instalment alone.
"""

from __future__ import annotations

import math
import shlex
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from dpverify.core.errors import one_line
from dpverify.core.evidence import Evidence
from dpverify.core.verdict import Status, Verdict, decide
from dpverify.runner.plan import Plan, Unit
from dpverify.runner.row import Cut, Row
from dpverify.runner.steer_instalment import Instalment, stake

REPEATS = "its draws were those of an earlier instalment: no later one can count"
NOTHING = "the draws of the run were spent before its first instalment"


def steered_row(
    unit: Unit,
    instalments: Sequence[Instalment],
    *,
    plan: Plan,
    total: int,
    detect: float | None,
    only: str,
    stop: str,
    problem: str = "",
    cut: Cut = "",
) -> Row:
    """Make the row of one claim.

    Parameters
    ----------
    instalments : sequence of Instalment
        In the order in which they were made.
    plan, total, detect, only
        Those of the run.
    stop : str
        ``refuted``, ``power``, ``total``, ``repeats``, ``cut``, ``failed`` or ``refused``.
    problem : str
        One line of explanation for the last three.
    cut : "", "interrupted" or "out of time"
        Why the run stopped before this audit had ended.
    """
    claim = unit.entry.claim
    found = (
        [merged_evidence(instalments, stop=stop, seed=plan.seed)] if any(one.evidence for one in instalments) else []
    )
    if stop == "refused":
        verdict = Verdict(claim=claim, status=Status.UNSUPPORTED, reason=problem or "no auditor can bet against it")
    elif not found and stop not in ("failed", "repeats"):
        verdict = Verdict(claim=claim, status=Status.INCONCLUSIVE, reason=problem or NOTHING)
    else:
        failures = [one_line(problem)] if stop == "failed" else []
        verdict = decide(claim, found, failures=failures)
        if stop == "repeats":
            verdict = replace(verdict, reason=REPEATS)
        if cut and verdict.status is Status.NOT_REFUTED:
            verdict = replace(verdict, status=Status.INCONCLUSIVE, reason=problem)
    return Row(
        entry=unit.entry,
        verdict=verdict,
        seconds=sum(one.evidence.seconds for one in instalments if one.evidence),
        seed=plan.seed,
        reproduce=reproduce(plan, total=total, detect=detect, only=only),
        cut=cut,
    )


def merged_evidence(instalments: Sequence[Instalment], *, stop: str, seed: int) -> Evidence:
    """Merge all instalments of a claim into one piece of evidence."""
    runs: list[list[Evidence]] = []
    for one in instalments:
        if one.evidence is not None:
            runs = [*runs[:-1], [*runs[-1], one.evidence]] if one.goes_on else [*runs, [one.evidence]]
    parts, told = max(runs, key=lambda run: (run[-1].excess > 0, run[-1].tightness)), list[dict[str, Any]]()
    for place, part in enumerate(each for run in runs for each in run):
        mine, blocks = any(part is each for each in parts), part.statistics["blocks"]
        told.append(
            {
                "pairs": part.trials,
                "pairs_bet": _bet(part),
                "blocks": len(blocks) if mine else 0,
                "stake": stake(place),
                "goes_on": instalments[place].goes_on,
                "e_value": part.statistics["e_value_here"],
            }
        )
    last, pairs = parts[-1], sum(one["pairs"] for one in told)
    largest = max((part for run in runs for part in run if part.measure == last.measure), key=lambda part: part.trials)
    reached = last.statistics["pairs_bet_when_refuted"]
    statistics: dict[str, Any] = {
        **last.statistics,
        "stop": stop,
        "nights": 1,  # the record format calls them sessions
        "e_value_here": last.statistics["e_value"],
        "pairs": pairs,
        "pairs_bet": sum(map(_bet, parts)),
        "pairs_bet_when_refuted": None if reached is None else sum(map(_bet, parts[:-1])) + reached,
        "detectable_in_rate": largest.statistics["detectable_in_rate"],
        "blocks": [block for part in parts for block in part.statistics["blocks"]],
        "instalments": told,
    }
    return replace(
        last,
        estimate=largest.estimate,
        detectable=largest.detectable,
        ceiling=None,  # detectable by one instalment; all of them together may detect more
        trials=pairs,
        seconds=math.fsum(part.seconds for run in runs for part in run),
        seed=seed,
        statistics=statistics,
        picture=largest.picture,
    )


def _bet(part: Evidence) -> int:
    return sum(block["pairs"] for block in part.statistics["blocks"])


def reproduce(plan: Plan, *, total: int, detect: float | None, only: str) -> str:
    """The command that repeats the whole run, since each claim's draws depend on all others."""
    words = ["dpverify", "run", plan.suite, "--profile", plan.profile, "--seed", plan.seed]
    words += ["--confidence", plan.confidence, "--steer", "--trials-total", total]
    words += ["--detect", detect] if detect is not None else []
    words += ["--only", only] if only != "*" else []
    return shlex.join(str(word) for word in words)
