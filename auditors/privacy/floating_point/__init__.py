"""The floating-point auditor: what the low bits of noisy values give away."""
