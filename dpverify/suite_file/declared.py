"""The audits that the working directory's suite file declares, for commands that look claims up by their ids."""

from __future__ import annotations

from pathlib import Path

from dpverify.audits.asked import Asked
from dpverify.core.errors import InputError
from dpverify.suite_file.entry import Entry
from dpverify.suite_file.find import find
from dpverify.suite_file.read import read


def declared() -> dict[str, tuple[Entry, Asked]]:
    """Return by name each audit with all that is asked of it; empty where there is no suite file.

    Raises
    ------
    SuiteFileError
        For a suite file with faults.
    """
    try:
        path = find(Path.cwd())
    except InputError:
        return {}
    suite = read(path)
    return {entry.name: (entry, entry.asked.over(suite.asked)) for entry in suite.entries}
