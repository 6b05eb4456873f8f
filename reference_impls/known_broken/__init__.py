"""Published and historical bugs, one file each: what auditors must catch. Never use one to protect data."""
