"""Attacks by draws that depend on one another: more evidence than there is, or less."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from tests.attack.attack import Attack, Outcome
from tests.attack.command import dpverify

MODULE = """
import numpy as np

def lagged(data, size, rng):
    noise = rng.normal(size=size)
    for i in range(1, size):
        noise[i] = 0.99 * noise[i - 1] + np.sqrt(1 - 0.99**2) * noise[i]
    return sum(data) + np.sqrt(2) * noise

def used_twice(data, size, rng):
    return sum(data) + np.repeat(rng.laplace(size=size), 2)[:size]

def used_twice_shuffled(data, size, rng):
    return sum(data) + rng.permutation(np.repeat(rng.laplace(size=size), 2)[:size])

def in_common(data, size, rng):
    return sum(data) + 3 * rng.laplace() + rng.laplace(size=size)

def one_for_all(data, size, rng):
    return sum(data) + np.full(size, rng.laplace())

KEPT = [0.0]

def keeps(data, rng):
    KEPT[0] = 0.99 * KEPT[0] + 0.2 * rng.normal()
    return sum(data) + KEPT[0]
"""
AUDIT = ("--d0", "[1,1]", "--d1", "[1]", "--trials", "4000", "--confidence", "0.999", "--verbose")


def falls_back(folder: Path, *, names: tuple[str, ...], claim: str) -> Outcome:
    """Claims that are true of single calls, under two seeds each: none is refuted, and each note says what was seen."""
    (folder / "dependent.py").write_text(MODULE)
    wrong = []
    for name in names:
        for seed in range(2):
            given = ("--claim", claim, *AUDIT, "--seed", str(seed))
            ran = dpverify("audit", f"dependent:{name}", *given, folder=folder)
            if ran.status != 0 or "call of its own" not in " ".join(ran.out.split()) or not ran.clean:
                wrong.append(f"{name}, seed {seed}: {ran.told}")
    return Outcome(happened="; ".join(wrong) or "one call a draw, and said so: status 0", held=not wrong)


def refused(folder: Path) -> Outcome:
    """State kept from call to call, which no smaller call mends."""
    (folder / "dependent.py").write_text(MODULE)
    ran = dpverify("audit", "dependent:keeps", "--claim", "GDP(mu=1)", *AUDIT, folder=folder)
    return Outcome(happened=ran.told, held=ran.status == 2 and ran.clean and "depend on one another" in ran.err)


PURE = ("used_twice", "used_twice_shuffled", "in_common", "one_for_all")

ATTACKS = [
    Attack(
        name="noise with a correlation of .99 from draw to draw inside a batch",
        wanted="not refuted, by one call a draw, with a note on what was seen",
        run=partial(falls_back, names=("lagged",), claim="GDP(mu=1)"),
        quick=False,
    ),
    Attack(
        name=f"batches whose draws are used again or share noise: {', '.join(PURE)}",
        wanted="not refuted, by one call a draw, with a note on what was seen, each",
        run=partial(falls_back, names=PURE, claim="PureDP(epsilon=1)"),
        quick=False,
    ),
    Attack(
        name="noise kept from call to call, one draw a call",
        wanted="one line, exit status 2",
        run=refused,
        quick=False,
    ),
]
