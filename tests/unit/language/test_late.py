"""Patterns compiled at their first use."""

from __future__ import annotations

import re

import pytest

from ragqa.language.late import late


def test_a_late_pattern_does_what_a_pattern_does() -> None:
    pattern = late(r"(\w)(\d)", re.IGNORECASE)
    compiled = re.compile(r"(\w)(\d)", re.IGNORECASE)
    text = "a1 b2, A3"
    assert pattern.findall(text) == compiled.findall(text)
    assert [found.span() for found in pattern.finditer(text)] == [(0, 2), (3, 5), (7, 9)]
    assert pattern.sub(r"\2\1", text) == "1a 2b, 3A"
    assert pattern.match(text, 3) is not None
    assert pattern.fullmatch("b2") is not None
    assert pattern.split("xb2y") == compiled.split("xb2y")


def test_nothing_is_compiled_before_it_is_used() -> None:
    broken = late("(")
    with pytest.raises(re.error):
        broken.search("x")


def test_other_attributes_are_not_there() -> None:
    with pytest.raises(AttributeError):
        late("x").groups  # noqa: B018
