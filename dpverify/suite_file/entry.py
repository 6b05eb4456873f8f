"""What a suite file declares: its audits, and what is asked of them where nobody says otherwise. Plain values only."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Any

from dpverify.audits.asked import Asked
from dpverify.suite_file.faults import DATA

if TYPE_CHECKING:
    from dpverify.core.suite import Expectation


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """A failure that is known, and accepted up to and including a day."""

    verdict: str
    reason: str
    until: datetime.date


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One audit of a suite file."""

    name: str
    mechanism: str
    claim: str
    """`name`, `mechanism`, `claim`: its id; ``module:callable``, or the command of a program; the text of the
    guarantee."""
    file: Path
    """The suite file, absolute."""
    line: int
    """Where the entry begins there, from 1."""
    program: str = ""
    """What a program prints (``json``, ``doubles``); empty where the mechanism is a callable."""
    key_lines: Mapping[str, int] = field(default_factory=dict)
    """Lines of its keys, as far as they are known."""
    asked: Asked = field(default_factory=Asked)
    """What the entry itself asks for."""
    words: Mapping[str, Any] = field(default_factory=dict)
    """Further arguments of ``dpverify.audit``; data sets may be names of files."""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """Further arguments of the callable."""
    python_path: tuple[Path, ...] = ()
    """Folders from which modules are imported."""
    accept: Accepted | None = None
    """A failure that is accepted."""
    expect: Expectation = "stands"
    """What the audit is to find."""

    def typed_data(self) -> list[Any]:
        """The data sets that stand in the file itself."""
        return [value for key in DATA if not isinstance(value := self.words.get(key), str | NoneType)]


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteFile:
    """A suite file that was read: its path, what it asks of every audit, and its audits in their order.

    `told` is a line for its author; empty where there is none.
    """

    path: Path
    asked: Asked
    entries: tuple[Entry, ...]
    told: str = ""
