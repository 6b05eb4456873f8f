"""The records of one or more runs, each under a name of its own: a claim that two runs audited has two rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from dpverify.core.errors import InputError
from dpverify.core.plugins import registry
from dpverify.core.record import Record
from dpverify.reporting.checked_records import entry_of
from dpverify.reporting.read_records import RESULTS, read_records
from dpverify.runner.store.store import NAME


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadRuns:
    """The records of the runs that were read."""

    paths: tuple[Path, ...] = ()
    """As the user named them."""
    records: tuple[Record, ...] = ()
    """``id`` is the claim's, and for a claim of several runs has the run behind it."""
    claims: Mapping[str, str] = field(default_factory=dict)
    """The claim's own id, by the record's."""
    written: float = 0.0
    """When the oldest of the files that were read was last written, in seconds since the epoch."""

    def of(self, claim: str) -> list[Record]:
        """All rows of a claim; none for one that no run audited."""
        return [item for item in self.records if claim in (item["id"], self.claims[item["id"]])]


def read_runs(paths: Sequence[Path], *, controls: Sequence[str] | None = None) -> ReadRuns:
    """The records of these runs.

    `controls`: claims that the declarations call controls, beside those of dpverify's suites; None takes each row's own
    word.

    Raises
    ------
    InputError
        Where there is nothing to read, one run is given twice, or a row calls itself a control and nobody else does.
    """
    if len({path.resolve() for path in paths}) < len(paths):
        raise InputError("a run is given twice", allowed="each run once")
    each = [(path, item) for path in paths for item in read_records(path)]
    if controls is not None:
        _refuse_other_controls(each, controls)
    often = Counter(item["id"] for _, item in each)
    named: dict[str, tuple[str, Record]] = {}
    for path, item in each:
        name = item["id"] if often[item["id"]] == 1 else f"{item['id']} [{path}]"
        if name in named:
            raise InputError(f"{path} has two records of {item['id']}", allowed="one record a claim in a run")
        named[name] = (item["id"], {**item, "id": name})
    return ReadRuns(
        paths=tuple(paths),
        records=tuple(item for _, item in named.values()),
        claims={name: claim for name, (claim, _) in named.items()},
        written=min(map(_written, paths), default=0.0),
    )


def _refuse_other_controls(each: Sequence[tuple[Path, Record]], controls: Sequence[str]) -> None:
    for path, item in each:
        if item.get("expectation") == "broken" and item["id"] not in controls and entry_of(item, registry()) is None:
            raise InputError(
                f"{item['id']} of {path} says that its mechanism is broken on purpose",
                allowed="controls that dpverify's suites or the declarations name: no refuted claim passes as one",
                remedy=f'if it is one: controls = ["{item["id"]}"] at the top of --declarations FILE',
            )


def _written(path: Path) -> float:
    """Return when the file that was read of this path was last written; of a folder of records, the oldest."""
    if path.is_dir():
        whole = [path / RESULTS, path / NAME]
        found = next(([each] for each in whole if each.is_file()), [*path.glob("*.json")])
    else:
        found = [path]
    return min(each.stat().st_mtime for each in found)
