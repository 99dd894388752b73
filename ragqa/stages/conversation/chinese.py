"""Make a Chinese follow-up question self-contained, by rule."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from ragqa.language import tagged
from ragqa.language.script import HAN
from ragqa.stages.conversation.words import ZH_ASPECTS, ZH_COLOURS, ZH_SHOP

_PRONOUN = re.compile(
    r"(?:这|那|该|此)(?:一?[款台个种件条只双套本部辆]|产品|商品|东西)(?:产品|商品)?"
    r"(?=$|[？?，,。、 ]|[的有是能可会要在多怎如为什几好还也都吗呢价保质重容尺颜功防适支带需]"
    rf"|[^{HAN}])"
    r"|[它她他]们?(?:的)?|(?<![尤与及极])其(?=[价保质重容尺颜功材售])"
)
_MEANT = "我(?:[想要]?[问说指]的?是|是[想要]?[问说指])"
_REPENTED = (
    "(?:[哦噢啊]?不[是对]?|[说打问写]?错了|等等|等一下|抱歉|不好意思|对不起"
    "|不是[^，,。？?]{1,12})[，,。 ]+"
)
_NO_THING = "(?![^？?]{0,40}[我你您了想请把谢])"
"""Behind a mere "抱歉，" a sentence of its own is no correction: "抱歉，我的水壶坏了"."""
_NOT_THE_OTHER = re.compile("[，,] ?而?不是[^，,]{1,12}$")
_OPENING = re.compile(
    r"(?:[那这][款个种](?=[^有能是会]{1,4}的)|那么?(?![款个台种件])|还有(?!货|没有|多少)"
    r"|以及|然后|另外|如果是|换成"
    rf"|(?:{_REPENTED})*{_MEANT}|(?:{_REPENTED})+{_NO_THING}(?:应该)?是?)[，, ]?"
)
_ASKS = re.compile(
    r"多少|多[久重大长高远宽深快]|几|什么|怎么|怎样|如何|哪|谁|为何|吗|是否|能否|可否|可以|有没有|能不能"
)
_FRAGMENT = re.compile(r"^(?P<rest>[^？?]{1,24}?)呢[？?]?$")
_COLOUR = rf"(?:[深浅暗亮]?[{ZH_COLOURS}](?:色|(?=[款的版]))|透明|彩色)"
_COLOURED = re.compile(rf"{_COLOUR}[款的版]?")
_ONLY_COLOUR = re.compile(rf"{_COLOUR}(?:款|的|版|那款|那个|的那款|的那个|款的)?")
_SIZE = "(?:[特加]?[大中小]号|[大中小]码|大款|小款|旧款|新款|高配|低配)"
_SIZES = re.compile(_SIZE)
_ONLY_SIZE = re.compile(rf"{_SIZE}(?:款|的|版)?")
_NOISE = re.compile(r"^(?:请问|我想问一?下?|想问一?下?|我想知道|你好|您好)[，, ]?")
_NOUN = ("n", "nr", "ns", "nt", "nz", "nrt", "nrfg", "vn", "j", "l", "eng")
_UNKNOWN = ("x", "zg")  # characters that no dictionary holds: names
_OWN = re.compile(
    r"(?![谁什哪它他她这那其还也又就都不可能会要有怎为多几请你我])"
    rf"(?P<name>[{HAN}]{{2,8}}?)(?:是|的|在)"
)
_LATIN = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._/-]*[A-Za-z0-9])?")


@dataclass(frozen=True, slots=True)
class Thing:
    """A phrase that names something in a question, with its place."""

    text: str
    start: int
    end: int

    @property
    def is_named(self) -> bool:
        """Tell whether a model number or another Latin name stands in it."""
        return _LATIN.search(self.text) is not None


@dataclass(frozen=True)
class ChineseQuestion:
    """A question, as far as the rules read it."""

    text: str

    @cached_property
    def things(self) -> tuple[Thing, ...]:
        """The phrases that name something of their own, in order."""
        return tuple(_things(self.text))

    @property
    def subject(self) -> Thing | None:
        """What the question is about: a name, else the first thing."""
        named = next((thing for thing in self.things if thing.is_named), None)
        return named or next(iter(self.things), None)

    @property
    def topic(self) -> Thing | None:
        """What a question about no thing is about: delivery, payment."""
        match = re.search(ZH_SHOP, self.text)
        return Thing(match.group(), match.start(), match.end()) if match else None

    @cached_property
    def fragment(self) -> str:
        """What stands before 呢 in "那白色款呢？"; empty where it is a sentence."""
        text = self.text
        opening = _OPENING.match(text)
        rest = text[opening.end() :] if opening else text
        match = _FRAGMENT.match(rest)
        said = match["rest"] if match else (rest.rstrip("？?。！!") if opening else "")
        said = _NOT_THE_OTHER.sub("", said) if opening else said
        if not match and _only_variant(rest.rstrip("？?")):
            said = rest.rstrip("？?")
        return "" if _ASKS.search(said) else said

    @property
    def pronoun(self) -> re.Match[str] | None:
        """The first word that stands for something said before."""
        match = _PRONOUN.search(self.text)
        before = match and any(thing.end <= match.start() for thing in self.things)
        return None if before else match

    @property
    def depends(self) -> bool:
        """Tell whether it cannot be understood alone."""
        if self.pronoun or self.fragment:
            return True
        if any(not _only_variant(thing.text) for thing in self.things):
            return False
        own = _OWN.match(self.text)
        if own and own["name"] not in ZH_ASPECTS and not _only_variant(own["name"]):
            return False
        return re.search(ZH_SHOP, self.text) is None and _ASKS.search(self.text) is not None

    @property
    def stands_alone(self) -> bool:
        """Tell whether it can certainly be understood alone."""
        return not self.depends


def carried(question: str, earlier: str, answer: str = "") -> str | None:
    """Return a follow-up question made self-contained; None where no rule fits.

    >>> carried("那白色款呢？", "黑色的L4台灯多少钱？")
    '白色L4台灯多少钱？'
    >>> carried("多少钱？", "水壶K17的保修期多久？")
    '水壶K17多少钱？'
    >>> carried("配送要多久？", "水壶多少钱？")

    Args:
        question: What the user asked.
        earlier: The question before, self-contained.
        answer: What was answered to it: names what the question only asked for.
    """
    said, before = ChineseQuestion(question), ChineseQuestion(earlier)
    subject = _named_by(answer, before) or before.topic
    if not said.depends or subject is None:
        return None
    if (pronoun := said.pronoun) is not None and not said.fragment:
        owns = "的" if pronoun.group().endswith("的") else ""
        whole = question[: pronoun.start()] + subject.text + owns + question[pronoun.end() :]
        return _OPENING.sub("", whole, count=1) if _OPENING.match(whole) else whole
    if said.fragment:
        return _completed(said.fragment, before, subject)
    return _prefixed(question, subject.text)


def _named_by(answer: str, before: ChineseQuestion) -> Thing | None:
    subject = before.subject
    if subject is None or subject.is_named or "哪" not in before.text[: subject.start]:
        return subject
    named = (thing for thing in ChineseQuestion(answer).things if thing.is_named)
    match = next((thing for thing in named if subject.text[-2:] in thing.text), None)
    return Thing(match.text, subject.start, subject.end) if match else subject


def _completed(fragment: str, before: ChineseQuestion, subject: Thing) -> str:
    if _only_variant(fragment):
        return _swapped(before, subject, _variant(subject.text, fragment))
    if ChineseQuestion(fragment).things:
        return _swapped(before, subject, fragment)
    return f"{subject.text}的{fragment}呢？"


def _prefixed(question: str, subject: str) -> str:
    """Put the subject before a question that names none; a variant in it stays."""
    text = _OPENING.sub("", _NOISE.sub("", question), count=1)
    match = _ONLY_COLOUR.match(text) or _ONLY_SIZE.match(text)
    if match:
        return _variant(subject, match.group()) + text[match.end() :]
    return subject + text


def _swapped(before: ChineseQuestion, subject: Thing, name: str) -> str:
    return before.text[: subject.start] + name + before.text[subject.end :]


def _variant(subject: str, said: str) -> str:
    """Return the subject with another colour or size."""
    property_ = re.sub(r"(?:的那[款个]|那[款个]|款的|[款的版])$", "", said)
    if _ONLY_COLOUR.fullmatch(said):
        property_ = property_ if property_.endswith(("色", "透明")) else f"{property_}色"
        subject = _COLOURED.sub("", subject, count=1) or subject
    else:
        subject = re.sub(rf"{_SIZE}[款的版]?", "", subject, count=1) or subject
    return property_ + subject


def _only_variant(text: str) -> bool:
    return bool(_ONLY_COLOUR.fullmatch(text) or _ONLY_SIZE.fullmatch(text))


def _things(text: str) -> Iterator[Thing]:
    """Yield the runs of nouns and Latin names that name no mere aspect."""
    start = end = -1
    for word, tag, begin, stop in _tokens(text):
        joins = word in ("的", "款", "版") and end == begin and _only_variant(text[start:end])
        if not joins and not _names(word, tag):
            yield from _thing(text, start, end)
            start = end = -1
            continue
        if start < 0 or text[end:begin].strip(" "):  # a blank joins a Latin name: Nova 书桌
            yield from _thing(text, start, end)
            start = begin
        end = stop
    yield from _thing(text, start, end)


def _thing(text: str, start: int, end: int) -> Iterator[Thing]:
    if start >= 0 and end > start:
        name = text[start:end].rstrip("的")
        if name and not name.isdigit():
            yield Thing(name, start, start + len(name))


def _names(word: str, tag: str) -> bool:
    if _only_variant(word):
        return True
    if tag in _UNKNOWN:
        return True
    known = tag in _NOUN or tag.startswith("n")
    return known and word not in ZH_ASPECTS and (len(word) > 1 or word.isascii() or tag == "nr")


def _tokens(text: str) -> Iterator[tuple[str, str, int, int]]:
    whole = [
        (match.group(), "eng", match.start(), match.end())
        for pattern in (_LATIN, _SIZES)
        for match in pattern.finditer(text)
    ]
    taken = {place for _, _, start, end in whole for place in range(start, end)}
    others = [token for token in tagged(text) if not taken & set(range(token[2], token[3]))]
    yield from sorted([*others, *whole], key=lambda token: token[2])
