"""The first eigenvector of a thousand records along each of two of five columns, or of one more along the first."""

import numpy as np
import opendp.prelude as dp
from opendp.extras.numpy import _sscp_domain
from opendp.extras.sklearn import _make_eigenvector as module

dp.enable_features("contrib", "idealized-numerics", "honest-but-curious")
COLUMNS, EPSILON, MANY = 5, 1.0, 1000


def made():
    """The library's measurement of a table of sums of squares and cross products."""
    domain = _sscp_domain(num_features=COLUMNS, norm=1.0, p=2, T=float)
    return module.make_private_eigenvector(domain, dp.symmetric_distance(), EPSILON)


def claimed():
    """The library's privacy map for one record."""
    return f"PureDP(epsilon={made().map(1)!r})"


def draw(data, size, seed):
    """Draws of the release, whose generator takes no seed."""
    measurement, table = made(), np.diag([data, MANY, *[0] * (COLUMNS - 2)]).astype(float)
    squares = np.square([measurement(table) for _ in range(size)])
    return squares[:, 1] / squares[:, :2].sum(1)
