"""The Renyi auditor: variational lower bounds on divergences."""
