"""The canary kit: canaries by hidden coins in one training of somebody else's, and the verdict of that one run."""
