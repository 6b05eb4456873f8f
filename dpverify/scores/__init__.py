"""For people who have scores and no mechanism: the same evidence and verdicts from an attack's scores alone."""
