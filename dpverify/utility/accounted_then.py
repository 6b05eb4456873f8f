"""How the papers accounted: the moments accountant with 32 moments, and Renyi curves as printed.

Sides: the moments accountant is a theorem about the steps that it is given; whether these are the algorithm's is
another question (fixed-size or shuffled batches accounted for as Poisson samples, a replaced record as an added one).
Printed curves are formulas as they stand. So nothing here certifies an algorithm.

Both have floors: whatever the noise, M moments certify no epsilon below ln(1 / delta) / M.
"""

from __future__ import annotations

from dpverify.accounting.accountants.rdp_printed import PrintedRdpAccountant
from dpverify.accounting.order_search import Objective, least_whole
from dpverify.accounting.renyi_composed import classic_cost
from dpverify.core.composition import Composed, Composition

MOMENTS = 32
"""Abadi et al. 2016 look at so many; their orders as Renyi divergences are one more."""


def moments(composition: Composition) -> Composed:
    """The moments accountant with `MOMENTS` moments (Abadi et al. 2016, Theorem 2; ADADP Theorem 1)."""
    return classic_cost(composition, search=_few_moments, infinity=False)


def printed_renyi(composition: Composition) -> Composed:
    """Printed curves at whole orders up to 500, by Proposition 1 (BLSGD section IV-C, DISS chapter 2)."""
    return PrintedRdpAccountant().compose(composition)


def _few_moments(objective: Objective) -> tuple[float, float]:
    return least_whole(objective, 2, MOMENTS + 1)
