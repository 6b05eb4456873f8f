"""Chen, Lee & Kifer 2019, Renyi Differentially Private ERM for Smooth Objectives."""
