"""Long numbers that are cut into groups in one way or another: phones, accounts, books.

>>> from ragqa.grounding.figures import figures
>>> said = "Call 0800 123 4567."
>>> [stands_ungrouped(each, said, ["Phone: 0800-1234567"]) for each in figures(said)]
[True]
"""

from __future__ import annotations

from collections.abc import Iterable

from ragqa.grounding.figures.figure import Figure
from ragqa.grounding.figures.lookup import stands
from ragqa.language.late import late

_CODE = late(
    r"(?<![A-Za-z0-9])\+?[A-Za-z]{0,4}\d[A-Za-z0-9]*"
    r"(?:(?: ?\(0\))?[ ()./-]{1,2}\d[A-Za-z0-9]*)*"
)
_CUT = late(r"(?<=\d)(?: ?\(0\) ?|[ ()./-]{1,2})(?=\d)")
_MIN_DIGITS = 7
"""A shorter number may be an amount, of which two beside each other make no third."""


def stands_ungrouped(figure: Figure, text: str, others: Iterable[str]) -> bool:
    """Tell whether a figure is part of a long number that another text holds in other groups.

    Args:
        figure: A figure of the text.
        text: Where it stands.
        others: The texts that may hold it.
    """
    for match in _CODE.finditer(text):
        if match.start() <= figure.start < match.end():
            code = _CUT.sub("", match[0]).lstrip("+")
            digits = sum(map(str.isdigit, code))
            return digits >= _MIN_DIGITS and any(stands(code, _CUT.sub("", o)) for o in others)
    return False
