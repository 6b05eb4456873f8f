import numpy as np
import pytest
from scipy.special import expit

from dpverify.core.errors import InputError
from dpverify.definitions.rdp import RDP
from dpverify.definitions.zcdp import ZCDP

ALPHAS = expit(np.linspace(-120, 30, 6001))
CLAIMS = [
    RDP(order=1.05, epsilon=0.3),
    RDP(order=126, epsilon=0.2),
    RDP(orders=(1.1, 3, 30), epsilons=(0.01, 0.02, 3)),
    ZCDP(rho=0.05),
    ZCDP(rho=10),
]


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.text())
def test_profile_is_the_support_function_from_above(claim: RDP | ZCDP) -> None:
    f = claim.tradeoff(ALPHAS)
    epsilons = np.array([-1.0, 0.0, 1e-4, 0.05, 0.4, 1.0, 4.0, 12.0, 25.0])
    found = claim.delta(epsilons)
    brute = np.max(1 - f - np.exp(epsilons)[:, None] * ALPHAS, axis=1)
    assert np.all(found >= brute - 1e-12)
    assert np.all(found <= np.maximum(brute, 0) * (1 + 5e-3) + 1e-11)


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.text())
def test_profile_does_not_depend_on_its_company(claim: RDP | ZCDP) -> None:
    epsilons = np.linspace(0, 6, 300)
    together = claim.delta(epsilons)
    for index in (0, 40, 299):
        assert float(claim.delta(epsilons[index])) == pytest.approx(together[index], rel=1e-6, abs=1e-11)


def test_far_out_it_stays_finite_and_on_the_sound_side() -> None:
    far = RDP(order=1.01, epsilon=1).delta([50.0, 500.0, 1400.0, 1e5])
    assert np.all(np.diff(far) <= 0)
    assert np.all(far > 0)
    assert np.all(ZCDP(rho=0.5).delta([100.0, 1e5]) < 1e-250)


def test_rates_are_checked() -> None:
    with pytest.raises(InputError, match=r"-0\.5"):
        RDP(order=2, epsilon=1).tradeoff(-0.5)
