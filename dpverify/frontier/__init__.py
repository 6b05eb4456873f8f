"""The frontier of a user's trainer: what it is worth at each claimed epsilon, and what an audit says it costs."""
