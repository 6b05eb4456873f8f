"""What tests of the command line share: how it is called."""

import sys

import pytest

from tests.unwatched import unwatched


@pytest.fixture
def call(tmp_path, monkeypatch, capsys):
    """Run the command line in an empty folder, 80 columns wide; returns (status, out, err)."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setenv("COLUMNS", "80")

    def run(*words):
        monkeypatch.setattr(sys, "argv", ["dpverify", *map(str, words)])
        with pytest.raises(SystemExit) as caught:
            unwatched()
        out, err = capsys.readouterr()
        return caught.value.code, out, err

    return run


def unless_typed(usual, words):
    """The usual options, each with one value, but for those that are among the words: none may be given twice."""
    pairs = zip(usual[::2], usual[1::2], strict=True)
    return [word for option, value in pairs if option not in words for word in (option, value)]
