"""Layer 0: claims, evidence, verdicts, Protocols and the registry. Imports nothing else of dpverify."""
