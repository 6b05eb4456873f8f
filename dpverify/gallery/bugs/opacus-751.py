"""Written anew: one step of ghost clipping for a linear layer with a bias on tokens, as Opacus 1.5.3 takes its norms.

A record has forty tokens, each with an input and a target; the loss is the mean over tokens.
"""

import numpy as np

TOKENS, CLIP, NOISE = 40, 1.0, 1.0


def claimed():
    """The arguments of the check."""
    batch = np.random.default_rng(0).normal((0.0, 5.0), size=(8, TOKENS, 2))
    how = {"clip": CLIP, "noise_multiplier": NOISE, "batch_size": 4, "returns": "sum"}
    return {"parameters": [0.5, 0.0], "batch": batch.tolist(), **how}


def draw(data, size, seed):
    """Noisy sums of clipped gradients of weight and bias."""
    rng = np.random.default_rng(seed)
    weight, bias = data["parameters"]
    tokens = np.asarray(data["batch"], dtype=float).reshape(-1, TOKENS, 2)
    inputs, targets = tokens[..., 0], tokens[..., 1]
    slopes = (weight * inputs + bias - targets) / TOKENS  # of the loss by each token's output
    products = slopes[:, :, None] * slopes[:, None, :]
    of_weight = (products * inputs[:, :, None] * inputs[:, None, :]).sum((1, 2))  # squared, and right
    of_bias = np.square(products).sum((1, 2)) ** 0.5  # should be the square root of the products' sum
    factors = np.minimum(1.0, CLIP / (np.sqrt(np.maximum(of_weight, 0.0) + of_bias**2) + 1e-6))
    gradients = np.stack([(slopes * inputs).sum(1), slopes.sum(1)], axis=1)
    total = (factors[:, None] * gradients).sum(0)
    return total + CLIP * NOISE * rng.standard_normal((size, 2))
