"""Neighbour generators: one relation a file; each makes and checks pairs from the relation and the size alone."""
