"""`dpverify init`: a first suite file for a package."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dpverify.core.errors import InputError


def init(
    package: Annotated[str, typer.Argument(metavar="PACKAGE", help="A package or a module that can be imported.")],
) -> None:
    """Write a first dpverify.toml for a package, from its functions' signatures and docstrings.

    It is a draft with comments that say what to check, and it never overwrites a file. The package is imported, and
    what looks like a mechanism (a function, an instance, a class with an epsilon) is called twice on a made-up example.
    """
    from dpverify.cli.output import prints_to_stderr
    from dpverify.suite_file.candidates import candidates
    from dpverify.suite_file.find import NAME, suite_file_in
    from dpverify.suite_file.first_file import first_file, write_new
    from dpverify.suite_file.read import read

    here = Path.cwd()
    if (there := suite_file_in(here)) is not None:
        raise InputError(
            f"{there.name} is a suite file already", allowed="a folder without one", remedy="add to it by hand"
        )
    if not all(word.isidentifier() for word in package.split(".")):
        raise InputError(f"package {package!r}", allowed="the name of a package or a module, such as mypackage")
    if package.endswith(".py"):
        raise InputError(
            f"package {package!r} names a file", allowed="a name", remedy=f"did you mean {package.removesuffix('.py')}?"
        )
    src = (here / "src" / package.partition(".")[0]).exists()
    with prints_to_stderr():
        guesses, left_out = candidates(package, [here, *([here / "src"] if src else [])])
    ready = [each for each in guesses if not each.problem]
    if not ready:
        why = f" ({guesses[0].name}: {guesses[0].problem})" if guesses else ""
        raise InputError(
            f"no function of {package} can be audited as it is{why}",
            allowed="what returns on an example: f(data, rng), f(data, size, rng), a class or instance with an epsilon",
            remedy="write dpverify.toml by hand: the README has an example",
        )
    write_new(here / NAME, first_file(package, guesses, left_out, name=NAME, src=src))
    declared = len(read(here / NAME).entries)
    others = f", {len(guesses) - declared} more as comments" if len(guesses) > declared else ""
    typer.echo(f"wrote {NAME}: {declared} audit{'' if declared == 1 else 's'}{others}; check it, then: dpverify run")
