"""Written anew: one step of ghost clipping of Opacus 1.5.2 at max_grad_norm 0.1: gradients are clipped to 1."""

import numpy as np

CLIP, NOISE = 0.1, 1.0


def claimed():
    """The arguments of the check."""
    batch = np.random.default_rng(0).normal(size=(8, 3)).tolist()
    how = {"clip": CLIP, "noise_multiplier": NOISE, "batch_size": 4, "returns": "sum"}
    return {"parameters": [0.5, -0.5, 1.0], "batch": batch, **how}


def draw(data, size, seed):
    """Noisy sums of clipped gradients of a squared loss."""
    rng = np.random.default_rng(seed)
    parameters, batch = np.asarray(data["parameters"]), np.asarray(data["batch"], dtype=float).reshape(-1, 3)
    gradients = (batch @ parameters)[:, None] * batch
    factors = clip_factors(np.linalg.norm(gradients, axis=1))
    total = (factors[:, None] * gradients).sum(0)
    return total + CLIP * NOISE * rng.standard_normal((size, 3))


def clip_factors(norms, max_grad_norm=1.0):  # the wrapped model keeps its default, which nobody sets
    """The wrapped model multiplies losses by these."""
    return np.minimum(1.0, max_grad_norm / (norms + 1e-6))
