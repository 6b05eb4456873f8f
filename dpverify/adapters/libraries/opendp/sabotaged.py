"""Twins of OpenDP's measurements: the claim stays, and the mechanism has less noise than it was claimed for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from dpverify.adapters.libraries.offered import Offered
from dpverify.adapters.libraries.opendp.claims import guarantee_of
from dpverify.adapters.libraries.opendp.draws import Read, fast_draws, single_draws
from dpverify.adapters.libraries.opendp.grid import Point
from dpverify.core.subjects import Pair

FAULTS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "scale": ("half the scale of the noise", lambda scale: scale / 2.0),
    "prob": ("a truer answer than claimed", lambda prob: (1.0 + prob) / 2.0),
    "f": ("half the flips", lambda flips: flips / 2.0),
    "d_out": ("twice the loss", lambda loss: (2.0 * loss[0], loss[1])),
}
"""By parameter: what was broken, and its value in the twin."""

OTHERWISE: dict[str, tuple[str, str, Callable[[Any], Any]]] = {
    "make_alp_queryable": ("scale", "four times the privacy loss", lambda loss: 4.0 * loss),
    "make_gaussian_threshold": ("scale", "a quarter of the scale of the noise", lambda scale: scale / 4.0),
    "make_noisy_max": ("scale", "a quarter of the scale of the noise", lambda scale: scale / 4.0),
    "make_noisy_top_k": ("scale", "an eighth of the scale of the noise", lambda scale: scale / 8.0),
    "make_report_noisy_max_gumbel": ("scale", "a quarter of the scale of the noise", lambda scale: scale / 4.0),
    "make_noise_threshold": ("scale", "a quarter of the scale of the noise", lambda scale: scale / 4.0),
}
"""Where the fault is another one: a `scale` that is epsilon divided by the sensitivity, and claims that are read at a
delta so large, or lose so much less than they claim, that half the scale does not exceed them."""


def twins_of(claim: Offered, point: Point, read: Read) -> Iterator[Offered]:
    """The claim on the measurement that the same constructor makes with a changed parameter."""
    other = OTHERWISE.get(claim.constructor)
    faults = {other[0]: other[1:]} if other is not None else FAULTS
    for name, (said, changed) in faults.items():
        if name not in point.words:
            continue
        wrong = changed(point.words[name])

        def make(name: str = name, wrong: Any = wrong) -> Any:
            return point.make(**{name: wrong})

        yield replace(
            claim,
            id=f"{claim.id}:twin-{name}",
            build=fast_draws(make, read, example=claim.pairs[0].d0),
            single=single_draws(make, read),
            parameters={**claim.parameters, name: wrong},
            twin=said,
        )
        return


def half_the_noise(claim: Offered, make: Callable[[], Any]) -> Offered:
    """The claim on what `make` makes, which has half the noise."""
    return replace(
        claim,
        id=f"{claim.id}:twin-scale",
        build=fast_draws(make, example=claim.pairs[0].d0),
        single=single_draws(make),
        twin="half the scale of the noise",
    )


def bounds_from_the_data(dp: Any) -> Offered:
    """A sum whose bounds, and so its sensitivity and its noise, are those of the data that it is given."""
    high = 3.0

    def summed(bound: float) -> Any:
        domain = dp.vector_domain(dp.atom_domain(bounds=(0.0, bound), nan=False), size=4)
        return (domain, dp.symmetric_distance()) >> dp.t.then_sum() >> dp.m.then_laplace(bound)

    def build() -> Callable[[Any], Any]:
        def of_the_data(data: Any) -> Any:
            return summed(max(1e-3, *data))(data)

        return of_the_data

    honest = summed(high)
    loss = honest.map(2)
    guarantee, _ = guarantee_of(honest.output_measure, loss)
    return Offered(
        id="make_sum+noise:twin-bounds-from-the-data",
        constructor="make_chain_mt",
        guarantee=guarantee,
        source=f"map(2) = {loss:.6g} for bounds (0, {high:g})",
        relation="SymmetricDistance at most 2",
        pairs=(
            Pair(d0=[0.0] * 4, d1=[high, 0.0, 0.0, 0.0], label="the largest record replaced"),
            Pair(d0=[1.0] * 4, d1=[high, 1.0, 1.0, 1.0], label="the largest record replaced"),
        ),
        build=build,
        twin="bounds taken from the data",
    )
