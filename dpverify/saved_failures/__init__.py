"""Saved failures, audited again by themselves: which still fail, which are fixed, and which could not be seen."""
