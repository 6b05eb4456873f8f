"""The search auditor: hypothesis looks for a pair and parameters at which samples deny the claim."""
