"""Opacus as a subject: DP-SGD as ``PrivacyEngine.make_private`` sets it up, in every clipping and gradient mode.

What is released are the last weights of a small network after one epoch, and the claim is the epsilon that the engine's
own accountant gives at delta = 0.05. The modes are read off the library: the values of ``clipping`` and
``grad_sample_mode`` are those for which it has an optimizer and a module. Neighbours differ in one record, which in one
of the data sets has no gradient: the number of records, which sets the rate and the size of a batch, is public.

Randomness comes from torch's generator, seeded by the audit's; its draws are noted where they are made, and replays
stop at the first.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import logging
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from dpverify.adapters.libraries.offered import Accountant, Library, NotExamined, Offered, Offers, Profile, in_short
from dpverify.core.registry import Registry
from dpverify.core.subjects import Pair
from dpverify.definitions.pure_dp import ApproxDP

RECORDS, BATCH, NOISE, CLIP, DELTA = 64, 16, 1.0, 1.0, 0.05
"""Records (so many that an empty batch has probability 1e-8), records in a batch (expected), noise multiplier, clipping
norm, and the delta of the claim."""

EMPTY, CANARY, AGAINST = [0.0, 0.0, 0.0], [10.0, 0.0, -100.0], [10.0, 0.0, 13.4375]
"""Records (two features, a target): without a gradient at the start; with a large one; with a 32nd of it, against it.
A batch of the last kind has about half the canary's gradient against it: where the sum of a batch is clipped and not
each record, the canary turns it round."""

TOKENS, TOKENS_CANARY = 40, [0.0, 0.0, -3.0]
"""Tokens of a record where the network takes several, and a record whose gradient is that of the bias alone: of norm 6,
which is .9 where the norm of a bias is taken as it was before Opacus 1.5.4 (#751)."""

ADAPTIVE = {
    "target_unclipped_quantile": 0.5,
    "clipbound_learning_rate": 0.2,
    "max_clipbound": 10.0,
    "min_clipbound": 0.1,
    "unclipped_num_std": 1.0,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One way to call `make_private`."""

    clipping: str = "flat"
    mode: str = "hooks"
    """`clipping`, `mode`: ``clipping`` and ``grad_sample_mode``."""
    poisson: bool = True
    """``poisson_sampling``."""
    network: str = "column"
    """Its losses have the shape (B, 1) for ``column``, else (B,); ``tokens`` is a layer with a bias on tokens."""
    clip: float = CLIP
    """``max_grad_norm``."""
    fault: str = ""
    """A key of `FAULTS`, or empty."""

    def name(self) -> str:
        """The constructor's name in the table."""
        told = ("" if self.poisson else ":poisson=False") + ("" if self.network == "column" else f":{self.network}")
        clip = "" if self.clip == CLIP else f":max_grad_norm={self.clip:g}"
        return f"make_private:{self.clipping}:{self.mode}{told}{clip}"

    def words(self) -> dict[str, Any]:
        """Of the call."""
        norm: Any = [self.clip / 2**0.5] * 2 if self.clipping == "per_layer" else self.clip
        return {
            "noise_multiplier": NOISE,
            "max_grad_norm": norm,
            "poisson_sampling": self.poisson,
            "clipping": self.clipping,
            "grad_sample_mode": self.mode,
            **(ADAPTIVE if self.clipping == "adaptive" else {}),
        }


class Opacus(Library):
    """See `Library`."""

    name = "opacus"
    package = "opacus"
    module = "opacus"
    extra = "opacus"
    recorded = (
        "torch's generator is seeded by the audit's, so that runs are repeated to the bit; each of its draws is a "
        "hidden coin at its line, and what is shown before the first is compared"
    )
    reports: ClassVar[Mapping[str, str]] = {
        "make_private:*:poisson=False": "the documentation of poisson_sampling says that without it sampling does not "
        "fit the assumptions of the accountant; the engine gives its epsilon all the same",
    }

    def accountants(self) -> Mapping[str, Accountant]:
        """All of ``opacus.accountants``."""
        import opacus.accountants as module

        kinds = {name: kind for name, kind in sorted(vars(module).items()) if inspect.isclass(kind)}
        return {name: functools.partial(_epsilon, kind) for name, kind in kinds.items() if not inspect.isabstract(kind)}

    def offers(self, profile: Profile) -> Offers:
        """Every mode."""
        return _offers()


@functools.cache
def _offers() -> Offers:
    """The modes that a single process can be in, each tried once, and two twins."""
    logging.getLogger("opacus").setLevel(logging.ERROR)
    from opacus.optimizers import get_optimizer_class

    source = inspect.getsource(get_optimizer_class)
    clippings = sorted(set(re.findall(r'clipping == "(\w+)"', source)))
    modes = ["hooks", *sorted(set(re.findall(r'grad_sample_mode == "(\w+)"', source)) - {"hooks"}), "functorch"]
    settings = [Setting(clipping=each) for each in clippings]
    settings += [Setting(mode=each) for each in dict.fromkeys(modes) if each != "hooks"]
    settings.append(Setting(poisson=False))
    if "ghost" in modes:
        settings += [Setting(mode="ghost", network="vector", clip=0.5), Setting(mode="ghost", network="tokens")]
    claims: list[Offered] = []
    missing: list[NotExamined] = []
    names: list[str] = []
    for setting in settings:
        names.append(setting.name())
        try:
            epsilon = _claimed(setting)
        except Exception as problem:  # noqa: BLE001 - said in the table
            missing.append(NotExamined(constructor=setting.name(), reason=in_short(problem)))
            continue
        claims.append(_offered(setting, epsilon))
        faults = [name for name, (of, _) in FAULTS.items() if setting == of]
        claims += [_offered(dataclasses.replace(setting, fault=fault), epsilon) for fault in faults]
    return Offers(claims=tuple(claims), not_examined=tuple(missing), constructors=tuple(names))


GHOST = (
    "the losses of a batch have the shape (B, 1) here, as those of MSELoss on a network with one output have: the "
    "gallery says what ghost clipping makes of it (opacus-ghost)"
)

FAULTS = {
    "noise": (Setting(), "a quarter of the noise"),
    "batch": (Setting(), "the batch's gradient clipped instead of each record's"),
    "clip": (
        Setting(mode="ghost", network="vector", clip=0.5),
        "clipped to 1 whatever max_grad_norm says, as in Opacus 1.5.2 (#664)",
    ),
    "bias": (
        Setting(mode="ghost", network="tokens"),
        "the norm of a bias on T equal tokens is its square over T, as in Opacus 1.5.3 (#751)",
    ),
}
"""For each twin: the setting whose twin it is, and what is wrong with it."""


def _offered(setting: Setting, epsilon: float) -> Offered:
    base = [EMPTY] * RECORDS
    against = [AGAINST] * (RECORDS - 1) + [EMPTY]
    canary = TOKENS_CANARY if setting.network == "tokens" else CANARY
    pairs = [
        Pair(d0=rows, d1=[*rows[:-1], canary], label=f"the last record replaced by a canary, base {place}")
        for place, rows in enumerate((base, against))
    ]
    return Offered(
        id=setting.name() + (f":twin-{setting.fault}" if setting.fault else ""),
        constructor=setting.name(),
        guarantee=ApproxDP(epsilon=epsilon, delta=DELTA),
        source=f"engine.get_epsilon({DELTA:g}) after one epoch of {RECORDS // BATCH} steps",
        relation="one record replaced by one without a gradient",
        pairs=pairs,
        build=functools.partial(_build, setting),
        parameters={key: str(value) for key, value in setting.words().items()},
        twin=FAULTS[setting.fault][1] if setting.fault else "",
        notes=(
            "the number of records is taken as public: it sets the rate and the size of a batch",
            *((GHOST,) if (setting.mode, setting.network) == ("ghost", "column") else ()),
        ),
    )


def _epsilon(kind: Any, rate: float, noise: float, steps: int, delta: float) -> float:
    """What one accountant gives."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        accountant = kind()
        for _ in range(steps):
            accountant.step(noise_multiplier=noise, sample_rate=rate)
        return float(accountant.get_epsilon(delta))


def _claimed(setting: Setting) -> float:
    """The engine's own epsilon after one epoch."""
    _, engine = _trained([EMPTY] * RECORDS, setting)
    return float(engine.get_epsilon(DELTA))


def _build(setting: Setting) -> Callable[..., Any]:
    import torch

    logging.getLogger("opacus").setLevel(logging.ERROR)
    torch.set_num_threads(1)

    def trained(data: Any, rng: np.random.Generator) -> Any:
        torch.manual_seed(int(rng.integers(2**62)))
        weights, _ = _batch_clipped(data) if setting.fault == "batch" else _trained(data, setting)
        return np.array(weights)

    return trained


def _trained(data: Sequence[Sequence[float]], setting: Setting) -> tuple[list[float], Any]:
    """The weights after one epoch, and the engine."""
    import torch
    from opacus import PrivacyEngine
    from torch.utils.data import DataLoader

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model, optimizer, rows = _start(data, setting.network)
        criterion = torch.nn.MSELoss()
        engine = PrivacyEngine(accountant="prv")
        more = {"criterion": criterion} if setting.mode == "ghost" else {}
        loader = DataLoader(rows, batch_size=BATCH)
        made = engine.make_private(module=model, optimizer=optimizer, data_loader=loader, **setting.words(), **more)
        model, optimizer, loader = made[0], made[1], made[-1]
        criterion = made[2] if setting.mode == "ghost" else criterion
        if setting.fault == "noise":
            optimizer.noise_multiplier = NOISE / 4.0
        elif setting.fault == "clip":
            model.max_grad_norm = 1.0
        elif setting.fault == "bias":
            model.get_norm_sample = lambda norms=model.get_norm_sample: norms().square() / TOKENS
        for features, target in loader:
            optimizer.zero_grad()
            criterion(model(features), target).backward()
            optimizer.step()
    return _weights(model), engine


def _batch_clipped(data: Sequence[Sequence[float]]) -> tuple[list[float], None]:
    """As `_trained`, with the usual mistake: the sum of the batch's gradients is clipped as a whole."""
    import torch

    model, optimizer, rows = _start(data, "column")
    rate = BATCH / RECORDS
    for _ in range(RECORDS // BATCH):
        taken = torch.rand(len(rows)) < rate
        features, target = rows.tensors[0][taken], rows.tensors[1][taken]
        optimizer.zero_grad()
        torch.nn.MSELoss(reduction="sum")(model(features), target).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), CLIP)
        for each in model.parameters():
            each.grad = (each.grad + NOISE * CLIP * torch.randn_like(each)) / BATCH
        optimizer.step()
    return _weights(model), None


def _start(data: Sequence[Sequence[float]], network: str) -> tuple[Any, Any, Any]:
    """The network, all of whose weights are 1 and whose bias is 0, its optimizer, and the records as a data set."""
    import torch
    from torch.utils.data import TensorDataset

    table = torch.tensor([list(each) for each in data], dtype=torch.float32)
    features, targets = table[:, :2], table[:, 2:]
    if network == "tokens":  # each record's first number, again and again; the answer is the mean over tokens
        features, targets = features[:, :1, None].expand(-1, TOKENS, 1), targets[:, 0]
        model = torch.nn.Sequential(
            torch.nn.Linear(1, 1), torch.nn.Flatten(), torch.nn.AvgPool1d(TOKENS), torch.nn.Flatten(0)
        )
    else:
        model = torch.nn.Sequential(torch.nn.Linear(2, 1, bias=False), torch.nn.Linear(1, 1, bias=False))
    if network == "vector":
        model.append(torch.nn.Flatten(0))
        targets = targets[:, 0]
    with torch.no_grad():
        for name, each in model.named_parameters():
            each.fill_(0.0 if name.endswith("bias") else 1.0)
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    return model, optimizer, TensorDataset(features, targets)


def _weights(model: Any) -> list[float]:
    return [float(number) for each in model.parameters() for number in each.detach().ravel()]


def register(registry: Registry) -> None:
    """Register the library."""
    registry.libraries.add("opacus", Opacus())
