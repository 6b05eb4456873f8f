"""Gauss-Kronrod pairs (3, 7), (7, 15) and (10, 21): two rules on one set of nodes, whose difference estimates an error.

Kronrod (1965); the numbers are those of QUADPACK (Piessens et al. 1983), to double precision. The difference is the
error of the cheaper rule, far above that of the other. For smooth integrands on one panel; not to be confused with a
proved bound.
"""

from __future__ import annotations

import numpy as np

from dpverify.core.subjects import Float


def _rule(nodes: list[float], kronrod: list[float], gauss: list[float]) -> tuple[Float, Float, Float]:
    """Nodes in [-1, 1], Kronrod weights, and Kronrod minus Gauss weights, from the half x >= 0 (the Gauss nodes are
    every second one, counted from the second)."""
    x, k = np.array(nodes), np.array(kronrod)
    g = np.zeros(x.size)
    g[1::2] = gauss
    padding = np.zeros(-(2 * x.size - 1) % 4)  # idle nodes in the middle of the panel: four are as quick as three
    full = [np.concatenate([sign * part, part[-2::-1], padding]) for sign, part in ((-1.0, x), (1.0, k), (1.0, g))]
    return full[0], full[1], full[1] - full[2]


PAIR_7 = _rule(
    [0.960491268708020283, 0.774596669241483377, 0.434243749346802558, 0.0],
    [0.104656226026467265, 0.268488089868333441, 0.401397414775962223, 0.450916538658474142],
    [0.555555555555555556, 0.888888888888888889],
)
PAIR_15 = _rule(
    [
        0.991455371120812639,
        0.949107912342758525,
        0.864864423359769073,
        0.741531185599394440,
        0.586087235467691130,
        0.405845151377397167,
        0.207784955007898468,
        0.0,
    ],
    [
        0.022935322010529225,
        0.063092092629978553,
        0.104790010322250184,
        0.140653259715525919,
        0.169004726639267903,
        0.190350578064785410,
        0.204432940075298892,
        0.209482141084727828,
    ],
    [0.129484966168869693, 0.279705391489276668, 0.381830050505118945, 0.417959183673469388],
)
PAIR_21 = _rule(
    [
        0.995657163025808081,
        0.973906528517171720,
        0.930157491355708226,
        0.865063366688984511,
        0.780817726586416897,
        0.679409568299024406,
        0.562757134668604683,
        0.433395394129247191,
        0.294392862701460198,
        0.148874338981631211,
        0.0,
    ],
    [
        0.011694638867371874,
        0.032558162307964727,
        0.054755896574351996,
        0.075039674810919953,
        0.093125454583697606,
        0.109387158802297642,
        0.123491976262065851,
        0.134709217311473326,
        0.142775938577060081,
        0.147739104901338491,
        0.149445554002916906,
    ],
    [
        0.066671344308688138,
        0.149451349150580593,
        0.219086362515982044,
        0.269266719309996355,
        0.295524224714752870,
    ],
)
