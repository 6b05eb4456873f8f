"""`dpverify sampler`: which sampling scheme a data loader follows, beside the one that was accounted for."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from dpverify.cli.options import (
    Json,
    Quiet,
    Seed,
    claim_option,
    data_option,
    limit_option,
    search_option,
    training_option,
)
from dpverify.cli.output import at_work, check_target, prints_to_stderr, record_command, say, show
from dpverify.cli.printing import wrapped
from dpverify.core.errors import exit_status
from dpverify.core.relation_names import DEFAULT_RELATION


def sampler(
    loader: Annotated[
        str, typer.Argument(metavar="PACKAGE.MODULE:LOADER", help="A loader, or a function that makes one.")
    ],
    accounted: Annotated[
        str, claim_option(metavar="SCHEME", help="What the account assumes: 'poisson(rate=0.01)', 'shuffled(size=64)'.")
    ] = "poisson",
    records: Annotated[
        int | None, data_option(metavar="N", help="Records of the data set, where the loader does not say it.")
    ] = None,
    seconds: Annotated[float, search_option(metavar="S", help="About so long it is read.")] = 3.0,
    epochs: Annotated[
        int | None, search_option(metavar="N", help="Passes that are counted, instead of --seconds.")
    ] = None,
    batches_per_epoch: Annotated[
        int | None, data_option(metavar="N", help="Where an endless loader is cut into passes.")
    ] = None,
    noise_multiplier: Annotated[
        float | None,
        training_option(metavar="SIGMA", help="Noise multiplier of the training, whose epsilon is then told."),
    ] = None,
    steps: Annotated[int | None, training_option(metavar="N", help="Steps of the training.")] = None,
    training_epochs: Annotated[
        float | None, training_option(metavar="N", help="Passes of the training, instead of --steps.")
    ] = None,
    delta: Annotated[float, training_option(help="Delta at which epsilon is told.")] = 1e-5,
    relation: Annotated[str, claim_option(help="add-remove or replace.")] = DEFAULT_RELATION,
    confidence: Annotated[
        float, claim_option(help="1 - the probability that the scheme which it follows is ruled out.")
    ] = 1 - 1e-6,
    max_seconds_per_epoch: Annotated[float, limit_option(metavar="S", help="Time limit of one pass.")] = 30.0,
    seed: Seed = 0,
    quiet: Quiet = False,
    json: Json = None,
) -> None:
    """Tell which sampling scheme a data loader follows, and what it costs beside what was accounted for.

    Exits with 1 when it does not follow the scheme that was accounted for, and with 3 when so little was read that
    nothing could have been seen. Not told apart from a scheme is no proof of it.
    """
    from dpverify.loaders.audit import audit_sampler
    from dpverify.runner.memory import limit_files, limit_memory_with_children, share_of_machine
    from dpverify.runner.record import plain

    check_target(json)
    limit_files()
    limit_memory_with_children(share_of_machine())
    with at_work(f"reading {loader}", quiet=quiet), prints_to_stderr(bounded=True):
        found = audit_sampler(
            loader,
            records=records,
            accounted=accounted,
            epochs=epochs,
            seconds=seconds,
            batches_per_epoch=batches_per_epoch,
            confidence=confidence,
            noise_multiplier=noise_multiplier,
            steps=steps,
            training_epochs=training_epochs,
            delta=delta,
            relation=relation,
            max_seconds_per_epoch=max_seconds_per_epoch,
            seed=seed,
            say=partial(say, quiet=quiet),
        )
    show(json, plain(found.record() | {"reproduce": record_command()}), map(wrapped, found.lines()), quiet=quiet)
    raise typer.Exit(exit_status([found.verdict]))
