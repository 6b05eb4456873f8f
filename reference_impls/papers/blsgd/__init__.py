"""Chen & Lee 2020, Stochastic Adaptive Line Search for Differentially Private Optimization."""
