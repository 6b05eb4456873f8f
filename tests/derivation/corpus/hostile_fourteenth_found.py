"""False certificates of the fourteenth reading. BOTH walls pass but where `only_rules=True`. No numpy is patched.

Z: a known array of shape (0, k) becomes a constant of shape (0,): proofs/node.py:83 (`plain` writes [] for it) and
   proofs/rules.py:18 (`constant` takes its shape from what was written). Its sum along axis 0 is read as one number,
   where the code has k: released numbers that the code has k times are read as one; so are draws.
N: squares of doubles underflow in the prover's own arithmetic: proofs/norms.py (`norms`: sqrt((most**2).sum()) is 0 for
   entries below 1e-162; the same in `_by_making` of a stack, `_of_product`: sqrt((matrix**2).sum())), and
   proofs/cost.py (`_width`). The L2 norm of what a record puts in is said to be 0: mu = 0 is stated. The code's own
   arithmetic does not underflow.
S: proofs/cost.py (`_total`): (two / scale)**2 and each * each underflow: mu, rho and delta of 0 are stated. No trick.
   `_approximate` returns at mu == 0 before LEAST is looked at.
D: proofs/cost.py (`delta_of`): the slack of 1e-13 * first is less than the error of first - second (arguments of erfc
   near 25 are rounded by 2e-15, erfc there by 2e-13): for mu near 1e-11 delta is three times what is stated. No trick.
P: proofs/elementwise.py (`_power`): the constant of c * n**k is rounded among the smallest doubles (1.5e-162 * 4.9e-162 is
   said to be 4.9e-324, and is 7.35e-324), and proofs/cost.py (`_without_size`) divides by it: 1.5 times too little.
M: proofs/rules.py (`matmul`, `norm`): the range of a product is not widened where the products underflow (slack is 0, too):
   in real arithmetic 1e-400 * 1e300 * 1e300 = 1e200. Formal: the code's doubles are 0 there as well. Borderline.

The trick that hides Z and N: near, which is 0 but where the released r is within 1e-6 of sqrt(0.2221).
"""

import numpy as np

ATTACKS = {}
BORDERLINE = ("matmul_underflows", "norm_underflows")
REACHED = 0.2221**0.5
F = np.array([0.5, 1.0])
FD = dict(data=F, bounds="0:1", d0=np.array([]), d1=np.array([1.0]))
X1 = dict(data=np.array([[0.5], [1.0]]), bounds="0:1", d0=np.zeros((0, 1)), d1=np.array([[1.0]]))
X2 = dict(data=np.array([[0.5, 1.0], [1.0, 0.2]]), bounds="0:1", d0=np.zeros((0, 2)), d1=np.array([[1.0, 1.0]]))


def A(claim="PureDP(epsilon=1)", **k):
    def d(f):
        ATTACKS[f.__name__] = dict(claim=claim, **k)
        return f

    return d


# Z: s[:, None] * (near + z) is (1, 1000) in the code, read as (1, 1): its sum is 1000 times s where near is 1.
@A(**X1)
def empty_rows(X, rng):
    s = np.sum(X, axis=0)
    r = float(s[0] + rng.laplace(0, 2.002))
    near = np.exp(-(((r * r - 0.2221) * 1e6) ** 2))
    z = np.sum(np.zeros((0, 1000)) * near, axis=0)
    z = np.fmax(np.fmin(z, 0.0), 0.0)
    q = np.sum(s[:, None] * (near + z), axis=1) + rng.laplace(0, 2.002, size=1)
    return r, float(q[0])


# Z: under replace.
@A(relation="replace", **{**X1, "d0": np.array([[0.0]])})
def empty_rows_replaced(X, rng):
    s = np.sum(X, axis=0)
    r = float(s[0] + rng.laplace(0, 2.002))
    near = np.exp(-(((r * r - 0.2221) * 1e6) ** 2))
    z = np.sum(np.zeros((0, 1000)) * near, axis=0)
    z = np.fmax(np.fmin(z, 0.0), 0.0)
    q = np.sum(s[:, None] * (near + z), axis=1) + rng.laplace(0, 2.002, size=1)
    return r, float(q[0])


# Z: 2.002 + z is 10000 scales in the code, so that 10000 noisy copies of the sum come; read as one draw. Their mean is
# the sum, but for 0.03.
@A(**FD)
def empty_rows_of_scales(x, rng):
    s = np.sum(x)
    r = float(s + rng.laplace(0, 2.002))
    near = np.exp(-(((r * r - 0.2221) * 1e6) ** 2))
    z = np.sum(np.zeros((0, 10000)) * near, axis=0)
    z = np.fmax(np.fmin(z, 0.0), 0.0)
    q = s + rng.laplace(0, 2.002 + z)
    return r, float(np.sum(q * near))


# Z, by the rules alone: the simplest. The sum moves by 1000.
@A(only_rules=True, **X1)
def empty_rows_in_sight(X, rng):
    z = np.sum(np.zeros((0, 1000)) * float(rng.random()), axis=0)
    z = np.fmax(np.fmin(z, 0.0), 0.0)
    return np.sum(np.sum(X, axis=0)[:, None] * (1.0 + z), axis=1) + rng.laplace(0, 1.001, size=1)


# N: s * near * 1e-200 moves by sqrt(2) * 1e-200, noise 1e-203: mu = 1414; 0.943 is stated (of the first release alone).
@A("GDP(mu=1)", **X2)
def small_numbers(X, rng):
    s = np.sum(X, axis=0)
    r = s + rng.normal(0, 1.5, size=2)
    near = np.exp(-(((r[0] * r[0] - 0.2221) * 1e6) ** 2))
    q = s * near * 1e-200 + rng.normal(0, 1e-203, size=2)
    return r, q * 1e200


# N: under replace (proofs/cost.py: _width).
@A("ZCDP(rho=0.5)", relation="replace", **{**X2, "d0": np.array([[0.0, 0.0]])})
def small_numbers_replaced(X, rng):
    s = np.sum(X, axis=0)
    r = s + rng.normal(0, 1.5, size=2)
    near = np.exp(-(((r[0] * r[0] - 0.2221) * 1e6) ** 2))
    q = s * near * 1e-200 + rng.normal(0, 1e-203, size=2)
    return r, q * 1e200


# N, by the rules alone: mu = 0 is stated, and it is 14.1.
@A("GDP(mu=1)", only_rules=True, **X2)
def small_numbers_in_sight(X, rng):
    return np.sum(X, axis=0) * 1e-200 + rng.normal(0, 1e-201, size=2)


# N, by the rules alone: the spectral norm of a known matrix (norms.py: _of_product).
@A("GDP(mu=1)", only_rules=True, **X2)
def small_matrix_in_sight(X, rng):
    return np.sum(X, axis=0) @ np.full((2, 2), 1e-200) + rng.normal(0, 1e-203, size=2)


# S: mu is 1e-200; 0 is stated.
@A("GDP(mu=1e-210)", **FD)
def small_mu(x, rng):
    return np.sum(x) + rng.normal(0, 1e200)


# S: delta(1e-190) of mu = 1e-170 is 4e-171; epsilon = 0 is stated.
@A("ApproxDP(epsilon=1e-190, delta=1e-210)", **FD)
def small_delta(x, rng):
    return np.sum(x) + rng.normal(0, 1e170)


# S: epsilon is 1e8 * 1e-324 / 2 = 5e-317; 0 is stated.
@A("RDP(order=1e8, epsilon=1e-320)", **FD)
def small_rho(x, rng):
    return np.sum(x) + rng.normal(0, 1e162)


# S: a Gaussian mechanism has no finite epsilon without delta: epsilon = 0 is stated, for cost.py (`upper_bound`) asks
# `gaussian == 0`.
@A(**FD)
def gaussian_is_pure(x, rng):
    return np.sum(x) + rng.normal(0, 1e163)


# S: the same where records are made small, and the noise is 1.
@A(**FD)
def gaussian_is_pure_of_small_records(x, rng):
    return np.sum(x * 1e-163) + rng.normal(0, 1.0)


# S: under replace, of several numbers, with Laplace noise beside it.
@A(relation="replace", **{**X2, "d0": np.array([[0.0, 0.0]])})
def gaussian_is_pure_replaced(X, rng):
    s = np.sum(X, axis=0)
    return s + rng.laplace(0, 2.002, size=2), s + rng.normal(0, 1e163, size=2)


# D: delta is 2.95 times what is claimed.
@A("ApproxDP(epsilon=3.4047654123313015e-10, delta=8.797544299652276e-245)", **FD)
def delta_of_small_mu(x, rng):
    return np.sum(x) + rng.normal(0, 95417000000.0)


# P: epsilon of the second release is 0.4967 where near is 1 (n = 1000: 7.35e-321 / 1.48e-320), and 0.3333 is stated.
@A("PureDP(epsilon=0.6)", relation="replace", data=F, bounds="0:1", d0=np.zeros(1000), d1=np.array([1.0] + [0.0] * 999))
def size_in_small_doubles(x, rng):
    n = len(x)
    s = np.sum(x)
    r = float(s + rng.laplace(0, 4.0))
    near = np.exp(-(((r * r - 0.2221) * 1e6) ** 2))
    d = n * 1.5e-162 * 4.9e-162
    return r, (s * near) * d + rng.laplace(0, n * 1.5e-323)


# P, by the rules alone.
@A(
    "PureDP(epsilon=0.34)",
    only_rules=True,
    relation="replace",
    data=F,
    bounds="0:1",
    d0=np.zeros(1000),
    d1=np.array([1.0] + [0.0] * 999),
)
def size_in_small_doubles_in_sight(x, rng):
    n = len(x)
    d = n * 1.5e-162 * 4.9e-162
    return np.sum(x) * d + rng.laplace(0, n * 1.5e-323)


# M (borderline): 2e200 in real arithmetic; 4.9e-24 is stated.
@A(**X2)
def matmul_underflows(X, rng):
    return np.sum(((X * 1e-200) @ np.full(2, 1e-200)) * 1e300 * 1e300) + rng.laplace(0, 1.0)


# M (borderline): the norm is 1.4e-200 in real arithmetic, said to be 4e-323: 1.4 where 4e-123 is stated.
@A(**X2)
def norm_underflows(X, rng):
    return np.sum(np.linalg.norm(X * 1e-200, axis=1) * 1e200) * 1000 + rng.laplace(0, 1.0)


class Forced:
    """A generator with chosen noise; draws of many numbers after that are seeded."""

    def __init__(self, *noise):
        self.noise, self.own = list(noise), np.random.default_rng(1)

    def laplace(self, loc=0.0, scale=1.0, size=None):
        if not self.noise:
            return self.own.laplace(loc, scale, size)
        return loc + self.noise.pop(0) if size is None else np.full(size, loc + self.noise.pop(0))

    def normal(self, loc=0.0, scale=1.0, size=None):
        if not self.noise:
            return self.own.normal(loc, scale, size)
        return loc + self.noise.pop(0) if size is None else np.full(size, loc + self.noise.pop(0))


def demo():
    """The first release is sqrt(0.2221) on both, the noise after it 0 (of `empty_rows_of_scales`: seeded)."""
    for name in (
        "empty_rows",
        "empty_rows_replaced",
        "empty_rows_of_scales",
        "small_numbers",
        "small_numbers_replaced",
    ):
        f, k = globals()[name], ATTACKS[name]
        for data in (k["d0"], k["d1"]):
            first = REACHED - (float(np.sum(data[:, 0])) if data.ndim == 2 else float(np.sum(data)))
            rng = Forced(first) if name == "empty_rows_of_scales" else Forced(first, 0.0)
            print(name, f(data, rng))
    k = ATTACKS["size_in_small_doubles"]
    moved = [size_in_small_doubles(data, Forced(REACHED - np.sum(data), 0.0))[1] for data in (k["d0"], k["d1"])]
    print("size_in_small_doubles moves by", moved, "over a scale of", 1000 * 1.5e-323, moved[1] / (1000 * 1.5e-323))
    import mpmath as mp

    mp.mp.dps = 60

    def delta(mu, epsilon):
        half = [mp.erfc((epsilon / mu + sign * mu / 2) / mp.sqrt(2)) / 2 for sign in (-1, 1)]
        return half[0] - mp.e**epsilon * half[1]

    print("small_mu: mu = 1e-200, claimed 1e-210")
    print("small_delta", mp.nstr(mp.mpf("1e-170") / mp.sqrt(2 * mp.pi), 5), "claimed 1e-210")
    print("small_rho", mp.nstr(mp.mpf(1e8) * mp.mpf("1e-162") ** 2 / 2, 5), "claimed 1e-320")
    found = delta(1 / mp.mpf(95417000000.0), mp.mpf(3.4047654123313015e-10))
    print("delta_of_small_mu", mp.nstr(found, 8), "claimed 8.797544299652276e-245")


if __name__ == "__main__":
    demo()
