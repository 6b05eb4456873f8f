"""Records and declarations that the tests of the dossier are made of."""

from __future__ import annotations

import datetime
import json
import os

from dpverify.core.json_text import dump
from dpverify.dossier.declarations import read_declarations
from dpverify.dossier.dossier import dossier
from dpverify.dossier.runs import read_runs
from dpverify.reporting.read_records import records_of_schema

TODAY = datetime.date(2026, 11, 26)

SIGNED = '[signed]\nname = "Ada"\nrole = "engineer"\ndate = 2026-11-25\n'


def record(**changes):
    """A record of a claim that an audit did not refute, and would have if epsilon had been 1.5."""
    bound = changes.get("bound", 0.8)
    verdict = changes.get("verdict", "not_refuted")
    part = {
        "auditor": "event",
        "version": "1",
        "says": verdict if verdict in ("refuted", "certified", "not_refuted", "inconclusive") else "inconclusive",
        "measure": {"kind": "epsilon", "argument": 0.0, "claimed": 1.0},
        "bound": bound,
        "excess": bound - 1.0,
        "confidence": 0.999,
        "error": None,
        "proved": False,
        "coverage": "search",
        "estimate": None,
        "detectable": changes.get("detectable", 1.5),
        "ceiling": changes.get("ceiling", 6.0),
        "trials": 1000,
        "seconds": 1.0,
        "statistics": {},
        "witness": {},
        "picture": {},
    } | changes.pop("part", {})
    given = {
        "schema": 1,
        "id": "sum",
        "source": "user",
        "statement": "",
        "guarantee": "PureDP(epsilon=1)",
        "subject": "noisy_sum",
        "parameters": {},
        "relation": "add-remove",
        "space": {},
        "verdict": "not_refuted",
        "reason": "",
        "method": "event",
        "measure": "epsilon",
        "bound": bound,
        "claimed": 1.0,
        "tightness": bound,
        "excess": bound - 1.0,
        "confidence": 0.999,
        "error": None,
        "proved": False,
        "estimate": None,
        "detectable": 1.5,
        "ceiling": 6.0,
        "rarest": None,
        "witness": {},
        "trials": 1000,
        "seconds": 1.0,
        "seed": 0,
        "reproduce": "dpverify audit mymodule:noisy_sum --claim 'PureDP(epsilon=1)' --data EXAMPLE",
        "expectation": None,
        "surprise": None,
        "evidence": [part],
        "environment": {"dpverify": "0.1.0"},
    }
    found = given | changes
    records_of_schema(json.loads(dump(found)), "a test")
    return found


REFUTED = {"verdict": "refuted", "bound": 1.4}
VACUOUS = {"verdict": "inconclusive", "reason": "nothing was detectable", "detectable": "inf"}


def runs(folder, *records):
    """The records, written and read again as those of a run."""
    folder.mkdir(exist_ok=True)
    (folder / "results.json").write_text(dump(list(records)))
    os.utime(folder / "results.json", (2_000_000_000, 2_000_000_000))  # after anything that a test writes
    return read_runs([folder])


def declared(folder, text):
    folder.mkdir(exist_ok=True)
    path = folder / "declarations.toml"
    path.write_text(text)
    return read_declarations(path, today=TODAY)


def found(folder, records, text=""):
    """The dossier of these records and of declarations."""
    return dossier(runs(folder, *records), declared(folder, text) if text else None, today=TODAY)


def question(of, name):
    """The question of this id, in the first text that has it."""
    return next(each for text in of["texts"] for each in text["questions"] if each["id"] == name)
