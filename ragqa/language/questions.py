"""What kind of answer a question asks for, told by its cue words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from ragqa.language.late import late
from ragqa.language.script import has_han

AnswerType = Literal["time", "number", "person", "place", "reason", "manner", "choice", "thing"]
"""``choice`` is a yes or no, or one of the things that the question names; ``thing`` the rest."""

_CUES_EN: tuple[tuple[AnswerType, str], ...] = (
    (
        "time",
        r"when\b(?! the| a | an | you| it | they)|\buntil when|\b(?:what|which) (?:\w+ )?"
        r"(?:years?|dates?|days?|months?|century|centuries|decades?|era|time|season|hours?)\b"
        r"|\bhow (?:soon|recently|late|early)",
    ),
    (
        "number",
        r"\bhow (?:many|much|far|long|old|tall|big|large|high|deep|wide|heavy|fast|often|few)\b"
        r"|\b(?:what|which) (?:\w+ ){0,3}(?:percent(?:age)?|number|amount|price|cost|fee|size|"
        r"weight|height|length|width|depth|population|distance|rate|temperature|speed|capacity|"
        r"proportion|fraction|score|age|average|deductible|copay(?:ment)?|limit)\b"
        r"|\bprice of\b|\bcost of\b|\bhow expensive",
    ),
    (
        "person",
        r"\bwho(?:m|se)?\b|\b(?:what|which) (?:\w+ ){0,2}(?:person|man|woman|people|king|queen|"
        r"emperor|president|leader|scientist|author|artist|actor|actress|researcher|player|"
        r"architect|engineer|inventor|philosopher|mathematician|composer|director|minister|"
        r"general|pope|saint|successor|coach|singer|writer|poet|painter)\b",
    ),
    (
        "place",
        r"\bwhere\b|\b(?:what|which) (?:\w+ ){0,2}(?:city|cities|country|countries|place|state|"
        r"town|location|region|area|river|lake|ocean|sea|island|continent|street|province|"
        r"county|village|building|venue|stadium)\b",
    ),
    ("reason", r"\bwhy\b|\bwhat (?:was|is|were) the (?:reason|cause)|\bwhat caused\b|\bhow come\b"),
    (
        "manner",
        r"\bhow\b|\bwhat (?:do|does|can|should|must|shall) (?:i|we|you|one|they) (?:\w+ ){0,3}do\b"
        r"|\bwhat to do\b|\b(?:what|which) (?:\w+ ){0,3}(?:steps?|procedure)\b",
    ),
)
_CHOICE_EN = re.compile(
    r"(?:is|are|was|were|do|does|did|can|could|will|would|should|has|have|had|may|must)\b", re.I
)
_CUES_ZH: tuple[tuple[AnswerType, str], ...] = (
    (
        "time",
        r"什么时[候间]|何时|何年|何日|哪.?年|哪.?[天日月]|哪个?(?:时期|世纪|朝代|年代|时代|季)|几[月号日点时]"
        r"|多久|什么年代|(?:时间|日期|年份)(?:是|为)",
    ),
    (
        "number",
        r"多少|几[个位座岁次种层名人条支场家届倍成所部集年天]|多[大高远长重宽深快厚]|第几|百分之几"
        r"|(?:价格|价钱|人口|面积|长度|高度|重量|数量|比例|距离)(?:是|为|有)?(?:什么|怎|如何|？|\?|$)",
    ),
    (
        "person",
        r"谁|哪.{0,3}位|何人|什么人|哪个人|(?:作者|创始人|主席|总统|校长|导演|父亲|母亲|妻子|丈夫|儿子|祖父)(?:是|叫|为)",
    ),
    (
        "place",
        r"哪里|哪儿|何处|何地|什么地方|哪.{0,2}(?:国|城|省|州|县|镇|市|地区|地方|区域|大学|学校)|位于|在哪"
        r"|(?:地址|祖籍|首都|产地)(?:是|在|为)",
    ),
    ("reason", r"为什么|为何|原因|何以|怎么会"),
    (
        "manner",
        r"怎么(?!样的)|怎样(?!的)|如何(?!\W*$)|[要该能]做什么|什么(?:步骤|流程|手续)|(?:步骤|流程|手续)是",
    ),
    ("choice", r"吗|是否|能否|可否|会不会|能不能|是不是|可不可以|有没有|还是"),
)

_WH_WORD = r"(?:who|whom|when|where|what|why|how|which)\b"
_WH = (
    rf"\b{_WH_WORD}(?:\s+(?:many|much|long|far|old|often|big))?"
    r"|什么时候|什么|何时|谁|哪[里儿个些位]?|多[少久大长高远重]|如何|怎[么样]+|为什么|为何|几|吗"
)
_BETWEEN_EN = rf"(?<=\?)\s+|,?\s+and\s+(?={_WH_WORD})|[,;]\s+(?={_WH_WORD})"
_BETWEEN_ZH = r"(?<=[?？])\s*(?=\S)|[，,；;]\s*(?:以及|并且|还有|另外|而且)?"


def answer_type(question: str) -> AnswerType:
    """Tell what kind of answer a question asks for.

    >>> answer_type("In what year was it founded?"), answer_type("保修期多久？")
    ('time', 'time')
    """
    if not has_han(question) and _CHOICE_EN.match(question):
        return "choice"
    cues = _CUES_ZH if has_han(question) else _CUES_EN
    # Patterns are compiled when they are needed: most runs ask one question in one language.
    return next((kind for kind, cue in cues if re.search(cue, question, re.I)), "thing")


def sub_questions(question: str) -> list[str]:
    """Return the parts of a question that asks for more than one thing.

    >>> sub_questions("What does the tent cost, and how long is its warranty?")
    ['What does the tent cost', 'how long is its warranty?']
    >>> sub_questions("When and where was he born?"), sub_questions("水壶多少钱？保修期多久？")
    (['When and where was he born?'], ['水壶多少钱？', '保修期多久？'])
    """
    parts = [question[start:end] for start, end in _parts(question)]
    return parts if len(parts) > 1 and all(map(_asks_alone, parts)) else [question]


def _parts(question: str) -> Iterator[tuple[int, int]]:
    start = 0
    between = _BETWEEN_ZH if has_han(question) else _BETWEEN_EN
    for match in re.finditer(between, question, re.I):
        yield start, match.start()
        start = match.end()
    yield start, len(question)


def _asks_alone(part: str) -> bool:
    """Tell whether a part has a question word and says what it is about."""
    asks = re.search(_WH, part, re.I) or _CHOICE_EN.match(part)
    return bool(asks and re.sub(_WH, "", part, flags=re.I).strip(" ?？,，"))


_NAMING_ASKED = (
    r"\b(?:called|named?|term(?:ed)?|known as|referred to|word for|title of|nickname)\b"
    r"|叫|称|名字|名称|别名|术语"
)


def asks_name(question: str) -> bool:
    """Tell whether a question asks how something is called."""
    return re.search(_NAMING_ASKED, question, re.I) is not None


_QUESTION_MARKS = ("?", "？")


def is_question(sentence: str) -> bool:
    """Tell whether a sentence of a document is a question, in bold perhaps.

    >>> is_question("**Is there parking?**"), is_question("可以退货吗？"), is_question("Parking")
    (True, True, False)
    """
    if sentence[-1:] in "*_":
        sentence = sentence.rstrip("*_")
    return sentence.endswith(_QUESTION_MARKS)


_BACK = late(
    r"(?:(?:it|he|she|they|this|that|these|those|his|her|its|their|such|there|both|the (?:former"
    r"|latter|same))\b|其|[他她它]们?|[该此][^外]|这|那|前者|后者|两者)",
    re.IGNORECASE,
)


def refers_back(sentence: str) -> bool:
    """Tell whether a sentence begins by pointing to the one before it.

    >>> refers_back("It also boils water."), refers_back("该产品保修两年。"), refers_back("Tea.")
    (True, True, False)
    """
    return _BACK.match(sentence) is not None
