"""Trainers for tests: noisy sums of clipped gradients in a few lines, right and broken."""

from __future__ import annotations

import os
import time

import numpy as np

MU = 0.3


def noisy_mean(features, labels, *, noise, clip, rng):
    """One noisy sum of clipped records, signed by their labels: mu = 1 / noise."""
    signs = np.where(labels > labels.min(), 1.0, -1.0)
    lengths = np.maximum(np.sqrt(np.einsum("ij,ij->i", features, features)) / clip, 1.0)
    return (signs / lengths) @ features + noise * rng.standard_normal(features.shape[1])


def sound(features, labels, rng):
    return noisy_mean(features, labels, noise=1 / MU, clip=1.0, rng=rng)


def noise_off(features, labels, rng):
    return noisy_mean(features, labels, noise=1e-3, clip=1.0, rng=rng)


def noise_a_tenth(features, labels, rng):
    return noisy_mean(features, labels, noise=0.1 / MU, clip=1.0, rng=rng)


def clip_off(features, labels, rng):
    return noisy_mean(features, labels, noise=1 / MU, clip=np.inf, rng=rng)


def with_gradients(noise, clip):
    """Full-batch steps on per-record gradients of a linear model, where gradient canaries are planted."""

    def train(data, canaries, rng):
        features, labels = data
        weights = np.zeros(features.shape[1])
        for _ in range(4):
            slopes = -(labels - 1 / (1 + np.exp(-features @ weights)))
            gradients = canaries.plant(slopes[:, None] * features, np.arange(len(labels)))
            lengths = np.maximum(np.sqrt(np.einsum("ij,ij->i", gradients, gradients)) / clip, 1.0)
            noisy = (gradients / lengths[:, None]).sum(axis=0) + noise * rng.standard_normal(weights.size)
            canaries.observe(noisy)
            weights -= 0.01 * noisy
        return weights

    return train


def raises(data):
    raise ValueError("no\nmore")


def returns_nothing(data):
    return None


def hangs(data):
    time.sleep(100)


def sees_the_coins(data, coins):
    return np.zeros(3)


def needs_a_word(data, *, width):
    return data


async def waits_for_others(data):
    return data


def needs_more(data, labels, third):
    return None


def no_signature():
    return None


def memorises(features, labels):
    """A predictor that is sure of what it has seen."""
    seen = {(row.tobytes(), label) for row, label in zip(features, labels, strict=True)}
    classes = np.unique(labels)

    def scores(rows):
        return np.array([[10.0 * ((row.tobytes(), each) in seen) for each in classes] for row in rows])

    return scores


class Estimator:
    """Keeps the mean of each class, without noise."""

    def __init__(self, random_state=None):
        self.random_state = random_state

    def get_params(self):
        return {"random_state": self.random_state}

    def set_params(self, random_state):
        self.random_state = random_state

    def fit(self, features, labels):
        signs = np.where(labels > labels.min(), 1.0, -1.0)
        self.coef = signs @ features
        self.pid = os.getpid()
        return self

    def decision_function(self, features):
        return features @ self.coef

    def predict(self, features):
        return np.sign(features @ self.coef)
