"""The page on plug-ins: its own kind of claim needs `dpverify.plugin` alone, and is audited."""

import re
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import dpverify as dpv

PAGE = Path(__file__).parents[2] / "docs/howto/plugins.md"


@pytest.fixture(scope="module")
def page():
    (code,) = [each for each in re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL) if "my_claims" in each]
    assert set(re.findall(r"^from (dpverify[\w.]*)", code, re.MULTILINE)) == {"dpverify.plugin"}
    module = ModuleType("my_claims")
    exec(compile(code, "my_claims.py", "exec"), vars(module))  # noqa: S102 - our own page
    return module


@pytest.mark.parametrize(("distance", "verdict"), [(0.3, "refuted"), (0.45, "not_refuted")])
def test_it_is_audited(distance, verdict, page):
    """One unit of Laplace noise of scale 1 is a distance of 1 - e^-0.5 = 0.39; a false alarm at 0.45: 1e-3 at most."""

    def mechanism(data, size, rng):
        return sum(data) + rng.laplace(size=size)

    claim = page.TotalVariation(distance=distance)
    result = dpv.audit(mechanism, [1.0], [0.0], claim=claim, relation="replace", trials=20_000)
    assert str(result.verdict) == verdict


def test_its_two_curves_are_of_one_claim(page):
    claim, alpha = page.TotalVariation(distance=0.3), np.linspace(0.0, 1.0, 10_001)
    for epsilon in (-2.0, -0.5, 0.0, 1.0):
        profile = np.max(1.0 - claim.tradeoff(alpha) - np.exp(epsilon) * alpha)
        assert claim.delta(epsilon) == pytest.approx(profile, abs=1e-9)
