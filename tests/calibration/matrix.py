"""``make calibrate``: every statistical auditor on every boundary that it examines, at every level and budget.

The cells follow from the registry and `boundaries()`; there is no list to edit. Each finished cell is written at once
(to a temporary name, then renamed), so a run that was stopped goes on where it was; a cell is made again when the
auditor's version, the claim, the number of repetitions or the seed is another. The table is drawn from all cells that
there are: `reports/calibration/AUDITOR.json` in, `reports/rendered/calibration.md` out.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dpverify.core.plugins import registry
from dpverify.core.protocols import Auditor
from dpverify.runner.environment import environment
from dpverify.runner.files import write_whole
from dpverify.runner.record import dump, plain
from tests.calibration.boundaries import Boundary, boundaries
from tests.calibration.harness import Tally, exceedances, refusal, statistical_auditors

ROOT = Path(__file__).parents[2]
RECORDS, RENDERED = ROOT / "reports/calibration", ROOT / "reports/rendered/calibration.md"

ALPHAS, TRIALS, REPETITIONS, SEED = (0.2, 0.05), (100, 100_000), 2000, 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One auditor on one boundary at one level and budget."""

    auditor: Auditor
    boundary: Boundary
    alpha: float
    trials: int

    def key(self, *, repetitions: int, seed: int) -> dict[str, Any]:
        """What a finished cell must agree with to be kept."""
        return {
            "boundary": self.boundary.name,
            "claim": self.boundary.guarantee.text(),
            "alpha": self.alpha,
            "trials": self.trials,
            "version": self.auditor.version,
            "repetitions": repetitions,
            "seed": seed,
        }


@dataclass(slots=True)
class Kept:
    """The finished cells of one auditor, on disk."""

    path: Path
    cells: list[dict[str, Any]] = field(default_factory=list)

    @classmethod
    def of(cls, auditor: str, folder: Path) -> Kept:
        """What is there already."""
        path = folder / f"{auditor}.json"
        return cls(path=path, cells=json.loads(path.read_text())["cells"] if path.exists() else [])

    def has(self, key: dict[str, Any]) -> bool:
        """Whether this cell is finished, refused cells included."""
        return any(key.items() <= cell.items() for cell in self.cells)

    def put(self, key: dict[str, Any], found: dict[str, Any], auditor: str) -> None:
        """In the place of an older one of the same boundary, level and budget."""
        place = ("boundary", "alpha", "trials")
        others = [cell for cell in self.cells if any(cell[name] != key[name] for name in place)]
        self.cells = sorted([*others, {**key, **found}], key=lambda cell: tuple(str(cell[name]) for name in place))
        content = {"auditor": auditor, "environment": environment(), "cells": self.cells}
        write_whole(self.path, dump(plain(content)))


def cells(auditors: Sequence[Auditor]) -> Iterator[Cell]:
    """All of them, the cheap budgets first."""
    known = boundaries()
    for trials in TRIALS:
        for auditor in auditors:
            for boundary in known:
                for alpha in ALPHAS:
                    yield Cell(auditor=auditor, boundary=boundary, alpha=alpha, trials=trials)


def calibrate(auditors: Sequence[Auditor], *, repetitions: int, seed: int, jobs: int, folder: Path) -> list[Tally]:
    """Make the cells that are missing; returns the tallies that were made now."""
    todo, made, begun = list(cells(auditors)), [], time.perf_counter()
    for number, cell in enumerate(todo, start=1):
        kept = Kept.of(cell.auditor.name, folder)
        key = cell.key(repetitions=repetitions, seed=seed)
        if kept.has(key):
            continue
        reason = refusal(cell.auditor, cell.boundary, alpha=cell.alpha, trials=cell.trials)
        if reason is not None:
            kept.put(key, {"refused": reason}, cell.auditor.name)
            continue
        tally = exceedances(
            cell.auditor,
            cell.boundary,
            alpha=cell.alpha,
            trials=cell.trials,
            repetitions=repetitions,
            seed=seed,
            jobs=jobs,
        )
        made.append(tally)
        low, high = tally.interval
        found = {
            "count": tally.count,
            "refuted": tally.refuted,
            "interval": [low, high],
            "tail": tally.tail,
            "fails": tally.fails,
            "cpu_seconds": round(tally.seconds, 1),
        }
        kept.put(key, found, cell.auditor.name)
        _say(
            f"[{number}/{len(todo)}] {tally.text()}; {tally.seconds:.0f} s, {time.perf_counter() - begun:.0f} s so far"
        )
    return made


def rendered(folder: Path) -> str:
    """The table of all cells there are, one auditor after another."""
    files = [json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))]
    done = [cell for each in files for cell in each["cells"] if "count" in cell]
    bad = [cell for cell in done if cell["fails"]]
    seconds = sum(cell["cpu_seconds"] for cell in done)
    lines = [
        "# Calibration: how often each auditor refutes what is true",
        "",
        "Each cell: so many independent audits, on fresh draws, of a mechanism at the exact boundary of its claim; the",
        "share of them that refuted the claim or reported a bound above the truth, with its 99.9 % Clopper-Pearson",
        "interval. An auditor is wrong when P[Bin(audits, alpha) >= count] is below 1e-8. Made by `make calibrate`",
        "from `reports/calibration/`.",
        "",
        f"{len(done)} cells, {sum(cell['repetitions'] for cell in done)} audits, {seconds:.0f} s of processor time; "
        f"{len(bad)} {'cell fails' if len(bad) == 1 else 'cells fail'}.",
    ]
    for each in files:
        lines += ["", f"## {each['auditor']}", ""]
        counted = [cell for cell in each["cells"] if "count" in cell]
        if counted:
            lines += [
                "| boundary | claim | trials | alpha | exceed | of | share | 99.9 % interval | tail | s an audit |",
                "|---|---|---:|---:|---:|---:|---:|---|---:|---:|",
            ]
        for cell in counted:
            low, high = cell["interval"]
            tail = f"{cell['tail']:.2g}" + (" **fails**" if cell["fails"] else "")
            count, of = cell["count"], cell["repetitions"]
            lines.append(
                f"| {cell['boundary']} | {cell['claim']} | {cell['trials']} | {cell['alpha']:g} | {count} | {of} | "
                f"{count / of:.4f} | {low:.4f} to {high:.4f} | {tail} | {cell['cpu_seconds'] / of:.3f} |"
            )
        refused: dict[str, list[str]] = {}
        for cell in each["cells"]:
            if "refused" in cell:
                place = f"{cell['boundary']} ({cell['trials']} trials, alpha {cell['alpha']:g})"
                refused.setdefault(cell["refused"], []).append(place)
        if refused:
            lines.append("")
        lines += [f"- Not examined, {reason}: {', '.join(places)}." for reason, places in refused.items()]
    return "\n".join(lines) + "\n"


def _say(line: str) -> None:
    print(line, flush=True)  # noqa: T201 - a command's progress


def main() -> int:
    """The command."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--auditor", action="append", help="only these (may be repeated)")
    options.add_argument("--repetitions", type=int, default=REPETITIONS)
    options.add_argument("--seed", type=int, default=SEED)
    options.add_argument("--jobs", type=int, default=-1)
    options.add_argument("--folder", type=Path, default=RECORDS)
    options.add_argument("--rendered", type=Path, default=RENDERED)
    given = options.parse_args()
    known = statistical_auditors(registry())
    chosen = [auditor for auditor in known if not given.auditor or auditor.name in given.auditor]
    calibrate(chosen, repetitions=given.repetitions, seed=given.seed, jobs=given.jobs, folder=given.folder)
    table = rendered(given.folder)
    _say(f"{write_whole(given.rendered, table)}")
    return int("**fails**" in table)


if __name__ == "__main__":
    raise SystemExit(main())
