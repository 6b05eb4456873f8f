"""What an audit found, told and made an exit status where no code of the user's ever ran.

The process that ran the mechanism sends a record. The parent computes bound and verdict again from the counts in it, as
`dpverify recheck` does, and renders it. What has no counts (exact laws, pooled evidence, methods of other packages)
stands as it was sent. Whoever forges the counts themselves in that process is not noticed.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from typing import Any

from dpverify.cli.output import emit, emit_records, print_result, record_command, warn
from dpverify.cli.start_up import importing
from dpverify.core.errors import AuditError, exit_status
from dpverify.core.note import LOST, note_of
from dpverify.core.record import Record


def prepare() -> None:
    """Import what `told_apart` needs, before the command's process is forked, so that nothing is imported twice."""
    with importing():
        import numpy.ma

        import dpverify.audits.audit
        import dpverify.reporting.checked_records
        import dpverify.reporting.terminal  # noqa: F401
        from dpverify.core.plugins import leave_out_working_directory, own_registry

        _ = numpy.ma.MaskedArray  # which is put off, and asked for by `numpy.unique` in both processes
        leave_out_working_directory()
        known = own_registry()
        known.auditors.get("gate")  # with most of what other methods import
        list(known.neighbors.items())


def sends_nothing(words: Sequence[str]) -> bool:
    """Tell whether this audit runs no mechanism: of draws that were made already, or a question for help."""
    return any(word == "--help" or word.startswith("--samples-d") for word in words)


def told_apart(sent: Any, words: Sequence[str]) -> int:
    """Tell what the audit's process sent, and return the exit status.

    AuditError when its verdict does not follow from its counts, or it is no record.
    """
    from dpverify.reporting.checked_records import DIFFERS, contradiction
    from dpverify.reporting.read_records import records_of_schema

    if not isinstance(sent, dict) or not isinstance(sent.get("item"), dict):
        raise AuditError("the process that ran the mechanism sent no record")
    sent["item"]["reproduce"] = record_command(hide_data="--show-records" not in words)
    (item,) = records_of_schema([sent["item"]], "what the audit's process sent")
    names = {word.partition("=")[0] for word in words}
    fault = contradiction(item, pooled="--evidence" in names, exact="--method" in names)
    if fault:
        raise AuditError(f"{DIFFERS}: {fault}")
    return tell(**sent)


def tell(
    item: Record, *, json: str | None, quiet: bool, verbose: bool, proof: str | None, short: str, place: Any
) -> int:
    """Print and write the record of one audit, and return the exit status.

    Parameters
    ----------
    proof : str or None
        The file of the certificate.
    short : str
        What a pass lacks (`AuditResult.shortfall`), for a warning.
    place : (uri, line) or None
        Where the mechanism stands, for a job's annotations.
    """
    from dpverify.core.json_text import dump
    from dpverify.core.note import Telling
    from dpverify.reporting.github_job import show_in_job, standing
    from dpverify.reporting.sarif_location import Place

    tells = Telling(quotes=True)
    if emit_records(json, [item], quiet=quiet, tell=tells) and not quiet:
        print_result(item, notes=item["notes"], tell=tells, verbose=verbose)
    found, unproved = item.get("proof"), []
    if proof is not None and found is not None:
        tells(f"--proof {proof}", partial(emit, proof, dump(found["certificate"])), None)
    elif proof is not None:
        unproved = [f"--proof {proof} was not written: nothing was proved"]
    where = None if place is None else Place(uri=place[0], line=place[1])
    annotate = partial(show_in_job, title=f"dpverify audit {item['id']}", where=lambda _: where)
    tells("the annotations of the job", partial(annotate, [standing(item)]), None)
    unsaved = [line for line in item["notes"] if note_of(line).kind in LOST]
    warn([*tells.faults, *unproved, *unsaved, *([short] if short and not quiet else [])])
    sys.stderr.flush()
    return exit_status([item["verdict"]])
