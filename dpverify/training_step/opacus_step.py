"""``dpverify.opacus_step``: the step that Opacus's wrapped model and optimizer make, as `check_training_step` takes it.

One step is what a training loop does: gradients to zero, forward, loss, backward, and the optimizer's `pre_step`, which
clips, adds noise and divides. What it leaves in the parameters' gradients is the noisy mean that is checked.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dpverify.core.errors import InputError


def opacus_step(model: Any, optimizer: Any, loss: Callable[[Any, Any], Any], batch: Any) -> dict[str, Any]:
    """Return the arguments of `check_training_step` for what ``PrivacyEngine.make_private`` returned.

    Parameters
    ----------
    model : opacus.GradSampleModule
        In the mode (``train()``) and on the device of the training. It is used as it is; its parameters are set anew
        for each call.
    optimizer : opacus.optimizers.DPOptimizer
        The clipping norm, the noise multiplier and the expected batch size are read off it. Its generator, where it has
        one, is seeded by each call; in secure mode nothing is reproducible.
    loss : callable
        ``loss(model(inputs), targets)``; for ghost clipping the wrapped criterion.
    batch : tuple of (inputs, targets)
        Tensors whose first axis is the records; six records or more.

    Returns
    -------
    dict
        ``check_training_step(**opacus_step(...))``; a setup function of `dpverify check-training` may return it.

    Raises
    ------
    InputError
        For an optimizer that is none of Opacus's, and for a batch of another form.
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

    def step(parameters: Any, records: Any, rng: np.random.Generator) -> dict[str, Any]:
        for name, each in trained.items():
            each.data.copy_(parameters[name])
        if optimizer.generator is not None:
            optimizer.generator.manual_seed(int(rng.integers(2**62)))
        _forget(model)
        optimizer.zero_grad()
        inputs, targets = records
        loss(model(inputs), targets).backward()
        optimizer.pre_step()
        return {name: each.grad.detach().clone() for name, each in trained.items()}

    step.__qualname__ = f"{type(optimizer).__name__} of {type(model).__name__}"
    mean = getattr(optimizer, "loss_reduction", "mean") == "mean"
    return {
        "step": step,
        "parameters": {name: each.detach().clone() for name, each in trained.items()},
        "batch": tuple(batch),
        "clip": float(optimizer.max_grad_norm),
        "noise_multiplier": float(optimizer.noise_multiplier),
        "batch_size": float(optimizer.expected_batch_size),
        "returns": "mean" if mean else "sum",
    }


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
