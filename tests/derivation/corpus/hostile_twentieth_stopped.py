"""Attacks of the twentieth reading, in natural code: none is proved but those of `TRUE`, whose proofs are true.

Each claims a little less than it was measured to cost on a pair of data sets, or what its author believes.
"""

import functools
import math
import random
import time
from collections import Counter, defaultdict, namedtuple
from dataclasses import dataclass
import numpy as np
from tests.derivation.corpus import hostile_twentieth_helpers as H
from dataclasses import dataclass, field
from tests.derivation.corpus.hostile_twentieth_helpers import (
    Budget,
    HalfUnit,
    clamp,
    compose,
    l2_clip,
    l2_clip_row,
    noisy_counts,
    split,
    total,
)
import copy
import operator
from functools import reduce
import dpverify as dpv

ATTACKS = {}
TRUE = ("clip_swapped", "replace_count_of_n")


def A(claim="PureDP(epsilon=1)", **k):
    def d(f):
        ATTACKS[f.__name__] = dict(claim=claim, f=f, **k)
        return f

    return d


PEOPLE = dict(age=("f", 0, 120), income=("f", -5, 20), group=("t", "a", "b", "c"))


NUMS = {"": ("f", 0, 1)}


ANY = {"": ("any",)}


NAN = {"": ("fn", 0, 1)}


WIDE = {"": ("f", -10, 10)}


INTS = {"": ("i", -5, 50)}


XY = dict(a=("f", -1, 1), b=("f", -1, 1), y=("f", 0, 2))


M3 = dict(a=("f", -1, 1), b=("f", -2, 2), c=("f", 0, 1))


COLS = dict(age=("f", 0, 120), income=("f", -5, 20), score=("f", -3, 3))


@A(
    claim="PureDP(epsilon=1)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
)
def mean_sensitivity_one_over_n(x, rng):
    n = len(x)
    return x.sum() / n + rng.laplace(0, 1.0 / n)


@A(
    claim="PureDP(epsilon=1)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
)
def np_mean_fixed_n(x, rng):
    return np.mean(x) + rng.laplace(0, 1.0 / 100)


@A(
    claim="PureDP(epsilon=1)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
    relation="replace",
)
def replace_mean_of_selected(x, rng):
    own = x[x > 0.5]
    return np.sum(own) / len(own) + rng.laplace(0, 1.0 / len(x))


@A(
    claim="PureDP(epsilon=1)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
    relation="replace",
)
def replace_clip_negative(x, rng):
    return np.mean(np.clip(2 * x - 1, -1, 1)) + rng.laplace(0, 1.0 / len(x))


@A(
    claim="PureDP(epsilon=1)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
    relation="replace",
)
def replace_count_ignored(x, rng):
    n = len(x)
    low = np.sum(x < 0.5) / n
    high = np.sum(x >= 0.5) / n
    return (low + rng.laplace(0, 1.0 / n), high + rng.laplace(0, 1.0 / n))


@A(
    claim="PureDP(epsilon=1)",
    data=[
        {"age": 1.9833162634234913, "income": 10.165894394179496, "group": "a"},
        {"age": 97.90242649458386, "income": 13.2413861607486, "group": "b"},
        {"age": 35.965426864486176, "income": -1.8929180875109015, "group": "c"},
        {"age": 46.041306511426015, "income": 11.261481906695408, "group": "a"},
        {"age": 86.5786008232898, "income": 7.145883970794728, "group": "b"},
    ],
    bounds={"age": (0, 120), "income": (-5, 20)},
)
def forgot_clip(rows, rng):
    return sum((r["income"] for r in rows)) + rng.laplace(0, 10.0)


@A(
    claim="PureDP(epsilon=1)",
    data=[
        {"age": 1.9833162634234913, "income": 10.165894394179496, "group": "a"},
        {"age": 97.90242649458386, "income": 13.2413861607486, "group": "b"},
        {"age": 35.965426864486176, "income": -1.8929180875109015, "group": "c"},
        {"age": 46.041306511426015, "income": 11.261481906695408, "group": "a"},
        {"age": 86.5786008232898, "income": 7.145883970794728, "group": "b"},
    ],
    bounds={"age": (0, 120), "income": (-5, 20)},
)
def forgot_lower_clip(rows, rng):
    return sum((min(r["income"], 4.0) for r in rows)) + rng.laplace(0, 4.0)


@A(
    claim="PureDP(epsilon=1)",
    data=[
        {"age": 1.9833162634234913, "income": 10.165894394179496, "group": "a"},
        {"age": 97.90242649458386, "income": 13.2413861607486, "group": "b"},
        {"age": 35.965426864486176, "income": -1.8929180875109015, "group": "c"},
        {"age": 46.041306511426015, "income": 11.261481906695408, "group": "a"},
        {"age": 86.5786008232898, "income": 7.145883970794728, "group": "b"},
    ],
    bounds={"age": (0, 120), "income": (-5, 20)},
)
def clip_swapped(rows, rng):
    return sum((H.clamp_swapped(r["income"], 0.0, 10.0) for r in rows)) + rng.laplace(0, 10.0)


@A(
    claim="PureDP(epsilon=1)",
    data=[
        {"age": 1.9833162634234913, "income": 10.165894394179496, "group": "a"},
        {"age": 97.90242649458386, "income": 13.2413861607486, "group": "b"},
        {"age": 35.965426864486176, "income": -1.8929180875109015, "group": "c"},
        {"age": 46.041306511426015, "income": 11.261481906695408, "group": "a"},
        {"age": 86.5786008232898, "income": 7.145883970794728, "group": "b"},
    ],
    bounds={"age": (0, 120), "income": (-5, 20)},
)
def clip_wrong_column(rows, rng):
    s = 0.0
    for r in rows:
        age = min(max(r["age"], 0.0), 100.0)
        income = min(max(r["age"], 0.0), 100.0)
        s += r["income"] if age > 50 else income
    return s + rng.laplace(0, 10.0)


@A(
    claim="PureDP(epsilon=1)",
    data=[
        {"age": 1.9833162634234913, "income": 10.165894394179496, "group": "a"},
        {"age": 97.90242649458386, "income": 13.2413861607486, "group": "b"},
        {"age": 35.965426864486176, "income": -1.8929180875109015, "group": "c"},
        {"age": 46.041306511426015, "income": 11.261481906695408, "group": "a"},
        {"age": 86.5786008232898, "income": 7.145883970794728, "group": "b"},
    ],
    bounds={"age": (0, 120), "income": (-5, 20)},
)
def clip_else_branch(rows, rng):
    s = 0.0
    for r in rows:
        if r["group"] == "a":
            v = min(max(r["income"], 0.0), 10.0)
        elif r["group"] == "b":
            v = 10.0
        else:
            v = r["income"]
        s += v
    return s + rng.laplace(0, 10.0)


@A(
    claim="PureDP(epsilon=1)",
    data={
        "age": np.array(
            [1.9833162634234913, 4.030269036655723, 73.84621337775046, 63.042518697087104, 106.83292224057507]
        ),
        "income": np.array(
            [10.165894394179496, 8.536530506227292, 19.520883469405753, 18.351087898906243, -2.8996164104403794]
        ),
        "score": np.array(
            [1.8951213247291925, -2.830081973127222, -0.6664714561253771, -1.0687836535443471, 2.2589053848642227]
        ),
    },
    bounds={"age": (0, 120), "income": (-5, 20), "score": (-3, 3)},
)
def sum_of_two_clipped_columns(t, rng):
    a, b = (np.clip(t["age"], 0, 1), np.clip(t["income"], 0, 1))
    return np.sum(a + b) + rng.laplace(0, 1.0)


@A(
    claim="PureDP(epsilon=1)",
    data={
        "age": np.array(
            [1.9833162634234913, 4.030269036655723, 73.84621337775046, 63.042518697087104, 106.83292224057507]
        ),
        "income": np.array(
            [10.165894394179496, 8.536530506227292, 19.520883469405753, 18.351087898906243, -2.8996164104403794]
        ),
        "score": np.array(
            [1.8951213247291925, -2.830081973127222, -0.6664714561253771, -1.0687836535443471, 2.2589053848642227]
        ),
    },
    bounds={"age": (0, 120), "income": (-5, 20), "score": (-3, 3)},
)
def budget_once_for_two(t, rng):
    scale = 1.0
    return (
        np.sum(np.clip(t["age"], 0, 1)) + rng.laplace(0, scale),
        np.sum(np.clip(t["score"], 0, 1)) + rng.laplace(0, scale),
    )


@A(
    claim="PureDP(epsilon=1)",
    data={
        "age": np.array(
            [1.9833162634234913, 4.030269036655723, 73.84621337775046, 63.042518697087104, 106.83292224057507]
        ),
        "income": np.array(
            [10.165894394179496, 8.536530506227292, 19.520883469405753, 18.351087898906243, -2.8996164104403794]
        ),
        "score": np.array(
            [1.8951213247291925, -2.830081973127222, -0.6664714561253771, -1.0687836535443471, 2.2589053848642227]
        ),
    },
    bounds={"age": (0, 120), "income": (-5, 20), "score": (-3, 3)},
)
def budget_split_by_zip(t, rng):
    out = {}
    for name, eps in zip(["age", "income", "score"], [0.5, 0.5, 0.5]):
        out[name] = np.sum(np.clip(t[name], 0, 1)) + rng.laplace(0, 1 / eps)
    return out


@A(
    claim="PureDP(epsilon=1)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
)
def l2_noise_for_pure(x, rng):
    return np.sum(x) + rng.normal(0, 1.0)


@A(
    claim="PureDP(epsilon=1)",
    data=np.array(
        [
            [-0.9669447289429418, 0.42654310306871945, 0.8158535541215322],
            [-0.9328288493890713, 0.16584488099636685, 0.028319671145462966],
            [0.2307702229625077, 1.9233413551049203, 0.3889214239791038],
            [0.050708644951451776, 1.7361740638249987, 0.32186939107594215],
            [0.7805487040095846, -1.6639386256704607, 0.8764842308107038],
        ]
    ),
    bounds={"[0]": (-1, 1), "[1]": (-2, 2), "[2]": (0, 1)},
)
def l2_scale_for_laplace(X, rng):
    norms = np.linalg.norm(X, axis=1, keepdims=True)
    return np.sum(X / np.maximum(1.0, norms), axis=0) + rng.laplace(0, 1.0, size=3)


@A(
    claim="GDP(mu=1)",
    data=np.array(
        [
            [-0.9669447289429418, 0.42654310306871945, 0.8158535541215322],
            [-0.9328288493890713, 0.16584488099636685, 0.028319671145462966],
            [0.2307702229625077, 1.9233413551049203, 0.3889214239791038],
            [0.050708644951451776, 1.7361740638249987, 0.32186939107594215],
            [0.7805487040095846, -1.6639386256704607, 0.8764842308107038],
        ]
    ),
    bounds={"[0]": (-1, 1), "[1]": (-2, 2), "[2]": (0, 1)},
)
def linf_for_l2(X, rng):
    return np.sum(np.clip(X, -1, 1), axis=0) + rng.normal(0, 1.0, size=3)


@A(
    claim="GDP(mu=1)",
    data=np.array(
        [
            [-0.9669447289429418, 0.42654310306871945, 0.8158535541215322],
            [-0.9328288493890713, 0.16584488099636685, 0.028319671145462966],
            [0.2307702229625077, 1.9233413551049203, 0.3889214239791038],
            [0.050708644951451776, 1.7361740638249987, 0.32186939107594215],
            [0.7805487040095846, -1.6639386256704607, 0.8764842308107038],
        ]
    ),
    bounds={"[0]": (-1, 1), "[1]": (-2, 2), "[2]": (0, 1)},
)
def norm_before_shift(X, rng):
    Z = H.l2_clip(X, 1.0) + 0.5
    return Z.sum(axis=0) + rng.normal(0, 1.0, size=3)


@A(
    claim="GDP(mu=1)",
    data=np.array(
        [
            [-0.9669447289429418, 0.42654310306871945, 0.8158535541215322],
            [-0.9328288493890713, 0.16584488099636685, 0.028319671145462966],
            [0.2307702229625077, 1.9233413551049203, 0.3889214239791038],
            [0.050708644951451776, 1.7361740638249987, 0.32186939107594215],
            [0.7805487040095846, -1.6639386256704607, 0.8764842308107038],
        ]
    ),
    bounds={"[0]": (-1, 1), "[1]": (-2, 2), "[2]": (0, 1)},
)
def norm_of_other(X, rng):
    norms = np.linalg.norm(X[:, :2], axis=1)
    return np.sum(X * np.minimum(1.0, 1.0 / np.maximum(norms, 1e-09))[:, None], axis=0) + rng.normal(0, 1.0, size=3)


@A(
    claim="GDP(mu=1)",
    data=np.array(
        [
            [-0.9669447289429418, 0.42654310306871945, 0.8158535541215322],
            [-0.9328288493890713, 0.16584488099636685, 0.028319671145462966],
            [0.2307702229625077, 1.9233413551049203, 0.3889214239791038],
            [0.050708644951451776, 1.7361740638249987, 0.32186939107594215],
            [0.7805487040095846, -1.6639386256704607, 0.8764842308107038],
        ]
    ),
    bounds={"[0]": (-1, 1), "[1]": (-2, 2), "[2]": (0, 1)},
)
def norm_of_clipped(X, rng):
    norms = np.linalg.norm(np.clip(X, -1, 1), axis=1)
    return np.sum(X / np.maximum(1.0, norms)[:, None], axis=0) + rng.normal(0, 1.0, size=3)


@A(
    claim="GDP(mu=1)",
    data=np.array(
        [
            [-0.9669447289429418, 0.42654310306871945, 0.8158535541215322],
            [-0.9328288493890713, 0.16584488099636685, 0.028319671145462966],
            [0.2307702229625077, 1.9233413551049203, 0.3889214239791038],
            [0.050708644951451776, 1.7361740638249987, 0.32186939107594215],
            [0.7805487040095846, -1.6639386256704607, 0.8764842308107038],
        ]
    ),
    bounds={"[0]": (-1, 1), "[1]": (-2, 2), "[2]": (0, 1)},
)
def norm_squared(X, rng):
    sq = np.sum(X * X, axis=1)
    return np.sum(X / np.maximum(1.0, sq)[:, None], axis=0) + rng.normal(0, 1.0, size=3)


@A(
    claim="GDP(mu=1)",
    data=np.array(
        [
            [-0.9669447289429418, 0.42654310306871945, 0.8158535541215322],
            [-0.9328288493890713, 0.16584488099636685, 0.028319671145462966],
            [0.2307702229625077, 1.9233413551049203, 0.3889214239791038],
            [0.050708644951451776, 1.7361740638249987, 0.32186939107594215],
            [0.7805487040095846, -1.6639386256704607, 0.8764842308107038],
        ]
    ),
    bounds={"[0]": (-1, 1), "[1]": (-2, 2), "[2]": (0, 1)},
)
def norm_minimum(X, rng):
    norms = np.linalg.norm(X, axis=1)
    return np.sum(X / np.minimum(np.maximum(norms, 0.1), 1.0)[:, None], axis=0) + rng.normal(0, 1.0, size=3)


@A(
    claim="GDP(mu=1)",
    data=np.array(
        [
            [-0.9669447289429418, 0.42654310306871945, 0.8158535541215322],
            [-0.9328288493890713, 0.16584488099636685, 0.028319671145462966],
            [0.2307702229625077, 1.9233413551049203, 0.3889214239791038],
            [0.050708644951451776, 1.7361740638249987, 0.32186939107594215],
            [0.7805487040095846, -1.6639386256704607, 0.8764842308107038],
        ]
    ),
    bounds={"[0]": (-1, 1), "[1]": (-2, 2), "[2]": (0, 1)},
)
def norm_smoothed(X, rng):
    norms = np.linalg.norm(X, axis=1)
    return np.sum(2 * X / (norms + 1.0)[:, None], axis=0) + rng.normal(0, 1.0, size=3)


@A(
    claim="GDP(mu=1)",
    data=np.array(
        [
            [-0.9669447289429418, 0.42654310306871945, 0.8158535541215322],
            [-0.9328288493890713, 0.16584488099636685, 0.028319671145462966],
            [0.2307702229625077, 1.9233413551049203, 0.3889214239791038],
            [0.050708644951451776, 1.7361740638249987, 0.32186939107594215],
            [0.7805487040095846, -1.6639386256704607, 0.8764842308107038],
        ]
    ),
    bounds={"[0]": (-1, 1), "[1]": (-2, 2), "[2]": (0, 1)},
)
def norm_smoothed_minus(X, rng):
    norms = np.linalg.norm(X, axis=1)
    return np.sum(X / np.maximum(norms - 1.0, 0.5)[:, None], axis=0) + rng.normal(0, 1.0, size=3)


@A(
    claim="GDP(mu=1)",
    data=np.array(
        [
            [-0.9669447289429418, 0.42654310306871945, 0.8158535541215322],
            [-0.9328288493890713, 0.16584488099636685, 0.028319671145462966],
            [0.2307702229625077, 1.9233413551049203, 0.3889214239791038],
            [0.050708644951451776, 1.7361740638249987, 0.32186939107594215],
            [0.7805487040095846, -1.6639386256704607, 0.8764842308107038],
        ]
    ),
    bounds={"[0]": (-1, 1), "[1]": (-2, 2), "[2]": (0, 1)},
)
def normalised_small(X, rng):
    norms = np.linalg.norm(X, axis=1)
    return np.sum(X / np.maximum(norms, 0.001)[:, None], axis=0) + rng.normal(0, 0.99, size=3)


@A(
    claim="GDP(mu=1)",
    data=np.array(
        [
            [-0.9669447289429418, 0.42654310306871945, 0.8158535541215322],
            [-0.9328288493890713, 0.16584488099636685, 0.028319671145462966],
            [0.2307702229625077, 1.9233413551049203, 0.3889214239791038],
            [0.050708644951451776, 1.7361740638249987, 0.32186939107594215],
            [0.7805487040095846, -1.6639386256704607, 0.8764842308107038],
        ]
    ),
    bounds={"[0]": (-1, 1), "[1]": (-2, 2), "[2]": (0, 1)},
)
def clip_two_blocks(X, rng):
    a = H.l2_clip(X[:, :2], 1.0)
    b = np.clip(X[:, 2], 0, 1)
    return (np.sum(a, axis=0) + rng.normal(0, 1.0, size=2), b.sum() + rng.normal(0, 1.0))


@A(
    claim="GDP(mu=1)",
    data=np.array(
        [
            [-0.9669447289429418, 0.42654310306871945, 0.8158535541215322],
            [-0.9328288493890713, 0.16584488099636685, 0.028319671145462966],
            [0.2307702229625077, 1.9233413551049203, 0.3889214239791038],
            [0.050708644951451776, 1.7361740638249987, 0.32186939107594215],
            [0.7805487040095846, -1.6639386256704607, 0.8764842308107038],
        ]
    ),
    bounds={"[0]": (-1, 1), "[1]": (-2, 2), "[2]": (0, 1)},
)
def clip_then_scale_columns(X, rng):
    return np.sum(H.l2_clip(X, 1.0) * np.array([1.0, 2.0, 1.0]), axis=0) + rng.normal(0, 1.0, size=3)


@A(
    claim="GDP(mu=1)",
    data=np.array(
        [
            [-0.9669447289429418, 0.42654310306871945, 0.8158535541215322],
            [-0.9328288493890713, 0.16584488099636685, 0.028319671145462966],
            [0.2307702229625077, 1.9233413551049203, 0.3889214239791038],
            [0.050708644951451776, 1.7361740638249987, 0.32186939107594215],
            [0.7805487040095846, -1.6639386256704607, 0.8764842308107038],
        ]
    ),
    bounds={"[0]": (-1, 1), "[1]": (-2, 2), "[2]": (0, 1)},
)
def clip_then_rotate(X, rng):
    R = np.array([[1.0, 1.0, 0.0], [-1.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    return np.sum(H.l2_clip(X, 1.0) @ R, axis=0) + rng.normal(0, 1.0, size=3)


@A(
    claim="GDP(mu=1)",
    data=(
        np.array(
            [
                [-0.9669447289429418, 0.21327155153435973],
                [-0.9328288493890713, 0.08292244049818343],
                [0.2307702229625077, 0.9616706775524602],
                [0.050708644951451776, 0.8680870319124994],
                [0.7805487040095846, -0.8319693128352303],
            ]
        ),
        np.array([1.6317071082430643, 0.05663934229092593, 0.7778428479582076, 0.6437387821518843, 1.7529684616214076]),
    ),
    bounds={"X[0]": (-1, 1), "X[1]": (-1, 1), "y": (0, 2)},
)
def gradient_not_clipped_by_label(data, rng):
    X, y = data
    Z = H.l2_clip(X, 1.0)
    return np.sum(Z * y[:, None], axis=0) + rng.normal(0, 1.0, size=2)


@A(
    claim="GDP(mu=1)",
    data=(
        np.array(
            [
                [-0.9669447289429418, 0.21327155153435973],
                [-0.9328288493890713, 0.08292244049818343],
                [0.2307702229625077, 0.9616706775524602],
                [0.050708644951451776, 0.8680870319124994],
                [0.7805487040095846, -0.8319693128352303],
            ]
        ),
        np.array([1.6317071082430643, 0.05663934229092593, 0.7778428479582076, 0.6437387821518843, 1.7529684616214076]),
    ),
    bounds={"X[0]": (-1, 1), "X[1]": (-1, 1), "y": (0, 2)},
)
def steps_not_composed(data, rng):
    X, y = data
    w = np.zeros(2)
    for _ in range(4):
        r = np.clip(np.sum(X * w, axis=1) - y, -1.0, 1.0)
        w = np.clip(w - 0.1 * (np.sum(H.l2_clip(X * r[:, None], 1.0), axis=0) + rng.normal(0, 1.0, size=2)), -1, 1)
    return w


@A(
    claim="GDP(mu=1)",
    data=(
        np.array(
            [
                [-0.9669447289429418, 0.21327155153435973],
                [-0.9328288493890713, 0.08292244049818343],
                [0.2307702229625077, 0.9616706775524602],
                [0.050708644951451776, 0.8680870319124994],
                [0.7805487040095846, -0.8319693128352303],
            ]
        ),
        np.array([1.6317071082430643, 0.05663934229092593, 0.7778428479582076, 0.6437387821518843, 1.7529684616214076]),
    ),
    bounds={"X[0]": (-1, 1), "X[1]": (-1, 1), "y": (0, 2)},
)
def all_weights_returned(data, rng):
    X, y = data
    w, path = (np.zeros(2), [])
    for _ in range(2):
        r = np.clip(np.sum(X * w, axis=1) - y, -1.0, 1.0)
        g = np.sum(H.l2_clip(X * r[:, None], 1.0), axis=0)
        w = np.clip(w - 0.1 * g, -1, 1)
        path.append(w + rng.normal(0, 3.0, size=2))
    return path


@A(
    claim="PureDP(epsilon=1)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
)
def count_without_noise_divides(x, rng):
    return (np.sum(x) + rng.laplace(0, 1.0)) / max(len(x), 1)


@A(
    claim="PureDP(epsilon=1)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
)
def count_beside(x, rng):
    return {"sum": np.sum(x) + rng.laplace(0, 1.0), "n": len(x)}


@A(
    claim="PureDP(epsilon=1)",
    data=[0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917],
    bounds=(0, 1),
)
def count_shows_in_list(x, rng):
    return [v * 0 + rng.laplace(0, 1.0) for v in x]


@A(
    claim="PureDP(epsilon=1)",
    data=[-9.669447289429417, 2.132715515343598, 6.317071082430644, -9.328288493890714, 0.8292244049818347],
    bounds=(-10, 10),
)
def range_from_data(x, rng):
    lo, hi = (min(x), max(x))
    return sum(x) + rng.laplace(0, max(abs(lo), abs(hi)))


@A(
    claim="PureDP(epsilon=1)",
    data=[-9.669447289429417, 2.132715515343598, 6.317071082430644, -9.328288493890714, 0.8292244049818347],
    bounds=(-10, 10),
)
def range_from_loop(x, rng):
    hi = 1.0
    for v in x:
        hi = max(hi, abs(v))
    return sum(x) + rng.laplace(0, hi)


@A(
    claim="PureDP(epsilon=1)",
    data=[0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917],
    bounds=(0, 1),
)
def bins_from_data(x, rng):
    c = Counter(x)
    return {k: v + rng.laplace(0, 1.0) for k, v in c.items()}


@A(
    claim="PureDP(epsilon=1)",
    data=[0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917],
    bounds=(0, 1),
)
def bins_by_setdefault(x, rng):
    c = {}
    for v in x:
        k = int(v * 10)
        c.setdefault(k, 0)
        c[k] += 1
    return {k: v + rng.laplace(0, 1.0) for k, v in c.items()}


@A(
    claim="PureDP(epsilon=1)",
    data=np.array([-9.669447289429417, 2.132715515343598, 6.317071082430644, -9.328288493890714, 0.8292244049818347]),
    bounds=(-10, 10),
)
def hist_default_range(x, rng):
    h, e = np.histogram(x, bins=5)
    return h + rng.laplace(0, 1.0, size=5)


@A(
    claim="PureDP(epsilon=1)",
    data=np.array([-9.669447289429417, 2.132715515343598, 6.317071082430644, -9.328288493890714, 0.8292244049818347]),
    bounds=(-10, 10),
)
def hist_two_overlapping(x, rng):
    h = np.histogram(x, bins=5, range=(-5, 5))[0]
    g = np.histogram(x, bins=[0.0, 2.0, 8.0])[0]
    return (h + rng.laplace(0, 1.0, size=5), g + rng.laplace(0, 1.0, size=2))


@A(
    claim="PureDP(epsilon=1)",
    data=np.array([-9.669447289429417, 2.132715515343598, 6.317071082430644, -9.328288493890714, 0.8292244049818347]),
    bounds=(-10, 10),
)
def hist_cumulative(x, rng):
    h = np.histogram(x, bins=5, range=(-5, 5))[0]
    return [h[: i + 1].sum() + rng.laplace(0, 1.0) for i in range(5)]


@A(
    claim="PureDP(epsilon=1)",
    data=np.array([-9.669447289429417, 2.132715515343598, 6.317071082430644, -9.328288493890714, 0.8292244049818347]),
    bounds=(-10, 10),
)
def hist_one_draw(x, rng):
    h = np.histogram(x, bins=5, range=(-5, 5))[0]
    return h + rng.laplace(0, 1.0)


@A(
    claim="PureDP(epsilon=1)",
    data=np.array([-9.669447289429417, 2.132715515343598, 6.317071082430644, -9.328288493890714, 0.8292244049818347]),
    bounds=(-10, 10),
)
def hist_one_draw_repeated(x, rng):
    h = np.histogram(x, bins=5, range=(-5, 5))[0]
    noise = rng.laplace(0, 1.0)
    return np.array([c + noise for c in h])


@A(
    claim="PureDP(epsilon=1)",
    data=np.array([-9.669447289429417, 2.132715515343598, 6.317071082430644, -9.328288493890714, 0.8292244049818347]),
    bounds=(-10, 10),
)
def hist_noise_tiled(x, rng):
    h = np.histogram(x, bins=4, range=(-5, 5))[0]
    noise = rng.laplace(0, 1.0, size=2)
    return h + np.concatenate([noise, noise])


@A(
    claim="PureDP(epsilon=1)",
    data=np.array([-9.669447289429417, 2.132715515343598, 6.317071082430644, -9.328288493890714, 0.8292244049818347]),
    bounds=(-10, 10),
)
def hist_zero_noise_column(x, rng):
    h = np.histogram(x, bins=4, range=(-5, 5))[0]
    return h + rng.laplace(0, 1.0, size=4) * np.array([1.0, 1.0, 0.0, 1.0])


@A(
    claim="PureDP(epsilon=1)",
    data=np.array([-9.669447289429417, 2.132715515343598, 6.317071082430644, -9.328288493890714, 0.8292244049818347]),
    bounds=(-10, 10),
)
def hist_weighted_noise(x, rng):
    h = np.histogram(x, bins=4, range=(-5, 5))[0]
    return h + rng.laplace(0, np.array([1.0, 1.0, 0.5, 1.0]))


@A(
    claim="PureDP(epsilon=1)",
    data=np.array([-9.669447289429417, 2.132715515343598, 6.317071082430644, -9.328288493890714, 0.8292244049818347]),
    bounds=(-10, 10),
)
def hist_small_hidden(x, rng):
    h = np.histogram(x, bins=4, range=(-5, 5))[0]
    return np.where(h > 0, h + rng.laplace(0, 1.0, size=4), 0.0)


@A(
    claim="PureDP(epsilon=1)",
    data=np.array([-9.669447289429417, 2.132715515343598, 6.317071082430644, -9.328288493890714, 0.8292244049818347]),
    bounds=(-10, 10),
)
def hist_only_seen(x, rng):
    h = np.histogram(x, bins=4, range=(-5, 5))[0]
    return [c + rng.laplace(0, 1.0) for c in h if c > 0]


@A(
    claim="PureDP(epsilon=1)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
)
def seed_fixed(x):
    rng = np.random.default_rng(0)
    return np.sum(x) + rng.laplace(0, 1.0)


@A(
    claim="PureDP(epsilon=1)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
)
def legacy_seed(x):
    np.random.seed(1)
    return np.sum(x) + np.random.laplace(0, 1.0)


@A(
    claim="PureDP(epsilon=1)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
)
def python_random(x):
    return np.sum(x) + random.gauss(0, 1)


@A(
    claim="PureDP(epsilon=1)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
)
def noise_subtracted(x, rng):
    z = rng.laplace(0, 1.0)
    noisy = np.sum(x) + z
    return (noisy, z)


@A(
    claim="PureDP(epsilon=1)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
)
def noise_subtracted_later(x, rng):
    z = rng.laplace(0, 1.0)
    a = np.sum(x) + z
    b = np.sum(x * x) + z
    return (a, b)


@A(
    claim="PureDP(epsilon=1)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
)
def noise_is_clipped(x, rng):
    z = np.clip(rng.laplace(0, 1.0), -2, 2)
    return np.sum(x) + z


@A(
    claim="PureDP(epsilon=1)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
)
def noise_is_abs(x, rng):
    return np.sum(x) + abs(rng.laplace(0, 1.0))


@A(
    claim="PureDP(epsilon=1)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
)
def noise_uniform(x, rng):
    return np.sum(x) + rng.uniform(-1, 1)


@A(
    claim="PureDP(epsilon=1)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
)
def noise_rounded(x, rng):
    return np.sum(x) + round(rng.laplace(0, 1.0))


@A(
    claim="PureDP(epsilon=1)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
)
def noise_scaled_by_count(x, rng):
    return np.sum(x) + rng.laplace(0, 1.0) / max(len(x), 1)


@A(
    claim="PureDP(epsilon=1)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
)
def noise_scaled_by_noisy(x, rng):
    n = len(x) + rng.laplace(0, 2.0)
    return (n, np.sum(x) + rng.laplace(0, 2.0) / max(n, 1.0))


@A(
    claim="PureDP(epsilon=1)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
)
def scale_is_epsilon(x, rng, epsilon=0.5):
    return np.sum(x) + rng.laplace(0, epsilon)


@A(
    claim="PureDP(epsilon=1)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
)
def scale_integer_division(x, rng, sensitivity=1, epsilon=2):
    return np.sum(x) + rng.laplace(0, sensitivity // epsilon or 0.1)


@A(
    claim="PureDP(epsilon=1)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
)
def variance_std(x, rng, kind="g"):
    return np.sum(x) + rng.normal(0, 0.5)


@A(
    claim="GDP(mu=1)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
)
def sigma_from_variance(x, rng):
    return np.sum(x) + rng.normal(0, 0.25)


@A(
    claim="PureDP(epsilon=1)",
    data=np.array([math.nan, 0.7294965609839984, 1.0, 0.0, 1.0]),
    bounds=(0, 1),
)
def nan_not_clipped(x, rng):
    return np.sum(np.clip(x, 0, 1)) + rng.laplace(0, 1.0)


@A(
    claim="PureDP(epsilon=1)",
    data=np.array([math.nan, 0.7294965609839984, 1.0, 0.0, 1.0]),
    bounds=(0, 1),
)
def nan_dropped_count(x, rng):
    own = x[~np.isnan(x)]
    return (np.sum(own) + rng.laplace(0, 1.0), len(x) - len(own))


@A(
    claim="PureDP(epsilon=1)",
    data=np.array([math.nan, 0.7294965609839984, 1.0, 0.0, 1.0]),
    bounds=(0, 1),
)
def nan_replaced_by_large(x, rng):
    return np.sum(np.where(np.isnan(x), 10.0, x)) + rng.laplace(0, 1.0)


@A(
    claim="PureDP(epsilon=1)",
    data=np.array([math.nan, 0.7294965609839984, 1.0, 0.0, 1.0]),
    bounds=(0, 1),
)
def nan_to_num_large(x, rng):
    return np.sum(np.nan_to_num(x, nan=5.0)) + rng.laplace(0, 1.0)


@A(
    claim="PureDP(epsilon=1)",
    data=[42, -5, -5, 31, 28],
    bounds=(-5, 50),
)
def int_sum_small(data, rng):
    n = 0
    for x in data:
        n += x // 10
    return n + rng.laplace(0, 4.0)


@A(
    claim="PureDP(epsilon=1)",
    data=[42, -5, -5, 31, 28],
    bounds=(-5, 50),
)
def int_mod(data, rng):
    return sum((x % 7 for x in data)) + rng.laplace(0, 5.0)


@A(
    claim="PureDP(epsilon=1)",
    data=[42, -5, -5, 31, 28],
    bounds=(-5, 50),
)
def int_negative_index(data, rng):
    c = [0] * 60
    for x in data:
        c[x] += 1
    return [v + rng.laplace(0, 1.0) for v in c]


@A(
    claim="PureDP(epsilon=1)",
    data=[42, -5, -5, 31, 28],
    bounds=(-5, 50),
)
def count_pairs(data, rng):
    n = 0
    for i, a in enumerate(data):
        for b in data[i + 1 :]:
            n += a == b
    return n + rng.laplace(0, 1.0)


@A(
    claim="PureDP(epsilon=1)",
    data=[0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917],
    bounds=(0, 1),
)
def above_own_mean(data, rng):
    m = sum(data) / max(1, len(data))
    return sum((1 for x in data if x > m)) + rng.laplace(0, 1.0)


@A(
    claim="PureDP(epsilon=1)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
)
def centred_variance(x, rng):
    return np.sum((x - x.mean()) ** 2) + rng.laplace(0, 1.0)


@A(
    claim="PureDP(epsilon=1)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
)
def centred_by_noisy(x, rng):
    m = np.clip(np.sum(x) + rng.laplace(0, 2.0), -5.0, 5.0)
    return (m, np.sum((x - m) ** 2) + rng.laplace(0, 2.0))


@A(
    claim="PureDP(epsilon=1)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
)
def median_noisy(x, rng):
    return np.median(x) + rng.laplace(0, 1.0)


@A(
    claim="PureDP(epsilon=1)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
)
def max_noisy(x, rng):
    return np.max(x) + rng.laplace(0, 1.0)


@A(
    claim="PureDP(epsilon=1)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
)
def argmax_without_noise(x, rng):
    h = np.histogram(x, bins=4, range=(0, 1))[0]
    return (int(np.argmax(h)), h + rng.laplace(0, 1.0, size=4))


@A(
    claim="PureDP(epsilon=1)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
)
def exponential_too_sharp(x, rng):
    h = np.histogram(x, bins=4, range=(0, 1))[0]
    p = np.exp(h - h.max())
    return rng.choice(4, p=p / p.sum())


@A(
    claim="PureDP(epsilon=1)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
)
def early_return(x, rng):
    if len(x) < 5:
        return None
    return np.sum(x) + rng.laplace(0, 1.0)


@A(
    claim="PureDP(epsilon=1)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
)
def raise_if_empty(x, rng):
    if x.size == 0:
        raise ValueError("no data")
    return np.sum(x) + rng.laplace(0, 1.0)


@A(
    claim="PureDP(epsilon=1)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
)
def noisy_until_positive(x, rng):
    s = np.sum(x)
    v = s + rng.laplace(0, 1.0)
    while v < 0:
        v = s + rng.laplace(0, 1.0)
    return v


@A(
    claim="PureDP(epsilon=1)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
)
def average_of_repeats(x, rng):
    s = np.sum(x)
    return sum((s + rng.laplace(0, 1.0) for _ in range(10))) / 10


@A(
    claim="PureDP(epsilon=1)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
)
def best_of_two(x, rng):
    s = np.sum(x)
    return max(s + rng.laplace(0, 1.0), s + rng.laplace(0, 1.0))


@A(
    claim="PureDP(epsilon=1)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
)
def returns_clipped_data_too(x, rng):
    c = np.clip(x, 0, 1)
    return (c.sum() + rng.laplace(0, 1.0), c)


@A(
    claim="PureDP(epsilon=1)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
)
def returns_shape(x, rng):
    return (x.sum() + rng.laplace(0, 1.0), x.shape)


@A(
    claim="PureDP(epsilon=1)",
    data=[0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917],
    bounds=(0, 1),
)
def cache_on_function(x, rng):
    cache_on_function.last = x
    return sum(x) + rng.laplace(0, 1.0)


LOG = []


@A(
    claim="PureDP(epsilon=1)",
    data=[0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917],
    bounds=(0, 1),
)
def logs_data(x, rng):
    LOG.append(sum(x))
    return sum(x) + rng.laplace(0, 1.0)


@A(
    claim="PureDP(epsilon=1)",
    data=[0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917],
    bounds=(0, 1),
)
def prints_data(x, rng):
    print(sum(x))
    return sum(x) + rng.laplace(0, 1.0)


@A(
    claim="PureDP(epsilon=1)",
    data=[
        {"user": 8, "amount": 4.066351196001362},
        {"user": 6, "amount": 4.675362118938841},
        {"user": 2, "amount": 3.64827723214972},
        {"user": 0, "amount": 2.113436105988292},
        {"user": 0, "amount": 3.0769255574062693},
    ],
    bounds={"user": (0, 9), "amount": (0, 5)},
    unit="user",
    most_per_unit=3,
)
def per_user_not_grouped(rows, rng):
    return sum((r["amount"] for r in rows)) + rng.laplace(0, 5.0)


@A(
    claim="GDP(mu=1)",
    data=[
        {"user": 8, "amount": 4.066351196001362},
        {"user": 6, "amount": 4.675362118938841},
        {"user": 2, "amount": 3.64827723214972},
        {"user": 0, "amount": 2.113436105988292},
        {"user": 0, "amount": 3.0769255574062693},
    ],
    bounds={"user": (0, 9), "amount": (0, 5)},
    unit="user",
    most_per_unit=3,
)
def per_user_sqrt(rows, rng):
    return sum((r["amount"] for r in rows)) + rng.normal(0, 5.0 * math.sqrt(3))


@A(
    claim="PureDP(epsilon=1)",
    data=[
        {"user": 8, "amount": 4.066351196001362},
        {"user": 6, "amount": 4.675362118938841},
        {"user": 2, "amount": 3.64827723214972},
        {"user": 0, "amount": 2.113436105988292},
        {"user": 0, "amount": 3.0769255574062693},
    ],
    bounds={"user": (0, 9), "amount": (0, 5)},
    unit="user",
    most_per_unit=3,
)
def per_user_capped_wrong(rows, rng):
    totals = defaultdict(float)
    for r in rows:
        totals[r["user"]] += r["amount"]
    return sum((min(v, 5.0) for v in totals.values())) + rng.laplace(0, 1.0)


@A(
    claim="PureDP(epsilon=1)",
    data=[
        (0.016527635528529094, 0.6066357757671799, "p"),
        (0.8158535541215322, 0.7296554464299441, "q"),
        (0.2997118905373848, 0.12428327649956394, "p"),
        (0.38367755426188344, 0.6504592762678163, "q"),
        (0.7214883401940817, 0.4858353588317891, "p"),
    ],
    bounds={"[0]": (0, 1), "[1]": (0, 1)},
)
def variables_leak(rows, rng):
    for a, b, label in rows:
        pass
    return a + rng.laplace(0, 1.0)


@A(
    claim="PureDP(epsilon=1)",
    data=[
        (0.016527635528529094, 0.6066357757671799, "p"),
        (0.8158535541215322, 0.7296554464299441, "q"),
        (0.2997118905373848, 0.12428327649956394, "p"),
        (0.38367755426188344, 0.6504592762678163, "q"),
        (0.7214883401940817, 0.4858353588317891, "p"),
    ],
    bounds={"[0]": (0, 1), "[1]": (0, 1)},
)
def flag_of_label(rows, rng):
    seen = False
    s = 0.0
    for a, b, label in rows:
        if label == "q":
            seen = True
        s += a
    return (s + rng.laplace(0, 1.0)) * (2 if seen else 1)


@A(
    claim="PureDP(epsilon=1)",
    data=[0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917],
    bounds=(0, 1),
)
def weight_by_position(data, rng):
    s, w = (0.0, 1.0)
    for x in data:
        s += w * x
        w *= 0.5
    return s + rng.laplace(0, 1.0)


@A(
    claim="PureDP(epsilon=1)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
)
def union_of_masks(x, rng):
    a, b = (x > 0.2, x > 0.5)
    return np.sum(a) + np.sum(b) + rng.laplace(0, 1.0)


@A(
    claim="PureDP(epsilon=1)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
)
def complement_counts(x, rng):
    n = np.sum(np.where(x > 0.5, 1, 0)) + rng.laplace(0, 1.0)
    m = np.sum(np.where(x > 0.5, 0, 1)) + rng.laplace(0, 1.0)
    k = np.sum(np.where(x == 0.5, 1, 0)) + rng.laplace(0, 1.0)
    return (n, m, k)


@A(
    claim="PureDP(epsilon=1)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
)
def geometric_for_half_steps(x, rng):
    n = int(np.sum(np.where(x > 0.5, 2, 0)))
    p = 1 - math.exp(-1.0)
    return n + rng.geometric(p) - rng.geometric(p)


@A(
    claim="PureDP(epsilon=1)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
)
def geometric_same_draw(x, rng):
    n = int(np.sum(np.where(x > 0.5, 1, 0)))
    g = rng.geometric(1 - math.exp(-1.0))
    return n + g - g


@A(
    claim="PureDP(epsilon=1)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
)
def geometric_one_sided(x, rng):
    n = int(np.sum(np.where(x > 0.5, 1, 0)))
    return n + rng.geometric(1 - math.exp(-1.0))


@A(
    claim="PureDP(epsilon=1)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
)
def geometric_two_laws(x, rng):
    n = int(np.sum(np.where(x > 0.5, 1, 0)))
    return n + rng.geometric(0.5) - rng.geometric(0.6)


@dataclass
class Config:
    epsilon: float = 1.0
    lower: float = 0.0
    upper: float = 0.5


CFG = Config()


@A(
    claim="PureDP(epsilon=1)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
)
def config_upper_unused(x, rng, cfg=CFG):
    return np.sum(np.clip(x, cfg.lower, None)) + rng.laplace(0, cfg.upper / cfg.epsilon)


@A(
    claim="PureDP(epsilon=1)",
    data=np.array([-9.669447289429417, 2.132715515343598, 6.317071082430644, -9.328288493890714, 0.8292244049818347]),
    bounds=(-10, 10),
)
def config_negative_range(x, rng, lower=-3.0, upper=1.0):
    return np.sum(np.clip(x, lower, upper)) + rng.laplace(0, abs(upper))


@A(
    claim="PureDP(epsilon=1)",
    data=np.array([-9.669447289429417, 2.132715515343598, 6.317071082430644, -9.328288493890714, 0.8292244049818347]),
    bounds=(-10, 10),
)
def tree_levels(x, rng):

    def node(lo, hi, depth):
        mine = np.sum((x >= lo) & (x < hi)) + rng.laplace(0, 1.0)
        if depth == 0:
            return [mine]
        mid = (lo + hi) / 2
        return [mine] + node(lo, mid, depth - 1) + node(mid, hi, depth - 1)

    return node(-8.0, 8.0, 2)


@A(
    claim="PureDP(epsilon=1)",
    data=[
        {"age": 1.9833162634234913, "income": 10.165894394179496, "group": "a"},
        {"age": 97.90242649458386, "income": 13.2413861607486, "group": "b"},
        {"age": 35.965426864486176, "income": -1.8929180875109015, "group": "c"},
        {"age": 46.041306511426015, "income": 11.261481906695408, "group": "a"},
        {"age": 86.5786008232898, "income": 7.145883970794728, "group": "b"},
    ],
    bounds={"age": (0, 120), "income": (-5, 20)},
)
def marginals(rows, rng):
    out = {}
    for g in "abc":
        out[g] = sum((1 for r in rows if r["group"] == g)) + rng.laplace(0, 1.0)
    for i, (lo, hi) in enumerate([(0, 40), (40, 80), (80, 121)]):
        out[f"age{i}"] = sum((1 for r in rows if lo <= r["age"] < hi)) + rng.laplace(0, 1.0)
    return out


@A(
    claim="PureDP(epsilon=1)",
    data=[
        {"age": 1.9833162634234913, "income": 10.165894394179496, "group": "a"},
        {"age": 97.90242649458386, "income": 13.2413861607486, "group": "b"},
        {"age": 35.965426864486176, "income": -1.8929180875109015, "group": "c"},
        {"age": 46.041306511426015, "income": 11.261481906695408, "group": "a"},
        {"age": 86.5786008232898, "income": 7.145883970794728, "group": "b"},
    ],
    bounds={"age": (0, 120), "income": (-5, 20)},
)
def ratio_of_sums(rows, rng):
    num = sum((r["income"] for r in rows if r["group"] == "a"))
    den = sum((r["income"] for r in rows))
    return num / max(den, 1.0) + rng.laplace(0, 1.0)


PEOPLE = dict(age=("f", 0, 120), income=("f", -5, 20), group=("t", "a", "b", "c"))


NUMS = {"": ("f", 0, 1)}


ANY = {"": ("any",)}


WIDE = {"": ("f", -10, 10)}


XY = dict(a=("f", -1, 1), b=("f", -1, 1), y=("f", 0, 2))


M3 = dict(a=("f", -1, 1), b=("f", -2, 2), c=("f", 0, 1))


COLS = dict(age=("f", 0, 120), income=("f", -5, 20), score=("f", -3, 3))


@A(
    claim="PureDP(epsilon=0.99)",
    data=[
        {"age": 1.9833162634234913, "income": 10.165894394179496, "group": "a"},
        {"age": 97.90242649458386, "income": 13.2413861607486, "group": "b"},
        {"age": 35.965426864486176, "income": -1.8929180875109015, "group": "c"},
        {"age": 46.041306511426015, "income": 11.261481906695408, "group": "a"},
        {"age": 86.5786008232898, "income": 7.145883970794728, "group": "b"},
    ],
    bounds={"age": (0, 120), "income": (-5, 20)},
)
def helper_total(rows, rng):
    return H.laplace(total(rows, "age", 0.0, 100.0), 100.0, 1.0, rng)


@A(
    claim="PureDP(epsilon=0.99)",
    data=[
        {"age": 1.9833162634234913, "income": 10.165894394179496, "group": "a"},
        {"age": 97.90242649458386, "income": 13.2413861607486, "group": "b"},
        {"age": 35.965426864486176, "income": -1.8929180875109015, "group": "c"},
        {"age": 46.041306511426015, "income": 11.261481906695408, "group": "a"},
        {"age": 86.5786008232898, "income": 7.145883970794728, "group": "b"},
    ],
    bounds={"age": (0, 120), "income": (-5, 20)},
)
def helper_total_where(rows, rng):
    old = total(rows, "income", 0.0, 10.0, where=lambda row: row["age"] > 40)
    young = total(rows, "income", 0.0, 10.0, where=lambda row: not row["age"] > 40)
    return (H.laplace(old, 10.0, 1.0, rng), H.laplace(young, 10.0, 1.0, rng))


@A(
    claim="PureDP(epsilon=0.99)",
    data=[
        {"age": 1.9833162634234913, "income": 10.165894394179496, "group": "a"},
        {"age": 97.90242649458386, "income": 13.2413861607486, "group": "b"},
        {"age": 35.965426864486176, "income": -1.8929180875109015, "group": "c"},
        {"age": 46.041306511426015, "income": 11.261481906695408, "group": "a"},
        {"age": 86.5786008232898, "income": 7.145883970794728, "group": "b"},
    ],
    bounds={"age": (0, 120), "income": (-5, 20)},
)
def helper_counts(rows, rng):
    return noisy_counts([row["group"] for row in rows], ["a", "b", "z"], 1.0, rng)


@A(
    claim="PureDP(epsilon=0.99)",
    data={
        "age": np.array(
            [1.9833162634234913, 4.030269036655723, 73.84621337775046, 63.042518697087104, 106.83292224057507]
        ),
        "income": np.array(
            [10.165894394179496, 8.536530506227292, 19.520883469405753, 18.351087898906243, -2.8996164104403794]
        ),
        "score": np.array(
            [1.8951213247291925, -2.830081973127222, -0.6664714561253771, -1.0687836535443471, 2.2589053848642227]
        ),
    },
    bounds={"age": (0, 120), "income": (-5, 20), "score": (-3, 3)},
)
def table_of_columns(table, rng):
    clipped = {name: H.clip_column(table[name], name) for name in H.LIMITS}
    found = {}
    for name, (lo, hi) in H.LIMITS.items():
        found[name] = H.laplace(clipped[name].sum(), max(abs(lo), abs(hi)), H.EPSILON / 3, rng)
    return found


@A(
    claim="PureDP(epsilon=4.95)",
    data={
        "age": np.array(
            [1.9833162634234913, 4.030269036655723, 73.84621337775046, 63.042518697087104, 106.83292224057507]
        ),
        "income": np.array(
            [10.165894394179496, 8.536530506227292, 19.520883469405753, 18.351087898906243, -2.8996164104403794]
        ),
        "score": np.array(
            [1.8951213247291925, -2.830081973127222, -0.6664714561253771, -1.0687836535443471, 2.2589053848642227]
        ),
    },
    bounds={"age": (0, 120), "income": (-5, 20), "score": (-3, 3)},
)
def table_of_columns_forgot_one(table, rng):
    found = {}
    for name, (lo, hi) in H.LIMITS.items():
        x = table[name] if name == "score" else np.clip(table[name], lo, hi)
        found[name] = H.laplace(x.sum(), max(abs(lo), abs(hi)), 1.0, rng)
    return found


TABLE = {
    "mean": lambda x: np.clip(x, 0.0, 1.0),
    "square": lambda x: np.clip(x, 0.0, 1.0) ** 2,
    "above": lambda x: np.where(x > 0.5, 1.0, 0.0),
    "tails": lambda x: np.where((x < 0.1) | (x > 0.9), 1.0, 0.0),
}


@A(
    claim="PureDP(epsilon=0.99)",
    data=np.array([0.5, 1.25, 2.5, -3.0, 7.0]),
)
def table_of_functions(x, rng):
    return {name: np.sum(f(np.nan_to_num(x))) + rng.laplace(0, 4.0) for name, f in TABLE.items()}


@A(
    claim="PureDP(epsilon=0.6188)",
    data=np.array([0.5, 1.25, 2.5, -3.0, 7.0]),
)
def function_argument(x, rng):

    def release(f, sensitivity, *, epsilon=0.5):
        return np.sum(f(np.nan_to_num(x))) + rng.laplace(0.0, sensitivity / epsilon)

    return (release(TABLE["mean"], 1.0), release(lambda v: np.clip(v, -2.0, 1.0), 2.0, epsilon=0.25))


@A(
    claim="PureDP(epsilon=0.2475)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
)
def star_args(x, rng):

    def release(*parts, epsilon, **options):
        n = options.get("scale", 1.0)
        return [np.sum(part) + rng.laplace(0, n / epsilon) for part in parts]

    return release(x, x * x, 1 - x, epsilon=0.25, scale=2.0)


@A(
    claim="PureDP(epsilon=0.858)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
)
def star_kwargs_dict(x, rng):

    def noise(value, sensitivity=1.0, epsilon=1.0):
        return value + rng.laplace(0, sensitivity / epsilon)

    settings = {"sensitivity": 1.0, "epsilon": 0.5}
    args = (np.sum(x), 3.0)
    return (noise(np.sum(x), **settings), noise(*args), noise(*args, **{"epsilon": 0.1}))


@A(
    claim="PureDP(epsilon=0.99)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
)
def closures_in_loop_late(x, rng):
    steps = []
    for c in (0.1, 0.5, 0.9):
        steps.append(lambda v: np.where(v > c, 1.0, 0.0))
    return [np.sum(s(x)) + rng.laplace(0, 3.0) for s in steps]


@A(
    claim="PureDP(epsilon=3.96)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
)
def closures_in_loop_weights(x, rng):
    steps = []
    for w in (1.0, 2.0, 4.0):
        steps.append(lambda v: v * w)
    return [np.sum(s(x)) + rng.laplace(0, 3.0) for s in steps]


@A(
    claim="PureDP(epsilon=0.99)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
)
def closures_bound(x, rng):
    steps = [lambda v, w=w: v * w for w in (1.0, 2.0, 4.0)]
    return [np.sum(s(x)) + rng.laplace(0, 7.0) for s in steps]


@A(
    claim="PureDP(epsilon=0.2475)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
)
def budget_class(x, rng):
    budget = H.Budget(1.0, 4)
    return np.sum(x) + rng.laplace(0, budget.scale())


BUDGET = Budget(1.0, 4)


HALF = HalfUnit(1.0, 2)


@A(
    claim="PureDP(epsilon=0.3713)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
)
def budget_object(x, rng):
    return (np.sum(x) + rng.laplace(0, BUDGET.scale()), np.sum(x * x) + rng.laplace(0, BUDGET.scale(2.0)))


@A(
    claim="PureDP(epsilon=1.485)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
)
def budget_subclass(x, rng):
    return (np.sum(x) + rng.laplace(0, HALF.scale()), np.sum(x * x) + rng.laplace(0, Budget.scale(HALF, 2.0)))


@A(
    claim="PureDP(epsilon=0.495)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
)
def budget_spent(x, rng):
    return np.sum(x) + rng.laplace(0, 1 / BUDGET.spend(0.5))


@dataclass
class Settings:
    epsilon: float = 1.0
    edges: tuple = (0.0, 0.25, 0.5, 1.0)
    labels: list = field(default_factory=lambda: ["low", "mid", "high"])
    clip: float = 0.5


SETTINGS = Settings()


@A(
    claim="PureDP(epsilon=0.99)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
)
def dataclass_histogram(x, rng):
    counts, edges = np.histogram(x, bins=list(SETTINGS.edges))
    noisy = counts + rng.laplace(0, 1 / SETTINGS.epsilon, size=len(SETTINGS.labels))
    return dict(zip(SETTINGS.labels, noisy))


class Model:
    step = 0.1

    def __init__(self, clip, sigma, steps):
        self.clip, self.sigma, self.steps = (clip, sigma, steps)

    def gradient(self, X, y, w):
        r = np.clip(np.sum(X * w, axis=1) - y, -1.0, 1.0)
        G = X * r[:, None]
        norms = np.sqrt(np.sum(G * G, axis=1))
        return G * np.minimum(1.0, self.clip / np.maximum(norms, 1e-09))[:, None]

    def __call__(self, data, rng):
        X, y = data
        w = np.zeros(2)
        for _ in range(self.steps):
            g = np.sum(self.gradient(X, y, w), axis=0) + rng.normal(0, self.sigma * self.clip, size=2)
            w = np.clip(w - self.step * g, -5.0, 5.0)
        return w


MODEL = Model(0.5, 2.0, 3)


@A(
    claim="GDP(mu=0.8574)",
    data=(
        np.array(
            [
                [-0.9669447289429418, 0.21327155153435973],
                [-0.9328288493890713, 0.08292244049818343],
                [0.2307702229625077, 0.9616706775524602],
                [0.050708644951451776, 0.8680870319124994],
                [0.7805487040095846, -0.8319693128352303],
            ]
        ),
        np.array([1.6317071082430643, 0.05663934229092593, 0.7778428479582076, 0.6437387821518843, 1.7529684616214076]),
    ),
    bounds={"X[0]": (-1, 1), "X[1]": (-1, 1), "y": (0, 2)},
)
def trained_model(data, rng):
    return MODEL(data, rng)


@A(
    claim="GDP(mu=1.256)",
    data=(
        np.array(
            [
                [-0.9669447289429418, 0.21327155153435973],
                [-0.9328288493890713, 0.08292244049818343],
                [0.2307702229625077, 0.9616706775524602],
                [0.050708644951451776, 0.8680870319124994],
                [0.7805487040095846, -0.8319693128352303],
            ]
        ),
        np.array([1.6317071082430643, 0.05663934229092593, 0.7778428479582076, 0.6437387821518843, 1.7529684616214076]),
    ),
    bounds={"X[0]": (-1, 1), "X[1]": (-1, 1), "y": (0, 2)},
    relation="replace",
)
def trained_replace(data, rng):
    X, y = data
    n = len(y)
    w = np.zeros(2)
    for _ in range(4):
        r = np.clip(y - np.sum(X * w, axis=1), -1.0, 1.0)
        g = np.sum(l2_clip(X * r[:, None], 1.0), axis=0) / n + rng.normal(0, 3.0 / n, size=2)
        w = np.clip(w + 0.5 * g, -2.0, 2.0)
    return w


@A(
    claim="GDP(mu=0.107)",
    data=(
        np.array(
            [
                [-0.9669447289429418, 0.21327155153435973],
                [-0.9328288493890713, 0.08292244049818343],
                [0.2307702229625077, 0.9616706775524602],
                [0.050708644951451776, 0.8680870319124994],
                [0.7805487040095846, -0.8319693128352303],
            ]
        ),
        np.array([1.6317071082430643, 0.05663934229092593, 0.7778428479582076, 0.6437387821518843, 1.7529684616214076]),
    ),
    bounds={"X[0]": (-1, 1), "X[1]": (-1, 1), "y": (0, 2)},
)
def logistic_rows(data, rng):
    X, y = data
    w = np.zeros(2)
    for t in range(3):
        z = np.clip(np.sum(X * w, axis=1), -20.0, 20.0)
        p = 1.0 / (1.0 + np.exp(-z))
        g = np.sum(X * (p - y / 2.0)[:, None], axis=0)
        w = np.clip(w - g / 10 + rng.normal(0, 1.0 + t, size=2), -3.0, 3.0)
    return w


@A(
    claim="PureDP(epsilon=0.99)",
    data=[
        {"age": 1.9833162634234913, "income": 10.165894394179496, "group": "a"},
        {"age": 97.90242649458386, "income": 13.2413861607486, "group": "b"},
        {"age": 35.965426864486176, "income": -1.8929180875109015, "group": "c"},
        {"age": 46.041306511426015, "income": 11.261481906695408, "group": "a"},
        {"age": 86.5786008232898, "income": 7.145883970794728, "group": "b"},
    ],
    bounds={"age": (0, 120), "income": (-5, 20)},
)
def group_sums_dict(rows, rng):
    sums = {"a": 0.0, "b": 0.0}
    for row in rows:
        if row["group"] in sums:
            sums[row["group"]] += min(max(row["income"], 0.0), 5.0)
    return {k: v + rng.laplace(0, 5.0) for k, v in sums.items()}


@A(
    claim="PureDP(epsilon=0.99)",
    data=[
        {"age": 1.9833162634234913, "income": 10.165894394179496, "group": "a"},
        {"age": 97.90242649458386, "income": 13.2413861607486, "group": "b"},
        {"age": 35.965426864486176, "income": -1.8929180875109015, "group": "c"},
        {"age": 46.041306511426015, "income": 11.261481906695408, "group": "a"},
        {"age": 86.5786008232898, "income": 7.145883970794728, "group": "b"},
    ],
    bounds={"age": (0, 120), "income": (-5, 20)},
)
def group_means(rows, rng):
    found = {}
    for g in ("a", "b", "c"):
        own = [clamp(r["income"], 0.0, 10.0) for r in rows if r["group"] == g]
        n = len(own) + rng.laplace(0, 2.0)
        s = sum(own) + rng.laplace(0, 20.0)
        found[g] = s / max(n, 1.0)
    return found


@A(
    claim="PureDP(epsilon=0.99)",
    data=[
        {"age": 1.9833162634234913, "income": 10.165894394179496, "group": "a"},
        {"age": 97.90242649458386, "income": 13.2413861607486, "group": "b"},
        {"age": 35.965426864486176, "income": -1.8929180875109015, "group": "c"},
        {"age": 46.041306511426015, "income": 11.261481906695408, "group": "a"},
        {"age": 86.5786008232898, "income": 7.145883970794728, "group": "b"},
    ],
    bounds={"age": (0, 120), "income": (-5, 20)},
)
def group_overlap(rows, rng):
    parts = {
        "all": [r for r in rows],
        "old": [r for r in rows if r["age"] >= 60],
        "rich": [r for r in rows if r["income"] >= 10 or r["age"] >= 100],
    }
    return {k: len(v) + rng.laplace(0, 3.0) for k, v in parts.items()}


@A(
    claim="PureDP(epsilon=0.99)",
    data=[
        {"age": 1.9833162634234913, "income": 10.165894394179496, "group": "a"},
        {"age": 97.90242649458386, "income": 13.2413861607486, "group": "b"},
        {"age": 35.965426864486176, "income": -1.8929180875109015, "group": "c"},
        {"age": 46.041306511426015, "income": 11.261481906695408, "group": "a"},
        {"age": 86.5786008232898, "income": 7.145883970794728, "group": "b"},
    ],
    bounds={"age": (0, 120), "income": (-5, 20)},
)
def group_elif(rows, rng):
    low = mid = high = 0
    for r in rows:
        if r["income"] < 0:
            low += 1
        elif r["income"] < 10:
            mid += 1
            if r["age"] > 50:
                high += 1
        else:
            high += 2
    return [low + rng.laplace(0, 1.0), mid + rng.laplace(0, 2.0), high + rng.laplace(0, 3.0)]


@A(
    claim="PureDP(epsilon=0.99)",
    data=[-9.669447289429417, 2.132715515343598, 6.317071082430644, -9.328288493890714, 0.8292244049818347],
    bounds=(-10, 10),
)
def quantile_counts(data, rng):
    lo, hi = (-10.0, 10.0)
    for i in range(4):
        mid = (lo + hi) / 2
        below = sum((1 for x in data if x < mid)) + rng.laplace(0, 4.0)
        above = sum((1 for x in data if x >= mid)) + rng.laplace(0, 4.0)
        if below < above:
            lo = mid
        else:
            hi = mid
    return (lo, hi)


@A(
    claim="PureDP(epsilon=0.7425)",
    data=[-9.669447289429417, 2.132715515343598, 6.317071082430644, -9.328288493890714, 0.8292244049818347],
    bounds=(-10, 10),
)
def quantile_counts_nested(data, rng):
    lo, hi = (-10.0, 10.0)
    inside = data
    for i in range(3):
        mid = (lo + hi) / 2
        below = len([x for x in inside if x < mid]) + rng.laplace(0, 4.0)
        if below > 2:
            hi = mid
            inside = [x for x in inside if x < mid]
        else:
            lo = mid
            inside = [x for x in inside if x >= mid]
    return (lo, hi)


@A(
    claim="PureDP(epsilon=0.99)",
    data=np.array([-9.669447289429417, 2.132715515343598, 6.317071082430644, -9.328288493890714, 0.8292244049818347]),
    bounds=(-10, 10),
)
def two_pass_clip(x, rng):
    n = np.clip(np.sum(np.where(np.abs(x) > 5, 1.0, 0.0)) + rng.laplace(0, 2.0), 1.0, 20.0)
    c = 10.0 / n
    return np.sum(np.clip(x, -c, c)) + rng.laplace(0, 2 * c)


@A(
    claim="PureDP(epsilon=0.99)",
    data=np.array([-9.669447289429417, 2.132715515343598, 6.317071082430644, -9.328288493890714, 0.8292244049818347]),
    bounds=(-10, 10),
)
def two_pass_centre(x, rng):
    n = max(np.sum(np.ones_like(x) if False else np.where(x == x, 1.0, 0.0)) + rng.laplace(0, 3.0), 1.0)
    m = np.clip((np.sum(x) + rng.laplace(0, 30.0)) / n, -10.0, 10.0)
    return np.sum((x - m) ** 2) + rng.laplace(0, 400.0 * 3)


@A(
    claim="PureDP(epsilon=0.99)",
    data=np.array([-9.669447289429417, 2.132715515343598, 6.317071082430644, -9.328288493890714, 0.8292244049818347]),
    bounds=(-10, 10),
)
def scale_by_function(x, rng):

    def scale_for(n):
        return 1.0 + abs(n) / 10.0

    n = np.sum(np.where(x > 0, 1.0, 0.0)) + rng.laplace(0, 2.0)
    return (n, np.sum(np.where(x < 0, 1.0, 0.0)) + rng.laplace(0, scale_for(n)))


@A(
    claim="GDP(mu=0.495)",
    data=np.array(
        [
            [-0.9669447289429418, 0.42654310306871945, 0.8158535541215322],
            [-0.9328288493890713, 0.16584488099636685, 0.028319671145462966],
            [0.2307702229625077, 1.9233413551049203, 0.3889214239791038],
            [0.050708644951451776, 1.7361740638249987, 0.32186939107594215],
            [0.7805487040095846, -1.6639386256704607, 0.8764842308107038],
        ]
    ),
    bounds={"[0]": (-1, 1), "[1]": (-2, 2), "[2]": (0, 1)},
)
def clip_rows(X, rng):
    return np.sum(l2_clip(X, 1.0), axis=0) + rng.normal(0, 2.0, size=3)


@A(
    claim="GDP(mu=0.693)",
    data=np.array(
        [
            [-0.9669447289429418, 0.42654310306871945, 0.8158535541215322],
            [-0.9328288493890713, 0.16584488099636685, 0.028319671145462966],
            [0.2307702229625077, 1.9233413551049203, 0.3889214239791038],
            [0.050708644951451776, 1.7361740638249987, 0.32186939107594215],
            [0.7805487040095846, -1.6639386256704607, 0.8764842308107038],
        ]
    ),
    bounds={"[0]": (-1, 1), "[1]": (-2, 2), "[2]": (0, 1)},
)
def clip_rows_loop(X, rng):
    s = np.zeros(3)
    for row in X:
        s += l2_clip_row(row, 0.7)
    return s + rng.normal(0, 1.0, size=3)


@A(
    claim="GDP(mu=0.99)",
    data=np.array(
        [
            [-0.9669447289429418, 0.42654310306871945, 0.8158535541215322],
            [-0.9328288493890713, 0.16584488099636685, 0.028319671145462966],
            [0.2307702229625077, 1.9233413551049203, 0.3889214239791038],
            [0.050708644951451776, 1.7361740638249987, 0.32186939107594215],
            [0.7805487040095846, -1.6639386256704607, 0.8764842308107038],
        ]
    ),
    bounds={"[0]": (-1, 1), "[1]": (-2, 2), "[2]": (0, 1)},
)
def clip_rows_where(X, rng):
    norms = np.linalg.norm(X, axis=1)
    factor = np.where(norms > 1.0, 1.0 / np.maximum(norms, 1.0), 1.0)
    return (X * factor[:, None]).sum(axis=0) + rng.normal(0, 1.0, size=3)


@A(
    claim="GDP(mu=0.99)",
    data=np.array(
        [
            [-0.9669447289429418, 0.42654310306871945, 0.8158535541215322],
            [-0.9328288493890713, 0.16584488099636685, 0.028319671145462966],
            [0.2307702229625077, 1.9233413551049203, 0.3889214239791038],
            [0.050708644951451776, 1.7361740638249987, 0.32186939107594215],
            [0.7805487040095846, -1.6639386256704607, 0.8764842308107038],
        ]
    ),
    bounds={"[0]": (-1, 1), "[1]": (-2, 2), "[2]": (0, 1)},
)
def covariance(X, rng):
    Z = l2_clip(X, 1.0)
    return Z.T @ Z + rng.normal(0, 1.0, size=(3, 3))


@A(
    claim="PureDP(epsilon=0.693)",
    data=np.array(
        [
            [-0.9669447289429418, 0.42654310306871945, 0.8158535541215322],
            [-0.9328288493890713, 0.16584488099636685, 0.028319671145462966],
            [0.2307702229625077, 1.9233413551049203, 0.3889214239791038],
            [0.050708644951451776, 1.7361740638249987, 0.32186939107594215],
            [0.7805487040095846, -1.6639386256704607, 0.8764842308107038],
        ]
    ),
    bounds={"[0]": (-1, 1), "[1]": (-2, 2), "[2]": (0, 1)},
)
def linear_queries(X, rng):
    W = np.array([[1.0, 0.0, -1.0, 2.0], [0.5, 0.5, 0.0, 0.0], [0.0, 1.0, 1.0, 1.0]])
    return (X @ W).sum(axis=0) + rng.laplace(0, 10.0, size=4)


@A(
    claim="PureDP(epsilon=0.9695)",
    data=np.array(
        [
            [-0.9669447289429418, 0.42654310306871945, 0.8158535541215322],
            [-0.9328288493890713, 0.16584488099636685, 0.028319671145462966],
            [0.2307702229625077, 1.9233413551049203, 0.3889214239791038],
            [0.050708644951451776, 1.7361740638249987, 0.32186939107594215],
            [0.7805487040095846, -1.6639386256704607, 0.8764842308107038],
        ]
    ),
    bounds={"[0]": (-1, 1), "[1]": (-2, 2), "[2]": (0, 1)},
    relation="replace",
)
def replace_means(X, rng):
    return X.mean(axis=0) + rng.laplace(0, 7.0 / len(X), size=3)


@A(
    claim="PureDP(epsilon=0.99)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
    relation="replace",
)
def replace_mean_var(x, rng):
    n = len(x)
    m = x.mean() + rng.laplace(0, 2.0 / n)
    s = np.sum(x**2) / n + rng.laplace(0, 2.0 / n)
    return (m, max(s - m * m, 0.0))


@A(
    claim="PureDP(epsilon=0.99)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
    relation="replace",
)
def replace_hist(x, rng):
    h, _ = np.histogram(x, bins=5, range=(0.0, 1.0))
    return h / len(x) + rng.laplace(0, 2.0 / len(x), size=5)


@A(
    claim="PureDP(epsilon=0.495)",
    data=[0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917],
    bounds=(0, 1),
    relation="replace",
)
def replace_known_share(x, rng):
    n = len(x)
    share = sum((1 for v in x if v > 0.3)) / n
    return share + rng.laplace(0, 1.0 / (n * 0.5))


@A(
    claim="PureDP(epsilon=0.88)",
    data=[0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917],
    bounds=(0, 1),
    relation="replace",
)
def replace_small_n(x, rng):
    n = len(x)
    if n < 3:
        return None
    return sum(x) / (n - 1) + rng.laplace(0, 1.5 / n)


USERS = dict(user=("i", 0, 9), amount=("f", 0, 5), kind=("t", "x", "y"))


@A(
    claim="PureDP(epsilon=0.99)",
    data=[
        {"user": 8, "amount": 4.066351196001362, "kind": "x"},
        {"user": 9, "amount": 4.079267770607661, "kind": "y"},
        {"user": 9, "amount": 0.8782781030127951, "kind": "x"},
        {"user": 8, "amount": 0.6214163824978197, "kind": "y"},
        {"user": 0, "amount": 4.986049678946055, "kind": "x"},
    ],
    bounds={"user": (0, 9), "amount": (0, 5)},
    unit="user",
    most_per_unit=3,
)
def users_sum(rows, rng):
    return sum((r["amount"] for r in rows)) + rng.laplace(0, 15.0)


@A(
    claim="GDP(mu=0.99)",
    data=[
        {"user": 8, "amount": 4.066351196001362, "kind": "x"},
        {"user": 9, "amount": 4.079267770607661, "kind": "y"},
        {"user": 9, "amount": 0.8782781030127951, "kind": "x"},
        {"user": 8, "amount": 0.6214163824978197, "kind": "y"},
        {"user": 0, "amount": 4.986049678946055, "kind": "x"},
    ],
    bounds={"user": (0, 9), "amount": (0, 5)},
    unit="user",
    most_per_unit=3,
)
def users_vector(rows, rng):
    s = np.array([sum((r["amount"] for r in rows if r["kind"] == t)) for t in ("x", "y")])
    return s + rng.normal(0, 15.0, size=2)


@A(
    claim="PureDP(epsilon=0.99)",
    data=[
        {"user": 8, "amount": 4.066351196001362, "kind": "x"},
        {"user": 9, "amount": 4.079267770607661, "kind": "y"},
        {"user": 9, "amount": 0.8782781030127951, "kind": "x"},
        {"user": 8, "amount": 0.6214163824978197, "kind": "y"},
        {"user": 0, "amount": 4.986049678946055, "kind": "x"},
    ],
    bounds={"user": (0, 9), "amount": (0, 5)},
    unit="user",
    most_per_unit=2,
)
def users_counts(rows, rng):
    c = {"x": 0, "y": 0}
    for r in rows:
        if r["kind"] in c:
            c[r["kind"]] += 1
    return {k: v + rng.laplace(0, 2.0) for k, v in c.items()}


@A(
    claim="PureDP(epsilon=0.99)",
    data={
        "user": np.array([8, 6, 2, 0, 0]),
        "amount": np.array(
            [4.066351196001362, 4.675362118938841, 3.64827723214972, 2.113436105988292, 3.0769255574062693]
        ),
    },
    bounds={"user": (0, 9), "amount": (0, 5)},
    unit="user",
    most_per_unit=4,
)
def users_arrays(t, rng):
    return [np.sum(t["amount"][t["user"] == u]) + rng.laplace(0, 20.0) for u in range(3)]


@A(
    claim="PureDP(epsilon=0.9388)",
    data=[2, -3, -3, 1, 1],
    bounds=(-3, 3),
)
def geometric_counter(data, rng):
    n = 0
    for x in data:
        n += x * x if x > 0 else 0
    return n + rng.geometric(0.1) - rng.geometric(0.1)


@A(
    claim="PureDP(epsilon=0.99)",
    data=[8, 0, 0, 6, 6],
    bounds=(0, 9),
)
def counts_in_list(data, rng):
    counts = [0] * 10
    for d in data:
        counts[d] += 1
    cumulative, run = ([], 0.0)
    for c in counts:
        run += c + rng.laplace(0, 1.0)
        cumulative.append(run)
    return cumulative


@A(
    claim="PureDP(epsilon=0.99)",
    data=[8, 0, 0, 6, 6],
    bounds=(0, 9),
)
def counts_of_prefix(data, rng):
    counts = [0] * 10
    for d in data:
        for j in range(10):
            if d <= j:
                counts[j] += 1
    return [c + rng.laplace(0, 10.0) for c in counts]


@A(
    claim="PureDP(epsilon=0.99)",
    data={
        "age": np.array([85, 60, 39, 99, 61]),
        "sex": np.array([True, False, False, True, False]),
        "w": np.array(
            [1.8255111545554434, 0.00547700034029619, 1.0829224404981834, 1.2943790231485002, 1.3009185525356326]
        ),
    },
    bounds={"age": (0, 99), "w": (0, 2)},
)
def crosstab(t, rng):
    out = {}
    for lo in range(0, 100, 25):
        own = (t["age"] >= lo) & (t["age"] < lo + 25)
        for s in (True, False):
            mask = own & (t["sex"] if s else ~t["sex"])
            out[lo, int(s)] = np.sum(t["w"][mask]) + rng.laplace(0, 2.0)
    return out


@A(
    claim="PureDP(epsilon=0.99)",
    data=[
        (0.016527635528529094, 0.6066357757671799, "p"),
        (0.8158535541215322, 0.7296554464299441, "q"),
        (0.2997118905373848, 0.12428327649956394, "p"),
        (0.38367755426188344, 0.6504592762678163, "q"),
        (0.7214883401940817, 0.4858353588317891, "p"),
    ],
    bounds={"[0]": (0, 1), "[1]": (0, 1)},
)
def tuples_unpacked(rows, rng):
    sa = sb = 0.0
    n = 0
    for a, b, label in rows:
        if label == "p":
            sa, sb = (sa + a, sb + b)
            n += 1
    return (sa + rng.laplace(0, 3.0), sb + rng.laplace(0, 3.0), n + rng.laplace(0, 3.0))


@A(
    claim="PureDP(epsilon=0.66)",
    data=[
        (0.016527635528529094, 0.6066357757671799, "p"),
        (0.8158535541215322, 0.7296554464299441, "q"),
        (0.2997118905373848, 0.12428327649956394, "p"),
        (0.38367755426188344, 0.6504592762678163, "q"),
        (0.7214883401940817, 0.4858353588317891, "p"),
    ],
    bounds={"[0]": (0, 1), "[1]": (0, 1)},
)
def tuples_swapped(rows, rng):
    s = d = 0.0
    for a, b, _ in rows:
        if a < b:
            a, b = (b, a)
        s += a + b
        d += a - b
    return (s + rng.laplace(0, 3.0), d + rng.laplace(0, 3.0))


@A(
    claim="PureDP(epsilon=0.99)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
)
def synthetic_data(x, rng):
    h, edges = np.histogram(x, bins=8, range=(0.0, 1.0))
    p = np.maximum(h + rng.laplace(0, 1.0, size=8), 0.0) + 1e-09
    p = p / p.sum()
    places = rng.choice(np.arange(8), size=20, p=p)
    return (np.sort(places), p)


PIPELINE = compose(np.nan_to_num, lambda x: np.clip(x, -1.0, 2.0), lambda x: x * 0.5 + 1.0)


@A(
    claim="PureDP(epsilon=0.99)",
    data=np.array([0.5, 1.25, 2.5, -3.0, 7.0]),
)
def pipeline(x, rng):
    return np.sum(PIPELINE(x)) + rng.laplace(0, 2.0)


@A(
    claim="PureDP(epsilon=0.99)",
    data=np.array([0.5, 1.25, 2.5, -3.0, 7.0]),
)
def pipeline_apply(x, rng):
    e = split(1.0, 1, 2, 3)
    x = np.nan_to_num(x)
    fs = [lambda x, rng, s=s: np.sum(np.clip(x, 0, s)) + rng.laplace(0, 6.0) for s in (1.0, 2.0, 3.0)]
    return (H.apply_all(fs, x, rng=rng), e)


@A(
    claim="PureDP(epsilon=0.99)",
    data={
        "x": [0.04958290658558728, 2.4475606623645962, 1.624383660747275, 1.8461553344437616, 1.1667642719373115],
        "y": [0.21327155153435973, -0.9328288493890713, -0.9433606577090741, 0.9616706775524602, 0.050708644951451776],
    },
    bounds={"x": (0, 3), "y": (-1, 1)},
)
def zipped_columns(t, rng):
    sxy = sxx = 0.0
    for x, y in zip(t["x"], t["y"]):
        sxy += x * y
        sxx += x * x
    sxy, sxx = (sxy + rng.laplace(0, 6.0), sxx + rng.laplace(0, 18.0))
    return sxy / max(sxx, 1.0)


@A(
    claim="PureDP(epsilon=0.99)",
    data={
        "x": [0.04958290658558728, 2.4475606623645962, 1.624383660747275, 1.8461553344437616, 1.1667642719373115],
        "y": [0.21327155153435973, -0.9328288493890713, -0.9433606577090741, 0.9616706775524602, 0.050708644951451776],
    },
    bounds={"x": (0, 3), "y": (-1, 1)},
)
def columns_made_arrays(t, rng):
    x, y = (
        (np.asarray(t[name], dtype=float) for name in ("x", "y")) if False else (np.asarray(t["x"]), np.asarray(t["y"]))
    )
    z = np.stack([x, y]) if False else x * y
    return z.sum() + rng.laplace(0, 3.0)


@A(
    claim="PureDP(epsilon=0.495)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
)
def partial_helper(x, rng):
    release = functools.partial(H.laplace, epsilon=0.5, rng=rng)
    return release(np.sum(x), 1.0)


def _mean(x, rng, lower=0.0, upper=1.0, epsilon=1.0):
    n = max(len(x) + rng.laplace(0, 2 / epsilon), 1.0)
    return (np.sum(np.clip(x, lower, upper)) + rng.laplace(0, 2 * (upper - lower) / epsilon)) / n


@A(
    claim="PureDP(epsilon=1.98)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
)
def range_minus(x, rng, lower=2.0, upper=3.0):
    return np.sum(np.clip(x, lower, upper)) + rng.laplace(0, upper - lower)


@A(
    claim="PureDP(epsilon=1.485)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
)
def mixed_noise(x, rng):
    return (np.sum(x) + rng.laplace(0, 2.0), np.sum(x * x) + rng.laplace(0, 2.0) * 0.5)


@A(
    claim="PureDP(epsilon=4.851)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
)
def min_max_window(x, rng):
    a = np.minimum(np.maximum(x, 0.2), 0.4) - 0.2
    b = np.fmax(np.fmin(x, 0.9), 0.5)
    c = [max(0.1, min(v, 0.3, 0.7)) for v in x]
    return (np.sum(a) + rng.laplace(0, 0.2), np.sum(b) + rng.laplace(0, 1.0), sum(c) + rng.laplace(0, 0.1))


@A(
    claim="PureDP(epsilon=6.811)",
    data=[0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917],
    bounds=(0, 1),
)
def order_dependent(x, rng):
    s, sign = (0.0, 1.0)
    for v in x:
        s += sign * v
        sign = -sign
    return s + rng.laplace(0, 1.0)


@A(
    claim="PureDP(epsilon=1.98)",
    data=[0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917],
    bounds=(0, 1),
)
def running_max(x, rng):
    best, n = (0.0, 0)
    for v in x:
        if v > best:
            best = v
            n += 1
    return n + rng.laplace(0, 1.0)


@A(
    claim="PureDP(epsilon=8.91)",
    data=[0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917],
    bounds=(0, 1),
)
def ranks(x, rng):
    order = sorted(x)
    return sum((i * v for i, v in enumerate(order))) + rng.laplace(0, 1.0)


@A(
    claim="PureDP(epsilon=0.99)",
    data=[0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917],
    bounds=(0, 1),
)
def limited_by_counter(x, rng):
    s, n = (0.0, 0)
    for v in x:
        if n < 100:
            s += v
            n += 1
    return s + rng.laplace(0, 1.0)


@A(
    claim="PureDP(epsilon=0.99)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
)
def exponential_weights(x, rng):
    w = np.ones(3)
    for t in range(3):
        scores = np.array([np.sum(np.where(x > c, 1.0, 0.0)) for c in (0.2, 0.5, 0.8)]) + rng.laplace(0, 9.0, size=3)
        w = w * np.exp(np.clip(scores / 10, -5, 5))
        w = w / w.sum()
    return w


@A(
    claim="PureDP(epsilon=0.7425)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
)
def sparse_vector(x, rng):
    t = 5 + rng.laplace(0, 2.0)
    out = []
    for c in (0.1, 0.3, 0.5):
        q = np.sum(np.where(x > c, 1.0, 0.0)) + rng.laplace(0, 4.0)
        if q > t:
            out.append(c)
            break
        out.append(None)
    return out


PEOPLE = dict(age=("f", 0, 120), income=("f", -5, 20), group=("t", "a", "b", "c"))


NUMS = {"": ("f", 0, 1)}


ANY = {"": ("any",)}


WIDE = {"": ("f", -10, 10)}


INTS = {"": ("i", 0, 9)}


M3 = dict(a=("f", -1, 1), b=("f", -2, 2), c=("f", 0, 1))


COLS = dict(age=("f", 0, 120), income=("f", -5, 20), score=("f", -3, 3))


def logged(f):

    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        return f(*args, **kwargs)

    return wrapper


def twice(f):

    def wrapper(data, rng):
        return (f(data, rng), f(data, rng))

    return wrapper


@logged
def helper_logged(x, lo, hi):
    return min(max(x, lo), hi)


@A(
    claim="PureDP(epsilon=0.99)",
    data=[-9.669447289429417, 2.132715515343598, 6.317071082430644, -9.328288493890714, 0.8292244049818347],
    bounds=(-10, 10),
)
def decorated_helper(data, rng):
    return sum((helper_logged(x, -1.0, 2.0) for x in data)) + rng.laplace(0, 2.0)


def outer(c):

    def middle(d):

        def inner(x):
            return clampc(x * d)

        def clampc(x):
            return min(max(x, -c), c)

        return inner

    return middle


F2 = outer(2.0)(3.0)


@A(
    claim="PureDP(epsilon=0.99)",
    data=[-9.669447289429417, 2.132715515343598, 6.317071082430644, -9.328288493890714, 0.8292244049818347],
    bounds=(-10, 10),
)
def nested_closures(data, rng):
    return sum((F2(x) for x in data)) + rng.laplace(0, 2.0)


class Base:
    cap = 1.0

    def limit(self):
        return self.cap

    def clip(self, x):
        return min(max(x, 0.0), self.limit())


class Child(Base):
    cap = 5.0

    def __init__(self, cap=None):
        if cap is not None:
            self.cap = cap


class GrandChild(Child):
    def limit(self):
        return self.cap * 2


CA, CB, CC = (Child(), Child(0.5), GrandChild())


@A(
    claim="PureDP(epsilon=1.535)",
    data=[-9.669447289429417, 2.132715515343598, 6.317071082430644, -9.328288493890714, 0.8292244049818347],
    bounds=(-10, 10),
)
def class_attributes(data, rng):
    return [sum((o.clip(x) for x in data)) + rng.laplace(0, 10.0) for o in (CA, CB, CC)]


CA2 = Child()


Base.cap = 100.0


class Late(Base):
    pass


LATE = Late()


@A(
    claim="PureDP(epsilon=9.9)",
    data=[-9.669447289429417, 2.132715515343598, 6.317071082430644, -9.328288493890714, 0.8292244049818347],
    bounds=(-10, 10),
)
def class_attribute_changed(data, rng):
    return sum((LATE.clip(x) for x in data)) + rng.laplace(0, 1.0)


class WithLambda:
    scale = lambda self, x: 2 * x
    fixed = staticmethod(lambda x: min(max(x, 0.0), 1.0))

    def __init__(self):
        self.own = lambda x: min(max(x, 0.0), 3.0)


WL = WithLambda()


@A(
    claim="PureDP(epsilon=4.95)",
    data=[-9.669447289429417, 2.132715515343598, 6.317071082430644, -9.328288493890714, 0.8292244049818347],
    bounds=(-10, 10),
)
def lambda_attributes(data, rng):
    return sum((WL.scale(WL.fixed(x)) + WL.own(x) for x in data)) + rng.laplace(0, 1.0)


@A(
    claim="PureDP(epsilon=0.495)",
    data=[0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917],
    bounds=(0, 1),
)
def aliased_rows(data, rng):
    grid = [[0.0, 0.0]] * 2
    grid[0][0] = sum(data)
    return [[c + rng.laplace(0, 4.0) for c in row] for row in grid]


@A(
    claim="PureDP(epsilon=1.98)",
    data=[0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917],
    bounds=(0, 1),
)
def aliased_lists(data, rng):
    a = b = []
    a.append(sum(data))
    b.append(sum((x * x for x in data)))
    return [v + rng.laplace(0, 1.0) for v in a]


@A(
    claim="PureDP(epsilon=1.089)",
    data=[0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917],
    bounds=(0, 1),
)
def late_names(data, rng):

    def release():
        return sum((min(x, cap) for x in data)) + rng.laplace(0, 1.0)

    cap = 0.1
    a = release()
    cap = 1.0
    b = release()
    return (a, b)


@A(
    claim="PureDP(epsilon=0.99)",
    data=[0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917],
    bounds=(0, 1),
)
def shadowed(data, rng):
    x = 5.0
    s = sum([x for x in data])
    return (s + rng.laplace(0, 1.0), x)


@A(
    claim="PureDP(epsilon=0.99)",
    data=[0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917],
    bounds=(0, 1),
)
def builtin_shadowed(data, rng):

    def max(a, b):
        return a + b

    return sum((max(0.0, x) for x in data)) + rng.laplace(0, 1.0)


@A(
    claim="PureDP(epsilon=0.99)",
    data=[0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917],
    bounds=(0, 1),
)
def loops_of_thresholds(data, rng):
    counts = []
    for j in range(3):
        t = 0
        for x in data:
            t += x > j / 4
        counts.append(t)
    return [c + rng.laplace(0, 3.0) for c in counts]


@A(
    claim="PureDP(epsilon=0.99)",
    data=[8, 0, 0, 6, 6],
    bounds=(0, 9),
)
def dict_of_comprehension(data, rng):
    return {k: sum((1 for x in data if x == k)) + rng.laplace(0, 1.0) for k in range(10)}


@A(
    claim="PureDP(epsilon=2.97)",
    data=[8, 0, 0, 6, 6],
    bounds=(0, 9),
)
def dict_of_comprehension_le(data, rng):
    return {k: sum((1 for x in data if x <= k)) + rng.laplace(0, 1.0) for k in range(3)}


@A(
    claim="PureDP(epsilon=2.97)",
    data=[8, 0, 0, 6, 6],
    bounds=(0, 9),
)
def lookup_table(data, rng):
    weights = (0.5, 1.0, 3.0, 0.25, 0, 1, 2, 1.5, -2.0, 0.125)
    return sum((weights[x] for x in data)) + rng.laplace(0, 1.0)


@A(
    claim="PureDP(epsilon=15.84)",
    data=[8, 0, 0, 6, 6],
    bounds=(0, 9),
)
def lookup_array(data, rng):
    weights = np.array([0.5, 1.0, 3.0, 0.25, 0, 1, 2, 1.5, -2.0, 0.125])
    return sum((weights[x] * x for x in data)) + rng.laplace(0, 1.0)


@A(
    claim="PureDP(epsilon=2.97)",
    data=[
        {"age": 1.9833162634234913, "income": 10.165894394179496, "group": "a"},
        {"age": 97.90242649458386, "income": 13.2413861607486, "group": "b"},
        {"age": 35.965426864486176, "income": -1.8929180875109015, "group": "c"},
        {"age": 46.041306511426015, "income": 11.261481906695408, "group": "a"},
        {"age": 86.5786008232898, "income": 7.145883970794728, "group": "b"},
    ],
    bounds={"age": (0, 120), "income": (-5, 20)},
)
def lookup_texts(rows, rng):
    w = {"a": 1.0, "b": -3.0}
    return sum((w.get(r["group"], 0.5) for r in rows)) + rng.laplace(0, 1.0)


@A(
    claim="PureDP(epsilon=3.96)",
    data=[
        {"age": 1.9833162634234913, "income": 10.165894394179496, "group": "a"},
        {"age": 97.90242649458386, "income": 13.2413861607486, "group": "b"},
        {"age": 35.965426864486176, "income": -1.8929180875109015, "group": "c"},
        {"age": 46.041306511426015, "income": 11.261481906695408, "group": "a"},
        {"age": 86.5786008232898, "income": 7.145883970794728, "group": "b"},
    ],
    bounds={"age": (0, 120), "income": (-5, 20)},
)
def lookup_functions(rows, rng):
    by = {"a": lambda r: 1.0, "b": lambda r: min(abs(r["income"]), 4.0), "": None}
    s = 0.0
    for r in rows:
        if r["group"] in ("a", "b"):
            s += by[r["group"]](r)
    return s + rng.laplace(0, 1.0)


@A(
    claim="PureDP(epsilon=2.97)",
    data=[
        {"age": 1.9833162634234913, "income": 10.165894394179496, "group": "a"},
        {"age": 97.90242649458386, "income": 13.2413861607486, "group": "b"},
        {"age": 35.965426864486176, "income": -1.8929180875109015, "group": "c"},
        {"age": 46.041306511426015, "income": 11.261481906695408, "group": "a"},
        {"age": 86.5786008232898, "income": 7.145883970794728, "group": "b"},
    ],
    bounds={"age": (0, 120), "income": (-5, 20)},
)
def count_by_or(rows, rng):
    n = m = 0
    for r in rows:
        n += r["age"] > 50 or r["income"] > 5
        m += r["age"] > 50 and 2 or 1
    return (n + rng.laplace(0, 1.0), m + rng.laplace(0, 1.0))


@A(
    claim="PureDP(epsilon=0.99)",
    data=[
        {"age": 1.9833162634234913, "income": 10.165894394179496, "group": "a"},
        {"age": 97.90242649458386, "income": 13.2413861607486, "group": "b"},
        {"age": 35.965426864486176, "income": -1.8929180875109015, "group": "c"},
        {"age": 46.041306511426015, "income": 11.261481906695408, "group": "a"},
        {"age": 86.5786008232898, "income": 7.145883970794728, "group": "b"},
    ],
    bounds={"age": (0, 120), "income": (-5, 20)},
)
def and_or_values(rows, rng):
    s = sum((min(r["income"] and r["age"] or 3.0, 10.0) for r in rows))
    return s + rng.laplace(0, 10.0)


@A(
    claim="PureDP(epsilon=4.95)",
    data=np.array([8, 0, 0, 6, 6]),
    bounds=(0, 9),
)
def digits(x, rng):
    return np.sum(x // 3 * 2 - x % 4) + rng.laplace(0, 1.0)


@A(
    claim="PureDP(epsilon=5.94)",
    data=np.array([7, -9, -9, 3, 2]),
    bounds=(-9, 9),
)
def digits_negative(x, rng):
    return (np.sum(x // 4) + rng.laplace(0, 1.0), np.sum(x % 5) + rng.laplace(0, 1.0))


@A(
    claim="PureDP(epsilon=10.89)",
    data=[7, -9, -9, 3, 2],
    bounds=(-9, 9),
)
def truncations(data, rng):
    return [
        sum((int(x / 2) for x in data)) + rng.laplace(0, 1.0),
        sum((round(x / 2) for x in data)) + rng.laplace(0, 1.0),
        sum((int(abs(x) ** 0.5) for x in data)) + rng.laplace(0, 1.0),
    ]


@A(
    claim="PureDP(epsilon=0.99)",
    data=np.array([0.5, 1.25, 2.5, -3.0, 7.0]),
)
def nan_where(x, rng):
    y = np.where(np.isfinite(x), x, 0.0)
    return (np.sum(np.clip(y, -1, 1)) + rng.laplace(0, 1.0), np.sum(np.isnan(x)) + rng.laplace(0, 1.0))


@A(
    claim="PureDP(epsilon=3.96)",
    data=[0.5, 1.25, 2.5, -3.0, 7.0],
)
def nan_minmax(data, rng):
    a = sum((max(0.0, min(x, 1.0)) for x in data if x == x))
    b = sum((min(1.0, max(0.0, x)) for x in data))
    c = sum((max(0.0, min(1.0, x)) for x in data))
    d = sum((1 for x in data if not 0 <= x <= 1))
    return (a + rng.laplace(0, 1.0), b + rng.laplace(0, 1.0), c + rng.laplace(0, 1.0), d + rng.laplace(0, 1.0))


@A(
    claim="PureDP(epsilon=6.93)",
    data=[0.5, 1.25, 2.5, -3.0, 7.0],
)
def nan_branches(data, rng):
    s = 0.0
    for x in data:
        if x < 0:
            s += 0.0
        elif x > 1:
            s += 1.0
        elif x == x:
            s += x
        else:
            s += 7.0
    return s + rng.laplace(0, 1.0)


@A(
    claim="PureDP(epsilon=1.98)",
    data=np.array([0.5, 1.25, 2.5, -3.0, 7.0]),
)
def fmin_fmax(x, rng):
    return np.sum(np.fmax(np.fmin(x, 2.0), -1.0)) + rng.laplace(0, 1.0)


@A(
    claim="PureDP(epsilon=1.98)",
    data=np.array([0.5, 1.25, 2.5, -3.0, 7.0]),
)
def hist_any(x, rng):
    h = np.histogram(x, bins=[-10, 0, 10, 10000000000.0])[0]
    g = np.histogram(x, bins=4, range=(-2, 2))[0]
    return (h + rng.laplace(0, 1.0, size=3), g + rng.laplace(0, 1.0, size=4))


@A(
    claim="GDP(mu=1.4)",
    data=np.array(
        [
            [-0.9669447289429418, 0.42654310306871945, 0.8158535541215322],
            [-0.9328288493890713, 0.16584488099636685, 0.028319671145462966],
            [0.2307702229625077, 1.9233413551049203, 0.3889214239791038],
            [0.050708644951451776, 1.7361740638249987, 0.32186939107594215],
            [0.7805487040095846, -1.6639386256704607, 0.8764842308107038],
        ]
    ),
    bounds={"[0]": (-1, 1), "[1]": (-2, 2), "[2]": (0, 1)},
)
def total_of_rows(X, rng):
    s = np.zeros(3)
    c = 0
    for row in X:
        n = np.linalg.norm(row)
        if n > 1:
            row = row / n
            c += 1
        s = s + row
    return (s + rng.normal(0, 1.0, size=3), c + rng.normal(0, 1.0))


@A(
    claim="GDP(mu=0.99)",
    data=np.array(
        [
            [-0.9669447289429418, 0.42654310306871945, 0.8158535541215322],
            [-0.9328288493890713, 0.16584488099636685, 0.028319671145462966],
            [0.2307702229625077, 1.9233413551049203, 0.3889214239791038],
            [0.050708644951451776, 1.7361740638249987, 0.32186939107594215],
            [0.7805487040095846, -1.6639386256704607, 0.8764842308107038],
        ]
    ),
    bounds={"[0]": (-1, 1), "[1]": (-2, 2), "[2]": (0, 1)},
)
def total_of_rows_in_place(X, rng):
    s = np.zeros(3)
    for row in X:
        n = max(np.linalg.norm(row), 1.0)
        row /= n
        s += row
    return s + rng.normal(0, 1.0, size=3)


@A(
    claim="GDP(mu=0.99)",
    data=np.array(
        [
            [-0.9669447289429418, 0.42654310306871945, 0.8158535541215322],
            [-0.9328288493890713, 0.16584488099636685, 0.028319671145462966],
            [0.2307702229625077, 1.9233413551049203, 0.3889214239791038],
            [0.050708644951451776, 1.7361740638249987, 0.32186939107594215],
            [0.7805487040095846, -1.6639386256704607, 0.8764842308107038],
        ]
    ),
    bounds={"[0]": (-1, 1), "[1]": (-2, 2), "[2]": (0, 1)},
)
def second_moments(X, rng):
    S = np.zeros((3, 3))
    for row in X:
        r = row / max(1.0, float(np.linalg.norm(row)))
        S += r[:, None] * r[None, :]
    return S + rng.normal(0, 1.0, size=(3, 3))


@A(
    claim="GDP(mu=0.99)",
    data=np.array(
        [
            [-0.9669447289429418, 0.42654310306871945, 0.8158535541215322],
            [-0.9328288493890713, 0.16584488099636685, 0.028319671145462966],
            [0.2307702229625077, 1.9233413551049203, 0.3889214239791038],
            [0.050708644951451776, 1.7361740638249987, 0.32186939107594215],
            [0.7805487040095846, -1.6639386256704607, 0.8764842308107038],
        ]
    ),
    bounds={"[0]": (-1, 1), "[1]": (-2, 2), "[2]": (0, 1)},
)
def upper_triangle(X, rng):
    Z = H.l2_clip(X, 1.0)
    G = Z.T @ Z
    return [G[i, j] + rng.normal(0, 1.0) for i in range(3) for j in range(i, 3)]


@A(
    claim="PureDP(epsilon=7.92)",
    data=np.array(
        [
            [-0.9669447289429418, 0.42654310306871945, 0.8158535541215322],
            [-0.9328288493890713, 0.16584488099636685, 0.028319671145462966],
            [0.2307702229625077, 1.9233413551049203, 0.3889214239791038],
            [0.050708644951451776, 1.7361740638249987, 0.32186939107594215],
            [0.7805487040095846, -1.6639386256704607, 0.8764842308107038],
        ]
    ),
    bounds={"[0]": (-1, 1), "[1]": (-2, 2), "[2]": (0, 1)},
)
def differences_before_noise(X, rng):
    s = X.sum(axis=0)
    d = s[1:] - s[:-1]
    return (d + rng.laplace(0, 1.0, size=2), s[::2].sum() + rng.laplace(0, 1.0))


@A(
    claim="PureDP(epsilon=1.188)",
    data=np.array(
        [
            [-0.9669447289429418, 0.42654310306871945, 0.8158535541215322],
            [-0.9328288493890713, 0.16584488099636685, 0.028319671145462966],
            [0.2307702229625077, 1.9233413551049203, 0.3889214239791038],
            [0.050708644951451776, 1.7361740638249987, 0.32186939107594215],
            [0.7805487040095846, -1.6639386256704607, 0.8764842308107038],
        ]
    ),
    bounds={"[0]": (-1, 1), "[1]": (-2, 2), "[2]": (0, 1)},
)
def outer_sums(X, rng):
    s = X.sum(axis=0)
    D = s[:, None] - s[None, :]
    return D + rng.laplace(0, 10.0, size=(3, 3))


@A(
    claim="PureDP(epsilon=7.92)",
    data=np.array(
        [
            [-0.9669447289429418, 0.42654310306871945, 0.8158535541215322],
            [-0.9328288493890713, 0.16584488099636685, 0.028319671145462966],
            [0.2307702229625077, 1.9233413551049203, 0.3889214239791038],
            [0.050708644951451776, 1.7361740638249987, 0.32186939107594215],
            [0.7805487040095846, -1.6639386256704607, 0.8764842308107038],
        ]
    ),
    bounds={"[0]": (-1, 1), "[1]": (-2, 2), "[2]": (0, 1)},
)
def broadcast_noise(X, rng):
    s = X.sum(axis=0)
    return s + rng.laplace(0, 1.0, size=(2, 3))


@A(
    claim="PureDP(epsilon=5.94)",
    data=np.array(
        [
            [-0.9669447289429418, 0.42654310306871945, 0.8158535541215322],
            [-0.9328288493890713, 0.16584488099636685, 0.028319671145462966],
            [0.2307702229625077, 1.9233413551049203, 0.3889214239791038],
            [0.050708644951451776, 1.7361740638249987, 0.32186939107594215],
            [0.7805487040095846, -1.6639386256704607, 0.8764842308107038],
        ]
    ),
    bounds={"[0]": (-1, 1), "[1]": (-2, 2), "[2]": (0, 1)},
)
def product_columns(X, rng):
    return (np.sum(X[:, 0] * X[:, 1] * X[:, 2]) + rng.laplace(0, 1.0), np.sum(X[:, :1] * X) + rng.laplace(0, 1.0))


@A(
    claim="PureDP(epsilon=6.93)",
    data=np.array(
        [
            [-0.9669447289429418, 0.42654310306871945, 0.8158535541215322],
            [-0.9328288493890713, 0.16584488099636685, 0.028319671145462966],
            [0.2307702229625077, 1.9233413551049203, 0.3889214239791038],
            [0.050708644951451776, 1.7361740638249987, 0.32186939107594215],
            [0.7805487040095846, -1.6639386256704607, 0.8764842308107038],
        ]
    ),
    bounds={"[0]": (-1, 1), "[1]": (-2, 2), "[2]": (0, 1)},
)
def masked_rows(X, rng):
    own = X[(X[:, 0] > 0) & (X[:, 1] < 1)]
    return (
        own.sum(axis=0) + rng.laplace(0, 1.0, size=3),
        len(own) + rng.laplace(0, 1.0),
        np.sum(own[:, 1][own[:, 2] > 0.5]) + rng.laplace(0, 1.0),
    )


@A(
    claim="PureDP(epsilon=4.95)",
    data={
        "age": np.array(
            [1.9833162634234913, 4.030269036655723, 73.84621337775046, 63.042518697087104, 106.83292224057507]
        ),
        "income": np.array(
            [10.165894394179496, 8.536530506227292, 19.520883469405753, 18.351087898906243, -2.8996164104403794]
        ),
        "score": np.array(
            [1.8951213247291925, -2.830081973127222, -0.6664714561253771, -1.0687836535443471, 2.2589053848642227]
        ),
    },
    bounds={"age": (0, 120), "income": (-5, 20), "score": (-3, 3)},
)
def masks_mixed(t, rng):
    old = t["age"] > 60
    rich = t["income"][old]
    return (
        np.sum(rich[rich > 0]) + rng.laplace(0, 10.0),
        np.sum(t["score"][old & (t["income"] > 0)]) + rng.laplace(0, 1.0),
    )


@A(
    claim="PureDP(epsilon=0.99)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
)
def public_array_in_place(x, rng):
    h = np.histogram(x, bins=3, range=(0, 1))[0] + rng.laplace(0, 1.0, size=3)
    h = np.maximum(h, 0)
    h[0] = 0.0
    out = h.copy()
    h[1] += 1
    return (out, h)


@A(
    claim="PureDP(epsilon=5.94)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
)
def private_array_in_place(x, rng):
    s = np.zeros(3)
    s[0] = np.sum(x)
    s[1] = np.sum(x * x)
    s[2] = s[0] - s[1]
    s[0] += s[1]
    s *= 2
    return s + rng.laplace(0, 1.0, size=3)


@A(
    claim="PureDP(epsilon=0.99)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
)
def private_array_alias(x, rng):
    s = np.zeros(2)
    t = s
    s[0] = np.sum(x)
    return t + rng.laplace(0, 1.0, size=2)


@A(
    claim="PureDP(epsilon=0.99)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
)
def private_in_list_of_lists(x, rng):
    rows = [[], []]
    for c in (0.2, 0.5, 0.8):
        for i, row in enumerate(rows):
            row.append(np.sum(np.where(x > c, 1.0, 0.0)) * (i + 1))
    return np.array(rows) + rng.laplace(0, 9.0, size=(2, 3))


@A(
    claim="PureDP(epsilon=0.99)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
)
def noise_list(x, rng):
    noise = [rng.laplace(0, 3.0) for _ in range(3)]
    return [np.sum(x > c) + z for c, z in zip((0.1, 0.5, 0.9), noise)]


@A(
    claim="PureDP(epsilon=1.815)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
)
def noise_list_reversed(x, rng):
    noise = [rng.laplace(0, s) for s in (1.0, 2.0, 3.0)]
    return [np.sum(x > c) + noise[-i] for i, c in enumerate((0.1, 0.5, 0.9))]


@A(
    claim="PureDP(epsilon=1.98)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
)
def noise_times_matrix(x, rng):
    h = np.histogram(x, bins=3, range=(0, 1))[0]
    z = rng.laplace(0, 1.0, size=3)
    return h + z[::-1] * np.array([1.0, 0.5, 2.0])


@A(
    claim="PureDP(epsilon=1.485)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
)
def released_twice(x, rng):
    s = np.sum(x)
    a = s + rng.laplace(0, 1.0)
    return (a, a + rng.laplace(0, 1.0), s * 0.5 + rng.laplace(0, 1.0))


@A(
    claim="PureDP(epsilon=1.485)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
)
def difference_of_releases(x, rng):
    s = np.sum(x)
    a, b = (s + rng.laplace(0, 1.0), s + rng.laplace(0, 2.0))
    return a - b


@A(
    claim="PureDP(epsilon=2.475)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
)
def branch_scales(x, rng):
    n = np.sum(x) + rng.laplace(0, 2.0)
    if n > 10:
        s = 0.5
    elif n > 0:
        s = 1.0
    else:
        s = 2.0
    return np.sum(x * x) + rng.laplace(0, s)


@A(
    claim="PureDP(epsilon=3.465)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
)
def branch_functions(x, rng):
    n = np.sum(x) + rng.laplace(0, 2.0)
    f = (lambda v: v) if n > 1 else lambda v: 3 * v
    return np.sum(f(x)) + rng.laplace(0, 1.0)


@A(
    claim="PureDP(epsilon=3.465)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
)
def branch_functions_lines(x, rng):
    n = np.sum(x) + rng.laplace(0, 2.0)

    def small(v):
        return v

    def large(v):
        return 3 * v

    f = small if n > 1 else large
    return np.sum(f(x)) + rng.laplace(0, 1.0)


@A(
    claim="PureDP(epsilon=1.485)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
)
def released_place(x, rng):
    h = np.histogram(x, bins=3, range=(0, 1))[0] + rng.laplace(0, 2.0, size=3)
    j = int(np.argmax(h))
    edges = (0.0, 1 / 3, 2 / 3, 1.0)
    return (j, np.sum(x[(x >= edges[j]) & (x <= edges[j + 1])]) + rng.laplace(0, 1.0))


@A(
    claim="PureDP(epsilon=1.485)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
)
def released_weights(x, rng):
    w = [1.0, 2.0, 3.0]
    n = np.sum(x) + rng.laplace(0, 2.0)
    i = min(max(int(n), 0), 2)
    return np.sum(x * w[i]) + rng.laplace(0, 3.0)


@A(
    claim="PureDP(epsilon=0.9874)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
)
def random_thresholds(x, rng):
    c = rng.uniform(0, 1)
    u = rng.random()
    return np.sum(np.where(x > c, u, 0.0)) + rng.laplace(0, 1.0)


@A(
    claim="PureDP(epsilon=1.98)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
)
def random_branch(x, rng):
    if rng.random() < 0.1:
        return np.sum(x) + rng.laplace(0, 0.5)
    return np.sum(x) + rng.laplace(0, 2.0)


@A(
    claim="PureDP(epsilon=0.0)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
)
def random_weights_clipped(x, rng):
    w = float(np.clip(rng.normal(0, 1.0), -2.0, 2.0))
    return np.sum(x * w) + rng.laplace(0, 1.0)


@A(
    claim="PureDP(epsilon=0.99)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
)
def while_halving(x, rng):
    c, n = (1.0, 0)
    q = np.sum(x) + rng.laplace(0, 4.0)
    while q < c and n < 3:
        c /= 2
        n += 1
        q = np.sum(np.minimum(x, c)) + rng.laplace(0, 4.0 * c)
    return (c, q)


@A(
    claim="PureDP(epsilon=1.485)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
    relation="replace",
)
def replace_two_shares(x, rng):
    n = len(x)
    a = np.sum(x > 0.5) / n
    b = np.sum(x[x > 0.5]) / n
    return (a + rng.laplace(0, 1.0 / n), b + rng.laplace(0, 2.0 / n), n)


@A(
    claim="PureDP(epsilon=0.99)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
    relation="replace",
)
def replace_weighted_n(x, rng):
    n = x.size
    w = 2.0 / n if n > 10 else 0.2
    return np.sum(x) * w + rng.laplace(0, 0.2)


@A(
    claim="PureDP(epsilon=0.99)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
    relation="replace",
)
def replace_sqrt_n(x, rng):
    n = x.shape[0]
    return x.mean() + rng.laplace(0, 1.0 / math.sqrt(n))


@A(
    claim="PureDP(epsilon=0.0)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
    relation="replace",
)
def replace_count_of_n(x, rng):
    return (sum((1 for _ in x)) + rng.laplace(0, 1.0), len(x))


@A(
    claim="GDP(mu=0.9839)",
    data=np.array(
        [
            [-0.9669447289429418, 0.42654310306871945, 0.8158535541215322],
            [-0.9328288493890713, 0.16584488099636685, 0.028319671145462966],
            [0.2307702229625077, 1.9233413551049203, 0.3889214239791038],
            [0.050708644951451776, 1.7361740638249987, 0.32186939107594215],
            [0.7805487040095846, -1.6639386256704607, 0.8764842308107038],
        ]
    ),
    bounds={"[0]": (-1, 1), "[1]": (-2, 2), "[2]": (0, 1)},
    relation="replace",
)
def replace_rows_clipped(X, rng):
    n = len(X)
    return np.sum(H.l2_clip(X, 1.0), axis=0) / n + rng.normal(0, 2.0 / n, size=3)


@A(
    claim="GDP(mu=0.99)",
    data=np.array(
        [
            [-0.9669447289429418, 0.42654310306871945, 0.8158535541215322],
            [-0.9328288493890713, 0.16584488099636685, 0.028319671145462966],
            [0.2307702229625077, 1.9233413551049203, 0.3889214239791038],
            [0.050708644951451776, 1.7361740638249987, 0.32186939107594215],
            [0.7805487040095846, -1.6639386256704607, 0.8764842308107038],
        ]
    ),
    bounds={"[0]": (-1, 1), "[1]": (-2, 2), "[2]": (0, 1)},
    relation="replace",
)
def replace_cov(X, rng):
    n = len(X)
    Z = H.l2_clip(X, 1.0)
    return Z.T @ Z / n + rng.normal(0, math.sqrt(2.0) / n, size=(3, 3))


@A(
    claim="PureDP(epsilon=0.99)",
    data=[
        {"age": 1.9833162634234913, "income": 10.165894394179496, "group": "a"},
        {"age": 97.90242649458386, "income": 13.2413861607486, "group": "b"},
        {"age": 35.965426864486176, "income": -1.8929180875109015, "group": "c"},
        {"age": 46.041306511426015, "income": 11.261481906695408, "group": "a"},
        {"age": 86.5786008232898, "income": 7.145883970794728, "group": "b"},
    ],
    bounds={"age": (0, 120), "income": (-5, 20)},
    relation="replace",
)
def replace_groups(rows, rng):
    c = {"a": 0, "b": 0, "c": 0}
    for r in rows:
        if r["group"] in c:
            c[r["group"]] += 1
    n = len(rows)
    return {k: v / n + rng.laplace(0, 2.0 / n) for k, v in c.items()}


@A(
    claim="PureDP(epsilon=0.99)",
    data=[
        {"user": 8, "amount": 4.066351196001362, "kind": "x"},
        {"user": 9, "amount": 4.079267770607661, "kind": "y"},
        {"user": 9, "amount": 0.8782781030127951, "kind": "x"},
        {"user": 8, "amount": 0.6214163824978197, "kind": "y"},
        {"user": 0, "amount": 4.986049678946055, "kind": "x"},
    ],
    bounds={"user": (0, 9), "amount": (0, 5)},
    unit="user",
    most_per_unit=5,
)
def users_several(rows, rng):
    n = len(rows) + rng.laplace(0, 10.0)
    s = sum((r["amount"] for r in rows if r["kind"] == "x")) + rng.laplace(0, 50.0)
    m = sum((r["amount"] for r in rows if r["kind"] == "y")) + rng.laplace(0, 50.0)
    return (s / max(n, 1.0), m)


@dpv.noise_primitive(law="laplace")
def add_noise(value, scale):
    g = np.random.default_rng()
    return value + g.laplace(0.0, scale, size=np.shape(value) or None)


@A(
    claim="PureDP(epsilon=2.97)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
)
def star_map(x, rng):
    pairs = [(1.0, 2.0), (0.5, 1.0)]
    return [H.laplace(np.sum(x) * w, w, e, rng) for w, e in pairs]


@A(
    claim="PureDP(epsilon=1.98)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
)
def reduce_sum(x, rng):
    return reduce(operator.add, [np.sum(x), np.sum(x)]) + rng.laplace(0, 1.0)


@A(
    claim="PureDP(epsilon=1.98)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
)
def string_keys(x, rng):
    out = {}
    for i, (lo, hi) in enumerate(zip((0.0, 0.5), (0.5, 1.0))):
        out[f"{lo}-{hi}"] = np.sum((x >= lo) & (x <= hi)) + rng.laplace(0, 1.0)
    return out


@A(
    claim="PureDP(epsilon=0.99)",
    data=np.array(
        [0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917]
    ),
    bounds=(0, 1),
)
def same_key_twice(x, rng):
    out = {}
    for k in ("a", "b", "a"):
        out[k] = np.sum(x) + rng.laplace(0, 3.0)
    return out


@A(
    claim="PureDP(epsilon=2.97)",
    data=[
        (0.016527635528529094, -0.5734568969312805),
        (0.8158535541215322, -2.8656576987781426),
        (0.5414612202490917, -2.886721315418148),
        (0.6153851114812539, 0.9233413551049203),
        (0.3889214239791038, -0.8985827100970964),
    ],
    bounds={"[0]": (0, 1), "[1]": (-3, 1)},
)
def row_sum(rows, rng):
    return (sum((sum(r) for r in rows)) + rng.laplace(0, 1.0), sum((max(*r) for r in rows)) + rng.laplace(0, 1.0))


@A(
    claim="PureDP(epsilon=1.4)",
    data=[
        (0.016527635528529094, -0.5734568969312805),
        (0.8158535541215322, -2.8656576987781426),
        (0.5414612202490917, -2.886721315418148),
        (0.6153851114812539, 0.9233413551049203),
        (0.3889214239791038, -0.8985827100970964),
    ],
    bounds={"[0]": (0, 1), "[1]": (-3, 1)},
)
def row_array(rows, rng):
    s = np.zeros(2)
    for r in rows:
        v = np.array([r[0], r[1]])
        s += v * min(1.0, 1.0 / max(1e-09, float(np.linalg.norm(v))))
    return s + rng.laplace(0, 1.0, size=2)


@A(
    claim="PureDP(epsilon=3.96)",
    data=[
        (0.016527635528529094, -0.5734568969312805),
        (0.8158535541215322, -2.8656576987781426),
        (0.5414612202490917, -2.886721315418148),
        (0.6153851114812539, 0.9233413551049203),
        (0.3889214239791038, -0.8985827100970964),
    ],
    bounds={"[0]": (0, 1), "[1]": (-3, 1)},
)
def row_list_inside(rows, rng):
    s = 0.0
    for r in rows:
        parts = []
        for v in r:
            parts.append(min(max(v, -1.0), 1.0))
        parts[0] = parts[0] * 3
        s += sum(parts)
    return s + rng.laplace(0, 1.0)


@A(
    claim="PureDP(epsilon=4.455)",
    data=[
        (0.016527635528529094, -0.5734568969312805),
        (0.8158535541215322, -2.8656576987781426),
        (0.5414612202490917, -2.886721315418148),
        (0.6153851114812539, 0.9233413551049203),
        (0.3889214239791038, -0.8985827100970964),
    ],
    bounds={"[0]": (0, 1), "[1]": (-3, 1)},
)
def row_dict_inside(rows, rng):
    s = 0.0
    for a, b in rows:
        d = {"lo": min(a, b), "hi": max(a, b)}
        d["mid"] = (d["lo"] + d["hi"]) / 2
        for k in d:
            s += d[k]
    return s + rng.laplace(0, 1.0)


@A(
    claim="PureDP(epsilon=1.98)",
    data=[0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917],
    bounds=(0, 1),
)
def inner_function_per_record(data, rng):
    s = 0.0
    for x in data:

        def power(n, x=x):
            return 1.0 if n == 0 else x * power(n - 1)

        s += power(3) + power(1)
    return s + rng.laplace(0, 1.0)


@A(
    claim="PureDP(epsilon=3.96)",
    data=[0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917],
    bounds=(0, 1),
)
def inner_while(data, rng):
    s = 0
    for x in data:
        n = 0
        while x > 0.1 and n < 5:
            x = x / 2
            n += 1
        s += n
    return s + rng.laplace(0, 1.0)


@A(
    claim="PureDP(epsilon=2.97)",
    data=[0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917],
    bounds=(0, 1),
)
def assigned_in_one_branch(data, rng):
    s = 0.0
    for x in data:
        if x > 0.5:
            y = x
        else:
            y = 3.0
        s += y
    return s + rng.laplace(0, 1.0)


@A(
    claim="PureDP(epsilon=7.92)",
    data=[0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917],
    bounds=(0, 1),
)
def stale_value(data, rng):
    s, y = (0.0, 0.0)
    for x in data:
        if x > 0.5:
            y = x
        s += y
    return s + rng.laplace(0, 1.0)


@A(
    claim="PureDP(epsilon=0.99)",
    data=[0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917],
    bounds=(0, 1),
)
def loop_twice_state(data, rng):
    s = 0.0
    for x in data:
        s += x
    t = 0.0
    for x in data:
        t += min(x, s)
    return t + rng.laplace(0, 1.0)


@A(
    claim="PureDP(epsilon=0.99)",
    data=[0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917],
    bounds=(0, 1),
)
def totals_combined_in_loop(data, rng):
    a = b = 0.0
    for x in data:
        a += x
        b += x * x
        c = a - b
    return (a + rng.laplace(0, 2.0), b + rng.laplace(0, 2.0))


@A(
    claim="PureDP(epsilon=1.98)",
    data=[0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917],
    bounds=(0, 1),
)
def continued_total(data, rng):
    s = 0.0
    for x in data:
        s += x
    for x in data:
        s += 2 * x
    for x in data:
        s -= x * x
    return s + rng.laplace(0, 1.0)


@A(
    claim="PureDP(epsilon=1.98)",
    data=[0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917],
    bounds=(0, 1),
)
def total_from_noisy(data, rng):
    s = 0.0
    for x in data:
        s += x
    s += rng.laplace(0, 1.0)
    for x in data:
        s += x
    return s + rng.laplace(0, 1.0)


@A(
    claim="PureDP(epsilon=0.99)",
    data=[0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917],
    bounds=(0, 1),
)
def total_from_noisy_returned(data, rng):
    s = 0.0
    for x in data:
        s += x
    s += rng.laplace(0, 1.0)
    for x in data:
        s += 0.0 * x
    return s


@A(
    claim="PureDP(epsilon=2.97)",
    data=[0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917],
    bounds=(0, 1),
)
def list_of_clipped_twice(data, rng):
    c = [min(x, 0.5) for x in data]
    d = [x * 4 for x in c if x > 0.25]
    return (sum(c) + rng.laplace(0, 0.5), sum(d) + rng.laplace(0, 2.0), len(d) + rng.laplace(0, 1.0))


@A(
    claim="PureDP(epsilon=2.97)",
    data=[0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917],
    bounds=(0, 1),
)
def grown_list(data, rng):
    kept = []
    for x in data:
        if x > 0.3:
            kept.append(x - 0.3)
        elif x < 0.1:
            kept.append(-1.0)
    return (
        sum(kept) + rng.laplace(0, 1.0),
        len(kept) + rng.laplace(0, 1.0),
        sum((1 for k in kept if k < 0)) + rng.laplace(0, 1.0),
    )


@A(
    claim="PureDP(epsilon=1.98)",
    data=[0.016527635528529094, 0.6066357757671799, 0.8158535541215322, 0.033585575305464355, 0.5414612202490917],
    bounds=(0, 1),
)
def grown_list_two(data, rng):
    kept = []
    for x in data:
        kept.append(x)
        if x > 0.5:
            kept.append(x)
    return sum(kept) + rng.laplace(0, 1.0)


@A(
    claim="PureDP(epsilon=1.238)",
    data={
        "x": [0.04958290658558728, 2.4475606623645962, 1.624383660747275, 1.8461553344437616, 1.1667642719373115],
        "y": [0.21327155153435973, -0.9328288493890713, -0.9433606577090741, 0.9616706775524602, 0.050708644951451776],
    },
    bounds={"x": (0, 3), "y": (-1, 1)},
)
def columns_filtered_alike(t, rng):
    x = [v for v in t["x"] if v > 1]
    y = [v for v in t["y"] if v > 0]
    return sum((a * b for a, b in zip(x, y))) + rng.laplace(0, 3.0)


@A(
    claim="PureDP(epsilon=2.97)",
    data={
        "x": [0.04958290658558728, 2.4475606623645962, 1.624383660747275, 1.8461553344437616, 1.1667642719373115],
        "y": [0.21327155153435973, -0.9328288493890713, -0.9433606577090741, 0.9616706775524602, 0.050708644951451776],
    },
    bounds={"x": (0, 3), "y": (-1, 1)},
)
def column_lengths(t, rng):
    return (len(t["x"]) + rng.laplace(0, 1.0), len(t), sum((len(t[k]) for k in ("x", "y"))) + rng.laplace(0, 1.0))


@A(
    claim="PureDP(epsilon=0.99)",
    data={
        "x": [0.04958290658558728, 2.4475606623645962, 1.624383660747275, 1.8461553344437616, 1.1667642719373115],
        "y": [0.21327155153435973, -0.9328288493890713, -0.9433606577090741, 0.9616706775524602, 0.050708644951451776],
    },
    bounds={"x": (0, 3), "y": (-1, 1)},
)
def column_by_index(t, rng):
    return sum((t["x"][i] * t["y"][i] for i in range(len(t["x"])))) + rng.laplace(0, 3.0)
