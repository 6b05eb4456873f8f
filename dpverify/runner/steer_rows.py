"""The row of one claim in a steered run: its instalments merged into one piece of evidence.

The evidence reads like that of one sequential audit: that of the run of instalments (each going on from what the one
before had left) which brought it closest to a refutation. Its blocks stand one after another, its bound is that of its
last instalment, which rests on all of them. `instalments` says for every one of the claim how many of the blocks are
its own, the wealth that it staked, and by how much its bets multiplied that and what it went on from: with those the
wealth can be computed again (`dpverify.runner.steer_instalment`). Draws are counted over all. What would have been
found is that of the largest instalment alone.
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
    """The row of one claim.

    Parameters
    ----------
    instalments : sequence of Instalment
        In the order in which they were made.
    plan, total, detect, only
        The run's.
    stop : str
        ``refuted``, ``power``, ``total``, ``repeats``, ``cut``, ``failed`` or ``refused``.
    problem : str
        Of the last three, in a line.
    cut : "", "interrupted" or "out of time"
        Why the run was stopped before this audit was over.
    """
    claim = unit.entry.claim
    found = [merged(instalments, stop=stop, seed=plan.seed)] if any(one.evidence for one in instalments) else []
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


def merged(instalments: Sequence[Instalment], *, stop: str, seed: int) -> Evidence:
    """All instalments of a claim as one piece of evidence."""
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
        "nights": 1,  # sessions: the word of the record format
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
        ceiling=None,  # of one instalment: more of them may show more
        trials=pairs,
        seconds=math.fsum(part.seconds for run in runs for part in run),
        seed=seed,
        statistics=statistics,
        picture=largest.picture,
    )


def _bet(part: Evidence) -> int:
    return sum(block["pairs"] for block in part.statistics["blocks"])


def reproduce(plan: Plan, *, total: int, detect: float | None, only: str) -> str:
    """The command of the whole run: what one claim gets depends on all others."""
    words = ["dpverify", "run", plan.suite, "--profile", plan.profile, "--seed", plan.seed]
    words += ["--confidence", plan.confidence, "--steer", "--trials-total", total]
    words += ["--detect", detect] if detect is not None else []
    words += ["--only", only] if only != "*" else []
    return shlex.join(str(word) for word in words)
