"""Right set-ups: steps that are as they claim, in all the forms that people write them in."""

import random

import numpy as np

from tests.training_step.models import (
    BIASED,
    CLASSES,
    FEATURES,
    LABELS,
    MLP,
    RNG,
    SEQUENCES,
    TABLE,
    TARGETS,
    TOKENS,
    WEIGHTS,
    biased,
    clipped,
    dp,
    factors_of,
    linear,
    logistic,
    mlp,
    noise,
    noisy,
    softmax,
    summed,
    tokens,
)

CLAIM = {"clip": 1.0, "noise_multiplier": 1.0, "batch_size": 8}


def plain(weights, batch, rng):
    total = clipped(logistic(weights, batch)).sum(0)
    return total + noise(rng, total)


def mean(weights, batch, rng):
    total = clipped(logistic(weights, batch)).sum(0)
    return (total + noise(rng, total)) / 8


def noise_on_the_mean(weights, batch, rng):
    total = clipped(linear(weights, batch), 0.5).sum(0) / 8
    return total + noise(rng, total, 2.0 * 0.5 / 8)


def new_parameters(weights, batch, rng):
    return weights - 0.1 * mean(weights, batch, rng)


def in_place_with_weight_decay(weights, batch, rng):
    weights -= 0.1 * (mean(weights, batch, rng) + 0.01 * weights)


def record_by_record(parameters, batch, rng):
    features, labels = batch
    total = {name: np.zeros_like(each) for name, each in parameters.items()}
    for record in range(len(features)):
        own = biased(parameters, (features[record : record + 1], labels[record : record + 1]))
        for name in total:
            total[name] += summed(own, factors_of(own))[name]
    return noisy(total, rng)


def network(parameters, batch, rng):
    return dp(mlp(parameters, batch), rng)


def in_single_precision(parameters, batch, rng):
    gradients = {name: each.astype(np.float32) for name, each in mlp(parameters, batch).items()}
    factors = factors_of(gradients).astype(np.float32)
    return {
        name: each + rng.standard_normal(each.shape, dtype=np.float32)
        for name, each in summed(gradients, factors).items()
    }


def single_inside(weights, batch, rng):
    """Single precision inside, doubles outside: nothing outside tells it."""
    inside = clipped(logistic(weights.astype(np.float32), [each.astype(np.float32) for each in batch]))
    return inside.sum(0).astype(float) + noise(rng, weights)


def single_parameters(weights, batch, rng):
    return (weights - np.float32(0.1) * mean(weights, batch, rng).astype(np.float32)).astype(np.float32)


def half(values):
    """Numbers rounded to bfloat16, kept in float32."""
    bits = np.asarray(values, dtype=np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000).astype(np.uint32).view(np.float32)


def in_bfloat16(weights, batch, rng):
    """Every operation is rounded to bfloat16."""
    features, labels = (half(each) for each in batch)
    residual = half(half(sigmoid32(half(features @ half(weights)))) - labels)
    gradients = half(residual[:, None] * features)
    length = half(np.sqrt(half((gradients**2).sum(1, keepdims=True))))
    total = half(half(gradients * half(np.minimum(1, 1 / np.maximum(length, 1e-6)))).sum(0))
    return half(total + half(noise(rng, total)))


def sigmoid32(values):
    return (1 / (1 + np.exp(-values.astype(float)))).astype(np.float32)


def mixed_precision(parameters, batch, rng):
    """Gradients in bfloat16, clipped and added in float32."""
    gradients = {name: half(each) for name, each in mlp(parameters, (half(batch[0]), batch[1])).items()}
    sums = summed(gradients, factors_of(gradients))
    return {name: (each + noise(rng, each)).astype(np.float32) for name, each in sums.items()}


def bfloat16_mean(weights, batch, rng):
    return half(in_bfloat16(weights, batch, rng) / 8)


def bfloat16_accumulated(weights, batch, rng):
    total = np.zeros(5, dtype=np.float32)
    for start in range(0, len(batch[0]), 4):
        part = [half(each[start : start + 4]) for each in batch]
        total = half(total + half(clipped(half(logistic(half(weights), part))).sum(0)))
    return half(total + half(noise(rng, total)))


def bfloat16_frozen(parameters, batch, rng):
    gradients = {name: half(each) for name, each in biased(parameters, batch).items()}
    gradients["weight"] *= 0
    return {name: half(each) for name, each in dp(gradients, rng).items()}


def tied(weights, batch, rng):
    """One matrix is used twice; its gradient is the sum of both uses, and is clipped as such."""
    features, _ = batch
    inner = features @ weights.T
    errors = inner @ weights - features
    first = np.einsum("nk,nd->nkd", errors @ weights.T, features)
    second = np.einsum("nk,nd->nkd", inner, errors)
    return dp({"": first + second}, rng)[""]


def frozen(parameters, batch, rng):
    """The first layer gets neither gradient nor noise."""
    gradients = mlp(parameters, batch)
    trained = {name: gradients[name] for name in ("in_bias", "out")}
    return {"in": np.zeros_like(parameters["in"])} | dp(trained, rng)


def frozen_new_parameters(parameters, batch, rng):
    gradients = mlp(parameters, batch)
    sums = dp({"out": gradients["out"]}, rng)
    return parameters | {"out": parameters["out"] - 0.05 * sums["out"] / 8}


def only_the_adapter(parameters, batch, rng):
    """LoRA: the sum has the numbers of the adapter alone."""
    features, labels = batch
    (base, down, up) = parameters
    weight = base + down @ up
    errors = softmax(features @ weight) - np.eye(3)[labels.astype(int)]
    outer = features[:, :, None] * errors[:, None, :]
    return dp({"down": outer @ up.T, "up": np.einsum("dr,ndk->nrk", down, outer)}, rng)


def accumulated(weights, batch, rng):
    features, labels = batch
    total = np.zeros(5)
    for start in range(0, len(features), 3):
        total += clipped(logistic(weights, (features[start : start + 3], labels[start : start + 3]))).sum(0)
    return (total + noise(rng, total)) / 8


def virtual_batches(parameters, batch, rng):
    features, labels = batch
    held = {name: np.zeros_like(each) for name, each in parameters.items()}
    parts = max(1, -(-len(features) // 4))
    for rows in np.array_split(np.arange(len(features)), parts):
        own = mlp(parameters, (features[rows], labels[rows]))
        held = {name: held[name] + each for name, each in summed(own, factors_of(own)).items()}
    return noisy(held, rng)


def several_workers(weights, batch, rng):
    """Each of four workers adds half of the noise."""
    total = np.zeros(5)
    for worker in range(4):
        own = clipped(logistic(weights, [each[worker::4] for each in batch])).sum(0)
        total += own + noise(rng, own, 0.5)
    return total


def dict_of_lists(parameters, batch, rng):
    gradients = biased({"weight": parameters["net"][0], "bias": parameters["net"][1]}, (batch["x"], batch["y"]))
    sums = dp(gradients, rng)
    return {"net": [sums["weight"], sums["bias"]]}


def list_of_records(weights, batch, rng):
    total = np.zeros(5)
    for features, label in batch:
        total += clipped(logistic(weights, (np.asarray(features)[None], np.array([label])))).sum(0)
    return total + noise(rng, total)


def token_data(parameters, batch, rng):
    return dp(tokens(parameters, batch), rng)


def per_layer(parameters, batch, rng):
    """Each layer has a clipping norm of its own; the squares of all add up to the claimed one."""
    gradients = mlp(parameters, batch)
    sums = {}
    for name, share in (("in", 0.6), ("in_bias", 0.3), ("out", 0.55**0.5)):
        own = {name: gradients[name]}
        sums |= summed(own, factors_of(own, share))
    return noisy(sums, rng)


def scaled_loss(weights, batch, rng):
    """The loss is scaled up, and gradients are scaled down again before they are clipped."""
    gradients = logistic(weights, batch) * 1024.0 / 1024.0
    return dp({"": gradients}, rng)[""]


def normalised(weights, batch, rng):
    """Automatic clipping: every gradient has a norm a little below the clipping norm."""
    gradients = logistic(weights, batch)
    total = (gradients / (np.linalg.norm(gradients, axis=1, keepdims=True) + 0.01)).sum(0)
    return total + noise(rng, total)


def layer_norm(parameters, batch, rng):
    """Each record is normalised by itself."""
    features, labels = batch
    centred = features - features.mean(1, keepdims=True)
    return dp(mlp(parameters, (centred / np.sqrt(centred.var(1, keepdims=True) + 1e-5), labels)), rng)


def global_generator(weights, batch, rng):
    total = clipped(logistic(weights, batch)).sum(0)
    return total + np.random.normal(size=5)  # noqa: NPY002 - as old code does


def pythons_generator(weights, batch, rng):
    total = clipped(logistic(weights, batch)).sum(0)
    return total + np.array([random.gauss(0, 1) for _ in total])


def spawned_generators(parameters, batch, rng):
    gradients = mlp(parameters, batch)
    sums = summed(gradients, factors_of(gradients))
    children = rng.spawn(len(sums))
    return {name: each + noise(child, each) for child, (name, each) in zip(children, sums.items(), strict=True)}


def not_finite_dropped(weights, batch, rng):
    gradients = logistic(weights, batch)
    gradients = np.where(np.isfinite(gradients).all(1, keepdims=True), gradients, 0.0)
    return clipped(gradients).sum(0) + noise(rng, weights)


def masked(weights, batch, rng):
    """Records have a weight of 0 or 1, applied after clipping."""
    features, labels, mask = batch
    return (clipped(logistic(weights, (features, labels))) * mask[:, None]).sum(0) + noise(rng, weights)


def user_level_groups(weights, batch, rng):
    """A record is a user with three rows, whose mean gradient is clipped."""
    each = [linear(weights, (user[:, :5], user[:, 5])).mean(0) for user in batch]
    total = clipped(np.array(each).reshape(-1, 5)).sum(0)
    return total + noise(rng, total)


CLASSED = (FEATURES, CLASSES)
PAIRS = list(zip(FEATURES.tolist(), LABELS.tolist(), strict=True))
NET = {"net": [BIASED["weight"], BIASED["bias"]]}
LORA = (RNG.normal(size=(5, 3)), RNG.normal(size=(5, 2)), RNG.normal(size=(2, 3)))
SINGLE = {name: each.astype(np.float32) for name, each in MLP.items()}
W32, F32 = WEIGHTS.astype(np.float32), FEATURES.astype(np.float32)
USERS = RNG.normal(size=(8, 3, 6))
SQUARE = 0.4 * RNG.normal(size=(3, 5))
PER_STEP = {"returns": "parameters", "learning_rate": 0.1}

RIGHT = [
    (plain, WEIGHTS, TABLE, {}),
    (mean, WEIGHTS, TABLE, {"returns": "mean"}),
    (noise_on_the_mean, WEIGHTS, (FEATURES, TARGETS), {"returns": "mean", "clip": 0.5, "noise_multiplier": 2.0}),
    (new_parameters, WEIGHTS, TABLE, PER_STEP),
    (in_place_with_weight_decay, WEIGHTS, TABLE, PER_STEP),
    (record_by_record, BIASED, TABLE, {}),
    (network, MLP, CLASSED, {}),
    (in_single_precision, SINGLE, (F32, CLASSES), {}),
    (single_inside, WEIGHTS, TABLE, {}),
    (single_parameters, W32, (F32, LABELS), PER_STEP),
    (in_bfloat16, W32, TABLE, {}),
    (mixed_precision, SINGLE, (F32, CLASSES), {"rounding": 2.0**-8}),
    (bfloat16_mean, W32, TABLE, {"returns": "mean"}),
    (bfloat16_accumulated, W32, TABLE, {}),
    (bfloat16_frozen, BIASED, TABLE, {}),
    (tied, SQUARE, (FEATURES, LABELS), {}),
    (frozen, MLP, CLASSED, {}),
    (frozen_new_parameters, MLP, CLASSED, {"returns": "parameters", "learning_rate": 0.05}),
    (only_the_adapter, LORA, CLASSED, {}),
    (accumulated, WEIGHTS, TABLE, {"returns": "mean"}),
    (virtual_batches, MLP, CLASSED, {}),
    (several_workers, WEIGHTS, TABLE, {}),
    (dict_of_lists, NET, {"x": FEATURES, "y": LABELS}, {}),
    (list_of_records, WEIGHTS, PAIRS, {}),
    (token_data, SEQUENCES, (TOKENS, CLASSES), {}),
    (per_layer, MLP, CLASSED, {}),
    (scaled_loss, WEIGHTS, TABLE, {}),
    (normalised, WEIGHTS, TABLE, {}),
    (layer_norm, MLP, CLASSED, {}),
    (global_generator, WEIGHTS, TABLE, {}),
    (pythons_generator, WEIGHTS, TABLE, {}),
    (spawned_generators, MLP, CLASSED, {}),
    (not_finite_dropped, WEIGHTS, TABLE, {}),
    (masked, WEIGHTS, (*TABLE, np.array([1.0, 0, 1, 1, 1, 0, 1, 1])), {}),
    (user_level_groups, WEIGHTS, USERS, {}),
]
"""Step, parameters, batch, and what differs from `CLAIM`."""
