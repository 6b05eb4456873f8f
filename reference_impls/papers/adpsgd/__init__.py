"""Adaptive Differentially Private Empirical Risk Minimization."""
