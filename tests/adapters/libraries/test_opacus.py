"""The table of Opacus: twins of ghost clipping move the weights further than their clipping norm; Opacus does not."""

import numpy as np
import pytest

from dpverify.adapters.libraries.opacus import BATCH, CANARY, EMPTY, FAULTS, RECORDS, TOKENS_CANARY, Setting, _trained

torch = pytest.importorskip("torch")
pytest.importorskip("opacus")

STEPS = RECORDS // BATCH


def moved(setting, canary):
    """How far one record moves the sum of clipped gradients over an epoch, the draws being the same."""
    found = []
    for rows in ([EMPTY] * RECORDS, [*[EMPTY] * (RECORDS - 1), canary]):
        torch.manual_seed(3)
        found.append(np.array(_trained(rows, setting)[0]))
    return BATCH * float(np.linalg.norm(found[1] - found[0]))


@pytest.mark.parametrize("fault", ["clip", "bias"])
def test_a_twin_of_ghost_clipping_exceeds_its_norm_and_the_release_does_not(fault):
    setting, _ = FAULTS[fault]
    canary = TOKENS_CANARY if setting.network == "tokens" else CANARY
    twin = Setting(mode=setting.mode, network=setting.network, clip=setting.clip, fault=fault)
    right = moved(setting, canary)
    assert 0 < right <= STEPS * setting.clip
    assert moved(twin, canary) > 1.5 * right


def test_names_say_what_differs():
    settings = [one for one, _ in FAULTS.values()]
    assert {one.name() for one in settings} == {
        "make_private:flat:hooks",
        "make_private:flat:ghost:vector:max_grad_norm=0.5",
        "make_private:flat:ghost:tokens",
    }
