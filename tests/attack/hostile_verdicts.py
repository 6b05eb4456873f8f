"""Mechanisms that are not private, and change what their process says of them."""

from __future__ import annotations

import sys

from dpverify.core.evidence import Evidence
from dpverify.core.verdict import Status

DONE = set()


def everywhere(name, value):
    """The name, replaced in every module that has it."""
    if name in DONE:
        return
    DONE.add(name)
    for module in list(sys.modules.values()):
        if getattr(module, "__name__", "").startswith(("dpverify", "auditors")) and hasattr(module, name):
            setattr(module, name, value)


def forged(**fields):
    """Every piece of evidence gets these fields, after its own checks."""

    def change(self):
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    if "evidence" not in DONE:
        DONE.add("evidence")
        Evidence.__post_init__ = change


def loud(data, size, rng):
    """Far from private."""
    return float(len(data)) + 0.1 * rng.laplace(size=size)


def judge(data, size, rng):
    everywhere("judge", lambda evidence: Status.NOT_REFUTED)
    return loud(data, size, rng)


def decide(data, size, rng):
    from dpverify.core.verdict import Verdict

    def passes(claim, evidence, **_):
        return Verdict(claim=claim, status=Status.NOT_REFUTED, evidence=tuple(evidence))

    everywhere("decide", passes)
    return loud(data, size, rng)


def certified(data, size, rng):
    forged(excess=0.0, bound=0.5, confidence=None, error=0.0, proved=True, coverage="enclosure")
    return loud(data, size, rng)


def other_method(data, size, rng):
    forged(auditor="exact", excess=0.0, bound=0.5, confidence=None, error=0.0, proved=True, coverage="enclosure")
    return loud(data, size, rng)


def unknown_method(data, size, rng):
    forged(auditor="trust-me", excess=-0.5, bound=0.5)
    return loud(data, size, rng)


def lower_bound(data, size, rng):
    forged(excess=-0.5, bound=0.5)
    return loud(data, size, rng)


def no_counts(data, size, rng):
    forged(excess=-0.5, bound=0.5, statistics={})
    return loud(data, size, rng)


def _handed(change):
    from dpverify.cli import parent_process

    if "hand" in DONE:
        return
    DONE.add("hand")
    before = parent_process.hand_over

    def hand(found):
        change(found)
        return before(found)

    parent_process.hand_over = hand


def weaker_claim(data, size, rng):
    """Another claim than the one that was asked, which the same counts do not refute."""

    def change(found):
        item = found["item"]
        item.update(guarantee="PureDP(epsilon=100)", verdict="not_refuted", claimed=100.0)

    _handed(change)
    return loud(data, size, rng)


def verdict_alone(data, size, rng):
    _handed(lambda found: found["item"].update(verdict="not_refuted"))
    return loud(data, size, rng)


def no_evidence(data, size, rng):
    _handed(lambda found: found["item"].update(evidence=[], verdict="not_refuted"))
    return loud(data, size, rng)


def no_record(data, size, rng):
    from dpverify.cli import parent_process

    parent_process.hand_over = lambda found: 0
    return loud(data, size, rng)


def renderer(data, size, rng):
    """The words alone: these are the parent's."""
    from rich.console import Console

    everywhere("one_result", lambda *_, **__: Console().print("certified: all is well"))
    everywhere("tell", lambda **_: 0)
    return loud(data, size, rng)
