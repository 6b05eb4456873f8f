"""The exact auditor: output laws instead of draws."""
