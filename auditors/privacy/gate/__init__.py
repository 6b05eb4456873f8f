"""The gate's order of looking: replay, a search of pairs, bets, one event; levels are fixed before the first draw."""
