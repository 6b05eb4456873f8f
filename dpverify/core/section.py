"""Named things of one kind, each registered once; a thing may wait, as a name, until somebody asks for it.

A `Deferred` stands for everything that one source (a module, a ``claims.toml``) registers. The first question for one
of its names runs that source's registration, whole. So names are known at once, and only what is used is imported.
"""

from __future__ import annotations

import difflib
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Generic, TypeVar, cast

from dpverify.core.errors import InputError
from dpverify.core.read_untrusted import shortened

T = TypeVar("T")

_TURN = threading.RLock()
"""Held while a source registers."""

_ABSENT: Any = object()


class Deferred:
    """Registrations of one source, which wait until `load` is called for the first time.

    Parameters
    ----------
    register : callable
        Takes nothing and registers all of it.
    about : mapping
        By section (its attribute's name in the registry) and name, what a listing says about the thing; empty where
        that must be read off the thing itself.
    """

    def __init__(self, register: Callable[[], object], about: Mapping[str, Mapping[str, dict[str, str]]]) -> None:
        self._register, self.about = register, about
        self.loading = self._done = False

    def load(self) -> None:
        """Run the registration, once; nothing while it runs."""
        with _TURN:
            if self._done or self.loading:
                return
            self.loading = True
            try:
                self._register()
                self._done = True
            finally:
                self.loading = False


class Section(Generic[T]):
    """Named things of one kind; a name is given once."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.plugin = ""
        """Who registers now (see `Registry.registering`)."""
        self.apart: tuple[Section[Any], ...] = ()
        """Other sections that share no name with this one."""
        self.complete: Callable[[], object] = int
        """Registers all that waits (see `Registry.defer`); called before a name is said to be unknown."""
        self._items: dict[str, T | Deferred] = {}
        self._plugins: dict[str, str] = {}

    def add(self, name: str, item: T) -> None:
        """Register `item`; a second thing of the same name is refused, naming both and who brought them."""
        taken = next((section for section in (self, *self.apart) if name in section), None)
        if taken is not None:
            first = _whence(taken.get(name), taken._plugins[name])
            raise InputError(
                f"two {self.kind} called {name!r}: {first} and {_whence(item, self.plugin)}",
                allowed="one of each name",
                remedy="rename one of the two",
            )
        self._items[name] = item
        self._plugins[name] = self.plugin

    def defer(self, name: str, source: Deferred) -> None:
        """Say that `source` will register `name`; a name that is taken is refused as by `add`."""
        if any(name in section for section in (self, *self.apart)):
            source.load()
            return
        self._items[name] = source
        self._plugins[name] = self.plugin

    def drop(self, name: str, source: Deferred) -> None:
        """Forget `name` where it still waits for this source, which has registered by now and did not bring it."""
        if self._items.get(name) is source:
            del self._items[name], self._plugins[name]

    def get(self, name: str) -> T:
        """The thing called `name`; an unknown name is an InputError with the nearest known ones."""
        found = self._found(name)
        if found is _ABSENT:
            self.complete()
            found = self._found(name)
        if found is not _ABSENT:
            return found
        near = difflib.get_close_matches(name, self._items, n=3) or sorted(self._items)[:8]
        raise InputError(
            f"no {self.kind} called {shortened(name, most=80)!r}",
            allowed=", ".join(near) or "(none is registered)",
            remedy=f"`dpverify list {self.kind.replace(' ', '-')}` shows all",
        )

    def _found(self, name: str) -> T:
        """The thing called `name`, registered now where it waited; `_ABSENT` without one."""
        found: Any = self._items.get(name, _ABSENT)
        if isinstance(found, Deferred):
            found.load()
            found = self._items.get(name, _ABSENT)
        return cast("T", _ABSENT if isinstance(found, Deferred) else found)

    def waiting(self, name: str) -> Deferred | None:
        """The source that will register `name`; None where that is done."""
        found = self._items.get(name)
        return found if isinstance(found, Deferred) else None

    def __contains__(self, name: object) -> bool:
        found = self._items.get(name, _ABSENT)  # type: ignore[call-overload]  # any object may be asked for
        return found is not _ABSENT and not (isinstance(found, Deferred) and found.loading)

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._items))

    def names(self) -> list[str]:
        """Names in the order in which they were registered."""
        return list(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def items(self) -> Iterator[tuple[str, T]]:
        """(name, thing) in the order of names."""
        return ((name, self.get(name)) for name in self._whole())

    def in_order(self) -> tuple[T, ...]:
        """Things in the order in which they were registered."""
        return tuple(map(self.get, self._whole(ordered=False)))

    def mapping(self) -> Mapping[str, T]:
        """All things by name, each of them registered when it is asked for."""
        return _ByName(self)

    def _whole(self, *, ordered: bool = True) -> list[str]:
        """All names, after everything that waits here has been registered."""
        for name in list(self._items):
            self._found(name)
        return sorted(self._items) if ordered else list(self._items)


class _ByName(Mapping[str, T]):
    """A section as a mapping."""

    def __init__(self, section: Section[T]) -> None:
        self._section = section

    def __getitem__(self, name: str) -> T:
        if name not in self._section:
            raise KeyError(name)
        return self._section.get(name)

    def __contains__(self, name: object) -> bool:
        return name in self._section

    def __iter__(self) -> Iterator[str]:
        return iter(self._section)

    def __len__(self) -> int:
        return len(self._section)


def _whence(item: object, plugin: str) -> str:
    source = item if isinstance(item, type) or callable(item) else type(item)
    name = f"{getattr(source, '__module__', '?')}.{getattr(source, '__qualname__', type(item).__qualname__)}"
    return f"{name} of {plugin}" if plugin else name
