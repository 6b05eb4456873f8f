"""Steps of Opacus 1.6.0 in its modes, and its users' bugs, where torch and Opacus are installed."""

from __future__ import annotations

import pytest

import dpverify as dpv

torch = pytest.importorskip("torch")
opacus = pytest.importorskip("opacus")
nn = torch.nn

pytestmark = pytest.mark.filterwarnings("ignore")  # Opacus warns of its generator and of hooks
CLIP, SIGMA = 0.7, 1.3


def net():
    return nn.Sequential(nn.Linear(5, 6), nn.Tanh(), nn.Linear(6, 3))


def words():
    return nn.Sequential(nn.Embedding(12, 4), nn.Linear(4, 4), nn.Flatten(), nn.Linear(24, 3))


class Tied(nn.Module):
    """One linear layer is used twice."""

    def __init__(self):
        super().__init__()
        self.inner, self.out = nn.Linear(5, 5), nn.Linear(5, 3)

    def forward(self, inputs):
        return self.out(torch.tanh(self.inner(torch.tanh(self.inner(inputs)))))


def setup(make=net, *, mode="hooks", frozen=False, change=lambda model, optimizer: None, loss=None):
    """What a user of Opacus has: model, optimizer, criterion and a batch."""
    torch.manual_seed(3)
    module = make()
    if frozen:
        module[0].requires_grad_(False)
    inputs = torch.randint(0, 12, (8, 6)) if make is words else torch.randn(8, 5)
    targets = torch.randint(0, 3, (8,))
    data = torch.utils.data.TensorDataset(inputs, targets)
    made = opacus.PrivacyEngine().make_private(
        module=module,
        optimizer=torch.optim.SGD([each for each in module.parameters() if each.requires_grad], lr=0.1),
        criterion=nn.CrossEntropyLoss(),
        data_loader=torch.utils.data.DataLoader(data, batch_size=4),
        noise_multiplier=SIGMA,
        max_grad_norm=CLIP,
        grad_sample_mode=mode,
    )
    model, optimizer, *between, _ = made
    change(model, optimizer)
    criterion = loss or (between[0] if between else nn.CrossEntropyLoss())
    return dpv.opacus_step(model, optimizer, criterion, (inputs, targets))


RIGHT = {
    "hooks": {},
    "ghost": {"mode": "ghost"},
    "ghost, token data": {"mode": "ghost", "make": words},
    "functorch": {"mode": "functorch"},
    "token data": {"make": words},
    "tied weights": {"make": Tied},
    "a frozen layer": {"frozen": True},
}


@pytest.mark.parametrize("how", RIGHT.values(), ids=RIGHT)
def test_a_right_step_of_opacus_is_not_refuted(how):
    found = dpv.check_training_step(**setup(**how), empty_batches=False)
    assert [(row.name, row.words) for row in found.rows if row.verdict in ("refuted", "inconclusive")] == []


def half_of_the_noise(model, optimizer):
    optimizer.noise_multiplier = SIGMA / 2


def test_a_bug_of_a_user_is_found():
    asked = setup(change=half_of_the_noise) | {"noise_multiplier": SIGMA, "empty_batches": False}
    found = dpv.check_training_step(**asked)
    assert found["noise"].verdict == "refuted"
    assert found["noise"].number == pytest.approx(0.5, abs=0.05)
    found = dpv.check_training_step(**(setup() | {"clip": CLIP / 2, "noise_multiplier": 2 * SIGMA}))
    assert [row.name for row in found.rows if row.verdict == "refuted"] == ["norm"]


def test_an_optimizer_of_torch_is_refused():
    module = net()
    with pytest.raises(dpv.InputError, match="an optimizer without pre_step: a SGD"):
        dpv.opacus_step(module, torch.optim.SGD(module.parameters(), lr=0.1), nn.CrossEntropyLoss(), (1, 2))
