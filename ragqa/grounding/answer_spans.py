"""The spans of a sentence that could be an answer of the kind that a question asks for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain

from ragqa.grounding.asked import Asked
from ragqa.grounding.figures import Figure, figures
from ragqa.language import AnswerType, Measure, content_terms, has_han, tagged
from ragqa.language.script import HAN_RUN

_MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?"
    r"|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)"
)
_NUMBER_WORD = (
    r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen"
    r"|sixteen|eighteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundreds?|thousands?"
    r"|millions?|billions?|trillions?|half|third|quarter|dozens?|twice|none|single|several)"
)
# The patterns are compiled when they are needed: a run asks for one kind in one language.
_HAN_DIGIT = r"[\d〇零一二三四五六七八九十百千万亿两半]"
_PATTERNS_EN: dict[AnswerType, str] = {
    "time": (
        rf"\b(?:\d{{1,2}}(?:st|nd|rd|th)?\s+)?{_MONTH}\b(?:\s+\d{{1,2}}(?:st|nd|rd|th)?(?!\d))?"
        r"(?:,?\s+\d{4})?|\b(?:1\d{3}|20\d\d)s?\b|\b\d{1,4}\s?(?:AD|BC|BCE|CE)\b"
        r"|\b(?:\d{1,2}(?:st|nd|rd|th)|\w+(?:th|st|nd|rd))[ -]centur(?:y|ies)\b|\bdecades?\b"
        rf"|\b(?:\d+|{_NUMBER_WORD})[ -](?:business |working |calendar )?"
        r"(?:years?|months?|days?|weeks?|hours?|minutes?)\b"
        r"|\b\d{1,2}(?::\d\d)?\s?[ap]\.?m\b|\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?\b"
        r"|\b(?:spring|summer|autumn|winter|noon|midnight|today|weekdays?|weekends?)\b"
    ),
    "number": rf"[$€£¥]?\d+(?:[.,]\d+)*%?|\b{_NUMBER_WORD}\b",
    "reason": (
        r"\b(?:because|due to|since|as a result|in order to|so that|therefore|thus|caused?|reasons?"
        r"|led to|leads? to|owing to|to avoid|to prevent|to allow|to protect|for the purpose)\b"
    ),
}
_PATTERNS_ZH: dict[AnswerType, str] = {
    "time": (
        rf"{_HAN_DIGIT}{{1,4}}\s*(?:年|月|日|世纪|点|时|分|天|周|小时|个工作日|个月)(?:{_HAN_DIGIT}|[年月日底初])*"
        r"|每隔?[年月周天日]|世纪|年代|时期|朝|初期|末期|[春夏秋冬][季天]|当天|工作日"
    ),
    "number": rf"{_HAN_DIGIT}+(?:[.,]{_HAN_DIGIT}+)*%?",
    "reason": r"因为|由于|因此|所以|因|故|为了|以便|以免|导致|得名|原因|使得",
}
_CAPITALS = r"\b[A-Z][\w'’-]*(?:\s+(?:(?:of|the|de|von|van|and)\s+)?[A-Z][\w'’-]*){0,6}"
_STARTS = (
    r"(?:The|An?|In|On|At|It|He|She|They|We|You|This|That|These|Those|His|Her|Its|Their|As|By|For"
    r"|From|With|After|Before|During|When|While|Then|But|And|However|Although|Since|Under|There|If"
    r"|Many|Most|Some|All|Both|Each|One|Two|Such|Other|Another|Not|No)\b\s*"
)
_MODEL = re.compile(r"[A-Z]{1,5}-?\d[\w-]*")  # the number of a product, in a table of these
_PERSON_TAGS = frozenset({"nr", "nrt", "nrfg", "nt", "nz"})
_PLACE_TAGS = frozenset({"ns", "nt", "nz"})
_MARKED = frozenset({*_PATTERNS_EN, "person", "place"})
_NAMING = (
    r"\b(?:called|named|term(?:ed)?|known as|referred to|so-called|dubbed|nicknamed)\b"
    r"|叫|称|名为|又名|别名|即"
)

Span = tuple[int, int]


def answer_spans(sentence: str, question: Asked) -> list[Span] | None:
    """Return the slices that could answer the question; None where its kind has no marks.

    A slice whose words all stand in the question answers nothing.
    """
    spans = _spans(sentence, question)
    return None if spans is None else list(spans)


def could_answer(sentence: str, question: Asked) -> bool | None:
    """Tell whether :func:`answer_spans` would find any; None where the kind has no marks."""
    spans = _spans(sentence, question)
    return None if spans is None else any(True for _ in spans)


def _spans(sentence: str, question: Asked) -> Iterable[Span] | None:
    measure, kind = question.measure, question.answer_type
    if measure is not None:
        told = measured_spans(sentence, measure)
        if told or measure.name != "duration":
            return told
        kind = "time"  # "until the nineteenth century" tells a duration, too
    if kind not in _MARKED:
        return None
    marks = _marks(sentence, kind, has_han(question.text) and has_han(sentence))
    return (span for span in marks if _is_new(sentence[span[0] : span[1]], question))


def _marks(sentence: str, kind: AnswerType, chinese: bool) -> Iterator[Span]:
    """Yield the slices of a sentence that look like answers of a kind."""
    pattern = (_PATTERNS_ZH if chinese else _PATTERNS_EN).get(kind)
    if pattern is None:
        return _names(sentence, _PERSON_TAGS if kind == "person" else _PLACE_TAGS, chinese)
    flags = re.I if kind != "time" else 0  # "May" is a month, "may" is not
    return (match.span() for match in re.finditer(pattern, sentence, flags))


def measured_spans(sentence: str, measure: Measure) -> list[Span]:
    """Return the figures of a sentence that tell a kind of quantity.

    In a row of a table the unit may stand in the column's name, or nowhere: there a label will do.
    """
    if not measure.families:
        labels = re.finditer(measure.labels, sentence.replace("_", " "), re.I)
        return [label.span() for label in labels]
    found = _figures(sentence)
    told = [each.span for each in found if each.unit.partition(" ")[0] in measure.families]
    if told or not re.search(measure.labels, sentence.replace("_", " "), re.I):
        return told
    return [each.span for each in found if each.kind == "number"]


@lru_cache(maxsize=2048)  # the same sentences are retrieved again and again
def _figures(sentence: str) -> tuple[Figure, ...]:
    return figures(sentence)


def names_something(sentence: str) -> bool:
    """Tell whether a sentence says how something is called."""
    return re.search(_NAMING, sentence, re.I) is not None


def _names(sentence: str, tags: frozenset[str], chinese: bool) -> Iterator[Span]:
    capitals = (
        (match.start() + len(opener.group()) if opener else match.start(), match.end())
        for match in re.finditer(_CAPITALS, sentence)
        if not _MODEL.fullmatch(match.group())
        and (
            (opener := re.match(_STARTS, match.group())) is None
            or opener.end() < match.end() - match.start()
        )
    )
    if not chinese:
        return capitals
    tagged_names = ((start, end) for _, tag, start, end in tagged(sentence) if tag in tags)
    dotted = ((at.start(), at.end()) for at in re.finditer("·", sentence))  # 约翰·埃尔维
    return chain(tagged_names, dotted, capitals)


def _is_new(text: str, question: Asked) -> bool:
    if HAN_RUN.search(text):
        return text not in question.text
    terms = _terms(text)
    return not terms or any(term not in question.weights for term in terms)


@lru_cache(maxsize=4096)
def _terms(text: str) -> tuple[str, ...]:
    return content_terms(text, segment=False)
