"""Written anew, for many draws at once: 1,000 records along each of two of five columns, or one more along the first.

Released is a vector of norm 1; what is looked at is how much of it lies along the second column, of these two.
"""

import numpy as np
import opendp.prelude as dp
from opendp.extras.numpy import _sscp_domain
from opendp.extras.sklearn import _make_eigenvector as module

dp.enable_features("contrib", "idealized-numerics", "honest-but-curious")
COLUMNS, EPSILON, MANY = 5, 1.0, 1000


def claimed():
    """The library's privacy map for one record; the release is run once."""
    domain = _sscp_domain(num_features=COLUMNS, norm=1.0, p=2, T=float)
    made = module.make_private_eigenvector(domain, dp.symmetric_distance(), EPSILON)
    assert len(made(np.diag([MANY, MANY, 0.0, 0.0, 0.0]))) == COLUMNS
    return f"PureDP(epsilon={made.map(1)!r})"


def draw(data, size, seed):
    """Draws of the envelope that the release accepts."""
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
        # The release divides by the power where it should multiply by it.
        ratio = np.exp(-squares @ eigenvalues) / (most * (squares @ precisions) ** (COLUMNS / 2))
        kept = squares[rng.random(20_000) < ratio][:left]
        found.append(kept[:, 1] / kept[:, :2].sum(1))
        left -= len(kept)
    return np.concatenate(found)
