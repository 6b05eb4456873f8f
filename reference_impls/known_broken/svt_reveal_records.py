"""The broken sparse vector variants, asked about records under addition and removal (dp_auditorium's SVT3 to SVT6).

Wrong lines: those of `sparse_vector_variants.py`; source: dp_auditorium (Kong, Munoz Medina, Ribero,
Syed, 2023), the queries that "reveal records" (`mechanisms/svt_reveal_records.py`). True epsilon for the claim at 1,
ten queries: infinite for Algorithm 5 (one record more turns "above" nine times and "below" once into the reverse,
which no threshold allows); at least 4.5 for Algorithm 3 and 1.74 for 4, whose limit for queries of any range is 1.75
(both from exact laws); at least 1.4 for 6, by sampling. All in the full profile: the quick one has the same variants.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from dpverify.core.registry import Registry
from reference_impls.known_broken.sparse_vector_variants import Svt3, Svt4, Svt5, Svt6
from reference_impls.mechanisms.sparse_vector import SparseVector
from reference_impls.mechanisms.svt_reveal_records import SvtRevealRecords, add_claim


@dataclass(frozen=True, slots=True, kw_only=True)
class Svt3RevealRecords(SvtRevealRecords):
    """Subject ``svt3-reveal-records``: the compared values go out."""

    variant: ClassVar[type[SparseVector]] = Svt3


@dataclass(frozen=True, slots=True, kw_only=True)
class Svt4RevealRecords(SvtRevealRecords):
    """Subject ``svt4-reveal-records``: too little query noise."""

    variant: ClassVar[type[SparseVector]] = Svt4


@dataclass(frozen=True, slots=True, kw_only=True)
class Svt5RevealRecords(SvtRevealRecords):
    """Subject ``svt5-reveal-records``: no query noise, no cutoff."""

    variant: ClassVar[type[SparseVector]] = Svt5


@dataclass(frozen=True, slots=True, kw_only=True)
class Svt6RevealRecords(SvtRevealRecords):
    """Subject ``svt6-reveal-records``: no cutoff."""

    variant: ClassVar[type[SparseVector]] = Svt6


def register(registry: Registry) -> None:
    """Register the four subjects and their broken claims."""
    faces = {3: Svt3RevealRecords, 4: Svt4RevealRecords, 5: Svt5RevealRecords, 6: Svt6RevealRecords}
    for algorithm, factory in faces.items():
        registry.known_broken.add(f"svt{algorithm}-reveal-records", factory)
        add_claim(registry, f"svt{algorithm}-reveal-records", algorithm, "broken")
