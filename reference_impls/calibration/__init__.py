"""How each class of algorithms is calibrated: one file for each idea of pricing, registered by the class's name."""
