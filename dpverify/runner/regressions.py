"""Saved failures: a file for each pair and parameters at which a claim was refuted.

A file names a point to try, and is never evidence: it is tried again on new draws
(`dpverify.runner.regression_replay`). Pairs are stored as plain JSON and read back in the form of the pairs of the
claim's generator. A digest of the failed claim is stored beside them. Limits: pairs too large to be stored
(`dpverify.datasets.neighbors.json_values`) are not saved. The records of a run are different: they hold the evidence.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from dpverify.core.claim import Claim
from dpverify.core.errors import InputError, one_line
from dpverify.core.json_text import dump
from dpverify.core.read_untrusted import parse_json, read_text
from dpverify.core.subjects import Dataset
from dpverify.core.verdict import Status
from dpverify.datasets.examples.container import container_of
from dpverify.datasets.neighbors.record_columns import columns_of
from dpverify.runner.atomic_files import safe_name, write_atomically
from dpverify.runner.record import plain
from dpverify.runner.row import Row

DEFAULT = Path(".dpverify/regressions")
"""Folder for saved failures; it is used only where it exists."""

COMMAND = "command: "
"""Begins the name of a mechanism that is a program."""

SCHEMA = 2
LARGEST = 2**26
"""Largest file that is read, in bytes."""

_FIELDS = {
    "claim": str,
    "auditor": str,
    "d0": object,
    "d1": object,
    "parameters": dict,
    "claimed": str,
    "event": str,
    "seed": int,
}
_OPTIONAL = {"guarantee": str, "relation": str, "mechanism": str, "form": str, "measure": str, "bound": float}
"""What `dpverify replay` wants to know, too; files written by hand may leave it out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Regression:
    """A point at which a claim failed."""

    claim: str
    auditor: str
    """`claim`, `auditor`: id of the claim, and name of the auditor that refuted it."""
    d0: Any
    d1: Any
    """`d0`, `d1`: plain JSON values: the pair."""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """Parameters of the subject, beside those of the claim."""
    claimed: str = ""
    """`digest` of the failed claim; empty in a file written by hand."""
    event: str = ""
    """Description of the event."""
    seed: int = 0
    """Seed of the run that found it."""
    guarantee: str = ""
    relation: str = ""
    """`guarantee`, `relation`: what was claimed."""
    mechanism: str = ""
    """``package.module:callable`` of a mechanism that no suite knows, or ``command: TEXT`` of a program. Files are no
    authority to run a program: who replays it names the command."""
    form: str = ""
    """The kind of container of its data sets (`dpverify.datasets.examples.container`)."""
    measure: str = ""
    """What was measured, such as ``epsilon``."""
    bound: float | None = None
    """The lower bound on it that refuted the claim."""
    file: str = ""
    """Name of the file; empty before it is saved."""

    def name(self) -> str:
        """File name; the same failure always has the same name."""
        words = json.dumps([self.claim, self.d0, self.d1, dict(self.parameters)], sort_keys=True)
        return f"{safe_name(self.claim)}.{hashlib.sha256(words.encode()).hexdigest()[:12]}.json"


def used_folder(given: Path | None, *, below: Path = Path()) -> Path | None:
    """The folder that somebody named, or the default one below a folder where it exists; None: nothing is saved."""
    default = below / DEFAULT
    return given or (default if default.is_dir() else None)


def digest(claim: Claim) -> str:
    """Digest of a claim's guarantee, relation, subject, parameters and search space."""
    promised = [
        claim.guarantee.text(),
        claim.relation,
        claim.subject,
        plain(dict(claim.parameters)),
        claim.space.record(),
    ]
    return hashlib.sha256(json.dumps(promised, sort_keys=True, default=repr).encode()).hexdigest()[:16]


def new_failures(rows: Iterable[Row], **more: Any) -> list[Regression]:
    """The failures of refuted rows that were not expected to be broken, where the pair can be stored.

    `more` are fields that no row has: `mechanism`, `form`.
    """
    found = []
    for row in rows:
        leading = row.verdict.leading
        if row.verdict.status is not Status.REFUTED or leading is None or row.entry.expectation == "broken":
            continue
        seen = plain(leading.witness)
        if "d0" not in seen or "d1" not in seen or _only_named(seen["d0"]) or _only_named(seen["d1"]):
            continue
        found.append(
            Regression(
                claim=row.id,
                auditor=leading.auditor,
                d0=seen["d0"],
                d1=seen["d1"],
                parameters=seen.get("parameters") or {},
                claimed=digest(row.verdict.claim),
                event=str(seen.get("event") or ""),
                seed=row.seed,
                guarantee=row.verdict.claim.guarantee.text(),
                relation=row.verdict.claim.relation,
                measure=leading.measure.label(),
                bound=leading.bound,
                **more,
            )
        )
    return found


def save(regressions: Iterable[Regression], folder: Path) -> list[Path]:
    """Write the failures that are not saved yet, each file as a whole or not at all.

    InputError when the folder cannot be written to.
    """
    written = []
    for each in regressions:
        path = folder / each.name()
        if not path.exists():
            content = {name: getattr(each, name) for name in _FIELDS}
            content |= {name: value for name in _OPTIONAL if (value := getattr(each, name)) not in ("", None)}
            written.append(write_atomically(path, dump(plain({"schema": SCHEMA, **content}))))
    return written


def load(folder: Path) -> list[Regression]:
    """Read all saved failures of a folder, ordered by name; none where the folder does not exist.

    Raises
    ------
    InputError
        One line for the first malformed file.
    """
    if folder.exists() and not folder.is_dir():
        raise InputError(f"regressions in {folder}", allowed="a folder")
    return [_read(path) for path in sorted(folder.glob("*.json"))]


def _read(path: Path) -> Regression:
    remedy = "delete the file, or correct it"
    try:
        content = parse_json(read_text(path, largest=LARGEST))
    except (OSError, ValueError) as problem:
        raise InputError(
            f"regression {path} cannot be read: {one_line(str(problem))}", allowed="a JSON object", remedy=remedy
        ) from problem
    if not isinstance(content, dict) or content.get("schema") != SCHEMA:
        raise InputError(
            f"regression {path} has another form", allowed=f'an object with "schema": {SCHEMA}', remedy=remedy
        )
    wrong = [name for name, kind in _FIELDS.items() if name not in content or not isinstance(content[name], kind)]
    more = {name: content[name] for name in _OPTIONAL if name in content}
    if more.get("bound") == "inf":
        more["bound"] = math.inf
    wrong += [name for name, value in more.items() if not isinstance(value, _OPTIONAL[name])]
    if wrong:
        allowed = ", ".join(map(str, (*_FIELDS, *_OPTIONAL)))
        raise InputError(f"regression {path}: {', '.join(wrong)}", allowed=allowed, remedy=remedy)
    return Regression(**{name: content[name] for name in _FIELDS}, **more, file=path.name)


def _only_named(value: Any) -> bool:
    """Tell whether a data set, or a part of one, was too large to store, so that only its checksum is there."""
    if isinstance(value, Mapping):
        return "sha256" in value or any(_only_named(item) for item in value.values())
    return isinstance(value, list) and any(_only_named(item) for item in value if isinstance(item, (list, Mapping)))


def restored(value: Any, like: Dataset) -> Dataset:
    """Convert a plain value to the form of the data set `like`; ValueError or TypeError where that is impossible."""
    if (records := _records_of_table(value, like)) is not None:
        return container_of(like).build(records)
    if isinstance(like, np.ndarray):
        return np.asarray(value, dtype=like.dtype)
    if isinstance(like, np.generic):
        return like.dtype.type(value)
    if dataclasses.is_dataclass(like) and not isinstance(like, type):
        if not isinstance(value, Mapping):
            raise TypeError(f"no fields of {type(like).__name__}")
        names = [each.name for each in dataclasses.fields(like) if each.init]
        return type(like)(**{name: restored(value[name], getattr(like, name)) for name in names})
    if isinstance(like, Mapping) and isinstance(value, Mapping):
        return {key: restored(item, like[key]) if key in like else item for key, item in value.items()}
    if isinstance(like, tuple) and isinstance(value, list) and any(isinstance(part, np.ndarray) for part in like):
        return tuple(restored(item, part) for item, part in zip(value, like, strict=True))
    if isinstance(like, (list, tuple)) and isinstance(value, list):
        return type(like)(restored(item, like[0]) if like else item for item in value)
    return value


def _records_of_table(value: Any, like: Dataset) -> list[Any] | None:
    """The records of a table or column of pandas, polars or Arrow; None where `like` is neither."""
    if isinstance(like, Mapping | tuple | np.ndarray | np.generic):
        return None
    columns = columns_of(like)
    if columns is not None and isinstance(value, Mapping):
        return list(zip(*(value[name] for name in columns), strict=True))
    return list(value) if hasattr(like, "to_numpy") and isinstance(value, list) else None
