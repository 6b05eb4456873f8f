"""Opacus as a subject: DP-SGD as ``PrivacyEngine.make_private`` sets it up, in every clipping and gradient mode.

What is released are the last weights of a small network after one epoch, and the claim is the epsilon that the engine's
own accountant gives at delta = 0.05. The modes are read off the library: the values of ``clipping`` and
``grad_sample_mode`` are those for which it has an optimizer and a module. Neighbours differ in one record, which in one
of the data sets has no gradient: the number of records, which sets the rate and the size of a batch, is public.

Randomness comes from torch's generator, seeded by the audit's; its draws are noted where they are made, and replays
stop at the first.
"""

from __future__ import annotations

import functools
import inspect
import logging
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
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
    fault: str = ""
    """``noise`` (a quarter of it), ``batch`` (the batch's gradient is clipped, not each record's), or empty."""
    more: Mapping[str, Any] = field(default_factory=dict)

    def words(self) -> dict[str, Any]:
        """Of the call."""
        norm: Any = [CLIP / 2**0.5] * 2 if self.clipping == "per_layer" else CLIP
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
    claims: list[Offered] = []
    missing: list[NotExamined] = []
    names: list[str] = []
    for setting in settings:
        name = f"make_private:{setting.clipping}:{setting.mode}" + ("" if setting.poisson else ":poisson=False")
        names.append(name)
        try:
            epsilon = _claimed(setting)
        except Exception as problem:  # noqa: BLE001 - said in the table
            missing.append(NotExamined(constructor=name, reason=in_short(problem)))
            continue
        claims.append(_offered(name, setting, epsilon))
    epsilon = _claimed(Setting())
    claims.append(_offered("make_private:flat:hooks", Setting(fault="noise"), epsilon))
    claims.append(_offered("make_private:flat:hooks", Setting(fault="batch"), epsilon))
    return Offers(claims=tuple(claims), not_examined=tuple(missing), constructors=tuple(names))


GHOST = (
    "the losses of a batch have the shape (B, 1) here, as those of MSELoss on a network with one output have: the "
    "gallery says what ghost clipping makes of it (opacus-ghost)"
)

FAULTS = {"noise": "a quarter of the noise", "batch": "the batch's gradient clipped instead of each record's"}


def _offered(name: str, setting: Setting, epsilon: float) -> Offered:
    base = [EMPTY] * RECORDS
    against = [AGAINST] * (RECORDS - 1) + [EMPTY]
    pairs = [
        Pair(d0=rows, d1=[*rows[:-1], CANARY], label=f"the last record replaced by a canary, base {place}")
        for place, rows in enumerate((base, against))
    ]
    return Offered(
        id=name + (f":twin-{setting.fault}" if setting.fault else ""),
        constructor=name,
        guarantee=ApproxDP(epsilon=epsilon, delta=DELTA),
        source=f"engine.get_epsilon({DELTA:g}) after one epoch of {RECORDS // BATCH} steps",
        relation="one record replaced by one without a gradient",
        pairs=pairs,
        build=functools.partial(_build, setting),
        parameters={key: str(value) for key, value in setting.words().items()},
        twin=FAULTS.get(setting.fault, ""),
        notes=(
            "the number of records is taken as public: it sets the rate and the size of a batch",
            *((GHOST,) if setting.mode == "ghost" else ()),
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
        model, optimizer, rows = _start(data)
        criterion = torch.nn.MSELoss()
        engine = PrivacyEngine(accountant="prv")
        more = {"criterion": criterion} if setting.mode == "ghost" else {}
        loader = DataLoader(rows, batch_size=BATCH)
        made = engine.make_private(module=model, optimizer=optimizer, data_loader=loader, **setting.words(), **more)
        model, optimizer, loader = made[0], made[1], made[-1]
        criterion = made[2] if setting.mode == "ghost" else criterion
        if setting.fault == "noise":
            optimizer.noise_multiplier = NOISE / 4.0
        for features, target in loader:
            optimizer.zero_grad()
            criterion(model(features), target).backward()
            optimizer.step()
    return _weights(model), engine


def _batch_clipped(data: Sequence[Sequence[float]]) -> tuple[list[float], None]:
    """As `_trained`, with the usual mistake: the sum of the batch's gradients is clipped as a whole."""
    import torch

    model, optimizer, rows = _start(data)
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


def _start(data: Sequence[Sequence[float]]) -> tuple[Any, Any, Any]:
    """The network, all of whose weights are 1, its optimizer, and the records as a torch data set."""
    import torch
    from torch.utils.data import TensorDataset

    table = torch.tensor([list(each) for each in data], dtype=torch.float32)
    model = torch.nn.Sequential(torch.nn.Linear(2, 1, bias=False), torch.nn.Linear(1, 1, bias=False))
    with torch.no_grad():
        for each in model.parameters():
            each.fill_(1.0)
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    return model, optimizer, TensorDataset(table[:, :2], table[:, 2:])


def _weights(model: Any) -> list[float]:
    return [float(number) for each in model.parameters() for number in each.detach().ravel()]


def register(registry: Registry) -> None:
    """Register the library."""
    registry.libraries.add("opacus", Opacus())
