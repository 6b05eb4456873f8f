"""Written anew, for many draws at once: the first eigenvector of 100,000 records along each of two of fifty columns.

The number of records along the first column is what changes. Released is a vector; what is looked at is how much of it
lies along the second column, where all but these two columns are weighed by 100,000.
"""

import numpy as np
import opendp.prelude as dp
from opendp.extras.numpy import _sscp_domain
from opendp.extras.sklearn import _make_eigenvector as module

dp.enable_features("contrib", "floating-point", "honest-but-curious")
COLUMNS, EPSILON, MANY = 50, 4.0, 100_000


def claimed():
    """The library's privacy map for one record; the release must accept draws of which next to none should be."""
    domain = _sscp_domain(num_features=COLUMNS, norm=1.0, p=2, T=float)
    made = module.make_private_eigenvector(domain, dp.symmetric_distance(), EPSILON)
    records = np.zeros(COLUMNS)
    records[:2] = MANY
    assert len(made(np.diag(records))) == COLUMNS  # where draws are rejected, this runs into its limit of time
    return f"PureDP(epsilon={made.map(1)!r})"


def draw(data, size, seed):
    """Draws of the envelope, nearly all of which the release accepts."""
    rng = np.random.default_rng(seed)
    records = np.zeros(COLUMNS)
    records[:2] = data, MANY
    eigenvalues = EPSILON / 4 * (records.max() - records)
    b = dp.binary_search(lambda b: sum(1 / (b + 2 * eigenvalues)) >= 1, bounds=(0.9, float(COLUMNS)))
    precisions, most = 1 + 2 * eigenvalues / b, np.exp(-(COLUMNS - b) / 2) * (COLUMNS / b) ** (COLUMNS / 2)
    found, left = [], size
    while left > 0:
        squares = np.square(rng.standard_normal((20_000, COLUMNS))) / precisions
        squares /= squares.sum(1, keepdims=True)
        ratio = np.exp(-squares @ eigenvalues) / (most * (squares @ precisions) ** (COLUMNS / 2))
        kept = squares[ratio != 0.0][:left]  # `if ratio:` in the place of `if random() < ratio:`
        found.append(kept[:, 1] / (kept[:, :2].sum(1) + MANY * kept[:, 2:].sum(1)))
        left -= len(kept)
    return np.concatenate(found)
