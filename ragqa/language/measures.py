"""What a question asks to be told in: money, a duration, a weight, a length and so on."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Measure:
    """A kind of quantity.

    Attributes:
        name: What it is.
        families: The families of units that tell it, as ``ragqa.grounding.figures`` names them.
        asked: How questions ask for it.
        labels: What rows of tables call it: there the unit stands in the column's name, or nowhere.
    """

    name: str
    families: frozenset[str]
    asked: str
    labels: str


_MEASURES = (
    Measure(
        "money",
        frozenset({"money"}),
        r"\bhow much (?:is|are|was|were) (?:the|an?|one|your|this|that|these|those|it|they)\b"
        r"|\bhow much (?:do|does|did|will|would|must|should) .{0,80}\b(?:cost|charge|pay)\b"
        r"|\b(?:price|cost|fee|charge) (?:of|for)\b|\bwhat .{0,40}\b(?:cost|price)\b"
        r"|\bhow expensive\b"
        r"|多少钱|几块钱|几元|价格|价钱|售价|费用|运费|收费|怎么卖",
        r"\b(?:price|cost|fee|charge)s?\b|价格|价钱|售价|单价|费用|运费|收费",
    ),
    Measure(
        "duration",
        frozenset({"time", "months"}),
        r"\bhow long (?:do|does|did|will|can|may|must|should|have|has|had|until|after|before)\b"
        r"|\bhow (?:soon|quickly)\b|多久|多长时间|几天|几个?小时|几分钟|几个?月|几年|多少[天年]",
        r"\b(?:time|duration|period|delivery)\b|时间|时长|期限|期$",
    ),
    Measure(
        "mass",
        frozenset({"mass"}),
        r"\bhow heavy\b|\bhow much (?:do|does|did) .{0,80}\bweigh\b|\bweight of\b"
        r"|多重|重量|几[公千]?克|几斤|多少[公千]?克",
        r"\b(?:weight|weighs?)\b|重量|净重|毛重",
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
)


def measure_asked(question: str) -> Measure | None:
    """Return the kind of quantity that a question asks for; None where it asks for no such.

    >>> measure_asked("How much is the lamp?").name, measure_asked("帐篷多重？").name
    ('money', 'mass')
    >>> measure_asked("How long is the river?")
    """
    return next((m for m in _MEASURES if re.search(m.asked, question, re.I)), None)


_PHRASES = r"\bhow (?:long|much|many|often|soon)\b"


def without_phrase(question: str) -> str:
    """Return a question without the words that only ask: ``long`` in "how long" names nothing."""
    return re.sub(_PHRASES, "how", question, flags=re.I)
