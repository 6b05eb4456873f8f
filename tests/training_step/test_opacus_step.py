"""Steps of Opacus 1.6.0 in its modes, and its users' bugs, where torch and Opacus are installed."""

from __future__ import annotations

import numpy as np
import pytest

import dpverify as dpv
from dpverify.frontier.trainer import global_generators_kept
from dpverify.training_step.account import account_row
from dpverify.training_step.loader_row import loader_row

torch = pytest.importorskip("torch")
opacus = pytest.importorskip("opacus")
wrap_data_loader = pytest.importorskip("opacus.utils.batch_memory_manager").wrap_data_loader
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


def setup(
    make=net,
    *,
    mode="hooks",
    frozen=False,
    change=lambda model, optimizer: None,
    loss=None,
    engine=None,
    read=lambda loader, optimizer: loader,
    **more,
):
    """What a user of Opacus has: model, optimizer, criterion and a batch; of an engine, accountant and loader."""
    torch.manual_seed(3)
    module = make()
    if frozen:
        module[0].requires_grad_(False)
    inputs = torch.randint(0, 12, (8, 6)) if make is words else torch.randn(8, 5)
    targets = torch.randint(0, 3, (8,))
    data = torch.utils.data.TensorDataset(inputs, targets)
    made = (engine or opacus.PrivacyEngine()).make_private(
        module=module,
        optimizer=torch.optim.SGD([each for each in module.parameters() if each.requires_grad], lr=0.1),
        criterion=nn.CrossEntropyLoss(),
        data_loader=torch.utils.data.DataLoader(data, batch_size=4),
        noise_multiplier=SIGMA,
        max_grad_norm=CLIP,
        grad_sample_mode=mode,
        **more,
    )
    model, optimizer, *between, loader = made
    change(model, optimizer)
    criterion = loss or (between[0] if between else nn.CrossEntropyLoss())
    given = {} if engine is None else {"accountant": engine.accountant, "loader": read(loader, optimizer)}
    return dpv.opacus_step(model, optimizer, criterion, (inputs, targets), **given)


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


class Kept(opacus.PrivacyEngine):
    """An engine whose accountant has steps of earlier."""

    def __init__(self):
        super().__init__()
        self.accountant.history = [(SIGMA, 0.5, 7)]


def virtual(loader, optimizer):
    """The loader that BatchMemoryManager gives."""
    return wrap_data_loader(data_loader=loader, max_batch_size=2, optimizer=optimizer)


ADAPTIVE = {
    "clipping": "adaptive",
    "target_unclipped_quantile": 0.5,
    "clipbound_learning_rate": 0.2,
    "max_clipbound": 10.0,
    "min_clipbound": 0.1,
    "unclipped_num_std": 0.9,
}


@pytest.mark.parametrize("mode", ["hooks", "ghost"])
@pytest.mark.parametrize("read", [lambda loader, optimizer: loader, virtual], ids=["whole", "virtual"])
def test_a_right_account_of_opacus_is_not_refuted_and_stays_as_it_was(mode, read):
    engine = Kept()
    asked = setup(mode=mode, engine=engine, read=read)
    assert asked["account"].history == [(SIGMA, 0.5, 2)]  # two parts of a batch are one step
    assert asked["account"].sample_rate == 0.5
    asked["step"](asked["parameters"], asked["batch"], np.random.default_rng(0))
    assert engine.accountant.history == [(SIGMA, 0.5, 7)]
    account = account_row(asked["account"], asked["noise_multiplier"])
    assert account.verdict == "not_refuted" and account.words.startswith("the history charges for what ran: 2 steps")
    drawn = loader_row(asked["loader"], asked["account"], 1e-6, 0)
    assert (drawn.verdict, drawn.words) == ("not_refuted", "batches were not told apart from poisson(rate=0.5)")


def test_a_check_leaves_the_global_generator_as_it_was():
    state = torch.get_rng_state()
    with global_generators_kept():
        torch.manual_seed(0)
        torch.rand(3)
    assert torch.equal(torch.get_rng_state(), state)


def test_adaptive_clipping_is_accounted_at_the_noise_of_all_that_it_releases():
    engine = Kept()
    asked = setup(engine=engine, **ADAPTIVE)
    assert asked["noise_multiplier"] == pytest.approx((SIGMA**-2 - 1.8**-2) ** -0.5)
    assert asked["account"].noise_multiplier == SIGMA
    found = dpv.check_training_step(**asked, empty_batches=False)
    assert [(row.name, row.words) for row in found.rows if row.verdict in ("refuted", "inconclusive")] == []


def no_hook(model, optimizer):
    optimizer.step_hook = None


def hook_of_twice_the_noise(model, optimizer):
    inner = optimizer.step_hook

    def hook(each):
        each.noise_multiplier *= 2
        inner(each)
        each.noise_multiplier /= 2

    optimizer.step_hook = hook


def hook_of_a_longer_loader(model, optimizer):
    optimizer.step_hook = optimizer.step_hook.__closure__[1].cell_contents.get_optimizer_hook_fn(sample_rate=0.01)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (no_hook, "it has 0 steps"),
        (hook_of_twice_the_noise, "2 of its steps have noise multiplier 2.6"),
        (hook_of_a_longer_loader, "2 of its steps have sample rate 0.01"),
    ],
    ids=lambda each: getattr(each, "__name__", None),
)
def test_a_history_of_opacus_that_charges_too_little_is_refuted(change, said):
    asked = setup(engine=Kept(), change=change)
    row = account_row(asked["account"], asked["noise_multiplier"])
    assert row.verdict == "refuted" and said in row.words


def test_a_loader_that_shuffles_is_refuted():
    asked = setup(engine=Kept(), poisson_sampling=False)
    assert loader_row(asked["loader"], asked["account"], 1e-6, 0).verdict == "refuted"


def test_calls_leave_model_optimizer_generator_and_account_as_they_were():
    held = {}

    def change(model, optimizer):
        optimizer.generator = torch.Generator().manual_seed(11)
        optimizer.signal_skip_step(do_skip=True)
        held.update(model=model, optimizer=optimizer, hook=optimizer.step_hook)
        held["start"] = {name: each.detach().clone() for name, each in model.named_parameters()}

    engine = Kept()
    asked = setup(engine=engine, change=change)
    history = list(engine.accountant.history)
    moved = {name: each + 1 for name, each in asked["parameters"].items()}
    asked["step"](moved, asked["batch"], np.random.default_rng(0))
    assert torch.equal(held["optimizer"].generator.get_state(), torch.Generator().manual_seed(11).get_state())
    assert held["optimizer"].step_hook is held["hook"] and held["optimizer"]._step_skip_queue == [True]
    assert engine.accountant.history == history
    assert all(torch.equal(each, held["start"][name]) for name, each in held["model"].named_parameters())


def test_an_accountant_without_its_loader_is_refused():
    module = net()
    engine = opacus.PrivacyEngine()
    optimizer = opacus.optimizers.DPOptimizer(
        torch.optim.SGD(module.parameters(), lr=0.1), noise_multiplier=1.0, max_grad_norm=1.0, expected_batch_size=2
    )
    batch = torch.randn(8, 5), torch.randint(0, 3, (8,))
    with pytest.raises(dpv.InputError, match="an accountant without its loader"):
        dpv.opacus_step(module, optimizer, nn.CrossEntropyLoss(), batch, accountant=engine.accountant)


def test_an_optimizer_of_torch_is_refused():
    module = net()
    with pytest.raises(dpv.InputError, match="an optimizer without pre_step: a SGD"):
        dpv.opacus_step(module, torch.optim.SGD(module.parameters(), lr=0.1), nn.CrossEntropyLoss(), (1, 2))
