"""What the training algorithms have in common: their base, conditions of their claims, clipping, minimisers."""
