"""Make a quoted slice fit to be read: without the marks of Markdown, lists and tables."""

from __future__ import annotations

import re
from collections.abc import Collection

from ragqa.grounding.answer_spans import answer_spans, measured_spans
from ragqa.grounding.asked import Asked
from ragqa.language import content_words, has_han, likeness
from ragqa.language.late import late

_MARK = late(
    r"^\s{0,12}(?:#{1,6}\s+|>\s?|[-*+•·‣▪◦●○■□]\s+|\d{1,3}[.)]\s+|[(（]\d{1,2}[)）]\s*)", re.M
)
_EMPHASIS = late(r"(\*\*|__|``?)(?=\S)([^*_`\n]{1,300})(?<=\S)\1")
_LINK = late(r"!?\[([^\[\]\n]{1,200})\]\([^()\s]{1,400}\)")
_NOTE = late(r"\[(?:\d{1,3}|citation needed|note \d{1,2})\]")
_ANSWER_MARK = late(r"(?:A|Answer|答|回答|答案)\s?[:：.]\s*", re.I)
_BAR = late(r"\s*\|\s*")
_CELL = late(r"([^:;：；]{1,60}):\s+(.+)", re.S)

# What a question calls otherwise than the column that answers it.
_IMPLIED = (
    (
        r"\bhow (?:much|expensive)\b|\bcosts?\b|\bprices?\b|多少钱|价|贵|怎么卖",
        r"price|cost|价|费",
    ),
    (
        r"\bin stock\b|\bavailab|\bleft\b|\bsold out\b|库存|有货|现货|缺货|还有",
        r"stock|quantity|warehouse|\bin (?:the )?(?:shop|store)|availab|库存|数量|仓",
    ),
    (r"\bheavy\b|\bweigh|多重", r"weight|重"),
    (r"\bbig\b|\bsize\b|\btall\b|\bwide\b|多大|尺寸", r"size|dimension|尺寸|大小"),
    (r"^where\b|在哪|哪里|哪儿", r"address|location|place|地址|位置|地点"),
    (r"\bwho (?:makes?|made)\b|\bmaker\b|哪家|谁生产", r"brand|maker|manufacturer|品牌|厂"),
)

_WORDED = frozenset({"place", "person", "reason", "manner"})  # no figure answers these
# Nothing is given back, so that no text takes long.
_FIGURE = (
    r"[~≈<>≤≥±+-]?+\s*+\d[\d.,:/]*+\s*+(?:[^\W\d_]{1,12}+|[%°℃€$£¥‰][CF]?+)?+(?:/[^\W\d_]{1,6}+)?+"
)
_FIGURES = late(
    rf"{_FIGURE}(?:\s*+(?:(?:to|and|x|×|-|–|到|至|,|，)\s*+)?+{_FIGURE}){{0,5}}+", re.IGNORECASE
)

_ITEM = late(r"\s{0,12}(?:[-*+•·‣▪◦●○■□]|\d{1,3}[.)]|[(（]\d{1,2}[)）])\s*")


def is_item(line: str) -> bool:
    """Tell whether a line is an item of a list."""
    return _ITEM.match(line) is not None


def readable(quote: str) -> str:
    """Return a quote without marks; every word of it stays.

    >>> readable("- **Price**: 49 euros")
    'Price: 49 euros'
    """
    text = _joined([line for line in quote.splitlines() if line.strip()])
    text = _NOTE.sub("", _LINK.sub(r"\1", _EMPHASIS.sub(r"\2", text)))
    if text.count("|") > 1:
        text = _BAR.sub("，" if has_han(text) else ", ", text.strip("| "))
    return " ".join(text.split())


def unmarked_answer(text: str) -> str:
    """Return what answers a question of a document, without the A of "Q: … A: …".

    >>> unmarked_answer("A: On Fridays.")
    'On Fridays.'
    """
    mark = _ANSWER_MARK.match(text)
    return text[mark.end() :] if mark else text


def _joined(lines: list[str]) -> str:
    """Join lines: wrapped prose with a blank, if any, and the items of a list with a semicolon."""
    text = ""
    for line in lines:
        plain = _MARK.sub("", line).strip()
        text += (_glue(text, plain, is_item(line)) if text else "") + plain
    return text


def _glue(text: str, following: str, item: bool) -> str:
    chinese = has_han(text[-1:]) or text[-1:] in "。！？；：，、"
    if item and text[-1:] not in ".!?。！？;；:：,，":
        return "；" if chinese else "; "
    return "" if chinese and not following[:1].isascii() else " "


def row(quote: str, question: Asked, beside: Collection[str] = ()) -> str | None:
    """Return the cells of a table row that answer a question, or None for other text.

    A row is written ``column: value; column: value``. What the row is about comes first, then
    the columns that were asked for.

    Args:
        quote: A row.
        question: What was asked.
        beside: Columns that are told in any case.

    >>> from ragqa.grounding.asked import asked
    >>> row("model: L5; product: Lamp; price: 39.00; note: new", asked("What is the price of L5?"))
    'L5, price: 39.00'
    """
    pairs = cells(quote)
    if len(pairs) < 2:
        return None
    comma, colon = ("，", "：") if has_han(quote) else (", ", ": ")
    subject = subject_of(pairs, question)
    if subject is not pairs[0] and _is_asked(pairs[0], question) and len(pairs) > 2:
        # "Which room has 30 seats?": what is asked for comes first, then what it was sought by.
        return comma.join([pairs[0][1], f"{subject[0]}{colon}{subject[1]}"])
    others = [pair for pair in pairs if pair is not subject]
    if len(pairs) == 2:  # a name and its value
        return f"{subject[1]}{colon}{others[0][1]}"
    told = _told(others, subject, question)
    wanted = [pair for pair in others if pair in told or pair[0] in beside]
    return comma.join([subject[1], *(f"{name}{colon}{value}" for name, value in wanted)])


def _told(
    others: list[tuple[str, str]], subject: tuple[str, str], question: Asked
) -> list[tuple[str, str]]:
    """Return the cells that answer, with those that say which: "the white one"."""
    adding = [pair for pair in others if _adds(pair, subject, question)]
    if asked_for := [pair for pair in others if _is_asked(pair, question)]:
        code = " " not in subject[1] and any(map(str.isdigit, subject[1]))
        return asked_for if code else [*asked_for, *adding]  # a code is named by the next cell
    return adding or [pair for pair in others if _is_measured(pair, question)] or others[:1]


def subject_of(pairs: list[tuple[str, str]], question: Asked) -> tuple[str, str]:
    """Return the cell that a row is about: the one of the question that says more than a figure."""
    worded = [pair for pair in pairs if any(map(str.isalpha, pair[1]))] or pairs
    return max(worded, key=lambda pair: _share(pair[1], question))


def answers_row(quote: str, question: Asked) -> bool:
    """Tell whether a table row has a column that a question asks for."""
    pairs = cells(quote)
    if len(pairs) == 2 or any(
        _is_asked(pair, question) or _is_measured(pair, question) for pair in pairs
    ):
        return True
    subject = subject_of(pairs, question) if pairs else None
    return any(_adds(pair, subject, question) for pair in pairs if subject and pair is not subject)


def fits_row(quote: str, question: Asked) -> bool:
    """Tell whether a table row may answer; a width in mm does not tell how something is done.

    >>> from ragqa.grounding.asked import asked
    >>> fits_row("| Width | 25 to 75 mm |", asked("How do I clean it?"))
    False
    """
    if question.answer_type not in _WORDED:
        return True
    values = [value for _, value in cells(quote)]
    if not values and quote.startswith("|"):
        values = [value.strip() for value in quote.strip("| ").split("|")]
    return len(values) < 2 or not all(map(_FIGURES.fullmatch, values[1:]))


def cells(quote: str) -> list[tuple[str, str]]:
    """Return columns and values of a table row; none for other text."""
    found = [_CELL.fullmatch(part.strip()) for part in re.split(r";\s+", quote.strip())]
    if len(found) < 2 or not all(found):
        return []
    return [(cell.group(1).replace("_", " "), cell.group(2)) for cell in found if cell]


def _adds(cell: tuple[str, str], subject: tuple[str, str], question: Asked) -> bool:
    """Tell whether a cell says more of what was asked than what its row is about: "in white"."""
    return _share(f"{subject[1]} {cell[1]}", question) > _share(subject[1], question)


def _is_asked(cell: tuple[str, str], question: Asked) -> bool:
    column, value = cell
    if question.answer_type in _WORDED and not any(map(str.isalpha, value)):
        return False  # how many are in the shops does not tell where they are
    if _share(column, question) > 0:
        return True
    if question.answer_type == "time" and answer_spans(value, question):
        return True
    return any(
        re.search(asks, question.text, re.I) and re.search(says, column, re.I)
        for asks, says in _IMPLIED
    )


def _is_measured(cell: tuple[str, str], question: Asked) -> bool:
    """Tell whether a cell tells the kind of quantity asked for: a rent in euros is a price."""
    return question.measure is not None and bool(measured_spans(": ".join(cell), question.measure))


def _share(text: str, question: Asked) -> float:
    terms = {word.term for word in content_words(text)}
    return question.share({term: likeness(term, terms) for term in question.weights})
