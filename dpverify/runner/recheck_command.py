"""A row held against its own command: claim, relation and seed must be those that it types.

The subject is not: an instance, a partial or a lambda is called by another name than the one that it is found by.

Whoever changes one of the two changes one fact in one place; a changed record then contradicts itself. That both were
changed alike is not seen.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable

from dpverify.core.errors import DpverifyError
from dpverify.core.record import Record
from dpverify.core.subjects import Guarantee

SEEDED = ("audit", "run")
"""Commands whose seed is 0 unless they say another."""


def command_faults(record: Record, typed: str, *, read: Callable[[str], Guarantee]) -> list[str]:
    """Lines on what the row says and its command says otherwise; `typed` is the command, or empty where it has none."""
    words = shlex.split(typed)
    if len(words) < 3 or words[1] not in SEEDED:
        return []
    given = _options(words)
    found = []
    seed = given.get("--seed", "0")
    if seed.isdigit() and int(seed) != record["seed"]:
        found.append(f"seed is printed as {record['seed']}, and the command says {seed}")
    if words[1] == "run":
        only = given.get("--only")
        if only is not None and not any(sign in only for sign in "*?[") and only != record["id"]:
            found.append(f"the row is {record['id']}, and its command makes {only}")
        return found
    methods = given.get("--method", "").replace(" ", "").split(",")
    found += [
        f"there is evidence of {part['auditor']}, and the command asks for {', '.join(methods)}"
        for part in record.get("evidence", ())
        if any(methods) and part["auditor"] not in methods
    ]
    relation = given.get("--relation")
    if relation is not None and record["relation"].partition(" by ")[0] != relation.partition(" by ")[0]:
        found.append(f"relation is printed as {record['relation']}, and the command says {relation}")
    claim = given.get("--claim")
    if claim is not None and (said := _text(claim, read)) and said != record["guarantee"]:
        found.append(f"the claim is printed as {record['guarantee']}, and the command says {claim}")
    return found


def _text(claim: str, read: Callable[[str], Guarantee]) -> str:
    try:
        return read(claim).text()
    except DpverifyError:
        return ""


def _options(words: list[str]) -> dict[str, str]:
    """Options with a value, as ``--name value`` or ``--name=value``."""
    found = {}
    for word, after in zip(words, [*words[1:], ""], strict=True):
        if word.startswith("--"):
            name, given, value = word.partition("=")
            found[name] = value if given else after
    return found
