"""Saved failures: a file for each pair and parameters at which a claim was refuted, tried again before anything else.

A file is a place to look, never evidence: a replay draws afresh (or asks the exact law again) and refutes by that
alone. Whoever replays halves its own share of the false-alarm probability, one half for all of its replays and one for
the audit that follows when none of them refutes; so no other audit of the plan pays for it.

Pairs are stored as plain JSON; they are read back in the form that the claim's own generator gives its pairs. They are
replayed only where they lie inside what is claimed now (:mod:`~dpverify.runner.inside`), and where a digest of the
claim that failed is stored beside them, only while the claim is still that one: what breaks a promise that nobody makes
refutes nothing. Limits: pairs too large to be stored (`dpverify.datasets.neighbors.plain`) are not saved. Not to be
confused with the records of a run, which say what was found; these say where.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from dpverify.core.claim import Claim
from dpverify.core.errors import DpverifyError, InputError, one_line
from dpverify.core.evidence import Evidence
from dpverify.core.protocols import Auditor, Dataset, NeedsTrials, Pair, Task
from dpverify.core.verdict import Status, judge
from dpverify.datasets.neighbors.fixed import FixedPair
from dpverify.runner.files import safe_name, write_whole
from dpverify.runner.inside import foreign_pair, foreign_parameters, listed_pairs
from dpverify.runner.record import dump, plain
from dpverify.runner.row import Row

DEFAULT = Path(".dpverify/regressions")
"""Used where it exists; making it is asking for it."""

SCHEMA = 2
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Regression:
    """Where a claim failed once.

    Attributes
    ----------
    claim, auditor : str
        Whose failure, and who found it.
    d0, d1 : plain JSON values
        The pair.
    parameters : mapping
        Of the subject, beside the claim's own.
    claimed : str
        `digest` of the claim that failed; empty where nobody knows (a file written by hand).
    event : str
        In words.
    seed : int
        Of the run that found it.
    file : str
        Its name; empty before it is saved.
    """

    claim: str
    auditor: str
    d0: Any
    d1: Any
    parameters: Mapping[str, Any] = field(default_factory=dict)
    claimed: str = ""
    event: str = ""
    seed: int = 0
    file: str = ""

    def name(self) -> str:
        """The same for the same failure, whoever finds it."""
        words = json.dumps([self.claim, self.d0, self.d1, dict(self.parameters)], sort_keys=True)
        return f"{safe_name(self.claim)}.{hashlib.sha256(words.encode()).hexdigest()[:12]}.json"


def digest(claim: Claim) -> str:
    """Of all that a claim promises: another guarantee, relation, subject, parameter or search space gives another."""
    promised = [
        claim.guarantee.text(),
        claim.relation,
        claim.subject,
        plain(dict(claim.parameters)),
        claim.space.record(),
    ]
    return hashlib.sha256(json.dumps(promised, sort_keys=True, default=repr).encode()).hexdigest()[:16]


def failures(rows: Iterable[Row]) -> list[Regression]:
    """Of refuted rows that nobody expected to be broken, as far as their pair can be stored."""
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
            )
        )
    return found


def save(regressions: Iterable[Regression], folder: Path) -> list[Path]:
    """Write those that are not there yet, each whole or not at all.

    Raises
    ------
    InputError
        When the folder cannot be written to.
    """
    written = []
    for each in regressions:
        path = folder / each.name()
        if not path.exists():
            content = {name: getattr(each, name) for name in _FIELDS}
            written.append(write_whole(path, dump(plain({"schema": SCHEMA, **content}))))
    return written


def load(folder: Path) -> list[Regression]:
    """All of a folder's, in the order of their names; none where there is no such folder.

    Raises
    ------
    InputError
        One line for the first file that is none.
    """
    if folder.exists() and not folder.is_dir():
        raise InputError(f"regressions in {folder}", allowed="a folder")
    return [_read(path) for path in sorted(folder.glob("*.json"))]


def _read(path: Path) -> Regression:
    remedy = "delete the file, or mend it"
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as problem:
        raise InputError(
            f"regression {path} cannot be read: {one_line(str(problem))}", allowed="a JSON object", remedy=remedy
        ) from problem
    if not isinstance(content, dict) or content.get("schema") != SCHEMA:
        raise InputError(
            f"regression {path} has another form", allowed=f'an object with "schema": {SCHEMA}', remedy=remedy
        )
    wrong = [name for name, kind in _FIELDS.items() if name not in content or not isinstance(content[name], kind)]
    if wrong:
        raise InputError(f"regression {path}: {', '.join(wrong)}", allowed=", ".join(_FIELDS), remedy=remedy)
    return Regression(**{name: content[name] for name in _FIELDS}, file=path.name)


def _only_named(value: Any) -> bool:
    """Whether a data set, or a part of one, was too large and is only named by its checksum."""
    if isinstance(value, Mapping):
        return "sha256" in value or any(_only_named(item) for item in value.values())
    return isinstance(value, list) and any(_only_named(item) for item in value if isinstance(item, (list, Mapping)))


def restored(value: Any, like: Dataset) -> Dataset:
    """A plain value in the form of the data set `like`; ValueError or TypeError where it has no such form."""
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
    if isinstance(like, (list, tuple)) and isinstance(value, list):
        return type(like)(restored(item, like[0]) if like else item for item in value)
    return value


@dataclass(frozen=True, slots=True, kw_only=True)
class Replaying:
    """An auditor that looks first where its claim failed before.

    Attributes
    ----------
    inside : Auditor
        Who looks.
    saved : tuple of Regression
        Where; at least one.
    """

    inside: Auditor
    saved: tuple[Regression, ...]

    @property
    def name(self) -> str:
        """The inside's: rows and streams are named after it."""
        return self.inside.name

    @property
    def version(self) -> str:
        """The inside's."""
        return self.inside.version

    @property
    def statistical(self) -> bool:
        """The inside's."""
        return self.inside.statistical

    def refuses(self, task: Task) -> str | None:
        """The inside's."""
        return self.inside.refuses(task)

    def lacks(self, task: Task) -> int | None:
        """Of the audit that follows the replays, at half the error probability."""
        if not isinstance(self.inside, NeedsTrials):
            return None
        return self.inside.lacks(self._afterwards(task))

    def audit(self, task: Task) -> Evidence:
        """The first replay that refutes; else the audit itself. `statistics` say what was replayed.

        Raises
        ------
        DpverifyError
            Whatever the audit itself raises; a replay that cannot be done is named in the statistics.
        """
        told = []
        for number, each in enumerate(self.saved):
            task.progress(f"replaying {each.file}", 0.5 * number / len(self.saved))
            try:
                evidence = self.inside.audit(self._again(task, each))
            except (DpverifyError, ArithmeticError, LookupError, TypeError, ValueError) as problem:
                told.append({"file": each.file, "says": f"cannot be replayed: {one_line(str(problem))}"})
                continue
            told.append({"file": each.file, "says": str(judge(evidence))})
            if judge(evidence) is Status.REFUTED:
                break
        else:
            evidence = self.inside.audit(self._afterwards(task))
        return replace(evidence, statistics={**evidence.statistics, "replayed": told})

    def _afterwards(self, task: Task) -> Task:
        return replace(task, alpha=task.alpha / 2) if self.statistical else task

    def _again(self, task: Task, each: Regression) -> Task:
        """The claim at the saved pair and parameters alone, with streams of its own; InputError outside the claim."""
        claim, own = task.claim, each.parameters
        if each.claimed not in ("", digest(claim)):
            raise InputError("the claim has changed since", allowed="the claim that failed")
        if (reason := foreign_parameters(claim.space, own)) is not None:
            raise InputError(f"the parameters of {each.file}", allowed=f"those claimed now: {reason}")
        share = task.alpha / (2 * len(self.saved)) if self.statistical else task.alpha
        return replace(
            task,
            claim=replace(
                claim,
                guarantee=claim.guarantee_at(own),
                parameters={**claim.parameters, **own},
                space=claim.space.own().scaled(task.build(**own)),
            ),
            build=partial(task.build, **own),
            neighbors=_saved_pair(task, each),
            alpha=share,
            stream=lambda *names: task.stream("replay", each.name(), *names),
        )


def _saved_pair(task: Task, each: Regression) -> FixedPair:
    """The pair, in the form of the claim's own pairs, checked to be one that the claim is about."""
    space = task.claim.space.scaled(task.build(**each.parameters))
    listed = listed_pairs(task, space)
    form = listed[0] if listed else Pair(d0=each.d0, d1=each.d1)
    d0, d1 = restored(each.d0, form.d0), restored(each.d1, form.d1)
    reason = foreign_pair(task.neighbors, space, d0, d1, listed)
    if reason is not None:
        raise InputError(f"the pair of {each.file}", allowed=f"neighbours that the claim is about: {reason}")
    label = f"saved in {each.file}"
    return FixedPair(d0=d0, d1=d1, relation=task.neighbors.relation, generator=task.neighbors, label=label)


def replaying(auditors: Sequence[Auditor], saved: Sequence[Regression]) -> tuple[Auditor, ...]:
    """The auditors of one claim, each with the failures that it found; what an absent one found, all of them replay."""
    present = {auditor.name for auditor in auditors}
    return tuple(
        Replaying(inside=auditor, saved=mine) if mine else auditor
        for auditor in auditors
        for mine in [tuple(each for each in saved if each.auditor == auditor.name or each.auditor not in present)]
    )
