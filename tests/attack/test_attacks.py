"""The quick attacks of `make attack`, each as a test."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.attack.attack import Attack
from tests.attack.matrix import attacks

pytestmark = pytest.mark.ci

QUICK = [(group, attack) for group, attack in attacks() if attack.quick]


@pytest.mark.parametrize(
    "attack", [attack for _, attack in QUICK], ids=[f"{group}: {one.name}" for group, one in QUICK]
)
def test_attack(attack: Attack, tmp_path: Path) -> None:
    outcome = attack.run(tmp_path)
    assert outcome.held, f"must happen: {attack.wanted}; happened: {outcome.happened}"
    assert outcome.lost == "nothing"
