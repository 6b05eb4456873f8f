"""Training on records that stay with several clients."""
