"""What a frontier found, and what it says in lines.

Bands are 95 % intervals of a mean over independent random splits (Student's t); differences between the trainer and a
reference are taken split by split. A point is dominated where another arm costs no more and is better on the same
splits, its interval of the difference above 0. A refuted trainer stands at its audited bound, below which its price is
not, and dominates nothing. Intervals are not corrected for their number: the page compares, and its verdicts are those
of the audits and of ``at least``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import stats

from dpverify.core.note import Kind, note_of
from dpverify.core.subjects import Float
from dpverify.core.verdict import CheckedResult, Status
from dpverify.reporting.formatting import number, number_down
from dpverify.shown.mixin import Displayed
from dpverify.shown.view import Chart, PlotSeries, View

LEVEL = 0.95

REFUTED = "refuted"


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontierResult(CheckedResult, Displayed):
    """The numbers of a frontier. It is neither true nor false: compare `verdict`, or call `check`.

    Attributes
    ----------
    found : mapping
        Plain JSON: settings, ``points``, ``audits``, ``differences``, ``gates``, ``notes``. All that pages are made of.
    """

    found: Mapping[str, Any] = field(repr=False)

    @property
    def verdict(self) -> Status:
        """The verdict on all audits; ``error`` where a demanded mean is not met, ``inconclusive`` without any audit."""
        verdicts = [each["verdict"] for each in self.audits]
        if "refuted" in verdicts:
            return Status.REFUTED
        if self.failures:
            return Status.ERROR
        return Status.INCONCLUSIVE if self.untested or not verdicts else Status.NOT_REFUTED

    def finding_line(self) -> str:
        """Say what fails, or why nothing was decided."""
        told = "; ".join([*self.failures, *self.untested]) or "no claim was audited"
        return f"{self.found['trainer']}: {told}"

    def record(self) -> dict[str, Any]:
        """Return the result as plain values for JSON."""
        return dict(self.found)

    @property
    def failures(self) -> list[str]:
        """Why a gate fails, one line each: refuted claims, and demanded means that are not met."""
        lines = [audit_line(each) for each in self.found["audits"] if each["verdict"] == "refuted"]
        metric = self.found["metric"]
        return [*lines, *(gate_line(each, metric) for each in self.found["gates"] if not each["met"])]

    @property
    def untested(self) -> list[str]:
        """Claims that so few runs could not have refuted, one line each."""
        return [audit_line(each) for each in self.found["audits"] if each["verdict"] == "inconclusive"]

    @property
    def warnings(self) -> list[str]:
        """Warnings are for a reader to look at, one line each."""
        return [line for line in self.found["notes"] if note_of(line).kind is Kind.WARNING]

    @property
    def points(self) -> list[dict[str, Any]]:
        """One an arm and epsilon: ``arm, epsilon, at, mean, low, high, values, refuted, dominated``."""
        return list(self.found["points"])

    @property
    def audits(self) -> list[dict[str, Any]]:
        """One an epsilon: ``epsilon, verdict, lower, ceiling, trials, pair, attack``."""
        return list(self.found["audits"])

    def heading(self) -> list[str]:
        """Return what was measured, and the means as a table: one line an arm."""
        found = self.found
        table, asked = found["table"], found["settings"]
        epsilons = asked["epsilons"]
        means = {(point["arm"], point["epsilon"]): point for point in found["points"]}
        arms = [found["trainer"], *(each["name"] for each in found["references"])]
        wide = max(map(len, [*arms, "without learning"]))
        rows = [" ".join([found["metric"].ljust(wide), *(f"{f'epsilon {number(each)}':>18}" for each in epsilons)])]
        for arm in arms:
            cells = []
            for epsilon in epsilons:
                point = means[arm, epsilon]
                mark = "*" if point["dominated"] else " "
                cells.append(f"{point['mean']:.4f} +- {point['high'] - point['mean']:.4f}{mark}".rjust(19))
            rows.append(arm.ljust(wide) + "".join(cells).rstrip())
        rows.append(f"{'without privacy'.ljust(wide)} {found['ceiling']:.4f}")
        rows.append(f"{'without learning'.ljust(wide)} {found['floor']:.4f}")
        if any(point["dominated"] for point in found["points"]):
            rows.append("* dominated: another arm is better on the same splits, at no larger epsilon")
        return [
            f"{found['trainer']} on {table['name']}: {table['rows']:,} records, {table['columns']} columns",
            f"delta = {asked['delta']:g}, {asked['relation']}; {asked['splits']} splits, means and 95 % intervals",
            "",
            *rows,
            "",
        ]

    def view(self) -> View:
        """The view shows the verdict lines, and the metric by the claimed epsilon; dominated points hollow."""
        found = self.found
        arms: dict[str, list[Mapping[str, Any]]] = {}
        for point in sorted(found["points"], key=lambda each: each["epsilon"]):
            arms.setdefault(point["arm"], []).append(point)
        series = [
            PlotSeries(
                label=arm,
                x=[each["epsilon"] for each in points],
                y=[each["mean"] for each in points],
                low=[each["low"] for each in points],
                high=[each["high"] for each in points],
                hollow=[bool(each["dominated"]) for each in points],
            )
            for arm, points in arms.items()
        ]
        title, at = self.heading()[:2]
        return View(
            title=title,
            verdict="refuted" if any(each["verdict"] == "refuted" for each in found["audits"]) else "",
            facts=[("at", at), *(("", line) for line in self.lines())],
            chart=Chart(x="claimed epsilon (hollow: dominated)", y=found["metric"], series=series),
            notes=found["notes"],
        )

    def lines(self) -> list[str]:
        """Return the verdict lines."""
        return [line for line, _ in self.marked_lines()]

    def marked_lines(self) -> list[tuple[str, str]]:
        """Return the verdict lines, each with how it stands: ``bad``, ``weak``, or empty."""
        metric = self.found["metric"]
        refuted = {each["epsilon"] for each in self.found["audits"] if each["verdict"] == "refuted"}
        marks = {"refuted": "bad", "inconclusive": "weak"}
        return [
            *((audit_line(each), marks.get(each["verdict"], "")) for each in self.found["audits"]),
            *(
                (difference_line(each, metric) + ("; that price is refuted" if each["epsilon"] in refuted else ""), "")
                for each in self.found["differences"]
            ),
            *((gate_line(each, metric), "" if each["met"] else "bad") for each in self.found["gates"]),
        ]


def audit_line(audit: Mapping[str, Any]) -> str:
    """The verdict on one claimed epsilon."""
    claimed, lower = number(audit["epsilon"]), number_down(audit["lower"])
    ceiling = audit["ceiling"]
    could = "these runs could certify at most epsilon " + (number_down(ceiling) if ceiling is not None else "any")
    if audit["verdict"] == "refuted":
        return f"epsilon = {claimed}: REFUTED: at least {lower}, by {audit['trials']:,} runs a side"
    if audit["verdict"] == "inconclusive":
        needed = audit["needed"]
        more = "no number of runs here would do" if needed is None else f"{needed:,} runs a side would do"
        option = "" if needed is None else f" (--audit-trials {needed}, in Python audit_trials={needed})"
        return f"epsilon = {claimed}: not tested: {could}, which is not above the claim; {more}{option}"
    return f"epsilon = {claimed}: not refuted: at least {lower}; {could}"


def difference_line(each: Mapping[str, Any], metric: str) -> str:
    """The trainer against one reference at one epsilon."""
    low, high = each["low"], each["high"]
    at = f"epsilon = {number(each['epsilon'])}"
    if low <= 0 <= high:
        return f"{at}: {metric} not told apart from that of {each['against']} ({low:+.4f} to {high:+.4f})"
    word, (least, most) = ("better", (low, high)) if low > 0 else ("worse", (-high, -low))
    return f"{at}: {metric} {word} than that of {each['against']} by {least:.4f} to {most:.4f}"


def gate_line(gate: Mapping[str, Any], metric: str) -> str:
    """Say whether a demanded mean is met."""
    met = "met" if gate["met"] else "NOT MET"
    chance = "" if gate["sure"] else " (within the chance of these splits: more --splits would decide)"
    return (
        f"epsilon = {number(gate['epsilon'])}: {metric} at least {number(gate['at_least'])}: {met}, "
        f"mean {gate['mean']:.4f}{chance}"
    )


def interval(values: Sequence[float] | Float) -> dict[str, float]:
    """``mean``, ``low`` and ``high`` of two or more independent numbers."""
    found = np.asarray(values, dtype=np.float64)
    mean = float(found.mean())
    half = float(stats.t.isf((1 - LEVEL) / 2, found.size - 1) * found.std(ddof=1) / math.sqrt(found.size))
    return {"mean": mean, "low": mean - half, "high": mean + half}


def points_of(
    values: Mapping[str, Mapping[float, Sequence[float]]], audits: Mapping[float, Mapping[str, Any]], trainer: str
) -> list[dict[str, Any]]:
    """One point an arm and epsilon: where it stands, its band, and who dominates it (`dominated`)."""
    found = []
    for arm, by_epsilon in values.items():
        for epsilon, row in by_epsilon.items():
            refuted = arm == trainer and audits[epsilon]["verdict"] == REFUTED
            found.append(
                {
                    "arm": arm,
                    "epsilon": epsilon,
                    "at": audits[epsilon]["lower"] if refuted else epsilon,
                    "refuted": refuted,
                    **interval(row),
                    "values": list(row),
                }
            )
    return found


def dominated(points: list[dict[str, Any]], *, larger: bool) -> None:
    """Put the arms that dominate a point into its ``dominated``."""
    for point in points:
        point["dominated"] = []
        for other in points:
            if other["arm"] == point["arm"] or other["refuted"] or other["at"] > point["at"]:
                continue
            ahead = np.subtract(other["values"], point["values"]) * (1.0 if larger else -1.0)
            if interval(ahead)["low"] > 0 and other["arm"] not in point["dominated"]:
                point["dominated"].append(other["arm"])


def differences(points: Sequence[Mapping[str, Any]], trainer: str, *, larger: bool) -> list[dict[str, Any]]:
    """Return by how much the trainer is ahead of each reference at each epsilon; below 0 it is behind."""
    mine = {point["epsilon"]: point for point in points if point["arm"] == trainer}
    return [
        {
            "epsilon": point["epsilon"],
            "against": point["arm"],
            **interval(np.subtract(mine[point["epsilon"]]["values"], point["values"]) * (1.0 if larger else -1.0)),
        }
        for point in points
        if point["arm"] != trainer
    ]


def gates(
    points: Sequence[Mapping[str, Any]], trainer: str, at_least: Mapping[float | None, float]
) -> list[dict[str, Any]]:
    """Say of each demanded mean whether it is met, and whether the band lies on one side of it."""
    found = []
    for point in points:
        if point["arm"] != trainer:
            continue
        wanted = at_least.get(point["epsilon"], at_least.get(None))
        if wanted is None:
            continue
        met = point["mean"] >= wanted
        sure = point["low"] > wanted or point["high"] < wanted
        found.append({"epsilon": point["epsilon"], "at_least": wanted, "mean": point["mean"], "met": met, "sure": sure})
    return found
