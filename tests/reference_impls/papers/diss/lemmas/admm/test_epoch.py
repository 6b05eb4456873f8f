"""The ledger's epoch, with and without its noise: which claims are attained, and which are broken."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from dpverify.core.errors import InputError
from dpverify.core.plugins import registry
from dpverify.datasets.table import Table
from dpverify.sampling.streams import stream
from reference_impls.admm.mp_admm import MpAdmm
from reference_impls.admm.mp_admm_repaired import MpAdmmRepaired
from reference_impls.papers.diss.lemmas.admm.epoch_query import EpochQuery
from reference_impls.papers.diss.lemmas.admm.epoch_release import EpochRelease


def largest_move(id: str) -> tuple[float, float]:
    """At the claim's own parameters, and at the corners of its box; over the listed pairs."""
    claim = registry().entries.get(id).claim
    generator = registry().neighbors.get("replace")
    pairs = generator.candidates(claim.space, limit=10, rng=np.random.default_rng(0))
    found = []
    for corner in ({}, *({"eta": e, "rho": r} for e, r in product((1e-3, 10.0), (0.01, 10.0)))):
        subject = EpochQuery(**{**claim.parameters, **corner})
        found.append(max(float(np.linalg.norm(subject.query(p.d1) - subject.query(p.d0))) for p in pairs))
    return found[0], max(found[1:])


@pytest.mark.parametrize("id", ["AM-SENS-G", "AM-SENS-X-R", "AM-SENS-ZY.z", "AM-SENS-ZY.y", "AM-SENS-ZY-R"])
def test_what_holds_is_attained(id: str) -> None:
    own, worst = largest_move(id)
    assert worst == pytest.approx(1.0, rel=2e-4)
    assert max(own, worst) <= 1 + 1e-12


@pytest.mark.parametrize("id", ["AM-SENS-X", "AM-SENS-ZY.z-end", "AM-SENS-ZY.y-end"])
def test_what_does_not_is_seen_to_fail_by_eta(id: str) -> None:
    own, worst = largest_move(id)
    assert own <= 1 + 1e-12  # eta = 1: no difference
    assert worst == pytest.approx(10.0, rel=1e-3)


def test_it_is_the_algorithms_own_epoch() -> None:
    numbers = np.array([0.5, -1.0, 0.25])
    query = EpochQuery(quantity="all", eta=2.0, rho=0.5, l1=0.01, model="logistic").query(numbers)
    table = Table(features=numbers[:, None], labels=np.ones(3))
    algorithm = MpAdmm(epochs=1, initial_step=2.0, rho=0.5, l1=0.01)
    whole = {each.name: each for each in algorithm.transcript(table, rng=stream(0, "query")).perturbed}
    expected = [whole[name].clean[0] for name in "xzy"]
    assert query * whole["x"].sensitivity * np.sqrt(2.0) == pytest.approx(expected, rel=1e-12)


NUMBERS = np.array([0.5, -1.0, 0.25])


@pytest.mark.parametrize("kind", [MpAdmm, MpAdmmRepaired])
def test_the_law_is_that_of_the_algorithms_first_epoch(kind: type[MpAdmm]) -> None:
    table = Table(features=NUMBERS[:, None], labels=np.ones(3))
    algorithm = kind(model="huber-svm", epochs=1, initial_step=2.0, rho=0.5, l1=0.01, sigma=0.07)
    (unit,) = algorithm.sensitivities(3)
    bound = "derived" if kind is MpAdmmRepaired else "printed"
    law = EpochRelease(bound=bound, eta=2.0, rho=0.5, l1=0.01, noise=0.07 / unit).output_law(NUMBERS)
    whole = {each.name: each for each in algorithm.transcript(table, rng=stream(0, "law")).perturbed}
    assert law.locations * unit == pytest.approx([whole[name].clean[0] for name in "xzy"], rel=1e-12)
    assert law.scales * unit == pytest.approx([whole[name].scale for name in "xzy"], rel=1e-12)
    claim = EpochRelease(rho=0.5, noise=0.07 / unit).guarantee()
    assert claim.epsilon == pytest.approx(algorithm.guarantee(3).epsilons[0], rel=1e-12)  # order 2, one epoch


@pytest.mark.parametrize(
    ("settings", "ratio"),
    [
        ({"eta": 10.0}, 200 / 2.25),
        ({"eta": 10.0, "released": "x"}, 100 / 2.25),
        ({"eta": 1.05}, 2 * 1.05**2 / 2.25),
        ({"eta": 1.07}, 2 * 1.07**2 / 2.25),
        ({"eta": 10.0, "bound": "derived"}, 2 / 2.25),
        ({"eta": 0.1, "bound": "derived", "rho": 4.0, "l1": 100.0}, 17 / 18),
    ],
)
def test_what_an_epoch_really_costs(settings: dict[str, object], ratio: float) -> None:
    """Opposite records against the claim: above 1 it is broken, as printed from eta = 1.061 on at rho = 1/2."""
    subject = EpochRelease(**settings)
    first, second = (subject.output_law(np.append([1.0, 1.0, 1.0], last)) for last in (1.0, -1.0))
    truth = first.against(second).renyi(2.0)
    assert truth.value / subject.guarantee().epsilon == pytest.approx(ratio, rel=1e-9)
    edge = np.sqrt((2 + subject.rho**2) / (1 + max(1.0, subject.rho**2)))
    assert (ratio > 1) == (settings.get("bound") != "derived" and settings["eta"] > edge)


@pytest.mark.parametrize("bad", [{"quantity": "w"}, {"bound": "mine"}, {"eta": 0.0}, {"l1": -1.0}, {"model": "none"}])
def test_bad_parameters(bad: dict[str, object]) -> None:
    with pytest.raises(InputError):
        EpochQuery(**bad)


@pytest.mark.parametrize("bad", [{"released": "w"}, {"bound": "mine"}, {"noise": 0.0}, {"rho": -1.0}, {"l1": -1.0}])
def test_bad_parameters_of_a_release(bad: dict[str, object]) -> None:
    with pytest.raises(InputError):
        EpochRelease(**bad)


def test_bad_data() -> None:
    for data in ([], [[1.0]], 3.0):
        with pytest.raises(InputError):
            EpochQuery().query(data)
        with pytest.raises(InputError):
            EpochRelease().output_law(data)
