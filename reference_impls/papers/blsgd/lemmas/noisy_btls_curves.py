"""What BLSGD claims of NoisyBTLS (ledger ids BL-SENS-OBJ and BL-SVT-*), and the repaired claims.

Readings of the theorems, each with a verdict of its own: (a) losses in [0, Delta]; (b) losses with abs(f) <= Delta, as
Theorem 1 is worded (the clipping ``min(f, Delta)`` does not bound them from below); (c) AboveThreshold on arbitrary
queries of sensitivity Delta, which is all that the proofs use. Delta = 1 throughout: only ratios to Delta matter.

Theorems 1 and 3 are claimed for every budget and every max_it: BL-SVT-LAP-PURE and BL-SVT-GAUSS-RDP search both, after
the paper's own parameters (section V-D): epsilon_BT = epsilon / 100 and rho_BT =
epsilon_BT^2 / 2 at epsilon = 0.2, the middle of the three budgets that its text names, with max_it = 30. Formula (4) is
not proportional to the budget, so Theorem 2 has a row for each budget and split; the ids say how they differ. The core
suite has Theorems 1 and 3 at a budget of 1 besides.

**Theorem 3 where the proof breaks.** Its last equality (DISS, proof of Theorem 5.3) replaces the integral over the
stopping noise y_k, restricted to ``q_k(D') + y_k >= z``, and the sum over the outcomes k by one moment over the whole
line, that of a Gaussian mechanism moved by 2 Delta. With weights 1 the restricted terms are the probabilities of the
outcomes and sum to one; with weights ``f(y; 0)^alpha f(y; 2 Delta)^(1-alpha)`` they are tails, each larger than its
probability by a factor exponential in alpha Delta t / sigma_2^2 at the distance t of the threshold, and max_it of them
are summed. For a few queries near the threshold that can be less than the whole-line moment; t grows like sqrt(log
max_it) when many queries lie below it, and then it is more. (Laplace tails have one slope, so the factor is bounded,
and Theorem 1 needs no sum: it compares outcomes one by one.) Reading (c) has the full excess: queries that move
alternately up and down leave no common move of the threshold that would absorb them. In reading (a) all moves lie in
one interval [s - Delta, s]; once the threshold has moved by s, queries go down only, and by Delta at the most: half of
what (c) allows. No search found a witness against (a); that is no proof of it.

**The repaired Theorem 1**, BL-SVT-LAP-PURE-R: on losses in [0, Delta] NoisyBTLS-Laplace is (epsilon_1 + epsilon_2)-DP,
which is (3/4) epsilon-DP, and no smaller multiple of epsilon is enough once max_it >= 5.

*It holds.* Let D' move query i by c_i. Whether the record is added or removed, all c_i lie in one interval
[s - Delta, s] with 0 <= s <= Delta: s = f_w when it is added (c_i = f_w - h_i), s = Delta - f_w when it is removed
(c_i = h_i - f_w). Write F for the distribution function of a query's noise, G = 1 - F, p for the density of the
threshold's, Delta = 1. Then ``P_D(k) = int p(z) F(z - q_1) ... F(z - q_(k-1)) G(z - q_k) dz``. Compare the integrand
for D at z with that for D' at z + s: ``F(z - q_i) <= F(z + s - q_i - c_i)`` since c_i <= s; ``p(z) <= exp(epsilon_1 s)
p(z + s)``; and ``G(z - q_k) <= exp(epsilon_2 (s - c_k)) G(z + s - q_k - c_k)``, where s - c_k lies in [0, 1]. So
``P_D(k) <= exp(epsilon_1 + epsilon_2) P_D'(k)``; for "never" the last factor is absent. Only arbitrary queries
have s - c_k up to 2, the 2 epsilon_2 of Theorem 1. (With abs(f) <= Delta everything doubles: s <= 2, s - c_k <= 2.)

*Nothing less is enough.* Let f_w = 1, h_i = 0 for the first N queries (level L) and h_k = 1 for the next (level -L):
c_i = 1, c_k = 0. For 0 < z < L the integrand grows like ``exp((N epsilon_2 - epsilon_1 - epsilon_2) z)``, that is
upwards when N > 3; then all mass of P_D(k) is near z = L and of P_D'(k) near L + 1 as L grows, where p has fallen by
exp(-epsilon_1) and G by exp(-epsilon_2): the ratio tends to exp(epsilon_1 + epsilon_2).
"""

from __future__ import annotations

from dpverify.accounting.steps.noisy_btls import gaussian_curve, laplace_curve
from dpverify.definitions.rdp import RDP

ORDERS = (1.5, 2.0, 3.0, 4.0, 8.0, 16.0, 32.0, 64.0)


def laplace_rdp(budget: float, *, share: float = 0.5, orders: tuple[float, ...] = ORDERS) -> RDP:
    """Theorem 2 at a budget: formula (4) with epsilon_1 = share * budget and epsilon_2 = (1 - share) * budget / 2."""
    curve = laplace_curve(orders, epsilon_1=share * budget, epsilon_2=(1.0 - share) * budget / 2.0)
    return RDP(orders=orders, epsilons=tuple(curve.tolist()))


def gaussian_rdp(budget: float, *, orders: tuple[float, ...] = ORDERS) -> RDP:
    """Theorem 3 at rho: formula (5) with sigma_1^2 = 3 / (2 rho) and sigma_2^2 = 3 / rho."""
    curve = gaussian_curve(orders, sigma_1_squared=1.5 / budget, sigma_2_squared=3.0 / budget)
    return RDP(orders=orders, epsilons=tuple(curve.tolist()))
