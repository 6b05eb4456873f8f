"""Mutants of ten plain mechanisms in the quick profile: a record each, and the page that is drawn from them.

    python -m tests.mutants.matrix                      # ten to fifteen minutes of a core
    python -m tests.mutants.matrix --only clipped_sum
    python -m tests.mutants.matrix --render-only

Records and page are `reports/mutants/*.json` and `reports/rendered/mutants.md`. How many draws an audit makes follows
from how fast the machine is, so bounds differ from run to run; outcomes should not.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

from dpverify.testing import mutants
from dpverify.testing.sabotage.report import OUTCOMES
from tests.mutants.plain_mechanisms import Subject, subjects

ROOT = Path(__file__).parents[2]
RECORDS, PAGE = ROOT / "reports/mutants", ROOT / "reports/rendered/mutants.md"

SECONDS = 30.0
"""Of each audit in the quick profile."""

HEAD = """# Mutants: which of the usual faults does the audit of a mechanism find?

Ten plain mechanisms (`tests/mutants/plain_mechanisms.py`), each broken by `dpverify.testing.mutants` and audited as a
test does it in the quick profile: 30 seconds a claim, false-alarm probability 1e-9, replay, then bets, then one event.
*Killed*: the audit refutes the claim, or cannot be completed. *Survived*: not killed, though the loss is known to
exceed the claim. *No violation*: the exact loss is within the claim on the pairs that were looked at, or the mutant
changes nothing in this mechanism. *Unknown*: not killed, and the loss is not known. Loss: the largest known true value
of the claim's headline measure over some pairs. A fixed seed that no audit sees, because outputs rarely differ, breaks
the contract of mechanisms (`check_mechanism`: it adds no noise). Made by `python -m tests.mutants.matrix` from
`reports/mutants/`."""


def made(subject: Subject, *, seconds: float = SECONDS, only: Any = None) -> dict[str, Any]:
    """The record of one mechanism."""
    begun = time.process_time()
    settings = {"claim": subject.claim, "data": subject.data, **subject.settings}
    found = mutants(subject.mechanism, seconds=seconds, only=only, **settings)
    return {**found.record(), "seconds_a_claim": seconds, "parent_cpu_seconds": time.process_time() - begun}


def rendered(records: list[dict[str, Any]]) -> str:
    """The page."""
    rows = [row for record in records for row in record["rows"]]
    counts = {outcome: sum(row["outcome"] == outcome for row in rows) for outcome in OUTCOMES}
    told = ", ".join(f"{count} {outcome}" for outcome, count in counts.items())
    lines = [HEAD, "", f"{len(records)} mechanisms, {len(rows)} mutants: {told}."]
    for outcome, words in (("survived", "Survived"), ("unknown", "Unknown")):
        named = [
            f"- {words}: `{row['name']}` of `{record['mechanism']}`: {row['how']}."
            for record in records
            for row in record["rows"]
            if row["outcome"] == outcome
        ]
        lines += ["", *named] if named else []
    for record in records:
        lines += ["", f"## {record['mechanism']}, `{record['claim']}`", ""]
        lines += ["| mutant | what is broken | outcome | loss | how |", "|---|---|---|---:|---|"]
        for row in record["rows"]:
            loss = "-" if row["loss"] is None else f"{float(row['loss']):.3g}"
            lines.append(f"| {row['name']} | {row['what']} | {row['outcome']} | {loss} | {row['how']} |")
        left = [f"{name} ({why})" for name, why in record["left_out"].items()]
        lines += ["", f"Not made: {', '.join(left)}."] if left else []
    return "\n".join(lines) + "\n"


def kept() -> list[dict[str, Any]]:
    """The records that there are, in the order of the subjects."""
    paths = [RECORDS / f"{subject.name}.json" for subject in subjects()]
    return [json.loads(path.read_text()) for path in paths if path.exists()]


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--only", help="one mechanism")
    options.add_argument("--render-only", action="store_true", help="draw the page from the records that there are")
    asked = options.parse_args()
    RECORDS.mkdir(exist_ok=True)
    for subject in subjects() if not asked.render_only else ():
        if asked.only in (None, subject.name):
            found = made(subject)
            (RECORDS / f"{subject.name}.json").write_text(json.dumps(found, indent=1) + "\n")
            told = [f"{row['name']}: {row['outcome']}" for row in found["rows"]]
            print(f"{subject.name}: {', '.join(told)}", flush=True)  # noqa: T201
    PAGE.write_text(rendered(kept()))


if __name__ == "__main__":
    main()
