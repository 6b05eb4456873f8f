"""DP-ADMM: consensus ADMM over parties that perturb their primal variables (Huang, Hu, Guo, Chan-Tin, Gong 2019).

A baseline of DISS, section 4.6.2, with two parties that hold half of the records each (section 4.6.4). Party i with m_i
records, f_i its mean loss plus its share l1 / N of the L1 norm, per iteration:

    w_i = argmin <f_i'(v_i), w> - <y_i, w> + (rho / 2) |w - w0|^2 + |w - v_i|^2 / (2 eta)
    v_i = w_i + N(0, s_i^2 I)                                                  sent to the centre
    w0  = mean(v_i) - mean(y_i) / rho                                          the consensus, sent back
    y_i = y_i - rho (v_i - w0)

where the y_i start at 0 and always add up to 0, so that w0 is the mean of the v_i.

w_i moves by at most 2 C / (m_i (rho + 1 / eta)) when one of its records is replaced (this time with the factor eta that
DISS, (4.13), lacks), and s_i is `noise_multiplier` times that. A record is in one party, so an iteration costs one
Gaussian mechanism. The regulariser enters by a subgradient (sign(0) = 0) at v_i and needs no record.

With one party, y stays 0, w0 = v, and an iteration is noisy gradient descent on all records with step
eta / (1 + eta rho): DP-SGD with q = 1 (section 4.6.4). With l1 > 0 this is DP-SGD with a subgradient, not the proximal
step (4.17) of the DP-SGD that the chapter compares with.

DISS describes this algorithm and does not print it. The formulas here are those of the cited paper as it is known; they
were not checked against its print. Its per-iteration noise sqrt(2 ln(1.25 / delta)) / epsilon is `noise_multiplier`.
Parties hold consecutive blocks of records, of sizes that differ by at most one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from dpverify.accounting.steps.gaussian import GaussianStep
from dpverify.core.composition import Composition
from dpverify.core.errors import InputError
from dpverify.core.registry import Registry
from dpverify.core.rules import Count, NonNegative, OneOf
from dpverify.core.subjects import Dataset
from dpverify.recording.tape import Tape
from reference_impls.admm.admm_training import AdmmTraining
from reference_impls.admm.schedules import SCHEDULES, step_sizes
from reference_impls.admm.sensitivities import derived_primal
from reference_impls.training.claim_conditions import need_records
from reference_impls.training.clipping import need_finite_clip

Float = NDArray[np.float64]
CLASSICAL_NOISE = math.sqrt(2.0 * math.log(1.25e8))
"""The classical Gaussian mechanism's at epsilon = 1, delta = 1e-8."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DpAdmm(AdmmTraining):
    """Subject ``dp-admm``. Data set: a table, cut into the parties' blocks. Result: the consensus, shape (d,).

    The other attributes: :class:`~reference_impls.admm.admm_training.AdmmTraining`.

    Attributes
    ----------
    rounds : int
        Iterations.
    parties : int
        N; each needs a record.
    noise_multiplier : float
        A coordinate's noise over the sensitivity of the party's w_i, >= 0.
    """

    schedule: Annotated[str, OneOf(SCHEDULES)] = "root"
    rounds: Count = 100
    parties: Count = 2
    noise_multiplier: NonNegative = CLASSICAL_NOISE

    relation = "replace"

    def validate(self) -> None:
        """Noise needs a finite clipping threshold."""
        if self.noise_multiplier:
            need_finite_clip(self)

    def composition(self, rows: int) -> Composition:
        """One Gaussian mechanism an iteration, whatever n, under replacement.

        Raises
        ------
        InputError
            Without noise, and for fewer records than parties.
        """
        need_records(self, rows, least=self.parties, why="one for each party")
        return Composition.repeat(GaussianStep(sigma=self.noise_multiplier), self.rounds)

    def run(self, dataset: Dataset, tape: Tape) -> Float:
        """The loop above, for any model; party i's draws are called ``party-i``, i from 0."""
        model, table, consensus = self.prepared(dataset)
        blocks = np.array_split(np.arange(table.rows), self.parties)
        if not blocks[-1].size:
            raise InputError(
                f"{table.rows} records for {self.parties} parties", allowed="at least one record for each party"
            )
        noisy = [consensus] * self.parties
        duals = [np.zeros_like(consensus)] * self.parties
        tape.iterate(consensus)
        for eta in step_sizes(self.schedule, self.initial_step, self.rounds):
            for i, block in enumerate(blocks):
                gradient = model.gradient(noisy[i], table, block, clip=self.clip) / block.size
                gradient += self.l1 / self.parties * np.sign(noisy[i])
                numerator = -gradient + duals[i] + self.rho * consensus + noisy[i] / eta
                sensitivity = derived_primal(eta, self.rho, self.clip, block.size)
                noisy[i] = tape.perturb(
                    f"party-{i}",
                    numerator / (self.rho + 1.0 / eta),
                    law="gaussian",
                    scale=self.noise_multiplier * sensitivity if self.noise_multiplier else 0.0,
                    sensitivity=sensitivity,
                )
            consensus = np.mean(noisy, axis=0) - np.mean(duals, axis=0) / self.rho
            duals = [dual - self.rho * (sent - consensus) for dual, sent in zip(duals, noisy, strict=True)]
            tape.publish("step-size", eta)
            tape.iterate(consensus)
        return consensus


def register(registry: Registry) -> None:
    """Register the subject."""
    registry.mechanisms.add("dp-admm", DpAdmm)
