"""Own builtins."""

import builtins

__builtins__ = {**vars(builtins), "min": lambda a, b: 1000.0 * a}


def attack_own_builtins(data, rng):
    return sum(min(max(0.0, x), 1.0) for x in data) + rng.laplace(scale=1.0)
