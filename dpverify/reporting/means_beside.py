"""Means of a new measurement beside the committed ones: whether each pair agrees, in lines of 80 columns and as values.

Test: Student's t for two samples of one spread, since under the hypothesis both measure the same; the number of
repetitions may differ. One false-alarm probability (`LEVEL`) is for all means of an experiment, evenly. With the seed
of the committed record its first repetitions come again, which makes false alarms rarer. Numbers that do not spread are
the same or differ, in six digits. Running times are not tested: another machine has others.

Side of the error: means that agree may differ by less than the test sees, which is printed. Where a profile cuts data
or steps, another mean is to be expected, and the lines say so.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scipy import special

from dpverify.utility.prices_then import mean_and_error

LEVEL = 0.05
"""Probability that any mean of an experiment is said to differ where all measure the same."""

TIMES = ("seconds",)
CLOSE = 1e-5
"""Relative distance of numbers that are the same in six digits."""

NAMES = 36
"""Columns of an arm's label."""


def means_beside(here: Mapping[str, Any], committed: Mapping[str, Any]) -> dict[str, Any]:
    """Plain JSON values: ``means`` as a list, and the test in numbers. Both arguments are records of one experiment."""
    pairs = [
        (data, arm, metric, point, old)
        for data, arms in here["curves"].items()
        for metric in dict.fromkeys(name for metrics in arms.values() for name in metrics)
        for arm, metrics in arms.items()
        for point in metrics.get(metric, [])
        for old in committed["curves"].get(data, {}).get(arm, {}).get(metric, [])
        if old[0] == point[0]
    ]
    tested = sum(metric not in TIMES for _, _, metric, *_ in pairs)
    counts = (int(here["repetitions"]), int(committed["repetitions"]))
    return {
        "name": here["name"],
        "profiles": [here["profile"], committed["profile"]],
        "repetitions": list(counts),
        "false_alarm": LEVEL,
        "tested": tested,
        "alike": _effort(here) == _effort(committed),
        "means": [
            {
                "data": data,
                "arm": arm,
                "metric": metric,
                "x": new[0],
                "here": new[1],
                "committed": old[1],
                "chosen": _chosen(here, data, arm, new[0]) == _chosen(committed, data, arm, new[0]),
                **({"agrees": None} if metric in TIMES else _tested(new, old, counts, LEVEL / max(tested, 1))),
            }
            for data, arm, metric, new, old in pairs
        ],
    }


def _effort(kept: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a profile did with each place."""
    return {name: value for name, value in kept.get("effort", {}).items() if name != "places"}


def _chosen(kept: Mapping[str, Any], data: str, arm: str, x: float) -> Any:
    return kept.get("settings", {}).get(arm, {}).get(data, {}).get(f"{x:.6g}")


def _tested(new: Sequence[float], old: Sequence[float], counts: tuple[int, int], level: float) -> dict[str, Any]:
    """Return whether two means agree, and by how much they may differ and still do."""
    spread, freedom = 0.0, 0
    for point, count in zip((new, old), counts, strict=True):
        _, error = mean_and_error(list(point), count)
        spread += (count - 1) * count * error**2
        freedom += count - 1
    within = CLOSE * max(abs(new[1]), abs(old[1]))
    if freedom and spread:
        error = math.sqrt(spread / freedom * sum(1.0 / count for count in counts))
        within += float(special.stdtrit(freedom, 1 - level / 2)) * error
    return {"agrees": abs(new[1] - old[1]) <= within, "within": float(f"{within:.3g}")}


def beside_lines(found: Mapping[str, Any], *, cut: str, every: bool) -> Iterator[str]:
    """A line for each mean, or, unless `every`, for each that differs; `cut`: what the profile leaves out."""
    (here, there), (few, many) = found["profiles"], found["repetitions"]
    yield f"{found['name']}: means here ({here}, n = {few}) and committed ({there}, n = {many})"
    if not found["tested"]:
        yield "  nothing to compare: no number here has a committed one beside it"
        return
    if cut and not found["alike"]:
        yield from _folded(f"this profile has {cut}: there, other means are to be expected")
    shown = [each for each in found["means"] if every or each["agrees"] is False]
    before = None
    for each in shown:
        if (place := f"  {each['data']}, {each['metric']}") != before:
            before = place
            yield place
        word = {True: "agrees", False: "differs", None: "no test"}[each["agrees"]]
        numbers = f"{each['x']:>7.4g} {each['here']:>10.4g} {each['committed']:>10.4g}"
        yield f"  {each['arm'][:NAMES]:<{NAMES}} {numbers}  {word if each['chosen'] else f'{word} *'}"
    if not all(each["chosen"] for each in shown):
        yield "  * with other settings, chosen by the tuning"
    agreeing = sum(each["agrees"] is True for each in found["means"])
    yield f"  {agreeing} of {found['tested']} means agree (t test; false-alarm probability {LEVEL:g} for all of them)"


def _folded(words: str) -> Iterator[str]:
    yield from textwrap.wrap(words, 78, initial_indent="  ", subsequent_indent="  ")
