"""Other people's code as mechanisms; whatever is optional is imported only inside its adapter."""
