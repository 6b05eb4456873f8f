"""Chen 2020, the dissertation: RSGD-AR, ADMM, line search, private ranking."""
