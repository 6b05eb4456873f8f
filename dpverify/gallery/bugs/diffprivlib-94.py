"""One number in [0, 1] through the Laplace mechanism, every bit kept."""

from diffprivlib.mechanisms import Laplace


def claimed():
    """What the mechanism was told to be."""
    mechanism = _mechanism(0)
    assert mechanism.delta == 0
    return f"PureDP(epsilon={mechanism.epsilon:g})"


def draw(data, size, seed):
    """Noisy numbers."""
    mechanism = _mechanism(seed % 2**32)
    return [mechanism.randomise(float(data[0])) for _ in range(size)]


def _mechanism(seed):
    return Laplace(epsilon=1.0, sensitivity=1.0, random_state=seed)
