"""Twins: right steps with one bug each, of a thread or release that is named, written anew in a few lines.

Each has the row that must refute it. Threads: opacus, jax_privacy (``jax``), tensorflow/privacy (``tfp``), jax-ml/jax.
"""

import numpy as np

from tests.training_step.models import (
    BIASED,
    CLASSES,
    FEATURES,
    LABELS,
    MLP,
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
    norms,
    sigmoid,
    softmax,
    summed,
    tokens,
)
from tests.training_step.right_steps import CLASSED, LORA, PER_STEP, SQUARE


def opacus_571_divisor_is_the_realised_batch(weights, batch, rng):
    total = clipped(logistic(weights, batch)).sum(0)
    return total / max(len(batch[0]), 1) + noise(rng, total, 1 / 8)


def opacus_819_sum_and_noise_over_the_realised_batch(weights, batch, rng):
    total = clipped(logistic(weights, batch)).sum(0)
    return (total + noise(rng, total)) / max(len(batch[0]), 1)


def clip_grad_norm_after_backward(weights, batch, rng):
    """The mean gradient is clipped, not each record's."""
    total = linear(weights, batch).sum(0)
    total = total * min(1.0, 1.0 / max(np.linalg.norm(total), 1e-12))
    return total + noise(rng, total)


def jax_pitfall_noise_before_clipping(weights, batch, rng):
    gradients = logistic(weights, batch)
    return clipped(gradients + noise(rng, gradients)).sum(0)


def noise_on_the_clipped_sum_is_clipped_again(weights, batch, rng):
    total = clipped(logistic(weights, batch)).sum(0)
    total = total + noise(rng, total)
    return total * min(1.0, 1.0 / np.linalg.norm(total))


def tfp_620_microbatches_are_clipped(weights, batch, rng):
    """Means of microbatches of two are clipped; each counts for two records."""
    gradients = linear(weights, batch)
    parts = [gradients[start : start + 2].mean(0) for start in range(0, len(gradients), 2)]
    total = 2 * clipped(np.array(parts).reshape(-1, 5)).sum(0)
    return total + noise(rng, total)


def opacus_734_every_worker_adds_all_of_the_noise(weights, batch, rng):
    total = np.zeros(5)
    for worker in range(2):
        own = clipped(logistic(weights, [each[worker::2] for each in batch])).sum(0)
        total += own + noise(rng, own)
    return total


def opacus_736_noise_on_one_rank_of_two(weights, batch, rng):
    """Ranks are meant to add 1 / sqrt(2) of the noise each; one of them does."""
    total = clipped(logistic(weights, batch)).sum(0)
    return total + noise(rng, total, 0.5**0.5)


def noise_once_for_each_microbatch(weights, batch, rng):
    features, labels = batch
    total = noise(rng, WEIGHTS, 3.0)
    for start in range(len(features)):
        own = clipped(logistic(weights, (features[start : start + 1], labels[start : start + 1]))).sum(0)
        total = total + own + (noise(rng, own, 3.0) if start else 0.0)
    return total


def noise_scaled_by_the_realised_batch(weights, batch, rng):
    total = clipped(logistic(weights, batch)).sum(0)
    return total + noise(rng, total, len(batch[0]) / 8)


def seed_fixed_inside_the_step(weights, batch, rng):
    total = clipped(logistic(weights, batch)).sum(0)
    return total + noise(np.random.default_rng(0), total)


def noise_of_one_seed_for_all_steps(weights, batch, rng):
    """The seed of the generator is used, not its state: every step has the same noise."""
    total = clipped(logistic(weights, batch)).sum(0)
    return total + noise(np.random.default_rng(rng.bit_generator.seed_seq), total)


def one_of_two_shares_of_the_noise_is_of_the_seed(weights, batch, rng):
    total = clipped(logistic(weights, batch)).sum(0)
    again = np.random.default_rng(rng.bit_generator.seed_seq)
    return total + noise(again, total, 0.8) + noise(rng.spawn(1)[0], total, 0.6)


def a_block_of_eight_draws_is_used_twice(weights, batch, rng):
    """A buffer of noise is filled again from its start, far behind the first numbers of the array."""
    total = clipped(logistic(weights, batch)).sum(0)
    drawn = noise(rng, total)
    drawn[1_500:1_508] = drawn[700:708]
    return total + drawn


class GeneratorStartsAnewAfterLoading:
    """The noise comes from a generator of the step's own, made of the seed again when the training is resumed."""

    __qualname__ = "opacus_checkpoint_without_the_state_of_the_generator"
    __name__ = __qualname__

    def __init__(self):
        self.rng = self.noise = None

    def __call__(self, weights, batch, rng):
        if self.rng is not rng:
            self.rng, self.noise = rng, np.random.default_rng(rng.bit_generator.seed_seq)
        total = clipped(logistic(weights, batch)).sum(0)
        return total + noise(self.noise, total)


def jax_3646_one_key_for_all_parameters(parameters, batch, rng):
    gradients = mlp(parameters, batch)
    key = int(rng.integers(2**31))
    sums = summed(gradients, factors_of(gradients))
    return {name: each + noise(np.random.default_rng(key), each) for name, each in sums.items()}


def one_draw_for_all_numbers(weights, batch, rng):
    return clipped(logistic(weights, batch)).sum(0) + rng.normal()


def opacus_707_norm_without_the_bias(parameters, batch, rng):
    gradients = biased(parameters, batch)
    return noisy(summed(gradients, factors_of({"weight": gradients["weight"]})), rng)


def opacus_751_norm_of_a_bias_on_token_data(parameters, batch, rng):
    """Squares are added over tokens, where the sum over tokens is to be squared."""
    words, classes = batch
    gradients = tokens(parameters, batch)
    vectors = parameters["embedding"][words]
    errors = softmax(vectors @ parameters["weight"] + parameters["bias"]) - np.eye(3)[classes][:, None, :]
    wrong = (errors**2).sum((1, 2)) / words.shape[1] ** 2
    square = norms({name: gradients[name] for name in ("embedding", "weight")}) ** 2 + wrong
    return noisy(summed(gradients, np.minimum(1.0, 0.1 / np.sqrt(square))), rng, 0.1)


def opacus_664_clip_norm_is_not_passed_on(weights, batch, rng):
    """The clipping norm stays 1, whatever was asked for; the noise has the claimed one."""
    total = clipped(logistic(weights, batch), 1.0).sum(0)
    return total + noise(rng, total, 0.1)


def norm_over_the_batch(weights, batch, rng):
    gradients = linear(weights, batch)
    total = (gradients * min(1.0, 1.0 / max(np.linalg.norm(gradients), 1e-12))).sum(0)
    return total + noise(rng, total)


def largest_norm_of_the_batch(weights, batch, rng):
    gradients = linear(weights, batch)
    largest = np.max(np.linalg.norm(gradients, axis=1), initial=1e-12)
    return (gradients / max(largest, 1.0)).sum(0) + noise(rng, weights)


def factor_max_in_the_place_of_min(weights, batch, rng):
    gradients = linear(weights, batch)
    factors = np.maximum(1.0, 1.0 / np.maximum(np.linalg.norm(gradients, axis=1, keepdims=True), 1e-12))
    return (gradients * factors).sum(0) + noise(rng, weights)


def each_number_is_clipped(weights, batch, rng):
    return np.clip(linear(weights, batch), -1.0, 1.0).sum(0) + noise(rng, weights)


def jax_pitfall_batch_norm(parameters, batch, rng):
    features, labels = batch
    if len(features):
        features = (features - features.mean(0)) / np.sqrt(features.var(0) + 1e-5)
    return dp(mlp(parameters, (features, labels)), rng)


def jax_pitfall_experts_with_a_capacity(weights, batch, rng):
    """Records beyond an expert's capacity of two get no gradient."""
    features = batch[0]
    chosen = (features[:, 0] > 0).astype(int)
    before = np.array([np.sum(chosen[:place] == chosen[place]) for place in range(len(chosen))], dtype=int)
    return (clipped(logistic(weights, batch)) * (before < 2)[:, None]).sum(0) + noise(rng, weights)


def opacus_792_mask_across_records(parameters, batch, rng):
    """The loss is divided by the tokens of the whole batch that are not ignored, after clipping."""
    words, _ = batch
    gradients = tokens(parameters, batch)
    shares = (words != 0).sum(1) / max((words != 0).sum(), 1) * 8
    return noisy(summed(gradients, factors_of(gradients) * shares), rng)


def parameter_group_without_noise(parameters, batch, rng):
    sums = dp(biased(parameters, batch), rng)
    gradients = biased(parameters, batch)
    return {**sums, "bias": summed(gradients, factors_of(gradients))["bias"]}


def opacus_820_adapter_outside_of_clipping(parameters, batch, rng):
    """LoRA: one of two matrices is not registered, and neither clipped nor counted."""
    features, labels = batch
    base, down, up = parameters
    errors = softmax(features @ (base + down @ up)) - np.eye(3)[labels.astype(int)]
    outer = features[:, :, None] * errors[:, None, :]
    second = np.einsum("dr,ndk->nrk", down, outer)
    return {**dp({"down": outer @ up.T}, rng), "up": second.sum(0) + noise(rng, up)}


def learning_rate_inside_the_noise(weights, batch, rng):
    total = clipped(logistic(weights, batch)).sum(0)
    return weights - 0.1 * (total + noise(rng, total, 0.1)) / 8


def opacus_bmm_loses_all_but_the_last_virtual_batch(weights, batch, rng):
    features, labels = batch
    total = np.zeros(5)
    for start in range(0, len(features), 4):
        total = clipped(logistic(weights, (features[start : start + 4], labels[start : start + 4]))).sum(0)
    return total + noise(rng, total)


def accumulated_and_then_clipped(weights, batch, rng):
    """Gradients of four records are added before they are clipped."""
    gradients = linear(weights, batch)
    parts = [gradients[start : start + 4].sum(0) for start in range(0, len(gradients), 4)]
    total = clipped(np.array(parts).reshape(-1, 5)).sum(0)
    return total + noise(rng, total)


def tied_weights_counted_one_by_one(weights, batch, rng):
    features, _ = batch
    inner = features @ weights.T
    errors = inner @ weights - features
    first = np.einsum("nk,nd->nkd", errors @ weights.T, features)
    second = np.einsum("nk,nd->nkd", inner, errors)
    factors = factors_of({"first": first, "second": second})
    return noisy(summed({"": first + second}, factors), rng)[""]


def opacus_806_an_empty_batch_raises(weights, batch, rng):
    if not len(batch[0]):
        raise ValueError("expected a batch")
    total = clipped(logistic(weights, batch)).sum(0)
    return total + noise(rng, total)


def jax_pitfall_an_empty_batch_is_skipped(weights, batch, rng):
    total = clipped(logistic(weights, batch)).sum(0)
    return total + noise(rng, total) if len(batch[0]) else total


def opacus_753_noise_multiplier_taken_for_the_scale(weights, batch, rng):
    total = clipped(logistic(weights, batch), 5.0).sum(0)
    return total + noise(rng, total, 1.0)


def variance_taken_for_the_scale(weights, batch, rng):
    total = clipped(logistic(weights, batch), 0.5).sum(0)
    return total + noise(rng, total, 0.25)


def every_layer_has_the_whole_norm(parameters, batch, rng):
    gradients = mlp(parameters, batch)
    sums = {}
    for name in gradients:
        own = {name: gradients[name]}
        sums |= summed(own, factors_of(own))
    return noisy(sums, rng)


def opacus_740_unscaled_after_the_noise(weights, batch, rng):
    """The loss is scaled by 128, clipped and noised at the scaled norm of 1, and unscaled at the end."""
    total = clipped(logistic(weights, batch) * 128.0).sum(0)
    return (total + noise(rng, total)) / 128.0


def opacus_757_threshold_follows_the_batch(weights, batch, rng):
    """Adaptive clipping at the median norm of this batch, without noise of its own."""
    gradients = linear(weights, batch)
    length = np.linalg.norm(gradients, axis=1)
    limit = min(1.0, float(np.median(length))) if len(length) else 1.0
    return clipped(gradients, limit).sum(0) + noise(rng, weights)


def jax_290_noise_follows_the_sensitivity_of_the_data(weights, batch, rng):
    gradients = clipped(logistic(weights, batch))
    largest = np.max(np.linalg.norm(gradients, axis=1), initial=0.0)
    return gradients.sum(0) + noise(rng, weights, largest)


def infinite_gradients_are_made_finite_after_clipping(weights, batch, rng):
    gradients = clipped(logistic(weights, batch))
    return np.nan_to_num(gradients, nan=1e3).sum(0) + noise(rng, weights)


def softmax_without_a_shift(weights, batch, rng):
    """Large inputs overflow, and the released numbers are NaN."""
    features, labels = batch
    powers = np.exp(features @ weights)
    gradients = (powers / (1.0 + powers) - labels)[:, None] * features
    return clipped(gradients).sum(0) + noise(rng, weights)


def class_weights_after_clipping(weights, batch, rng):
    gradients = clipped(logistic(weights, batch)) * np.where(batch[1] > 0.5, 3.0, 1.0)[:, None]
    return gradients.sum(0) + noise(rng, weights)


def opacus_783_norm_of_the_last_token(parameters, batch, rng):
    """Of a recurrent layer only the last time step counts in the norm."""
    gradients = tokens(parameters, batch)
    words, classes = batch
    last = tokens(parameters, (words[:, -1:], classes))
    square = norms(last) / words.shape[1]
    return noisy(summed(gradients, np.minimum(1.0, 0.05 / np.maximum(square, 1e-12))), rng, 0.05)


def noise_where_the_batch_has_tokens(parameters, batch, rng):
    """Sparse embeddings: rows that no record of the batch uses get no noise."""
    sums = dp(tokens(parameters, batch), rng)
    used = np.zeros(12, dtype=bool)
    used[np.unique(batch[0])] = True
    return {**sums, "embedding": sums["embedding"] * used[:, None]}


def one_record_twice_in_the_sum(weights, batch, rng):
    """The first record is padded into every virtual batch of four."""
    features, labels = batch
    total = clipped(logistic(weights, batch)).sum(0)
    for _ in range(4, len(features), 4):
        total = total + clipped(logistic(weights, (features[:1], labels[:1]))).sum(0)
    return total + noise(rng, total)


def weights_of_the_loss_over_the_batch(weights, batch, rng):
    """Classes are weighted by how rare they are in this batch."""
    features, labels = batch
    rare = np.where(
        labels > 0.5, np.mean(1.0 - labels) if len(labels) else 1.0, np.mean(labels) if len(labels) else 1.0
    )
    gradients = clipped((sigmoid(features @ weights) - labels)[:, None] * features) * 2 * rare[:, None]
    return gradients.sum(0) + noise(rng, weights)


PLAIN = (WEIGHTS, TABLE)
REGRESSION = (WEIGHTS, (FEATURES, TARGETS))
WORDS = (SEQUENCES, (TOKENS, CLASSES))
WIDE = (np.zeros(2_000), (np.random.default_rng(3).normal(size=(8, 2_000)) / 40.0, LABELS[:8]))
MEAN = {"returns": "mean"}

TWINS = [
    (opacus_571_divisor_is_the_realised_batch, *PLAIN, MEAN, "divisor"),
    (opacus_819_sum_and_noise_over_the_realised_batch, *PLAIN, MEAN, "noise"),
    (clip_grad_norm_after_backward, *REGRESSION, {}, "norm"),
    (jax_pitfall_noise_before_clipping, *PLAIN, {}, "noise"),
    (noise_on_the_clipped_sum_is_clipped_again, *PLAIN, {}, "noise"),
    (tfp_620_microbatches_are_clipped, *REGRESSION, {}, "norm"),
    (opacus_734_every_worker_adds_all_of_the_noise, *PLAIN, {}, "noise"),
    (opacus_736_noise_on_one_rank_of_two, *PLAIN, {}, "noise"),
    (noise_once_for_each_microbatch, *PLAIN, {"noise_multiplier": 3.0}, "noise"),
    (noise_scaled_by_the_realised_batch, *PLAIN, {}, "noise"),
    (seed_fixed_inside_the_step, *PLAIN, {}, "noise"),
    (noise_of_one_seed_for_all_steps, *PLAIN, {}, "noise reuse"),
    (one_of_two_shares_of_the_noise_is_of_the_seed, *PLAIN, {}, "noise reuse"),
    (a_block_of_eight_draws_is_used_twice, *WIDE, {}, "noise reuse"),
    (GeneratorStartsAnewAfterLoading(), *PLAIN, {}, "noise reuse"),
    (jax_3646_one_key_for_all_parameters, MLP, CLASSED, {}, "noise reuse"),
    (one_draw_for_all_numbers, *PLAIN, {}, "noise reuse"),
    (opacus_707_norm_without_the_bias, BIASED, TABLE, {}, "norm"),
    (opacus_751_norm_of_a_bias_on_token_data, *WORDS, {"clip": 0.1}, "norm"),
    (opacus_664_clip_norm_is_not_passed_on, *PLAIN, {"clip": 0.1}, "norm"),
    (norm_over_the_batch, *REGRESSION, {}, "independence"),
    (largest_norm_of_the_batch, *REGRESSION, {}, "independence"),
    (factor_max_in_the_place_of_min, *REGRESSION, {}, "norm"),
    (each_number_is_clipped, *REGRESSION, {}, "norm"),
    (jax_pitfall_batch_norm, MLP, CLASSED, {}, "independence"),
    (jax_pitfall_experts_with_a_capacity, *PLAIN, {}, "independence"),
    (opacus_792_mask_across_records, *WORDS, {}, "independence"),
    (parameter_group_without_noise, BIASED, TABLE, {}, "noise"),
    (opacus_820_adapter_outside_of_clipping, LORA, CLASSED, {}, "norm"),
    (learning_rate_inside_the_noise, *PLAIN, PER_STEP, "noise"),
    (opacus_bmm_loses_all_but_the_last_virtual_batch, *PLAIN, {}, "accumulation"),
    (accumulated_and_then_clipped, *REGRESSION, {}, "norm"),
    (tied_weights_counted_one_by_one, SQUARE, (FEATURES, LABELS), {}, "norm"),
    (opacus_806_an_empty_batch_raises, *PLAIN, {}, "empty batch"),
    (jax_pitfall_an_empty_batch_is_skipped, *PLAIN, {}, "noise"),
    (opacus_753_noise_multiplier_taken_for_the_scale, *PLAIN, {"clip": 5.0}, "noise"),
    (variance_taken_for_the_scale, *PLAIN, {"clip": 0.5}, "noise"),
    (every_layer_has_the_whole_norm, MLP, CLASSED, {}, "norm"),
    (opacus_740_unscaled_after_the_noise, *PLAIN, {}, "noise"),
    (opacus_757_threshold_follows_the_batch, *REGRESSION, {}, "independence"),
    (jax_290_noise_follows_the_sensitivity_of_the_data, *PLAIN, {}, "noise"),
    (infinite_gradients_are_made_finite_after_clipping, *PLAIN, {}, "non-finite"),
    (softmax_without_a_shift, *PLAIN, {}, "non-finite"),
    (class_weights_after_clipping, *PLAIN, {}, "norm"),
    (opacus_783_norm_of_the_last_token, *WORDS, {"clip": 0.05}, "norm"),
    (noise_where_the_batch_has_tokens, *WORDS, {}, "noise"),
    (one_record_twice_in_the_sum, *PLAIN, {}, "independence"),
    (weights_of_the_loss_over_the_batch, *PLAIN, {}, "independence"),
]
"""Step, parameters, batch, what differs from `CLAIM`, and the row that refutes it."""
