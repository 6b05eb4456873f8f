"""`dpverify warmup`: what audits compile, compiled before them."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from dpverify.cli.options import Json
from dpverify.cli.output import check_target, emit
from dpverify.cli.start_up import importing


def warmup(
    every: Annotated[
        bool, typer.Option("--all", help="Every kernel of the packages, also those that only trainings and papers use.")
    ] = False,
    jobs: Annotated[int, typer.Option(help="Processes that compile; 0 for every core.")] = 0,
    key: Annotated[
        bool,
        typer.Option(
            "--key", help="Only print a name that changes with processor, versions and sources: the key of a CI cache."
        ),
    ] = False,
    json: Json = None,
) -> None:
    """Compile what audits need, and say where it is kept and how large it is.

    What is kept already is not compiled again. Where the installation cannot be written to, it is kept in the user's
    cache; ``NUMBA_CACHE_DIR`` names another folder.
    """
    begun = time.perf_counter()
    with importing():
        from dpverify.core.json_text import dump
        from dpverify.runner import warm_kernels
        from dpverify.runner.limits import number_of_jobs

    check_target(json)
    at_a_time = number_of_jobs(jobs)
    if key:
        name = warm_kernels.key()
        if emit(json, dump({"key": name})):
            typer.echo(name)
        return
    found = warm_kernels.warm(
        jobs=at_a_time, every=every, begins=lambda line: typer.echo(f"dpverify: {line}", err=True)
    )
    taken = round(time.perf_counter() - begun, 2)
    values = {
        "kernels": found.compiled + found.kept,
        "compiled": found.compiled,
        "bytes": found.size,
        "folders": found.folders,
        "seconds": taken,
    }
    if emit(json, dump(values)):
        typer.echo(
            f"{values['kernels']} kernels: {found.compiled} compiled, {found.kept} were kept already; {taken:.1f} s"
        )
        beside = "beside the sources below " if found.beside_sources else ""
        typer.echo(f"{found.size / 1e6:.1f} MB {beside or 'in '}{found.place}{_why(beside=found.beside_sources)}")


def _why(*, beside: bool) -> str:
    """Why they lie elsewhere than beside the sources."""
    import os

    from dpverify.core.kernel_cache import VARIABLE

    if beside:
        return ""
    return f" ({VARIABLE})" if os.environ.get(VARIABLE) else ", since the installation cannot be written to"
