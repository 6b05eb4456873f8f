"""What a session of gated audits asks of each claim where nobody says otherwise; imports nothing."""

from __future__ import annotations

FALSE_ALARM_RATE = 1e-9
"""Of each claim: nobody has to know how many audits a session will run."""

PROFILES: dict[str, tuple[float, float | None]] = {"quick": (30.0, None), "full": (300.0, 1.25)}
"""Seconds a claim, and the factor of it that a full pass must have been able to detect (None: the default)."""

RARE = 0.06
"""Part of the draws that looks for what is rare where nobody said what the audit may take: of 30 s about two."""
