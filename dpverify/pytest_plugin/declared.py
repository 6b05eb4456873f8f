"""An audit that a suite file declares, as the plug-in needs it beside what any test's audit needs."""

from __future__ import annotations

import datetime
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from dpverify.audits.asked import Asked
from dpverify.suite_file.entry import Entry

if TYPE_CHECKING:
    from dpverify.audits.audit_result import AuditResult
    from dpverify.audits.judges import Known
    from dpverify.core.verdict import Status


@dataclass(frozen=True, slots=True)
class Declared:
    """An entry of a suite file, and all that is asked of it."""

    entry: Entry
    asked: Asked

    def acceptance(self, verdict: Status) -> tuple[str, str]:
        """Why the verdict is accepted today, and what the author of the file should know."""
        from dpverify.suite_file.acceptance import acceptance

        return acceptance(self.entry, verdict, today=datetime.datetime.now().astimezone().date())

    @property
    def broken(self) -> bool:
        """Tell whether the mechanism is known to break its claim: the audit is to refute it."""
        return self.entry.expect == "broken"

    @property
    def known(self) -> Known:
        """Return the facts that the judges know of the audit."""
        from dpverify.suite_file.acceptance import known_of

        today = datetime.datetime.now().astimezone().date()
        return known_of(self.entry, strict=bool(self.asked.strict), today=today)

    def completed(self, result: AuditResult) -> AuditResult:
        """The result, with the command that makes it again from the file, and what was expected of it."""
        from dpverify.suite_file.audit_entry import with_command

        made = with_command(result, self.entry, self.asked)
        if not self.broken:
            return made
        row = replace(made.row, entry=replace(made.row.entry, expectation="broken"))
        return replace(made, finding=replace(made.finding, row=row))

    def about(self, verdict: Status) -> dict[str, Any]:
        """Return for records where the entry stands, digests of its code, its version, and whether it is accepted."""
        from dpverify.suite_file.acceptance import accepted_record
        from dpverify.suite_file.audit_entry import location, subject_of

        accepted = accepted_record(self.entry) if not self.broken and self.acceptance(verdict)[0] else {}
        return {"location": location(self.entry), **subject_of(self.entry), **accepted}
