"""Floor 0: the words that every other part speaks. Imports nothing of the house."""
