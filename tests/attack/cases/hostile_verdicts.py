"""Attacks by a mechanism on its own verdict: it runs in the process that counts its draws."""

from __future__ import annotations

import json
import shutil
from functools import partial
from pathlib import Path

from dpverify.reporting.checked_records import DIFFERS
from tests.attack.attack import Attack, Outcome
from tests.attack.command import dpverify

HERE = Path(__file__).parents[1]
PAIR = ("--d0", "[1,1]", "--d1", "[1]", "--trials", "2000")
EXAMPLE = ("--data", "[1,1,0]", "--trials", "2000")
POOLED = (*EXAMPLE, "--sequential", "--evidence", "evidence.json")

SUITE = """
[[audit]]
mechanism = "hostile_verdicts:{name}"
claim = "PureDP(epsilon=1)"
data = [1, 1, 0]
"""


def audited(folder: Path, *, name: str, where: tuple[str, ...], status: int, said: str) -> Outcome:
    """``dpverify audit`` of a function of `hostile_verdicts`: this status, these words, and no pass in any word."""
    shutil.copy(HERE / "hostile_verdicts.py", folder)
    words = ("audit", f"hostile_verdicts:{name}", "--claim", "PureDP(epsilon=1)", *where)
    ran = dpverify(*words, folder=folder)
    passes = any(word in ran.out for word in ("not refuted", "certified"))
    held = ran.status == status and said in ran.out + ran.err and not passes and ran.clean
    return Outcome(happened=ran.told, held=held)


def of_suite(folder: Path, *, name: str) -> Outcome:
    """The same, declared in a suite file: no pass."""
    shutil.copy(HERE / "hostile_verdicts.py", folder)
    (folder / "dpverify.toml").write_text(SUITE.format(name=name))
    ran = dpverify("run", "--trials", "2000", "--jobs", "1", folder=folder, seconds=120.0)
    held = ran.status == 3 and DIFFERS in " ".join(ran.out.split()) and ran.clean
    return Outcome(happened=ran.told, held=held)


def replayed(folder: Path, *, name: str) -> Outcome:
    """A saved failure of such a function, audited again: it is not FIXED."""
    shutil.copy(HERE / "hostile_verdicts.py", folder)
    mechanism = f"hostile_verdicts:{name}"
    words = {"claim": "own", "auditor": "gate", "d0": [1, 1], "d1": [1], "parameters": {}, "claimed": "", "event": ""}
    more = {"guarantee": "PureDP(epsilon=1)", "relation": "add-remove", "mechanism": mechanism, "form": "list"}
    saved = {"schema": 2, **words, "seed": 0, **more, "measure": "epsilon", "bound": 3.0}
    (folder / "saved").mkdir()
    (folder / "saved/own.json").write_text(json.dumps(saved))
    ran = dpverify("replay", "saved", "--mechanism", mechanism, "--seconds", "2", folder=folder)
    held = ran.status == 3 and DIFFERS in " ".join(ran.out.split()) and "FIXED" not in ran.out and ran.clean
    return Outcome(happened=ran.told, held=held)


REFUSED = {
    "judge": "the function that judges evidence, in every module",
    "decide": "the function that decides the verdict, in every module",
    "certified": "its draws into a proof by enclosure",
    "other_method": "its draws into a proof by an exact law",
    "unknown_method": "its draws into evidence of a method that nobody knows",
    "lower_bound": "the bound",
    "no_counts": "the bound, and the counts into none",
    "weaker_claim": "the claim into a weaker one",
    "verdict_alone": "the verdict in the record",
    "no_evidence": "the evidence into none",
    "no_record": "the record into nothing",
}
WHERE = {"a pair": PAIR, "an example": EXAMPLE}
NO_RECORD = "the process that ran the mechanism sent no record"

ATTACKS = [
    *(
        Attack(
            name=f"a mechanism that turns {what}, on {where}",
            wanted="one line that says so, exit status 3",
            run=partial(audited, name=name, where=words, status=3, said=NO_RECORD if name == "no_record" else DIFFERS),
            quick=(name, where) in (("judge", "an example"), ("lower_bound", "a pair"), ("no_record", "a pair")),
        )
        for name, what in REFUSED.items()
        for where, words in WHERE.items()
    ),
    *(
        Attack(
            name=f"a mechanism that turns {REFUSED[name]}, with pooled evidence",
            wanted="one line that says so, exit status 3",
            run=partial(audited, name=name, where=POOLED, status=3, said=DIFFERS),
            quick=False,
        )
        for name in ("judge", "certified")
    ),
    *(
        Attack(
            name=f"a mechanism that replaces what prints its result, on {where}",
            wanted="refuted, in words and exit status 1",
            run=partial(audited, name="renderer", where=words, status=1, said="refuted: PureDP(epsilon=1)"),
            quick=False,
        )
        for where, words in WHERE.items()
    ),
    *(
        Attack(
            name=f"a mechanism of a suite file that turns {REFUSED[name]}",
            wanted="a row that says so, exit status 3",
            run=partial(of_suite, name=name),
            quick=False,
        )
        for name in ("judge", "certified", "lower_bound")
    ),
    *(
        Attack(
            name=f"a saved failure of a mechanism that turns {REFUSED[name]}",
            wanted="not fixed, exit status 3",
            run=partial(replayed, name=name),
            quick=False,
        )
        for name in ("judge", "certified", "lower_bound")
    ),
]
