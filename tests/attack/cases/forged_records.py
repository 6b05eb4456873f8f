"""Attacks by records: a refuted claim that somebody has turned into another verdict, before it is read again."""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import dpverify as dpv
from dpverify.core.json_text import dump
from dpverify.core.plugins import registry
from dpverify.runner.record import record
from tests.attack.attack import Attack, Outcome
from tests.attack.command import dpverify

Record = dict[str, Any]


def loud(data, size, rng):  # type: ignore[no-untyped-def]
    """Half of the noise that it claims."""
    return float(len(data)) + 0.3 * rng.laplace(size=size)


@cache
def _refuted() -> Record:
    found = dpv.audit(loud, claim="PureDP(epsilon=1)", data=[1, 1, 0], trials=4000, methods=["gate"])
    made: Record = record(found.row)
    assert made["verdict"] == "refuted"
    return made


def _set(item: Record, **fields: Any) -> None:
    """The same fields of the row and of its evidence."""
    item.update({name: value for name, value in fields.items() if name in item})
    item["evidence"][0].update({name: value for name, value in fields.items() if name in item["evidence"][0]})


def _certified(item: Record, method: str) -> None:
    proof = {"confidence": None, "error": 0.0, "proved": True, "coverage": "enclosure", "bound": 0.9, "excess": 0.0}
    _set(
        item, **proof, rarest=None, tightness=0.9, verdict="certified", says="certified", method=method, auditor=method
    )


def _above(item: Record) -> None:
    exact = {"confidence": None, "error": 0.0, "proved": False, "bound": 1.5, "excess": 0.0, "tightness": 1.5}
    _set(item, **exact, verdict="not_refuted", says="not_refuted", method="exact", auditor="exact")


def _passes(item: Record) -> None:
    _set(item, verdict="not_refuted", says="not_refuted", bound=0.9, excess=-0.1, tightness=0.9)


def _no_evidence(item: Record) -> None:
    item.update(evidence=[], verdict="not_refuted")


def _weaker(item: Record) -> None:
    item.update(guarantee="PureDP(epsilon=3)")


def _looser(item: Record) -> None:
    """The claim in all places but in its command's."""
    _passes(item)
    item.update(guarantee="PureDP(epsilon=3)", claimed=3.0)
    item["evidence"][0]["measure"]["claimed"] = 3.0
    item["reproduce"] = "dpverify audit m:loud --claim 'PureDP(epsilon=1)' --data EXAMPLE"


def _built_in(item: Record) -> None:
    """A row of a built-in suite that calls itself a control."""
    entry = registry().entries.get("laplace")
    own = {"id": "laplace", "subject": entry.claim.subject, "guarantee": entry.claim.guarantee.text()}
    item.update(own, expectation="broken", surprise=None)


FORGED: dict[str, Callable[[Record], None]] = {
    "draws turned into a proof by enclosure": partial(_certified, method="gate"),
    "draws turned into a proof of a method that nobody knows": partial(_certified, method="trust-me"),
    "an exact bound above the claim without an excess": _above,
    "the verdict alone": lambda item: item.update(verdict="not_refuted"),
    "verdict, judgement, bound and excess": _passes,
    "evidence taken away": _no_evidence,
    "a weaker claim": _weaker,
    "a weaker claim with its numbers": _looser,
    "a row of a built-in suite called a control": _built_in,
}
READERS: dict[str, tuple[str, ...]] = {
    "recheck": ("recheck", "forged"),
    "report": ("report", "forged", "--out", "pages"),
    "compare": ("compare", "honest", "forged"),
    "dossier": ("dossier", "forged", "--out", "pages"),
}


def forged(folder: Path, *, change: Callable[[Record], None], words: tuple[str, ...]) -> Outcome:
    """The command over the changed record: it is not accepted, and nothing calls the claim certified."""
    item = copy.deepcopy(_refuted())
    change(item)
    for name, found in (("honest", _refuted()), ("forged", item)):
        (folder / name).mkdir()
        (folder / name / "results.json").write_text(dump([found]))
    ran = dpverify(*words, folder=folder)
    told = any("The claim is certified" in path.read_text() for path in folder.glob("pages/*"))
    return Outcome(happened=ran.told, held=ran.status in (1, 2, 3) and not told and ran.clean)


def control(folder: Path) -> Outcome:
    """``expectation`` of a claim of the user's own: it does not pass as a control."""
    return forged(
        folder, change=lambda item: item.update(expectation="broken", surprise=None), words=READERS["dossier"]
    )


def consistent(folder: Path) -> Outcome:
    """A proof by an exact law, every number in agreement: without counts nothing can be said for it."""

    def change(item: Record) -> None:
        _certified(item, "exact")
        item["reproduce"] = "dpverify run dpverify.toml"

    outcome = forged(folder, change=change, words=READERS["recheck"])
    return Outcome(happened=outcome.happened, held=outcome.held and "status 3" in outcome.happened)


def accepted(folder: Path, *, words: tuple[str, ...], status: int) -> Outcome:
    """The record as it is: so that no attack is held by what refuses everything."""
    for name in ("honest", "forged"):
        (folder / name).mkdir()
        (folder / name / "results.json").write_text(dump([_refuted()]))
    ran = dpverify(*words, folder=folder)
    return Outcome(happened=ran.told, held=ran.status == status and "contradict" not in ran.err and ran.clean)


QUICK = {("draws turned into a proof of a method that nobody knows", "report"), ("the verdict alone", "compare")}
STATUSES = {"recheck": 0, "report": 0, "compare": 0, "dossier": 1}

ATTACKS = [
    *(
        Attack(
            name=f"`dpverify {reader}` of a record that was changed: {what}",
            wanted="refused in one line, exit status 1, 2 or 3, and no page calls it certified",
            run=partial(forged, change=change, words=words),
            quick=(what, reader) in QUICK,
        )
        for what, change in FORGED.items()
        for reader, words in READERS.items()
    ),
    Attack(
        name="`dpverify dossier` of a refuted claim that calls itself a control",
        wanted="refused in one line: controls are declared by others than the record",
        run=control,
    ),
    Attack(
        name="`dpverify recheck` of draws turned into a proof by an exact law, all numbers in agreement",
        wanted="no counts: exit status 3",
        run=consistent,
        quick=False,
    ),
    *(
        Attack(
            name=f"`dpverify {reader}` of a record that nobody has changed",
            wanted="read as it is",
            run=partial(accepted, words=words, status=STATUSES[reader]),
            quick=False,
        )
        for reader, words in READERS.items()
    ),
]
