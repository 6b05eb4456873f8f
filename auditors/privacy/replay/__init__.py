"""The grey-box auditor: a run on one data set, replayed with the same randomness on the other."""
