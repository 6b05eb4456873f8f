"""`dpverify audit`: one callable on one pair."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from dpverify.cli.options import Json, Method, Seed, method_names
from dpverify.cli.output import check_target, command_text, emit, prints_to_stderr
from dpverify.core.errors import InputError


def audit(
    mechanism: Annotated[str, typer.Argument(metavar="PACKAGE.MODULE:CALLABLE")],
    claim: Annotated[str, typer.Option(help="For example 'ApproxDP(epsilon=1, delta=1e-5)'.")],
    d0: Annotated[str, typer.Option(metavar="FILE|LITERAL", help="A data set: JSON, or a .json, .npy or .csv file.")],
    d1: Annotated[str, typer.Option(metavar="FILE|LITERAL", help="Its neighbour.")],
    relation: Annotated[str | None, typer.Option(help="Default: inferred from the pair.")] = None,
    trials: Annotated[int, typer.Option(help="Draws per side for the certified part.")] = 200_000,
    confidence: Annotated[float, typer.Option(help="One-sided.")] = 0.999,
    method: Method = None,
    call: Annotated[
        str | None, typer.Option(help="scalar, batch or plain (default: inferred from the parameters' names).")
    ] = None,
    on_error: Annotated[
        str, typer.Option(help="Treat an exception of the mechanism as an error (raise) or as an output (output).")
    ] = "raise",
    max_seconds: Annotated[
        float | None,
        typer.Option(metavar="S", help="Time limit of the whole audit; an audit that it stops is inconclusive."),
    ] = None,
    max_seconds_per_call: Annotated[
        float | None,
        typer.Option(metavar="S", help="Time limit of each call of the mechanism; a longer call is bad input."),
    ] = None,
    sequential: Annotated[
        bool,
        typer.Option("--sequential", help="Test sequentially by betting, and stop as soon as the claim is refuted."),
    ] = False,
    detect: Annotated[
        float | None,
        typer.Option(
            help="Sequential: stop once a true epsilon of this factor (1.5: half more) would be detected, 80 % power."
        ),
    ] = None,
    evidence: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Sequential: pool the evidence with that of earlier sessions, kept in FILE."),
    ] = None,
    seed: Seed = 0,
    max_memory: Annotated[
        float | None,
        typer.Option(metavar="GB", help="Memory limit of the audit (default: 80 % of the machine's)."),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="No output but the exit status.")] = False,
    json: Json = None,
) -> None:
    """Audit one callable on one pair of neighbouring data sets. Exits with 1 when the claim is refuted."""
    from dpverify.adapters.callable_mechanism import ON_ERROR
    from dpverify.adapters.literals import load_callable, load_dataset
    from dpverify.adapters.signature import CALLS
    from dpverify.adapters.time_limit import Interrupted, TimeLimit
    from dpverify.api import audit as audit_callable
    from dpverify.core.interrupt import handle_ctrl_c_here
    from dpverify.reporting.terminal import one_result
    from dpverify.runner.limits import gigabytes
    from dpverify.runner.memory import limit_memory_with_children, share_of_machine
    from dpverify.runner.record import dump, record

    if call is not None and call not in CALLS:
        raise InputError(f"--call {call!r}", allowed=", ".join(CALLS))
    if on_error not in ON_ERROR:
        raise InputError(f"--on-error {on_error!r}", allowed=", ".join(ON_ERROR))
    TimeLimit(
        seconds=max_seconds, per_call=max_seconds_per_call
    )  # bad options are refused here, before anything is run
    limit_memory_with_children(share_of_machine() if max_memory is None else gigabytes(max_memory))
    kind: Any = call
    raised: Any = on_error
    console = Console(stderr=True)
    check_target(json)
    data = load_dataset(d0, "--d0"), load_dataset(d1, "--d1")
    status: Any = console.status(f"auditing {mechanism}") if console.is_terminal and not quiet else nullcontext()
    with status, prints_to_stderr():
        with TimeLimit(seconds=max_seconds), handle_ctrl_c_here(f"importing {mechanism}", Interrupted):
            function = load_callable(mechanism)
        result = audit_callable(
            function,
            *data,
            claim=claim,
            relation=relation,
            trials=trials,
            confidence=confidence,
            seed=seed,
            call=kind,
            methods=method_names(method),
            name=mechanism,
            on_error=raised,
            max_seconds=max_seconds,
            max_seconds_per_call=max_seconds_per_call,
            sequential=sequential,
            detect=detect,
            evidence_file=evidence,
        )
    inferred = [f"the relation {result.relation} was read off the pair"] if result.relation_inferred else []
    item = record(result.row) | {"reproduce": command_text(), "notes": [*inferred, *result.notes]}
    if emit(json, dump([item])) and not quiet:
        one_result(item, Console(), notes=item["notes"])
    raise typer.Exit({"refuted": 1, "error": 3, "unsupported": 3, "inconclusive": 3}.get(item["verdict"], 0))
