"""An audit that a suite file declares, as the plug-in needs it beside what any test's audit needs."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dpverify.suite_file.entry import Asked, Entry

if TYPE_CHECKING:
    from dpverify.audit_result import AuditResult
    from dpverify.core.verdict import Status


@dataclass(frozen=True, slots=True)
class Declared:
    """An entry of a suite file, and all that is asked of it."""

    entry: Entry
    asked: Asked

    def acceptance(self, verdict: Status) -> tuple[str, str]:
        """Why the verdict is accepted today, and what the author of the file should know."""
        from dpverify.suite_file.judged import acceptance

        return acceptance(self.entry, verdict, today=datetime.datetime.now().astimezone().date())

    def with_command(self, result: AuditResult) -> AuditResult:
        """The result, with the command that makes it again from the file."""
        from dpverify.suite_file.audit_entry import with_command

        return with_command(result, self.entry, self.asked)

    def location(self) -> dict[str, Any]:
        """Where the entry stands, for records."""
        from dpverify.suite_file.audit_entry import location

        return location(self.entry)
