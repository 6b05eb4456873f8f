"""`dpverify audit`: one callable on one pair."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Annotated, Any

import typer
from rich.console import Console

from dpverify.cli.options import Json, Method, Seed, method_names
from dpverify.cli.output import check_target, emit, prints_to_stderr, typed
from dpverify.core.errors import InputError


def audit(
    mechanism: Annotated[str, typer.Argument(metavar="PACKAGE.MODULE:CALLABLE")],
    claim: Annotated[str, typer.Option(help="For example 'ApproxDP(epsilon=1, delta=1e-5)'.")],
    d0: Annotated[str, typer.Option(metavar="FILE|LITERAL", help="A data set: JSON, or a .json, .npy or .csv file.")],
    d1: Annotated[str, typer.Option(metavar="FILE|LITERAL", help="Its neighbour.")],
    relation: Annotated[str | None, typer.Option(help="Read off the pair when not given.")] = None,
    trials: Annotated[int, typer.Option(help="Draws per side for the certified part.")] = 200_000,
    confidence: Annotated[float, typer.Option(help="One-sided.")] = 0.999,
    method: Method = None,
    call: Annotated[str | None, typer.Option(help="scalar, batch or plain; read off the parameters' names.")] = None,
    seed: Seed = 0,
    quiet: Annotated[bool, typer.Option("--quiet", help="No output but the exit status.")] = False,
    json: Json = None,
) -> None:
    """Audit one callable on one pair of neighbouring data sets. Exits with 1 when the claim is refuted."""
    from dpverify.adapters.callable import CALLS
    from dpverify.adapters.literals import load_callable, load_dataset
    from dpverify.api import audit as audit_callable
    from dpverify.reporting.terminal import one_result
    from dpverify.runner.record import dump, record

    if call is not None and call not in CALLS:
        raise InputError(f"--call {call!r}", allowed=", ".join(CALLS))
    kind: Any = call
    console = Console(stderr=True)
    function = load_callable(mechanism)
    data = load_dataset(d0, "--d0"), load_dataset(d1, "--d1")
    check_target(json)
    status: Any = console.status(f"auditing {mechanism}") if console.is_terminal and not quiet else nullcontext()
    with status, prints_to_stderr():
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
        )
    item = record(result.row) | {"reproduce": typed()}
    notes = [f"the relation {result.relation} was read off the pair"] if result.relation_inferred else []
    if not result.reproducible:
        notes.append("the mechanism draws its own randomness: a seed does not give this result back")
    if emit(json, dump([item])) and not quiet:
        one_result(item, Console(), notes=notes)
    raise typer.Exit({"refuted": 1, "error": 3, "unsupported": 3, "inconclusive": 3}.get(item["verdict"], 0))
