"""Named random streams, and the jitted samplers that hot kernels draw their noise from."""
