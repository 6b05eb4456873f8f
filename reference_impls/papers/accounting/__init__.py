"""What the papers take from others: accounting lemmas, conversions, amplification."""
