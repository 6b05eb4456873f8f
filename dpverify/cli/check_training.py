"""`dpverify check-training`: is one training step clipped, noisy and divided as its claim says?"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Annotated, Any

import typer

from dpverify.cli.options import Json, Quiet, Seed, claim_option, data_option, limit_option, numbers, search_option
from dpverify.cli.output import at_work, check_target, prints_to_stderr, record_command, show
from dpverify.cli.printing import wrapped
from dpverify.core.errors import InputError, exit_status

MADE = "a function of nothing that returns {'step': ..., 'parameters': ..., 'batch': ..., 'clip': 1.0, ...}"


def check_training(
    setup: Annotated[
        str, typer.Argument(metavar="PACKAGE.MODULE:SETUP", help="A function that returns the step and its arguments.")
    ],
    clip: Annotated[float | None, claim_option(metavar="C", help="Bound of the norm of a record's gradient.")] = None,
    noise_multiplier: Annotated[
        float | None, claim_option(metavar="SIGMA", help="Scale of the noise on the sum, over the clipping norm.")
    ] = None,
    batch_size: Annotated[float | None, claim_option(metavar="N", help="Expected batch size.")] = None,
    returns: Annotated[str | None, data_option(metavar="WHAT", help="sum, mean or parameters.")] = None,
    learning_rate: Annotated[float | None, data_option(metavar="RATE", help="Where parameters are returned.")] = None,
    scales: Annotated[
        str | None, search_option(metavar="NUMBERS", help="Factors of inputs; 1 where they are bounded before.")
    ] = None,
    rounding: Annotated[
        float | None, claim_option(metavar="U", help="Unit roundoff of mixed precision: 0.0039 for bfloat16.")
    ] = None,
    no_empty_batches: Annotated[
        bool, claim_option("--no-empty-batches", help="Batches without records do not occur.")
    ] = False,
    confidence: Annotated[
        float, claim_option(help="1 - the probability that noise which is as claimed is refuted.")
    ] = 1 - 1e-6,
    max_seconds_per_call: Annotated[float, limit_option(metavar="S", help="Time limit of one step.")] = 60.0,
    seed: Seed = 0,
    quiet: Quiet = False,
    json: Json = None,
) -> None:
    """Check one training step: clipping, independence of records, divisor, noise, account, loader.

    SETUP returns a dict of the arguments of dpverify.check_training_step: step, parameters, batch, and what options
    do not say. Exits with 1 when a check refutes the claim, and with 3 when one could not look.
    """
    from dpverify.adapters.foreign_call import foreign_call
    from dpverify.adapters.named_callable import load_callable
    from dpverify.runner.memory import limit_files, limit_memory_with_children, share_of_machine
    from dpverify.runner.record import plain
    from dpverify.training_step.check import check_training_step

    check_target(json)
    limit_files()
    limit_memory_with_children(share_of_machine())
    typed: dict[str, Any] = {
        "clip": clip,
        "noise_multiplier": noise_multiplier,
        "batch_size": batch_size,
        "returns": returns,
        "learning_rate": learning_rate,
        "rounding": rounding,
        "scales": None if scales is None else numbers(scales, "--scales", such_as="0.1,1,10"),
        "empty_batches": False if no_empty_batches else None,
    }
    with at_work(f"checking {setup}", quiet=quiet), prints_to_stderr(bounded=True):
        make = load_callable(setup)
        with foreign_call(setup, allowed=MADE):
            made = make()
        words = _checked(made, setup) | {name: value for name, value in typed.items() if value is not None}
        for name in ("step", "parameters", "batch", "clip", "noise_multiplier", "batch_size"):
            if name not in words:
                option = f"--{name.replace('_', '-')}, or " if name in typed else ""
                raise InputError(f"{setup} does not say {name}", allowed=f"{option}{MADE}")
        how: dict[str, Any] = {
            "name": setup,
            "confidence": confidence,
            "seed": seed,
            "max_seconds_per_call": max_seconds_per_call,
        }
        found = check_training_step(**(how | words))
    show(json, plain(found.record() | {"reproduce": record_command()}), map(wrapped, found.lines()), quiet=quiet)
    raise typer.Exit(exit_status([found.verdict]))


def _checked(made: Any, setup: str) -> dict[str, Any]:
    """The arguments that the user's function returned."""
    from dpverify.training_step.check import check_training_step

    if not isinstance(made, Mapping):
        raise InputError(f"{setup} returned a {type(made).__name__}", allowed=MADE)
    known = inspect.signature(check_training_step).parameters
    unknown = [str(name) for name in made if name not in known]
    if unknown:
        raise InputError(f"{setup} returned {unknown[0]!r}", allowed=", ".join(known))
    return dict(made)
