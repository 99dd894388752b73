"""What a fork of the process means for open databases.

A child that inherits a connection holds no locks of its own on the file, and loses what it writes
when its parent closes: sqlite.org/howtocorrupt.html, section 2.6.
"""

from __future__ import annotations

import os
from functools import cache
from typing import Protocol
from weakref import WeakSet


class Forkable(Protocol):
    """Something open that no child may inherit."""

    def before_fork(self) -> None:
        """Close what is open, and keep it closed until one of the other two is called."""

    def after_fork_in_parent(self) -> None:
        """Go on."""

    def after_fork_in_child(self) -> None:
        """Go on as if new."""


@cache
def watched() -> WeakSet[Forkable]:
    """Return the set of what is told of every fork, and see to it that it is."""
    concerned: WeakSet[Forkable] = WeakSet()

    def tell(method: str) -> None:
        for each in tuple(concerned):
            getattr(each, method)()

    if hasattr(os, "register_at_fork"):
        os.register_at_fork(
            before=lambda: tell("before_fork"),
            after_in_parent=lambda: tell("after_fork_in_parent"),
            after_in_child=lambda: tell("after_fork_in_child"),
        )
    return concerned
