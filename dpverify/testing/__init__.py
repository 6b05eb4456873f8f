"""For tests of mechanisms: hypothesis strategies over neighbours and parameters, and the search that runs on them."""
