"""The checkpoint store: what a run has finished, in one SQLite file, so that a killed run goes on where it was."""
