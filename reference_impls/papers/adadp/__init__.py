"""Koskela & Honkela 2020, Learning Rate Adaptation for Federated and Differentially Private Learning."""
