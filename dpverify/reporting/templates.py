"""The templates of reports: how they are found and read; a name that a template lacks is an error, text is escaped."""

from __future__ import annotations

from functools import cache

import jinja2


def environment(*packages: str) -> jinja2.Environment:
    """A new environment over the templates of these packages and of this one; all pages extend ``page.html.jinja``."""
    return jinja2.Environment(
        loader=jinja2.ChoiceLoader([jinja2.PackageLoader(name) for name in (*packages, "dpverify.reporting")]),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


@cache
def picture(name: str) -> jinja2.Template:
    """A template of a picture, which needs no filters of its own: compiled once a process, for hundreds of pictures."""
    return environment().get_template(name)
