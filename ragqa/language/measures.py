"""What a question asks to be told in: money, a duration, a weight, a length and so on."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from ragqa.language.script import has_han
from ragqa.language.terms import content_words


@dataclass(frozen=True, slots=True)
class Measure:
    """A kind of quantity.

    Attributes:
        name: What it is.
        families: The families of units that tell it, as ``ragqa.grounding.figures`` names them.
        asked: How questions ask for it.
        labels: What rows of tables call it: there the unit stands in the column's name, or nowhere.
            Without units, the label alone tells it.
        column: What such a column may be called, English and Chinese, so that its rows are found.
        said: What of a question is told by that label, whatever it says: a stock list need not
            hold the word.
    """

    name: str
    families: frozenset[str]
    asked: str
    labels: str
    column: tuple[str, str] = ("", "")
    said: str = ""


_MEASURES = (
    Measure(
        "money",
        frozenset({"money"}),
        r"\bhow much (?:is|are|was|were) (?:the|an?|one|your|this|that|these|those|it|they)\b"
        # "How much is express delivery?", but not "How much is known about it?"
        r"|\bhow much (?:is|are) (?!\w+(?:ed|en|wn)\b|(?:left|too|enough|there|lost|of|in)\b)[\w-]"
        r"|\bhow much (?:do|does|did|will|would|must|should) .{0,80}\b(?:cost|charge|pay)\b"
        r"|\bwhat(?:'s| is| are| was| were) (?:\w+ ){0,3}(?:price|cost|fee|charge)s?\b"
        r"|\bwhat (?:do|does|did|will|would) .{0,80}\bcost\b|^(?:price|cost)s?\b"
        r"|\bhow expensive\b"
        r"|多少钱|几块钱|几元|怎么卖|(?:价格|价钱|售价|费用|运费|收费)(?:是|为|要|有)?(?:多少|几|[?？]|$)",
        r"\b(?:price|cost|fee|charge)s?\b|价格|价钱|售价|单价|费用|运费|收费"
        r"|[(（ ](?:[欧美日]?元|英镑|eur|usd|gbp|cny|rmb|chf)(?:[)）]|[:：])",
        ("price", "价格"),
    ),
    Measure(
        "stock",
        frozenset(),
        r"\bin stock\b|\bout of stock\b|\bstill available\b|\bavailable again\b"
        r"|\bhow many .{0,60}\b(?:is|are|have) (?:still )?(?:left|available)\b"
        r"|\b(?:are|is) there (?:any|still) .{0,60}\bleft\b|有货|现货|库存|缺货|还有多少",
        r"\b(?:in (?:the )?(?:warehouse|shop|store)|(?:out of |in )?stock|available|sold out)\b"
        r"|库存|有货|现货|缺货|售罄|无货",
        ("stock warehouse quantity available", "库存"),
        r"\b(?:(?:back |still )?in stock|(?:still |back )?available|left)(?: again)?(?=\W*$)"
        r"|(?:现在|目前)?还?有(?:现?货|多少)|还剩下?多少",
    ),
    Measure(
        "duration",
        frozenset({"time", "months"}),
        r"\bhow long (?:do|does|did|will|can|may|must|should|have|has|had|until|after|before)\b"
        r"(?!.{0,80}\bbe\W*$)"  # "How long must a password be?"
        r"|\bhow (?:soon|quickly)\b|多久(?![^，,。；？?]{0,8}一[次回遍])|多长时间|"
        r"几天|几个?小时|几分钟|几个?月|几年|多少[天年]",
        r"\b(?:time|duration|period|delivery)\b|时间|时长|期限|期$",
    ),
    Measure(
        "mass",
        frozenset({"mass"}),
        r"\bhow heavy\b|\bhow much (?:do|does|did) .{0,80}\bweigh\b|\bweight of\b"
        r"|多重|重量|几[公千]?克|几斤|多少[公千]?克",
        r"\b(?:weight|weighs?)\b|重量|净重|毛重",
        ("weight", "重量"),
    ),
    Measure(
        "volume",
        frozenset({"volume"}),
        r"\bhow much .{0,60}\bholds?\b|\bcapacity of\b|\bhow many lit(?:re|er)s\b|容量|几升|多少升",
        r"\b(?:capacity|volume|holds?)\b|容量|容积",
    ),
    Measure(
        "length",
        frozenset({"length"}),
        r"\bhow (?:tall|high|wide|deep|thick)\b|\b(?:height|width|length|depth|diameter) of\b"
        r"|多[高宽深厚]|高度|宽度|长度|深度|直径|几[厘毫]?米",
        r"\b(?:height|width|length|depth|size|diameter)\b|高度|宽度|长度|深度|尺寸|直径",
    ),
    Measure(
        "e-mail",
        frozenset(),
        r"\bwh(?:at|ich) .{0,60}\be-?mail address\b"
        r"|\bwhat(?:'s| is) (?:your|the|their) (?:\w+ ){0,2}e-?mail\W*$"
        r"|邮(?:箱|件地址|箱地址)(?:是|为)?(?:什么|多少|哪个|[?？]|$)",
        r"[\w.+-]{1,64}@[\w-]{1,64}\.\w{2,}",
        said=r"(?<=\be-mail) address\b|(?<=\bemail) address\b",
    ),
    Measure(
        "phone",
        frozenset(),
        r"\bwh(?:at|ich) .{0,60}\bphone number\b|\bwh(?:at|ich) number .{0,30}\bcall\b"
        r"|电话(?:号码)?(?:是|为)?(?:多少|几号|什么|[?？]|$)|打(?:什么|哪个)电话",
        r"(?<![\d.])(?:\+|\(0?)?\d(?:[ ()/-]{0,2}\d){6,14}(?!\d|\.\d)",
        said=r"(?<=phone) number\b|(?<=电话)号码",
    ),
)


@lru_cache(maxsize=64)  # the search for a question asks, and so does the choice of its sentences
def measure_asked(question: str) -> Measure | None:
    """Return the kind of quantity that a question asks for; None where it asks for no such.

    >>> measure_asked("How much is the lamp?").name, measure_asked("帐篷多重？").name
    ('money', 'mass')
    >>> measure_asked("How long is the river?")
    """
    return next((m for m in _MEASURES if re.search(m.asked, question, re.I)), None)


def looked_up(question: str) -> str:
    """Return what to search for: the question, or its telling words and the name of a column.

    A price list says ``price`` and no sentence, where people ask "how much is it": the words that
    only make a sentence would find prose before the row.

    >>> looked_up("How much is the kettle?"), looked_up("Where is it made?")
    ('kettle price', 'Where is it made?')
    """
    measure = measure_asked(question)
    column = measure.column[int(has_han(question))] if measure else ""
    if not column:
        return question
    text = without_phrase(question)
    telling = dict.fromkeys(text[word.start : word.end] for word in content_words(text))
    return " ".join([*(word for word in telling if word.lower() not in column.split()), column])


# What only asks, and what stays of it: a blank keeps Chinese words apart, where 什么 would pair up.
_PHRASES = (
    (r"\bhow (?:long|much|many|often|soon)\b(?: (?:do|does|did|will|would) it take\b)?", "how"),
    (r"\b(what (?:do|does|did) .{1,80}?) mean\b", r"\1"),
    (r"\b(?:error|fault)(?: code)? (?=[a-z]{1,3}-?\d)", ""),  # a code says it all
    (
        r"(?:需要|[要得花用]){0,2}多(?:长时间|久)|怎么办|几(?:个?小时|个?月|分钟|[天年周点号])|哪[款种]|是?什么意思",
        " ",
    ),
)


def without_phrase(question: str) -> str:
    """Return a question without the words that only ask: ``long`` in "how long" names nothing.

    >>> without_phrase("How long does it take to descale it?"), without_phrase("E1 是什么意思？")
    ('how to descale it?', 'E1  ？')
    """
    measure = measure_asked(question)
    for asks, left in _PHRASES:
        question = re.sub(asks, left, question, flags=re.I)
    if measure is None or not measure.said:
        return question
    about = re.sub(measure.said, " ", question, flags=re.I)
    return about if content_words(about) else question  # "Is it in stock?" says nothing else
