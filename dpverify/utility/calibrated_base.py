"""The base of classes of algorithms that can be calibrated: checked fields, and the method `calibrated`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from dpverify.core import fields
from dpverify.utility.calibration_family import Accounted

if TYPE_CHECKING:
    from dpverify.utility.calibration import Calibrated


class Checked(fields.Checked):
    """Fields that are checked by their annotations, as :class:`dpverify.core.fields.Checked` does it, and `calibrated`.

    It has that class's name on purpose: the digest of an algorithm writes its bases by name where they lie outside the
    code that decides numbers, and no committed number depends on this method.
    """

    __slots__ = ()

    def calibrated(
        self, *, epsilon: float, delta: float, relation: str, rows: int, accounted: Accounted = "now"
    ) -> Calibrated[Self]:
        """Return the same algorithm at the least noise for a budget, and who certified it.

        Parameters
        ----------
        epsilon, delta : float
            The budget, in nats and in (0, 1).
        relation : str
            ``add-remove``, ``replace``, or ``labels`` for rankings.
        rows : int
            Number of records, which is taken as public.
        accounted : "now" or "then"
            By the best sound accountant, or as the algorithm's paper accounted, which certifies nothing.

        Returns
        -------
        Calibrated
            The algorithm, its epsilon (at most the asked one, never below the truth for ``now``), the accountant.

        Raises
        ------
        InputError
            Bad numbers, an algorithm without privacy, a relation under which no bound is known, an unreachable epsilon.
        """
        from dpverify.utility.calibration import calibrated

        return calibrated(self, epsilon=epsilon, delta=delta, relation=relation, rows=rows, accounted=accounted)
