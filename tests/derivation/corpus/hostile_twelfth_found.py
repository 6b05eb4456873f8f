"""False certificates of the twelfth reading. BOTH walls pass.

P: a column of pandas within a dict of columns is read as a list of Python's numbers (derivation/domain.py:150
   `_layout`, `arrays = type(each) is np.ndarray`, else a list; domain.py:170 `_type_of` looks at `list(values)`, whose
   elements are Python's doubles for a Series of float32). numpy's functions of it compute in 32 bits, and the second
   wall (proofs/check.py `_container`) gives the code a list.
S: a dict, or rows, of a class of their own that read otherwise than they hold (derivation/domain.py:125 `_form`: isinstance
   of dict, tuple, list). The second wall gives the code plain dicts and tuples. Contrived, as were T, G, D, K before.
B: ranges that an array of 32 or 16 bits rounds upward (derivation/domain.py:238 `_ends`: FloatRange returns before the
   line that refuses a Choice of such arrays). Borderline as B before: a stated 0.003 is 0.0030000000260770321 in the array.
"""

import numpy as np

try:
    import pandas as pd
except ImportError:
    pd = None

ATTACKS = {}
BORDERLINE = ("float32_range", "float16_range_is_infinite", "float32_range_replaced")


def A(claim="PureDP(epsilon=1)", **k):
    def d(f):
        ATTACKS[f.__name__] = dict(claim=claim, **k)
        return f

    return d


def S32(*values):
    return {"x": pd.Series(values, dtype=np.float32)} if pd is not None else None


def S2(x, y):
    return {"x": pd.Series(x, dtype=np.float32), "y": pd.Series(y, dtype=np.float32)} if pd is not None else None


# P: without a record 0; 1.5 gives -510, 3.0 gives 514: 510 and more where 5 is stated, epsilon 102.
@A(data=S32(0.5, 1.0), bounds="x=0:5", d0=S32(), d1=S32(3.0))
def series_of_32_bits(d, rng):
    y = np.clip(d["x"], 0.0, 5.0)
    z = y + 510.0 + 1e10 - 1e10 - 510.0
    return float(np.sum(z)) + rng.laplace(0, 5.001)


# P: y * 1e38 * 1e38 is infinite in 32 bits: it is what is returned on d1 only.
@A(data=S32(0.5, 1.0), bounds="x=0:1", d0=S32(), d1=S32(1.0))
def series_is_infinite(d, rng):
    y = np.clip(d["x"], 0.0, 1.0)
    z = y * 1e38 * 1e38 / 1e38 / 1e38
    return np.sum(z) + rng.laplace(0, 1.001)


# P: under replace.
@A(data=S32(0.5, 1.0), bounds="x=0:5", relation="replace", d0=S32(1.5, 1.0), d1=S32(3.0, 1.0))
def series_replaced(d, rng):
    z = np.clip(d["x"], 0.0, 5.0) + 510.0 + 1e10 - 1e10 - 510.0
    return float(np.sum(z)) + rng.laplace(0, 5.001)


def Labelled(count):
    if pd is None:
        return None
    index = np.array([0] * count + [1])
    return {"x": pd.Series(np.ones(count + 1), index=index), "y": pd.Series(np.ones(count + 1), index=index[::-1])}


# P: columns of 64 bits, too: + pairs all records that have one label. 10001 and 10202 where the sum is said to move by 1.
@A(data=Labelled(2), bounds="x=0:1,y=0:1", d0=Labelled(100), d1=Labelled(101))
def series_are_joined(d, rng):
    both = np.abs(d["x"]) + np.abs(d["y"])
    return float(np.sum(np.minimum(both, 1.0))) + rng.laplace(0, 1.001)


class Thousands(dict):
    """Gives a thousand times what it holds."""

    def __getitem__(self, key):
        return [1000.0 * each for each in dict.__getitem__(self, key)]


# S: 1000 where 1 is stated.
@A(data=Thousands(a=[0.5, 0.2]), bounds="a=0:1", d0=Thousands(a=[]), d1=Thousands(a=[1.0]))
def dict_of_columns_of_its_own(d, rng):
    return sum(d["a"]) + rng.laplace(0, 1.001)


class Row(tuple):
    """Gives a thousand times what it holds."""

    def __getitem__(self, place):
        return 1000.0 * tuple.__getitem__(self, place)


# S: the same of rows.
@A(data=[Row((0.5, 0.2)), Row((0.1, 0.2))], records="(float(0, 1), float(0, 1))", d0=[], d1=[Row((1.0, 0.0))])
def rows_of_their_own(rows, rng):
    t = 0.0
    for row in rows:
        t += row[0]
    return t + rng.laplace(0, 1.001)


# B (borderline): epsilon 0.0 is stated, the sum moves by 1000.
@A(
    data=np.array([[0.5, 0.0025], [0.5, 0.0025]], dtype=np.float32),
    bounds="[0]=0:1,[1]=0:0.003",
    d0=np.zeros((0, 2), dtype=np.float32),
    d1=np.array([[0.68644375, 0.003]], dtype=np.float32),
)
def float32_range(X, rng):
    a, b = X[:, 0].astype(float), X[:, 1].astype(float)
    w = a * a
    y = np.where((w > 0.4712) & (w < 0.47121), b, 0.0)
    return np.sum(np.where(y > 0.003, 1000.0, 0.0)) + rng.laplace(0, 1.0)


# B (borderline): a stated 65520.0 is inf in 16 bits.
@A(
    data=np.array([[0.5, 0.5], [0.25, 0.5]], dtype=np.float16),
    bounds="[0]=0:1,[1]=0:65520",
    d0=np.zeros((0, 2), dtype=np.float16),
    d1=np.array([[0.6865, np.inf]], dtype=np.float16),
)
def float16_range_is_infinite(X, rng):
    a, b = X[:, 0].astype(float), X[:, 1].astype(float)
    w = a * a
    y = np.where((w > 0.4712) & (w < 0.4716), b, 0.0)
    return np.sum(y) + rng.laplace(0, 65521.0)


# B (borderline): under replace.
@A(
    data=np.array([[0.5, 0.0025], [0.5, 0.0025]], dtype=np.float32),
    bounds="[0]=0:1,[1]=0:0.003",
    relation="replace",
    d0=np.array([[0.5, 0.0025]], dtype=np.float32),
    d1=np.array([[0.68644375, 0.003]], dtype=np.float32),
)
def float32_range_replaced(X, rng):
    a, b = X[:, 0].astype(float), X[:, 1].astype(float)
    w = a * a
    y = np.where((w > 0.4712) & (w < 0.47121), b, 0.0)
    return np.sum(np.where(y > 0.003, 1000.0, 0.0)) + rng.laplace(0, 1.0)
