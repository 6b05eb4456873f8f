"""Claims about mechanisms whose verdict is known, registered with what is expected of them.

The field's standard benchmark are the mechanisms that StatDP (Ding et al., CCS 2018), DP-Sniper (Bichsel et al., S&P
2021) and dp_auditorium (Kong et al., 2023) are measured on. It has epsilon 0.1 and query answers between -10 and 10,
which are the defaults here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpverify.core.claim import Claim, SearchSpace, Source
from dpverify.core.registry import Registry
from dpverify.core.subjects import Guarantee
from dpverify.core.suite import Expectation, Profile, SuiteEntry
from dpverify.definitions.pure_dp import PureDP

BENCHMARK = "field's standard benchmark"
"""The paper of claims whose locus is the benchmark's name for a mechanism."""

STANDARD = ("core", "standard")
"""Suites of the mechanisms that the field's published bounds are about."""


def add_claim(
    registry: Registry,
    name: str,
    expectation: Expectation,
    *,
    guarantee: Guarantee,
    parameters: Mapping[str, Any],
    relation: str,
    size: int,
    source: tuple[str, str],
    statement: str,
    subject: str | None = None,
    low: float = -10.0,
    high: float = 10.0,
    suites: tuple[str, ...] = ("core",),
    profile: Profile = "quick",
    noise_deficit: Expectation | None = None,
) -> None:
    """Register the claim `name` with what is expected of it.

    Parameters
    ----------
    registry : Registry
        Gets the entry; the subject is registered apart.
    name : str
        The claim's id.
    expectation : "stands" or "broken"
        The verdict that is known.
    guarantee : Guarantee
        What is claimed.
    parameters : mapping
        The mechanism's.
    relation : str
        The neighbour relation.
    size : int
        Entries of a data set: query answers, records, or values.
    source : tuple
        Paper and locus.
    statement : str
        The claim in words.
    subject : str, optional
        The mechanism's registry name; the claim's own id unless given.
    low, high : float
        Ends of the range of an entry.
    suites, profile, noise_deficit
        As :class:`~dpverify.core.claim.SuiteEntry` has them.
    """
    claim = Claim(
        id=name,
        guarantee=guarantee,
        relation=relation,
        subject=subject or name,
        parameters=dict(parameters),
        space=SearchSpace(size=size, low=low, high=high),
        source=Source(paper=source[0], locus=source[1]),
        statement=statement,
    )
    registry.add_entry(
        SuiteEntry(claim=claim, expectation=expectation, suites=suites, profile=profile, noise_deficit=noise_deficit)
    )


def add_pure_claim(
    registry: Registry,
    name: str,
    expectation: Expectation,
    *,
    epsilon: float = 0.1,
    claimed: float | None = None,
    parameters: Mapping[str, Any] | None = None,
    **given: Any,
) -> None:
    """Register the claim `name`, that a mechanism with this `epsilon` is pure epsilon-DP.

    Parameters
    ----------
    registry, name, expectation
        As :func:`add_claim` has them.
    epsilon : float
        The mechanism's parameter, in nats.
    claimed : float, optional
        What is claimed, where it is not `epsilon`.
    parameters : mapping, optional
        The mechanism's other parameters.
    **given
        All else that :func:`add_claim` takes.
    """
    guarantee = PureDP(epsilon=epsilon if claimed is None else claimed)
    add_claim(
        registry, name, expectation, guarantee=guarantee, parameters={"epsilon": epsilon, **(parameters or {})}, **given
    )
