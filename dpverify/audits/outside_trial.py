"""Tries a claim outside of what the example shows, once it holds inside, and says what was tried."""

from __future__ import annotations

import gc
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from dpverify.adapters.callable_mechanism import CallableMechanism
from dpverify.adapters.time_limit import Interrupted, TimeLimit
from dpverify.audits.finding import row_of, row_values
from dpverify.core.errors import DpverifyError, one_line
from dpverify.core.note import Kind, Note, Telling
from dpverify.core.verdict import Status
from dpverify.core.watchdog_page import current_page
from dpverify.datasets.neighbors.beyond_example import BeyondExample
from dpverify.neighbourhood.outside import NOT_TRIED, Domain, Outside, Tried, with_level, with_outside
from dpverify.programs.mechanism import CommandMechanism
from dpverify.runner.memory import limit_memory_with_children, share_of_machine
from dpverify.runner.plan import Plan, Unit
from dpverify.runner.row import Row
from dpverify.runner.watched_process import WatchedProcess

MOST_NAMED = 4
"""Columns that a line names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OutsideTrial:
    """Everything that is needed to try a claim outside of its example."""

    outside: Outside | None
    """What may be tried there; None where nothing is."""
    beyond: BeyondExample | None
    """What the example's neighbourhood knows of values that the example does not show."""
    domain: Domain
    """Whether a claim that falls there is refuted by that."""
    pooled: bool
    """Whether evidence is pooled over sessions."""
    finish: Callable[..., Row]
    """What finishes a row: ``finish(row, unit, tell, trials=...)``."""

    def tried(
        self, row: Row, tell: Telling, *, unit: Unit, subject: CallableMechanism, plan: Plan, limit: TimeLimit
    ) -> tuple[Row, list[Note]]:
        """The row of the `unit` inside with what was found, and notes on what was tried and what was not."""
        lines, inside = [], row
        if self.outside is not None and row.verdict.status in (Status.NOT_REFUTED, Status.INCONCLUSIVE):
            row, told = self._look(self.outside, row, tell, subject=subject, plan=plan, limit=limit)
            lines.append(told)
        elif self.outside is None and self.beyond is not None and self.beyond.values:
            why = "pooled evidence" if self.pooled else "methods that draw nothing"
            lines.append(Tried(f"{NOT_TRIED}, which {why} cannot"))
        if untried := () if self.beyond is None else self.beyond.untried:
            more = f" and {len(untried) - MOST_NAMED} more" if len(untried) > MOST_NAMED else ""
            lines.append(Tried(f"{NOT_TRIED} of {', '.join(untried[:MOST_NAMED])}{more}: no other values are known"))
        if self.outside is not None and self.domain == "type" and row.verdict.evidence == inside.verdict.evidence:
            row = with_level(row, unit, self.outside)
        whole = self.domain == "type"  # a claim on all of the type needs all to be tried
        return row, [Note(Kind.UNTRIED if whole and each.lacks else Kind.OUTSIDE, each.text) for each in lines]

    def _look(
        self, outside: Outside, row: Row, tell: Telling, *, subject: CallableMechanism, plan: Plan, limit: TimeLimit
    ) -> tuple[Row, Tried]:
        """The row with what was found outside, and what was tried.

        Where the largest integers are among the records, a callable is tried in a process of its own: compiled code may
        end it there. Then, and where a fork of this process cannot run it, the other records are tried here.
        """

        def work(large_ends: bool) -> dict[str, Any]:
            said = Telling()
            found, told = outside.look(subject, plan, limit, lambda _message, _share: None, large_ends=large_ends)
            if found is None:
                return {"told": told.text, "lacks": told.lacks}
            line = outside.headline(found)
            found = self.finish(found, outside.unit, said, trials=outside.trials)
            faults = list(said.faults)
            return {"told": told.text, "lacks": told.lacks, "line": line, "row": row_values(found), "faults": faults}

        def there(large_ends: bool) -> dict[str, Any]:
            gc.freeze()
            limit_memory_with_children(most)
            limit.reopen()
            return work(large_ends)

        page, why = current_page(), ""
        limited = page is not None and math.isfinite(page.memory)
        most = int(page.memory) if page is not None and limited else share_of_machine()
        is_program = isinstance(subject, CommandMechanism)
        for large_ends in (True, False):
            try:
                apart = large_ends and outside.has_large_ends and not is_program
                done = WatchedProcess(partial(there, large_ends)).result() if apart else work(large_ends)
                break
            except Interrupted:
                limit.stop()
                return row, Tried(f"{NOT_TRIED}: {limit.words()}")
            except DpverifyError as problem:  # whatever goes wrong outside takes no verdict inside
                why = one_line(str(problem))
        else:
            return row, Tried(f"{NOT_TRIED}: {why}")
        more = f"; the largest integers were left out ({why})" if why else ""
        told = Tried(f"{done['told']}{more}", lacks=bool(done["lacks"]) or bool(more))
        if "row" not in done or row.verdict.leading is None:
            return row, told
        tell.faults.extend(map(str, done["faults"]))
        return with_outside(row, row_of(done["row"], outside.unit.entry), str(done["line"]), domain=self.domain), told
