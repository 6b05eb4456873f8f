"""The audited epsilon of a trainer at each price: canary runs of their own, and a bound from an attack's scores.

In this order: the pairs on which it returns; whether it repeats itself and changes with epsilon; how many runs a clock
allows; pilot runs, which choose pair and attack at each epsilon; counted runs, whose number was fixed before. The bound
is that of the auditor ``scores`` (`dpverify.scores`), at its epsilon's share of the false-alarm probability.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from dpverify.core.errors import InputError
from dpverify.core.plugins import registry
from dpverify.core.subjects import Float
from dpverify.core.verdict import Status
from dpverify.frontier.asked import MOST_TRIALS, FrontierSettings
from dpverify.frontier.attacks import Attack, best_attack
from dpverify.frontier.follows_epsilon import Follows, follows_epsilon
from dpverify.frontier.work import SIDES, Bench, Unit, Workshop
from dpverify.runner.record import record
from dpverify.scores.recorded_scores import RecordedScores
from dpverify.scores.result import ScoreResult, audit_recorded

FEWEST, MOST = 50, 20_000
"""Counted runs a side at each epsilon, whatever the seconds."""

PILOT_SHARE, FEWEST_PILOTS, MOST_PILOTS = 0.15, 10, 200
"""Pilot runs a side and pair, as a share of the counted ones over all pairs."""

CHUNK_SECONDS, LARGEST_CHUNK = 2.0, 500
TIMED = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Runs:
    """The numbers of runs that an audit makes."""

    trials: int
    """Counted, a side at each epsilon."""
    pilots: int
    """A side at each epsilon and pair."""
    chunk: int
    """Runs of a unit of work."""
    seconds: float
    """Of one run, when it was timed; 0 where the number was given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontierPlan:
    """The choices that are fixed before the first counted run."""

    pairs: list[tuple[int, int]]
    """List of (others, place): on which the trainer returns."""
    follows: Follows
    """Whether the same seed gave the same model, and whether epsilon changed it."""
    runs: Runs


def planned(bench: Bench, shop: Workshop) -> FrontierPlan:
    """Look at the trainer, and fix the number of runs.

    Raises
    ------
    InputError
        For a trainer that returns on no pair, and for one that certainly does not change with epsilon.
    """
    pairs = [(int(others), int(place)) for others, place in shop.known("pairs", bench.pairs)]
    follows = Follows(**shop.known("follows epsilon", lambda: asdict(follows_epsilon(bench, pairs[0]))))
    given = bench.asked.trials
    found = shop.known("runs", lambda: asdict(_runs(bench, pairs, shop.jobs)))
    if given is not None and found["trials"] != given:  # of an earlier run that was stopped
        raise InputError(f"audit trials {given} after {found['trials']}", allowed=str(found["trials"]))
    return FrontierPlan(pairs=pairs, follows=follows, runs=Runs(**found))


def _runs(bench: Bench, pairs: list[tuple[int, int]], jobs: int) -> Runs:
    """So many runs as take about the seconds that were asked for, rounded to two digits."""
    asked, each = bench.asked, 0.0
    if asked.trials is not None:
        trials, seconds = asked.trials, 0.0
    else:
        for epsilon in asked.epsilons:
            slowest = 0.0
            for pair in pairs:
                begun = time.perf_counter()
                for number in range(TIMED):
                    bench.output(epsilon, *pair, SIDES[0], rng=bench.named("clock", epsilon, number))
                slowest = max(slowest, (time.perf_counter() - begun) / TIMED)
            each += slowest
        wanted = asked.seconds * jobs / (2.0 * each * (1.0 + PILOT_SHARE))
        trials = int(float(f"{min(max(wanted, FEWEST), MOST):.2g}"))
        seconds = each / len(asked.epsilons)
    pilots = int(min(max(PILOT_SHARE * trials / len(pairs), FEWEST_PILOTS), MOST_PILOTS))
    chunk = int(min(max(CHUNK_SECONDS / seconds, 1), LARGEST_CHUNK)) if seconds else LARGEST_CHUNK // 5
    return Runs(trials=trials, pilots=pilots, chunk=chunk, seconds=seconds)


def audited(bench: Bench, shop: Workshop, plan: FrontierPlan) -> list[dict[str, Any]]:
    """Return for each epsilon the verdict, lower bound, ceiling, pair and attack, and the record of the audit."""
    asked, runs = bench.asked, plan.runs
    looks = [
        ["pilot", epsilon, *pair, side, first, count]
        for epsilon in asked.epsilons
        for pair in plan.pairs
        for side in SIDES
        for first, count in _chunks(runs.pilots, runs.chunk)
    ]
    seen = _gathered(looks, shop.done(looks, doing="pilot runs"))
    chosen = {}
    for epsilon in asked.epsilons:
        found = []
        for pair in plan.pairs:
            inside, outside = (np.array(seen[epsilon, *pair, side]) for side in SIDES)
            if inside.ndim != 2 or inside.shape[1:] != outside.shape[1:]:
                raise InputError(
                    f"{asked.name} returned models of different sizes with the canary and without it",
                    allowed="a model of one shape whatever the records",
                )
            found.append((*best_attack(inside, outside), pair))
        chosen[epsilon] = max(found, key=lambda each: each[1])
    counted = [
        ["runs", epsilon, *pair, side, first, count, _plain(attack)]
        for epsilon, (attack, _, pair) in chosen.items()
        for side in SIDES
        for first, count in _chunks(runs.trials, runs.chunk)
    ]
    scores = _gathered(counted, shop.done(counted, doing="counted runs"))
    return [_bound(bench, epsilon, *chosen[epsilon], scores, runs.trials) for epsilon in asked.epsilons]


def _bound(
    bench: Bench, epsilon: float, attack: Attack, _apart: float, pair: tuple[int, int], scores: Any, trials: int
) -> dict[str, Any]:
    asked = bench.asked
    inside, outside = (np.array(scores[epsilon, *pair, side]) for side in SIDES)
    found = _judged(asked, epsilon, inside, outside)
    assert found.evidence is not None
    ceiling = found.evidence.ceiling
    tested = found.verdict is Status.REFUTED or _tested(found, epsilon)
    return {
        "epsilon": epsilon,
        "claim": _claim(asked, epsilon),
        "verdict": str(found.verdict if tested else Status.INCONCLUSIVE),
        "needed": None if tested else _needed(asked, epsilon, trials),
        "lower": float(found.bound or 0.0),
        "ceiling": None if ceiling is None or not math.isfinite(ceiling) else float(ceiling),
        "detectable": _finite(found.evidence.detectable),
        "trials": trials,
        "alpha": asked.alpha,
        "pair": bench.pair(*pair).words,
        "attack": attack.words,
        "event": found.evidence.witness.get("event"),
        "record": _timeless(record(found.row)),
    }


def _claim(asked: FrontierSettings, epsilon: float) -> str:
    return f"ApproxDP(epsilon={epsilon!r}, delta={asked.delta!r})" if asked.delta else f"PureDP(epsilon={epsilon!r})"


def _judged(asked: FrontierSettings, epsilon: float, inside: Float, outside: Float) -> ScoreResult:
    return audit_recorded(
        RecordedScores(inside=inside, outside=outside),
        registry().auditors.get("scores"),
        claim=_claim(asked, epsilon),
        confidence=1.0 - asked.alpha,
        relation=asked.relation,
        seed=asked.seed,
        name=f"{asked.name} at {epsilon:g}",
        trials=len(inside),
        credible=False,
    )


def _tested(found: ScoreResult, epsilon: float) -> bool:
    """Tell whether a perfect attack with so many runs would have refuted the claim: the ceiling is above it."""
    ceiling = None if found.evidence is None else found.evidence.ceiling
    return found.verdict is not Status.INCONCLUSIVE and (ceiling is None or ceiling > epsilon)


def _needed(asked: FrontierSettings, epsilon: float, trials: int) -> int | None:
    """Runs a side that would test the claim, by the same auditor at the same level."""

    def suffices(runs: int) -> bool:
        below = np.arange(runs, dtype=np.float64)
        mixed = _judged(asked, epsilon, 2 * below + 1, 2 * below)  # as scores that tell nothing: the smaller ceiling
        return _tested(_judged(asked, epsilon, below + runs, below), epsilon) and _tested(mixed, epsilon)

    return runs_needed(suffices, above=trials, most=MOST_TRIALS)


def _timeless(found: Any) -> Any:
    """The record without seconds, so that the same seed gives the same file."""
    if isinstance(found, dict):
        return {name: 0.0 if name == "seconds" else _timeless(value) for name, value in found.items()}
    return [_timeless(each) for each in found] if isinstance(found, list) else found


def _finite(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else float(value)


def _plain(attack: Attack) -> dict[str, Any]:
    return {"words": attack.words, "weights": None if attack.weights is None else attack.weights.tolist()}


def _chunks(total: int, size: int) -> list[tuple[int, int]]:
    return [(first, min(size, total - first)) for first in range(0, total, size)]


def _gathered(units: list[Unit], found: list[Any]) -> dict[tuple[Any, ...], list[Any]]:
    """Rows of each (epsilon, others, place, side), in order."""
    rows: dict[tuple[Any, ...], list[Any]] = {}
    for unit, values in zip(units, found, strict=True):
        rows.setdefault(tuple(unit[1:5]), []).extend(values)
    return rows


def runs_needed(suffices: Callable[[int], bool], *, above: int, most: int) -> int | None:
    """A number of runs that suffices, of two digits, an eighth above the least at most; None where `most` does not.

    Parameters
    ----------
    suffices : callable
        Whether so many runs could refute the claim by a perfect attack; monotone.
    above : int
        A number that does not suffice.
    """
    low, high = above, above
    while not suffices(high):
        if high == most:
            return None
        low, high = high, min(2 * high, most)
    while high - low > max(1, high // 100):
        middle = (low + high) // 2
        low, high = (low, middle) if suffices(middle) else (middle, high)
    return min(_rounded(high), most)


def _rounded(runs: int) -> int:
    """Round up to two digits."""
    step = int(10 ** max(0, len(str(runs)) - 2))
    return -(-runs // step) * step
