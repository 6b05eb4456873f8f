"""Checks of one training step: is it clipped, noisy and divided as its claim says? One question a file."""
