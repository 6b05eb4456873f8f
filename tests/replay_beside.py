"""Replays stale records beside the code that they were decided by, on one machine.

A small part of a record is compared to the bit (`dpverify.ledger.refresh`), and another kind of processor gives other
last bits. There this command makes each part twice, with an older checkout in which the record was not stale and with
this one, and marks as replayed what came out the same. It decides nothing again.

    git worktree add OLD REVISION && python -m tests.replay_beside OLD    # ledger, calibration and power
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from dpverify.core.plugins import registry
from dpverify.runner.environment import environment

BESIDE = "; with the code before and with this code, on one machine"
WORDS = "--make"


class Ledger:
    """Rows of the ledger, by their ids."""

    def stale(self) -> Iterator[tuple[str, set[str]]]:
        """Each with the digests of code that it holds for."""
        from dpverify.ledger.committed_records import read_record
        from dpverify.ledger.rows import ledger_records

        for row in ledger_records(registry()):
            if row["ledger"]["stale"] and (item := read_record(row["id"])) and item["evidence"]:
                code = item["code"]
                yield row["id"], {code["digest"], code.get("replayed", {}).get("digest", "")}

    def made(self, name: str) -> tuple[str, Any]:
        """The digest of the code that is here, and the part that it makes."""
        from dpverify.ledger.committed_records import read_record
        from dpverify.ledger.partial_replays import parts

        item = read_record(name)
        return self._digest(item), parts(registry(), [item], jobs=1)[name]

    def mark(self, name: str, made: Any) -> None:
        """Put down that it was replayed."""
        from dpverify.ledger.committed_records import read_record, records_folder, write_records
        from dpverify.ledger.stale import code_underneath

        item = read_record(name)
        found = {
            "digest": self._digest(item),
            "compared": made["compared"] + BESIDE,
            "with": code_underneath(environment()),
        }
        write_records([{**item, "code": {**item["code"], "replayed": found}}], records_folder())

    def _digest(self, item: Any) -> str:
        from dpverify.ledger.stale import code_of

        name = item["id"]
        (claim,) = (each for each in registry().claims.get(_family(name)).single() if each.id == name)
        return code_of(registry(), claim, [part["auditor"] for part in item["evidence"]])["digest"]


def _family(name: str) -> str:
    return max((each for each in registry().claims if name == each or name.startswith(f"{each}.")), key=len)


class Calibration:
    """Cells of the calibration, by auditor and place."""

    def __init__(self) -> None:
        from tests.calibration import matrix

        self.matrix = matrix
        found = matrix.cells(list(matrix.calibrated(registry())))
        self.cells = {json.dumps(cell.place): cell for cell in found}

    def stale(self) -> Iterator[tuple[str, set[str]]]:
        """Each with the digests of sources that it holds for."""
        from tests.calibration.replayed import replayable

        for name, cell in self.cells.items():
            known = self._known(cell)
            if known is not None and replayable(known, self._key(cell)):
                yield name, {known["sources"], known.get("replayed", "")}

    def made(self, name: str) -> tuple[str, Any]:
        """The digest of the sources that are here, and the part that they make."""
        cell = self.cells[name]
        return self._key(cell)["sources"], cell.part(self.matrix.SEED)()

    def mark(self, name: str, made: Any) -> None:
        """Put down that it was replayed."""
        cell = self.cells[name]
        key, known = self._key(cell), self._known(cell)
        kept = self.matrix.Kept.of(cell.auditor.name, self.matrix.RECORDS)
        kept.put({**key, "sources": known["sources"]}, {**known, "replayed": key["sources"]}, cell.auditor.name)

    def _key(self, cell: Any) -> dict[str, Any]:
        return cell.key(repetitions=self.matrix.REPETITIONS, seed=self.matrix.SEED)  # type: ignore[no-any-return]

    def _known(self, cell: Any) -> Any:
        return self.matrix.Kept.of(cell.auditor.name, self.matrix.RECORDS).find(self._key(cell))


class Power:
    """Points of the detection curves, by auditor and place."""

    def __init__(self) -> None:
        from tests.calibration.harness import statistical_auditors
        from tests.power import matrix, sweep

        self.matrix = matrix
        self.points = {
            json.dumps([auditor.name, key["mechanism"], key["ratio"]]): (auditor, boundary, key)
            for auditor in statistical_auditors(registry())
            for boundary, key in matrix.curve_keys(auditor, repetitions=sweep.REPETITIONS)
        }

    def stale(self) -> Iterator[tuple[str, set[str]]]:
        """Each with the digests of sources that it holds for."""
        from tests.calibration.replayed import replayable

        for name, (auditor, _, key) in self.points.items():
            known = self._kept(auditor).find("sweep", key)
            if known is not None and replayable(known, key):
                yield name, {known["sources"], known.get("replayed", "")}

    def made(self, name: str) -> tuple[str, Any]:
        """The digest of the sources that are here, and the part that they make."""
        auditor, boundary, key = self.points[name]
        return key["sources"], self.matrix.part_of(auditor, boundary, key)()

    def mark(self, name: str, made: Any) -> None:
        """Put down that it was replayed."""
        auditor, _, key = self.points[name]
        kept = self._kept(auditor)
        kept.put("sweep", {**kept.find("sweep", key), "replayed": key["sources"]})

    def _kept(self, auditor: Any) -> Any:
        return self.matrix.Kept(self.matrix.RECORDS, auditor.name)


KINDS = {"ledger": Ledger, "calibration": Calibration, "power": Power}


def made_there(kind: str, names: Iterable[str], checkout: Path) -> dict[str, Any]:
    """What a checkout makes of these, by name: the digest of its code, and the part or the problem."""
    found = subprocess.run(
        [sys.executable, str(Path(__file__).resolve()), WORDS, kind],
        cwd=checkout,
        env={**os.environ, "PYTHONPATH": str(checkout)},
        input=json.dumps(list(names)),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return json.loads(found.stdout)  # type: ignore[no-any-return]


def make(kind: str) -> None:
    """The other side of `made_there`."""
    records, made = KINDS[kind](), {}
    for name in json.load(sys.stdin):
        try:
            made[name] = records.made(name)
        except Exception as problem:  # noqa: BLE001 - older code may fail in any way: that one is not replayed
            made[name] = ["", repr(problem)]
    json.dump(made, sys.stdout)


def beside(kind: str, old: Path) -> tuple[int, list[str]]:
    """How many were marked as replayed, and the names of those that were not."""
    records = KINDS[kind]()
    holds = dict(records.stale())
    before = made_there(kind, holds, old)
    same = [name for name in holds if before[name][0] and before[name][0] in holds[name]]
    now = made_there(kind, same, Path(__file__).parents[1])
    marked = [name for name in same if now[name][0] and now[name][1] == before[name][1]]
    for name in marked:
        records.mark(name, now[name][1])
    return len(marked), [name for name in holds if name not in marked]


def main() -> None:
    """The command."""
    if sys.argv[1:2] == [WORDS]:
        return make(sys.argv[2])
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("old", type=Path, help="a checkout of the revision before")
    options.add_argument("--only", choices=KINDS, action="append", help="only these (may be repeated)")
    given = options.parse_args()
    for kind in given.only or KINDS:
        marked, left = beside(kind, given.old.resolve())
        print(f"{kind}: {marked} replayed, {len(left)} not{': ' if left else ''}{', '.join(left)}", flush=True)  # noqa: T201
    return None


if __name__ == "__main__":
    main()
