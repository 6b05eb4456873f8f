"""`dpverify audit --samples-d0 F --samples-d1 F`: a claim against draws that were made already."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import typer

from dpverify.cli.output import check_target, emit, print_result, prints_to_stderr, record_command, warn
from dpverify.core.errors import InputError, exit_status
from dpverify.core.relation_names import DEFAULT_RELATION

OF_SAMPLES = frozenset(
    ["claim", "samples_d0", "samples_d1", "relation", "confidence", "detect", "seed", "quiet", "verbose", "json"]
)
"""Parameters of `dpverify audit` that an audit of draws takes."""


def audit_sample_files(
    first: Path | None,
    second: Path | None,
    *,
    claim: str,
    relation: str | None,
    confidence: float,
    detect: float | None,
    seed: int,
    quiet: bool,
    verbose: bool,
    json: str | None,
    others: Sequence[str],
) -> None:
    """Audit two files of draws, and exit as `dpverify audit`; `others` are typed options, of other audits alone."""
    from dpverify.core.json_text import dump
    from dpverify.core.note import Telling
    from dpverify.runner.record import record
    from dpverify.samples.audit import audit_samples
    from dpverify.samples.sample_files import read_samples

    if first is None or second is None:
        raise InputError(
            f"--samples-d{int(first is not None)} is missing", allowed="both --samples-d0 and --samples-d1"
        )
    if others:
        raise InputError(
            f"{', '.join(others)} with --samples-d0, draws that were made already",
            allowed="--relation, --confidence, --detect, --seed",
        )
    check_target(json)
    with prints_to_stderr():
        sides = [read_samples(path, f"--samples-d{side}") for side, path in enumerate((first, second))]
        result = audit_samples(
            d0=sides[0],
            d1=sides[1],
            claim=claim,
            relation=relation or DEFAULT_RELATION,
            confidence=confidence,
            detect=detect,
            seed=seed,
            name=f"{first.name}-{second.name}",
            names=(f"the draws in {first.name}", f"the draws in {second.name}"),
        )
    item = record(result.row) | {"reproduce": record_command(), "notes": list(result.notes)}
    tell = Telling(quotes=True)
    if emit(json, dump([item]), tell=tell) and not quiet:
        print_result(item, notes=item["notes"], tell=tell, verbose=verbose)
    warn(tell.faults)
    raise typer.Exit(exit_status([item["verdict"]]))
