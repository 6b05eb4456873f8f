"""The audits of a suite file as items of pytest: ``dpverify.toml::NAME``, one a claim, reported as by `dp_audit`.

What audits need is imported with the first audit; collecting needs little.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import Any

import pytest

from dpverify.audits.asked import Asked
from dpverify.pytest_plugin.declared import Declared
from dpverify.pytest_plugin.settings import settings_of, tell
from dpverify.suite_file.entry import Entry
from dpverify.suite_file.read import SuiteFileError, read


class SuiteFileCollector(pytest.File):
    """A suite file; its faults are errors of the collection."""

    def collect(self) -> Iterator[pytest.Item]:
        """Collect one item for each audit."""
        try:
            suite = read(self.path)
        except SuiteFileError as problem:
            raise self.CollectError("\n".join(f"dpverify: {line}" for line in problem.lines)) from None
        if suite.told:
            tell(self.config, suite.told)
        for entry in suite.entries:
            yield AuditItem.from_parent(self, name=entry.name, entry=entry, asked=entry.asked.over(suite.asked))


class AuditItem(pytest.Item):
    """One audit of a suite file."""

    def __init__(self, *, entry: Entry, asked: Asked, **words: Any) -> None:
        super().__init__(**words)
        self.entry, self.asked = entry, asked

    def runtest(self) -> None:
        """Check the entry, then audit it."""
        __tracebackhide__ = True
        from dpverify.core.plugins import registry
        from dpverify.pytest_plugin.audits import Audits
        from dpverify.suite_file.audit_entry import arguments, importing, mechanism_of
        from dpverify.suite_file.check import check

        declared = {name: value for name, value in asdict(self.asked).items() if value is not None}
        settings = settings_of(self.config, declared=declared)
        settings = replace(settings, asked=replace(settings.asked, trials=self.asked.trials))
        asked = settings.asked
        try:
            check([(self.entry, asked)], definitions=registry().definitions.mapping())
        except SuiteFileError as problem:
            pytest.fail(f"dpverify: {problem}", pytrace=False)
        audits = Audits(self, settings, Declared(self.entry, asked))
        with importing(self.entry):
            audits(mechanism_of(self.entry), **arguments(self.entry))

    def reportinfo(self) -> tuple[os.PathLike[str] | str, int | None, str]:
        """The entry's line in its file."""
        return self.path, self.entry.line - 1, self.name
