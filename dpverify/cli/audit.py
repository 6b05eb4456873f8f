"""`dpverify audit`: one callable, on neighbours made from an example, or on one pair."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dpverify.cli import parent_process
from dpverify.cli.audit_samples import OF_SAMPLES, audit_sample_files
from dpverify.cli.audit_verdict import tell
from dpverify.cli.options import (
    Events,
    Json,
    Method,
    Quiet,
    Seed,
    claim_option,
    data_option,
    kept_option,
    limit_option,
    method_names,
    output_option,
    search_option,
    subject_option,
    typed_options,
    verdict_option,
    whole_number,
)
from dpverify.cli.output import at_work, check_target, prints_to_stderr, record_command
from dpverify.cli.start_up import importing
from dpverify.core.callable_name import callable_name
from dpverify.core.errors import InputError
from dpverify.core.note import Kind, Note, note_of

if TYPE_CHECKING:
    from dpverify.programs.command import Command
    from dpverify.reporting.events import EventFile


def audit(
    ctx: typer.Context,
    claim: Annotated[str, claim_option(help="For example 'ApproxDP(epsilon=1, delta=1e-5)'.")],
    mechanism: Annotated[
        str | None,
        typer.Argument(
            metavar="PACKAGE.MODULE:CALLABLE", help="A callable; MODULE:CLASS(NAME=VALUE) for an instance of a class."
        ),
    ] = None,
    command: Annotated[
        str | None,
        subject_option(
            metavar="TEXT",
            help="Instead of a callable: a program, such as './noisy' (a worker that reads JSON lines) or "
            "'./noisy {data} {seed} {count}' (started for each request).",
        ),
    ] = None,
    parameters: Annotated[
        str | None,
        subject_option(
            metavar="NAME=VALUE,...", help="Values of further parameters of the callable, such as 'epsilon=1.0'."
        ),
    ] = None,
    outputs: Annotated[
        str, subject_option(help="What a command prints: json (a value a line), doubles, or doubles:K.")
    ] = "json",
    data: Annotated[
        str | None,
        data_option(
            metavar="FILE|LITERAL",
            help="One example data set, from which neighbours are made: JSON, or a .json, .npy, .csv or .parquet file.",
        ),
    ] = None,
    records: Annotated[
        str | None,
        data_option("--record", help="What a record is, such as 'float(0, 1)'; read off the example when not given."),
    ] = None,
    bounds: Annotated[
        str | None, data_option(metavar="[COLUMN=]LOW:HIGH,...", help="Ranges of values, over those of the example.")
    ] = None,
    unit: Annotated[
        str | None, data_option(metavar="COLUMN", help="Whose record it is: neighbours differ in all of one user's.")
    ] = None,
    domain: Annotated[
        str,
        data_option(
            help="Where nothing is stated of a column (--record, --bounds), a claim that is false outside of what the "
            "example shows is told (example), or refuted (type)."
        ),
    ] = "example",
    d0: Annotated[
        str | None, data_option(metavar="FILE|LITERAL", help="Instead of --data: one data set of a pair.")
    ] = None,
    d1: Annotated[str | None, data_option(metavar="FILE|LITERAL", help="Its neighbour.")] = None,
    samples_d0: Annotated[
        Path | None,
        data_option(metavar="FILE", help="Instead of a mechanism: draws made on d0 (CSV, NPY, Parquet, JSON)."),
    ] = None,
    samples_d1: Annotated[Path | None, data_option(metavar="FILE", help="Draws made on its neighbour.")] = None,
    relation: Annotated[
        str | None, claim_option(help="Read off a pair when not given; add-remove for an example.")
    ] = None,
    trials: Annotated[
        int | None,
        search_option(
            parser=whole_number,
            metavar="N",
            help="Draws per side. For a pair 200,000; for an example, as many as --seconds allow.",
        ),
    ] = None,
    seconds: Annotated[
        float | None,
        search_option(
            metavar="S",
            help="About so long an audit of an example may take (30). Half is spent at least, when given, to find what "
            "is rare.",
        ),
    ] = None,
    confidence: Annotated[float, claim_option(help="One-sided.")] = 0.999,
    method: Method = None,
    call: Annotated[
        str | None, subject_option(help="scalar, batch or plain (default: inferred from the parameters' names).")
    ] = None,
    on_error: Annotated[
        str, subject_option(help="Treat an exception of the mechanism as an error (raise) or as an output (output).")
    ] = "raise",
    max_seconds: Annotated[
        float | None,
        limit_option(metavar="S", help="Time limit of the whole audit; an audit that it stops is inconclusive."),
    ] = None,
    max_seconds_per_call: Annotated[
        float | None,
        limit_option(
            metavar="S",
            help="Time limit of each call of the mechanism; a longer call is bad input. By default a minute (or twice "
            "--seconds) for an example, none for a pair.",
        ),
    ] = None,
    sequential: Annotated[
        bool,
        search_option("--sequential", help="Test sequentially by betting, and stop as soon as the claim is refuted."),
    ] = False,
    detect: Annotated[
        float | None,
        search_option(
            help="The factor of the claim that must be detectable with 80 % power; an example's audit takes 2, or the "
            "claim + 1 above 3. Sequential: stop once it is."
        ),
    ] = None,
    rare: Annotated[
        float | None,
        search_option(
            metavar="PART",
            help="Part of the draws, up to 0.5, that looks for what is rare once the rest is decided, if outputs "
            "repeat values (0.06; without that, a quarter where --seconds, --trials or --detect is given).",
        ),
    ] = None,
    evidence: Annotated[
        Path | None,
        kept_option(metavar="FILE", help="Sequential: pool the evidence with that of earlier sessions, kept in FILE."),
    ] = None,
    regressions: Annotated[
        Path | None,
        kept_option(
            metavar="DIR",
            help="With --data: made-up pairs that refuted are saved in this folder and tried first (default: "
            ".dpverify/regressions, where it exists).",
        ),
    ] = None,
    seed: Seed = 0,
    max_memory: Annotated[
        float | None,
        limit_option(metavar="GB", help="Memory limit of the audit (default: 80 % of the machine's)."),
    ] = None,
    strict: Annotated[
        bool,
        verdict_option(
            "--require-power",
            "--strict",
            help="Inconclusive where a pass could have seen too little, or holds in the example's ranges only.",
        ),
    ] = False,
    proof: Annotated[
        Path | None,
        output_option(metavar="FILE", help="Write the certificate of a proof to FILE, for `dpverify check-proof`."),
    ] = None,
    show_records: Annotated[
        bool, output_option("--show-records", help="Show the pair even where it holds records of the example.")
    ] = False,
    verbose: Annotated[
        bool, output_option("--verbose", help="All that the audit says, and not its first twelve lines.")
    ] = False,
    events: Events = None,
    quiet: Quiet = False,
    json: Json = None,
) -> None:
    """Audit one callable or program on neighbours made from one example data set, or on one pair.

    Exits with 1 when the claim is refuted, and with 3 when nothing was decided. With --require-power (or --strict), a
    pass is inconclusive that could have detected less than it was to detect, left out data, is of single calls of a
    batch alone, or of a claim that is false outside of what the example shows (otherwise 0 and a warning; with
    --domain type: 1).
    """
    with importing():
        from dpverify.adapters.callable_mechanism import ON_ERROR
        from dpverify.adapters.literals import literal_arguments, load_dataset
        from dpverify.adapters.named_callable import load_callable
        from dpverify.adapters.signature import CALLS
        from dpverify.adapters.time_limit import Interrupted, TimeLimit
        from dpverify.audits.audit import audit as audit_callable
        from dpverify.core.watchdog_page import handle_ctrl_c_here
        from dpverify.reporting.events import event_file
        from dpverify.reporting.sarif_location import place_of
        from dpverify.runner.audited_files import digests, module_files, program_files, subject_version
        from dpverify.runner.limits import gigabytes
        from dpverify.runner.memory import limit_files, limit_memory_with_children, share_of_machine
        from dpverify.runner.record import record
        from dpverify.runner.regressions import used_folder

    if samples_d0 is not None or samples_d1 is not None:
        audit_sample_files(
            samples_d0,
            samples_d1,
            claim=claim,
            relation=relation,
            confidence=confidence,
            detect=detect,
            seed=seed,
            quiet=quiet,
            verbose=verbose,
            json=json,
            others=typed_options(ctx, but=OF_SAMPLES),
        )
    program = _program(mechanism, command, outputs)
    audited = mechanism or str(program)
    if call is not None and call not in CALLS:
        raise InputError(f"--call {call!r}", allowed=", ".join(CALLS))
    if on_error not in ON_ERROR:
        raise InputError(f"--on-error {on_error!r}", allowed=", ".join(ON_ERROR))
    TimeLimit(
        seconds=max_seconds, per_call=max_seconds_per_call
    )  # bad options are refused here, before anything is run
    limit_files()
    limit_memory_with_children(share_of_machine() if max_memory is None else gigabytes(max_memory))
    kind: Any = call
    raised: Any = on_error
    within: Any = domain
    values = None if parameters is None else literal_arguments(parameters, "--parameters")
    check_target(json, events)
    check_target(None if proof is None else str(proof), option="--proof")
    if data is None and (d0 is None or d1 is None):
        raise InputError("no data", allowed="--data, one example data set", remedy="or a pair: --d0 and --d1")
    given = {"data": data, "d0": d0, "d1": d1}
    read = {name: load_dataset(text, f"--{name}") for name, text in given.items() if text is not None}
    files = module_files(audited, [Path.cwd()]) if program is None else program_files(audited, Path.cwd())
    seen = {"files": digests(files), "subject_version": subject_version(files)}  # as they are before the audit
    status = at_work(f"auditing {audited}", quiet=quiet)
    with status, event_file(events, claims=1, title="dpverify audit") as written, prints_to_stderr(bounded=True):
        with TimeLimit(seconds=max_seconds), handle_ctrl_c_here(f"importing {audited}", Interrupted):
            function = load_callable(audited) if program is None else program
        written.claim_started(audited)
        result = audit_callable(
            function,
            **read,
            claim=claim,
            records=records,
            bounds=bounds,
            unit=unit,
            domain=within,
            relation=relation,
            trials=trials,
            seconds=seconds,
            confidence=confidence,
            seed=seed,
            call=kind,
            methods=method_names(method),
            name=_id(mechanism, function),
            parameters=values,
            on_error=raised,
            max_seconds=max_seconds,
            max_seconds_per_call=max_seconds_per_call,
            sequential=sequential,
            detect=detect,
            rare=rare,
            evidence_file=evidence,
            regressions=regressions if data is None else used_folder(regressions),
            show_records=show_records,
            strict=strict,
            progress=partial(_progress, written, audited, quiet),
        )
        written.claim_finished(result.row)
    inferred = [_inferred(result.relation, example=data is not None)] if result.relation_inferred else []
    item = record(result.row) | {
        "reproduce": record_command(hide_data=not show_records),
        "notes": [*inferred, *result.notes],
        **seen,
    }
    at = place_of(function)
    found: dict[str, Any] = {
        "item": item,
        "json": json,
        "quiet": quiet,
        "verbose": verbose,
        "proof": None if proof is None else str(proof),
        "short": result.shortfall() if result.row.outside and not strict else "",
        "place": None if at is None else (at.uri, at.line),
    }
    raise typer.Exit(tell(**found) if parent_process.handed is None else parent_process.hand_over(found))


def _id(mechanism: str | None, function: object) -> str | None:
    """Return the claim's name: as typed, without the arguments of a class."""
    if mechanism is None or "(" not in mechanism:
        return mechanism
    return f"{mechanism.partition(':')[0]}:{callable_name(function)}"


def _program(mechanism: str | None, command: str | None, outputs: str) -> Command | None:
    """The program of ``--command``; None for a callable."""
    from dpverify.programs.command import Command

    if (mechanism is None) == (command is None):
        raise InputError(
            f"{mechanism} beside --command" if mechanism else "nothing to audit",
            allowed="PACKAGE.MODULE:CALLABLE, or --command 'PROGRAM ...', or --samples-d0 FILE --samples-d1 FILE",
        )
    if command is None:
        if outputs != "json":
            raise InputError(f"--outputs {outputs} without --command", allowed="a callable's outputs as they are")
        return None
    return Command(command, outputs=outputs)


def _progress(written: EventFile, claim: str, quiet: bool, message: str, share: float) -> None:
    """Say how many draws there will be, and what they cannot detect, before they are made; write all to the events."""
    written.progress(claim, message, share)
    note = note_of(message)
    if not quiet and note.kind in (Kind.DRAWS, Kind.REACH):
        typer.echo(f"dpverify: {note.text}", err=True)


def _inferred(relation: str, *, example: bool) -> str:
    """Say where a relation comes from that nobody named."""
    if example:
        return str(Note(Kind.ASSUMED, f"the relation {relation}, the default (--relation)"))
    return f"the relation {relation} was read off the pair"
