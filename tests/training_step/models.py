"""Small models with their records' gradients, in NumPy: what right steps and broken ones are made of."""

import numpy as np

RNG = np.random.default_rng(20)
FEATURES = RNG.normal(size=(8, 5))
LABELS = (RNG.random(8) < 0.5).astype(float)
TARGETS = RNG.normal(size=8)
TABLE = (FEATURES, LABELS)
WEIGHTS = 0.5 * RNG.normal(size=5)
TOKENS = RNG.integers(1, 12, size=(8, 6))
CLASSES = RNG.integers(0, 3, size=8)


def sigmoid(values):
    return 1.0 / (1.0 + np.exp(-values))


def logistic(weights, batch):
    """Gradients of shape (n, 5)."""
    features, labels = batch
    return (sigmoid(features @ weights) - labels)[:, None] * features


def linear(weights, batch):
    features, targets = batch
    return (features @ weights - targets)[:, None] * features


def clipped(gradients, clip=1.0):
    """Rows of norm `clip` at most."""
    norms = np.linalg.norm(gradients, axis=1, keepdims=True)
    return gradients * np.minimum(1.0, clip / np.maximum(norms, 1e-12))


def noise(rng, like, scale=1.0):
    return rng.normal(0.0, scale, size=np.shape(like))


def softmax(scores):
    shifted = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return shifted / shifted.sum(axis=-1, keepdims=True)


BIASED = {"weight": 0.5 * RNG.normal(size=5), "bias": np.array([0.2])}


def biased(parameters, batch):
    """Gradients of a logistic model with a bias: a dict of arrays whose first axis is the records."""
    features, labels = batch
    residual = sigmoid(features @ parameters["weight"] + parameters["bias"]) - labels
    return {"weight": residual[:, None] * features, "bias": residual[:, None]}


MLP = {"in": RNG.normal(size=(5, 4)), "in_bias": 0.1 * RNG.normal(size=4), "out": RNG.normal(size=(4, 3))}


def mlp(parameters, batch):
    """Gradients of a net with one hidden layer (tanh) and softmax, labels whole numbers."""
    features, labels = batch
    hidden = np.tanh(features @ parameters["in"] + parameters["in_bias"])
    errors = softmax(hidden @ parameters["out"]) - np.eye(3)[labels.astype(int)]
    back = (errors @ parameters["out"].T) * (1.0 - hidden**2)
    return {
        "in": features[:, :, None] * back[:, None, :],
        "in_bias": back,
        "out": hidden[:, :, None] * errors[:, None, :],
    }


SEQUENCES = {"embedding": RNG.normal(size=(12, 4)), "weight": RNG.normal(size=(4, 3)), "bias": np.zeros(3)}


def tokens(parameters, batch, *, ignored=0):
    """Gradients of an embedding, a linear layer on each token and softmax; the record's own mean over its tokens."""
    words, classes = batch
    n = len(words)
    vectors = parameters["embedding"][words]
    errors = softmax(vectors @ parameters["weight"] + parameters["bias"]) - np.eye(3)[classes][:, None, :]
    mask = (words != ignored).astype(float)
    errors *= (mask / np.maximum(mask.sum(1, keepdims=True), 1.0))[:, :, None]
    back = errors @ parameters["weight"].T
    embedding = np.zeros((n, *parameters["embedding"].shape))
    for record in range(n):
        np.add.at(embedding[record], words[record], back[record])
    weight = np.einsum("nld,nlk->ndk", vectors, errors)
    return {"embedding": embedding, "weight": weight, "bias": errors.sum(1)}


def norms(gradients):
    """The norm of each record's gradients, all arrays together."""
    return np.sqrt(sum((each**2).sum(axis=tuple(range(1, each.ndim))) for each in gradients.values()))


def summed(gradients, factors):
    """Sums over records, each times its factor."""
    return {name: np.tensordot(factors, each, axes=(0, 0)) for name, each in gradients.items()}


def factors_of(gradients, clip=1.0):
    return np.minimum(1.0, clip / np.maximum(norms(gradients), 1e-12))


def noisy(sums, rng, scale=1.0):
    return {name: each + noise(rng, each, scale) for name, each in sums.items()}


def dp(gradients, rng, clip=1.0, multiplier=1.0):
    """The noisy sum of clipped gradients."""
    return noisy(summed(gradients, factors_of(gradients, clip)), rng, multiplier * clip)
