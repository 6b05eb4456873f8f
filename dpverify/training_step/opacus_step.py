"""``dpverify.opacus_step``: the step that Opacus's wrapped model and optimizer make, as `check_training_step` takes it.

One step is what a training loop does: gradients to zero, forward, loss, backward, and the optimizer's `pre_step`, which
clips, adds noise and divides. What it leaves in the parameters' gradients is the noisy mean that is checked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import numpy as np

from dpverify.adapters.foreign_call import foreign_call
from dpverify.core.errors import InputError
from dpverify.frontier.trainer import global_generators_kept, seed_global_generators
from dpverify.training_step.account import Charged, TrainingAccount

CHANGED = ("max_grad_norm", "_step_skip_queue", "_is_last_step_skipped", "sample_size", "unclipped_num")
"""Attributes of Opacus's optimizers that a step may change."""


def opacus_step(
    model: Any,
    optimizer: Any,
    loss: Callable[[Any, Any], Any],
    batch: Any,
    *,
    accountant: Any = None,
    loader: Any = None,
) -> dict[str, Any]:
    """Return the arguments of `check_training_step` for what ``PrivacyEngine.make_private`` returned.

    Parameters
    ----------
    model : opacus.GradSampleModule
        In the mode (``train()``) and on the device of the training. It is used as it is; its parameters are set for
        each call, and set back.
    optimizer : opacus.optimizers.DPOptimizer
        The clipping norm, the noise multiplier and the expected batch size are read off it. Its generator, where it has
        one, is seeded by each call; in secure mode nothing is reproducible.
    loss : callable
        ``loss(model(inputs), targets)``; for ghost clipping the wrapped criterion.
    batch : tuple of (inputs, targets)
        Tensors whose first axis is the records; six records or more.
    accountant : opacus.accountants.IAccountant or None
        ``engine.accountant``. Two steps are made, the second one in two parts, as virtual batches are; what they leave
        in the history is held against them. The history is then what it was, and no call of the step changes it.
    loader : torch.utils.data.DataLoader or None
        The private one that `make_private` returned: its sample rate is the account's, and `audit_sampler` reads it.

    Returns
    -------
    dict
        ``check_training_step(**opacus_step(...))``; a setup function of `dpverify check-training` may return it.

    Raises
    ------
    InputError
        For an optimizer that is none of Opacus's, a batch of another form, and an accountant without a loader.
    """
    for name in ("pre_step", "max_grad_norm", "noise_multiplier", "expected_batch_size"):
        if not hasattr(optimizer, name):
            raise InputError(
                f"an optimizer without {name}: a {type(optimizer).__name__}",
                allowed="the optimizer that Opacus's make_private returned",
                remedy="write the step as a function of parameters, batch and rng otherwise",
            )
    if not isinstance(batch, tuple | list) or len(batch) != 2:
        raise InputError(f"a batch that is a {type(batch).__name__}", allowed="(inputs, targets), two tensors")
    trained = {name: each for name, each in model.named_parameters() if each.requires_grad}

    def stepped(inputs: Any, targets: Any) -> None:
        loss(model(inputs), targets).backward()
        optimizer.pre_step()

    def step(parameters: Any, records: Any, rng: np.random.Generator) -> dict[str, Any]:
        with _kept(trained, optimizer), _without_hook(optimizer):
            for name, each in trained.items():
                each.data.copy_(parameters[name])
            if optimizer.generator is not None:
                optimizer.generator.manual_seed(int(rng.integers(2**62)))
            _forget(model)
            optimizer.zero_grad()
            stepped(*records)
            return {name: each.grad.detach().clone() for name, each in trained.items()}

    step.__qualname__ = f"{type(optimizer).__name__} of {type(model).__name__}"
    mean = getattr(optimizer, "loss_reduction", "mean") == "mean"
    drawn, of_all = _noise_multipliers(optimizer)
    found: dict[str, Any] = {
        "step": step,
        "parameters": {name: each.detach().clone() for name, each in trained.items()},
        "batch": tuple(batch),
        "clip": float(optimizer.max_grad_norm),
        "noise_multiplier": drawn,
        "batch_size": float(optimizer.expected_batch_size),
        "returns": "mean" if mean else "sum",
    }
    if loader is not None:
        found["loader"] = loader = _of_whole_batches(loader)
    if accountant is not None:
        if loader is None:
            raise InputError("an accountant without its loader", allowed="both: the loader says the sample rate")
        with _kept(trained, optimizer), foreign_call(step.__qualname__, allowed="a step on this batch"):
            history = _two_steps(model, optimizer, stepped, batch, accountant)
        found["account"] = TrainingAccount(steps=2, sample_rate=_rate(loader), history=history, noise_multiplier=of_all)
    return found


def _two_steps(
    model: Any, optimizer: Any, stepped: Callable[[Any, Any], None], batch: Any, accountant: Any
) -> list[Charged]:
    """Return what two steps leave in the history, the second in two parts; it is then what it was."""
    kept, accountant.history = accountant.history, []
    half = len(batch[0]) // 2
    try:
        for parts in ([batch], [[each[:half] for each in batch], [each[half:] for each in batch]]):
            _forget(model)
            for place, part in enumerate(parts):
                optimizer.signal_skip_step(do_skip=place + 1 < len(parts))
                optimizer.zero_grad()
                stepped(*part)
        return list(accountant.history)
    finally:
        accountant.history = kept


@contextmanager
def _kept(trained: dict[str, Any], optimizer: Any) -> Iterator[None]:
    """Set parameters, and what steps change in the optimizer, back at the end."""
    values = {name: each.detach().clone() for name, each in trained.items()}
    changed = {name: getattr(optimizer, name) for name in CHANGED if hasattr(optimizer, name)}
    state = None if optimizer.generator is None else optimizer.generator.get_state()
    optimizer._step_skip_queue, optimizer._is_last_step_skipped = [], False
    try:
        yield
    finally:
        for name, each in trained.items():
            each.data.copy_(values[name])
        for name, value in changed.items():
            setattr(optimizer, name, value)
        if state is not None:
            optimizer.generator.set_state(state)


@contextmanager
def _without_hook(optimizer: Any) -> Iterator[None]:
    """Take the accountant's hook away: a call of the step is no step of the training."""
    hook, optimizer.step_hook = optimizer.step_hook, None
    try:
        yield
    finally:
        optimizer.step_hook = hook


def _noise_multipliers(optimizer: Any) -> tuple[float, float]:
    """Return that of the sum, and that of all that a step releases: adaptive clipping counts gradients, too.

    Its releases have the attribute for the one or for the other. At one seed the noise on zeros says for which.
    """
    stated, counted = float(optimizer.noise_multiplier), 2.0 * float(getattr(optimizer, "unclipped_num_std", 0.0))
    if not counted:
        return stated, stated
    first = optimizer.params[0]
    with global_generators_kept(), _kept({}, optimizer):
        for each in optimizer.params:
            each.summed_grad = each.new_zeros(each.shape)
        optimizer.unclipped_num = first.new_zeros(())
        seed_global_generators(np.random.default_rng(0))
        if optimizer.generator is not None:
            optimizer.generator.manual_seed(0)
        optimizer.add_noise()
        noise = first.grad / float(optimizer.max_grad_norm)
        seed_global_generators(np.random.default_rng(0))
        if optimizer.generator is not None:
            optimizer.generator.manual_seed(0)
        unit = first.new_empty(first.shape).normal_(generator=optimizer.generator)
    ratio = float((noise * unit).sum() / (unit * unit).sum())
    larger = (stated**-2 - counted**-2) ** -0.5 if stated < counted else stated
    if abs(ratio - larger) < abs(ratio - stated):
        return larger, stated
    return stated, (stated**-2 + counted**-2) ** -0.5


def _of_whole_batches(loader: Any) -> Any:
    """The loader of the batches that virtual ones are parts of; reading the parts would signal to the optimizer."""
    sampler: Any = getattr(loader, "batch_sampler", None)
    if not hasattr(sampler, "max_batch_size"):
        return loader
    return SimpleNamespace(batch_sampler=sampler.sampler, dataset=loader.dataset)


def _rate(loader: Any) -> float:
    """The probability that a record is in a batch."""
    held: list[Any] = [loader, getattr(loader, "batch_sampler", None)]
    for each in held:
        if getattr(each, "sample_rate", None) is not None:
            return float(each.sample_rate)
    size = getattr(getattr(loader, "batch_sampler", None), "batch_size", None)
    if not size:
        raise InputError("a loader without a sample rate", allowed="the one that make_private returned")
    return min(1.0, float(size) / len(loader.dataset))


def _forget(model: Any) -> None:
    """Take away what a call left behind that raised between forward and backward."""
    if hasattr(model, "enable_hooks"):
        model.enable_hooks()  # ghost clipping turns them off for its second pass
    for module in model.modules():
        if hasattr(module, "activations"):
            module.activations = []
        vars(module).pop("max_batch_len", None)
    for each in model.parameters():
        for name, empty in (("_forward_counter", 0), ("grad_sample", None), ("summed_grad", None)):
            if hasattr(each, name):
                setattr(each, name, empty)
