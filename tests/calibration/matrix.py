"""``make calibrate``: every statistical auditor on every boundary that it examines, at every level and budget.

The cells follow from the registry, `VARIANTS` and `boundaries()`; there is no list to edit. Each finished cell is
written at once (to a temporary name, then renamed), so a run that was stopped goes on where it was. A finished cell
carries a digest of the definitions that decide it (`sources`): it is stale when one of them says something else, or
when the claim, the number of repetitions or the seed is another. Of a stale cell the first audits are made again before
the whole (`replayed`). The table is drawn from the cells that there are, and names those that are stale or missing:
`reports/calibration/AUDITOR.json` in, `reports/rendered/calibration.md` out.

    make calibrate
    python -m tests.calibration.matrix --auditor event --auditor scores --first    # the first boundaries of two of them
    python -m tests.calibration.matrix --render-only
    python -m tests.calibration.matrix --folder EMPTY    # before a release: everything, from nothing
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from dpverify.core.auditing import Auditor
from dpverify.core.json_text import dump
from dpverify.core.plugins import registry
from dpverify.runner.atomic_files import write_atomically
from dpverify.runner.environment import environment
from dpverify.runner.record import plain
from tests.calibration.boundaries import Boundary, boundaries
from tests.calibration.harness import Tally, exceedances, refusal
from tests.calibration.replayed import first_audits, parts, replayable, state
from tests.calibration.sources import deciding
from tests.calibration.table import rendered
from tests.calibration.variants import calibrated

ROOT = Path(__file__).parents[2]
RECORDS, RENDERED = ROOT / "reports/calibration", ROOT / "reports/rendered/calibration.md"

ALPHAS, TRIALS, REPETITIONS, SEED = (0.2, 0.05), (100, 100_000), 2000, 5

PLACE = ("boundary", "alpha", "trials")
"""What tells the cells of one auditor apart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One auditor on one boundary at one level and budget."""

    auditor: Auditor
    boundary: Boundary
    alpha: float
    trials: int

    @property
    def place(self) -> tuple[str, str, float, int]:
        """Auditor, boundary, level, budget."""
        return self.auditor.name, self.boundary.name, self.alpha, self.trials

    def part(self, seed: int) -> Callable[[], str]:
        """Makes its first audits."""
        return partial(first_audits, self.auditor, self.boundary, alpha=self.alpha, trials=self.trials, seed=seed)

    def key(self, *, repetitions: int, seed: int) -> dict[str, Any]:
        """What a finished cell must agree with to be kept."""
        return {
            "boundary": self.boundary.name,
            "claim": self.boundary.guarantee.text(),
            "alpha": self.alpha,
            "trials": self.trials,
            "version": self.auditor.version,
            "sources": deciding(self.auditor, self.boundary),
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

    def find(self, key: dict[str, Any]) -> dict[str, Any] | None:
        """The cell in the key's place, whatever decided it."""
        return next((cell for cell in self.cells if all(cell[name] == key[name] for name in PLACE)), None)

    def has(self, key: dict[str, Any]) -> bool:
        """Whether this cell is finished, and holds or was replayed."""
        cell = self.find(key)
        return cell is not None and state(cell, key) != "stale"

    def put(self, key: dict[str, Any], found: dict[str, Any], auditor: str) -> None:
        """In the place of an older one of the same boundary, level and budget; cells of no known place are dropped."""
        known = set(places())
        others = [
            cell
            for cell in self.cells
            if any(cell[name] != key[name] for name in PLACE) and tuple(cell[name] for name in PLACE) in known
        ]
        self.cells = sorted([*others, {**key, **found}], key=lambda cell: tuple(str(cell[name]) for name in PLACE))
        write_atomically(
            self.path, dump(plain({"auditor": auditor, "environment": environment(), "cells": self.cells}))
        )


def places() -> Iterator[tuple[str, float, int]]:
    """Boundary, level and budget of every cell that an auditor may have."""
    for boundary in boundaries():
        for trials in _budgets(boundary):
            yield from ((boundary.name, alpha, trials) for alpha in ALPHAS)


def cells(auditors: Sequence[Auditor]) -> Iterator[Cell]:
    """All of them, the first boundaries first, and of these the cheap budgets."""
    known = boundaries()
    for first in (True, False):
        for place in range(len(TRIALS)):
            for auditor in auditors:
                for boundary in known:
                    if boundary.first == first and place < len(budgets := _budgets(boundary)):
                        for alpha in ALPHAS:
                            yield Cell(auditor=auditor, boundary=boundary, alpha=alpha, trials=budgets[place])


def _budgets(boundary: Boundary) -> list[int]:
    """The least first; those beyond the boundary's most are one."""
    return sorted({trials if boundary.most is None else min(trials, boundary.most) for trials in TRIALS})


def calibrate(todo: Sequence[Cell], *, repetitions: int, seed: int, jobs: int, folder: Path) -> list[Tally]:
    """Make the cells that are missing or stale; returns the tallies that were made now."""
    made, begun = [], time.perf_counter()
    replay(todo, repetitions=repetitions, seed=seed, jobs=jobs, folder=folder)
    for number, cell in enumerate(todo, start=1):
        kept = Kept.of(cell.auditor.name, folder)
        key = cell.key(repetitions=repetitions, seed=seed)
        if kept.has(key):
            continue
        if refusal(cell.auditor, cell.boundary, alpha=cell.alpha, trials=cell.trials) is not None:
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
            "part": cell.part(seed)(),
        }
        Kept.of(cell.auditor.name, folder).put(key, found, cell.auditor.name)
        _say(
            f"[{number}/{len(todo)}] {tally.text()}; {tally.seconds:.0f} s, {time.perf_counter() - begun:.0f} s so far"
        )
    return made


def replay(todo: Sequence[Cell], *, repetitions: int, seed: int, jobs: int, folder: Path) -> None:
    """Make the first audits of stale cells again and keep those in which they are the same; give parts to cells that
    hold and have none."""
    asked = []
    for cell in todo:
        key = cell.key(repetitions=repetitions, seed=seed)
        known = Kept.of(cell.auditor.name, folder).find(key)
        if known is not None and (replayable(known, key) or (state(known, key) == "done" and "part" not in known)):
            asked.append((cell, key, known))
    made = parts([cell.part(seed) for cell, _, _ in asked], jobs=jobs)
    for (cell, key, known), part in zip(asked, made, strict=True):
        if known.get("part", part) != part:
            _say(f"{cell.auditor.name} on {cell.boundary.name}: its first audits differ; to be made again")
            continue
        more = {"replayed": key["sources"]} if "part" in known else {"part": part}
        kept = Kept.of(cell.auditor.name, folder)
        kept.put({**key, "sources": known["sources"]}, {**known, **more}, cell.auditor.name)


def known_before(cell: Cell, folder: Path) -> bool:
    """Whether a cell of this place was ever made."""
    place = {"boundary": cell.boundary.name, "alpha": cell.alpha, "trials": cell.trials}
    return Kept.of(cell.auditor.name, folder).find(place) is not None


def states(todo: Sequence[Cell], *, repetitions: int, seed: int, folder: Path) -> Iterator[tuple[Cell, dict[str, Any]]]:
    """Each cell with what is known of it: what was found, and ``state``: done, replayed,
    refused, stale or missing."""
    kept = {name: Kept.of(name, folder) for name in {cell.auditor.name for cell in todo}}
    for cell in todo:
        key = cell.key(repetitions=repetitions, seed=seed)
        reason = refusal(cell.auditor, cell.boundary, alpha=cell.alpha, trials=cell.trials)
        if reason is not None:
            yield cell, {**key, "state": "refused", "refused": reason}
            continue
        known = [one for one in kept[cell.auditor.name].cells if all(one[name] == key[name] for name in PLACE)]
        if not known:
            yield cell, {**key, "state": "missing"}
        else:
            yield cell, {**known[0], "state": state(known[0], key)}


def _say(line: str) -> None:
    print(line, flush=True)  # noqa: T201 - a command's progress


def main() -> int:
    """The command."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--auditor", action="append", help="only these (may be repeated), in this order")
    options.add_argument("--boundary", action="append", help="only these (may be repeated)")
    options.add_argument("--trials", type=int, action="append", help="only these budgets (may be repeated)")
    options.add_argument("--first", action="store_true", help="only the boundaries that the table begins with")
    options.add_argument(
        "--kept", action="store_true", help="only cells that were made before: replayed, or made again"
    )
    options.add_argument("--repetitions", type=int, default=REPETITIONS)
    options.add_argument("--seed", type=int, default=SEED)
    options.add_argument("--jobs", type=int, default=-1)
    options.add_argument("--folder", type=Path, default=RECORDS)
    options.add_argument("--rendered", type=Path, default=RENDERED)
    options.add_argument("--render-only", action="store_true", help="draw the table from the cells that there are")
    given = options.parse_args()
    known = {auditor.name: auditor for auditor in calibrated(registry())}
    every = list(cells(list(known.values())))
    if not given.render_only:
        todo = [
            cell
            for cell in cells([known[name] for name in given.auditor or known])
            if (not given.first or cell.boundary.first)
            and (not given.boundary or cell.boundary.name in given.boundary)
            and (not given.trials or cell.trials in given.trials)
            and (not given.kept or known_before(cell, given.folder))
        ]
        calibrate(todo, repetitions=given.repetitions, seed=given.seed, jobs=given.jobs, folder=given.folder)
    table = rendered(list(states(every, repetitions=given.repetitions, seed=given.seed, folder=given.folder)))
    _say(f"{write_atomically(given.rendered, table)}")
    return int("**fails**" in table)


if __name__ == "__main__":
    raise SystemExit(main())
