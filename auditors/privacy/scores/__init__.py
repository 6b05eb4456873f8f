"""The score auditor: scores of an attack on many trainings with and without a record."""
