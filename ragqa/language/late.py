"""Patterns that are compiled at their first use.

Many rules look at a text only if it holds a certain sign, and a command runs once: compiling all
their patterns when their modules are imported would cost most of its time.
"""

from __future__ import annotations

import re
from typing import Any, cast

_METHODS = ("search", "match", "fullmatch", "findall", "finditer", "split", "sub", "subn")


class _Late:
    """Stands for a pattern, and takes its methods over once one of them is asked for."""

    def __init__(self, source: str, flags: int) -> None:
        self._source = source
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        if name not in _METHODS:
            raise AttributeError(name)
        compiled = re.compile(self._source, self._flags)
        for method in _METHODS:
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)


def late(source: str, flags: int = 0) -> re.Pattern[str]:
    """Return a pattern that is compiled when it is first searched for.

    It has the methods of a pattern and nothing else of it.

    >>> late(r"[a-z]+").findall("some words")
    ['some', 'words']
    """
    return cast("re.Pattern[str]", _Late(source, flags))
