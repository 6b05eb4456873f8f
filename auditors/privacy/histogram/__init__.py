"""The histogram auditor: a set of bins chosen on one sample and counted in another."""
