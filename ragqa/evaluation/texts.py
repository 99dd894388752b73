"""Whether a text holds a right answer, and how alike two texts are."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence

_ARTICLES = frozenset({"a", "an", "the"})
_PIECE = re.compile(
    r"[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]|\d+|[^\W\d_\u3400-\u9fff\uf900-\ufaff]+"
)
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")


def pieces(text: str) -> list[str]:
    """Return the runs of letters and of digits of a text, and each Han character, case folded.

    >>> pieces("The U.S. paid $1,200 in 2019年")
    ['the', 'u', 's', 'paid', '1200', 'in', '2019', '年']
    """
    folded = unicodedata.normalize("NFKC", text).casefold()
    return _PIECE.findall(_THOUSANDS.sub("", folded))


def holds(text: str, gold: str) -> bool:
    """Tell whether a text holds an answer: the same letters and digits, no word cut.

    >>> holds("It was founded in the 1990s, in the US.", "U.S."), holds("In 1945.", "5")
    (True, False)
    """
    wanted = "".join(pieces(gold))
    if not wanted:
        return gold.strip() in text
    own = pieces(text)
    ends = _ends(own)
    begins = {0} | ends
    return any(
        at in begins and at + len(wanted) in ends for at in _occurrences("".join(own), wanted)
    )


def holds_any(text: str, golds: Sequence[str]) -> bool:
    """Tell whether a text holds one of several right answers."""
    return any(holds(text, gold) for gold in golds)


def token_f1(text: str, gold: str) -> float:
    """Return the harmonic mean of the shares of words that two texts have in common.

    Counted as for SQuAD, https://arxiv.org/abs/1606.05250, without articles; Chinese by character.
    """
    said, right = _bag(text), _bag(gold)
    common = sum((said & right).values())
    if not common:
        return float(not said and not right)
    return 2 * common / (said.total() + right.total())


def _bag(text: str) -> Counter[str]:
    return Counter(piece for piece in pieces(text) if piece not in _ARTICLES)


def _ends(own: Sequence[str]) -> set[int]:
    ends, at = set(), 0
    for piece in own:
        at += len(piece)
        ends.add(at)
    return ends


def _occurrences(text: str, wanted: str) -> Iterator[int]:
    at = text.find(wanted)
    while at >= 0:
        yield at
        at = text.find(wanted, at + 1)
