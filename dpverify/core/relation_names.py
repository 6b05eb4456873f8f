"""The names of the two relations on records that claims of papers and libraries are made under."""

ADD_REMOVE, REPLACE = PRICED = ("add-remove", "replace")
"""Those that accountants and sampling schemes price, and that canaries are made for."""

DEFAULT_RELATION = ADD_REMOVE
"""The relation of an audit that names none."""
