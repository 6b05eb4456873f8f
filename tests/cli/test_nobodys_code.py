"""No command imports or runs what a file names: records, stores, saved failures, evidence, journals, data."""

from __future__ import annotations

import sys

import pytest
import typer

from dpverify.cli.command_line import application
from tests import forked
from tests.attack.traps import MARK, READ, WRITTEN, laid


def parameters():
    """Parameters of all commands that name a file or a folder, as the parser has them."""
    every = typer.main.get_command(application([]))
    return {
        f"{name} {each.name}"
        for name, command in every.commands.items()
        for each in command.params
        if type(each.type).__name__ == "TyperPath" or any(word in str(each.metavar) for word in ("FILE", "DIR", "RUN"))
        if each.name != "json"
    }


def test_every_parameter_that_names_a_file_is_tried():
    """A new command that reads records has to be put in."""
    assert parameters() == READ.keys() | WRITTEN


@pytest.mark.ci
@pytest.mark.parametrize("words", [words for each in READ.values() for words in each], ids=" ".join)
def test_nothing_that_a_file_names_is_run(words, tmp_path):
    laid(tmp_path)
    # As the console script does: the working directory is not on the path before anybody asks for it.
    code = "import sys; sys.path.pop(0); from dpverify.cli import main; sys.argv[0] = 'dpverify'; main()"
    ran = forked.run([sys.executable, "-c", code, *words], cwd=tmp_path)
    assert not list(tmp_path.rglob(MARK)), ran.stderr
    assert "Traceback" not in ran.stderr and "internal error" not in ran.stderr, ran.stderr
    assert ran.returncode in (0, 1, 2, 3)


def test_the_traps_work(tmp_path, monkeypatch):
    import importlib
    import pickle

    laid(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    importlib.import_module("intruder")
    assert (tmp_path / MARK).exists()
    (tmp_path / MARK).unlink()
    pickle.loads((tmp_path / "pickled.json").read_bytes())  # noqa: S301 - the trap
    assert (tmp_path / MARK).exists()
    sys.modules.pop("intruder")
