"""DP-BLSGD-AC (BLSGD section IV-D; DISS 5.5.4): DP-BLSGD whose clipping thresholds shrink when rho_grad is raised.

Equation (9), at most once in an update: C_grad and C_obj times 1 - zeta, zeta = 0.05 (section V-D). The paper says that
this needs no extra budget "since the condition is based on privately released information". That is true as long as the
noise is scaled to the threshold in use, which the text does not say and this version ensures: see
:mod:`reference_impls.line_search.sampled_line_search`. The flaws of :mod:`reference_impls.line_search.dp_blsgd` are
here, too.
"""

from __future__ import annotations

from dataclasses import dataclass

from dpverify.core.registry import Registry
from dpverify.core.rules import BelowOne
from reference_impls.line_search.dp_blsgd import DpBlsgd


@dataclass(frozen=True, slots=True, kw_only=True)
class DpBlsgdAc(DpBlsgd):
    """Subject ``dp-blsgd-ac``. Data set: a table. Result: the last iterate, shape (dimension,).

    Settings: those of :class:`~reference_impls.line_search.dp_blsgd.DpBlsgd`, with zeta > 0.
    """

    zeta: BelowOne = 0.05


def register(registry: Registry) -> None:
    """Register the subject."""
    registry.mechanisms.add("dp-blsgd-ac", DpBlsgdAc)
