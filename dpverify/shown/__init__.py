"""How one result looks: a page fragment in a notebook, a plot, coloured lines in a terminal."""
