"""An answer that says that the documents do not hold it is handed to a person, and is not sure."""

from __future__ import annotations

import re
from typing import Any

from ragqa.language import sentences
from ragqa.language.late import late
from ragqa.language.traditional import simplified
from ragqa.validation.fields import answer_of, field_of, passed_with
from ragqa.validation.gate import CheckContext, Outcome, Passed
from ragqa.validation.rules.confidence import MAX_WITHOUT_EVIDENCE

_LEAD = (
    r"\W*(?:(?:unfortunately|sorry|apologies|(?:i['’]m|i am) (?:very )?(?:sorry|afraid)"
    r"|based on [^,]{1,60}|according to [^,]{1,60})[,:;]?\s+(?:but\s+)?(?:that\s+)?)?"
)
_GIVEN = r"(?:provided|given|retrieved|available|supplied|cited|existing|relevant|numbered)"
_TEXTS = r"(?:documents?|passages?|context|sources|excerpts?|materials?|knowledge base)"
_HOLD = (
    r"(?:contain|hold|say|state|mention|provide|specify|include|give|tell|answer|address|explain|"
    r"indicate|have\s+(?:any\s+|the\s+|enough\s+)?(?:information|answers?|details?|mention))"
)
_NOT_HELD_EN = late(
    rf"{_LEAD}(?:"
    rf"(?:(?:the|these|your|our)\s+(?:{_GIVEN}\s+)?|{_GIVEN}\s+){_TEXTS}(?:\s+{_GIVEN})?\s+"
    rf"(?:(?:do|does|did)(?:\s+not|n['’]t))\s+(?:\w+ly\s+)?{_HOLD}\b"
    rf"|(?:none|nothing)\s+(?:of|in)\s+(?:the\s+)?(?:{_GIVEN}\s+)?{_TEXTS}\b"
    rf"|(?:there\s+is|there['’]s|i\s+have|we\s+have)\s+(?:no|not\s+enough|insufficient)\s+(?:\w+\s+)?"
    rf"(?:information|answer|details?|evidence|mention)\b.*\b{_TEXTS}\b"
    rf"|(?:i|we)\s+(?:could|can|did|do|was|were|am|are)(?:\s*not|n['’]t)\s+(?:able\s+to\s+)?"
    rf"(?:find|see|locate|have)\b.*\b{_TEXTS}\b"
    r"|(?:i|we)\s+(?:do\s+not|don['’]t)\s+(?:know|have\s+(?:enough|sufficient|any|that|this)\s+information)\b"
    r")",
    re.IGNORECASE | re.DOTALL,
)
_NOT_HELD_ZH = late(
    r"\W*(?:(?:很|非常)?(?:抱歉|遗憾|对不起|不好意思)[，,！!]?)?(?:我们?)?(?:根据|在|从)?"
    r"(?:(?:已|所)?(?:提供|检索到?|现有|给出|给定|上述|以上|这些|当前|相关|目前|您提供)的?){0,3}"
    r"(?:文档|资料|文件|段落|上下文|知识库|材料)(?:内容|信息|资讯)?(?:中|里|内)?[，,]?(?:并|都|均|也|暂|我们?)*"
    r"(?:没有|未|没|无|不包含|不含|无法)(?:能)?"
    r"(?:提到|提及|提供|说明|找到|包含|涉及|给出|记载|介绍|查到|检索到|明确|回答|相关|任何|关于|此|该|这)"
    r"|\W*(?:我们?)?(?:没有|未能|无法|没能|没)(?:在[^，。]{0,20}(?:文档|资料|文件|段落|知识库)(?:中|里)?)"
    r"(?:找到|查到|检索到)",
)
_SIGN = late(r"\bno(?:t|ne|thing)?\b|n['’]t\b|insufficient|[没未无不]", re.IGNORECASE)
_BUT = late(
    r"\b(?:but|however|only|although|though|except|instead|while|whereas|other\s+than)\b"
    r"|但|不过|然而|只|仅|除了",
    re.IGNORECASE,
)
_SEMICOLON = late(r"[;；]\s*(?=\w)")
_CONCLUDES = late(
    r"\bwe (?:recommend|suggest|advise|would|apologi[sz]e)\b"
    r"|\b(?:I|so|hence|thus|therefore|human|person|colleague|support|agent|confidence)\b"
    r"|因此|所以|故|人工|客服|联系|咨询",
    re.IGNORECASE,
)
# "，可以带狗": what follows a comma and neither denies, pleads nor concludes answers something.
_GOES_ON_ZH = late(
    r"，(?!因此|所以|故|因而|如|若|请|建议|您|也|也就|以便|需要?(?:您|进一步|人工|联系)|可以?(?:联系|咨询|向|参考|查|拨打))"
    r"(?=[^，。；]{0,8}(?:\d|可以|允许|是|为|需))[^，。；没未无不]+(?=[，。；]|$)"
)
_SORRY = late(
    r"(?:i['’]m |i am )?(?:very )?(?:sorry|afraid|unfortunately|很?抱歉)[，,:]?\s*(?:but|但)",
    re.I,
)
_PLEA = late(
    r"\W*(?:please|you (?:can|may|could|should)|contact|ask|a (?:person|colleague))\b"
    r"|\W*(?:请|建议|您可以|如需)",
    re.IGNORECASE,
)
_ASKED_OF = late(
    rf"\b(?:{_TEXTS}|mention\w*|say|says|state[sd]?|contain\w*|include\w*|written)\b"
    r"|文档|资料|文件|段落|材料|提到|提及|写|包含|说",
    re.IGNORECASE,
)


def says_not_held(answer: str, question: str = "") -> bool:
    """Tell whether all that an answer says is that the documents do not hold it.

    Where the question is what documents say, that is an answer like any other.

    >>> says_not_held("The provided documents do not mention the price.")
    True
    >>> says_not_held("The documents do not name a price, but delivery is free.")
    False
    """
    answer, question = simplified(answer), simplified(question)
    if (
        not _SIGN.search(answer)
        or _ASKED_OF.search(question)
        or _BUT.search(_SORRY.sub("", answer, count=1))
    ):
        return False
    said = [answer[start:end] for start, end in sentences(answer)]
    said = [each for each in said if not _PLEA.match(each)]
    if any(map(_goes_on, said)):
        return False
    return bool(said) and all(_NOT_HELD_EN.match(s) or _NOT_HELD_ZH.match(s) for s in said)


def _goes_on(sentence: str) -> bool:
    """Tell whether a sentence goes on with an answer: "; one dog is allowed", ，可以带狗."""
    more = _SEMICOLON.split(sentence)[1:]
    return _GOES_ON_ZH.search(sentence) is not None or any(
        not (_SIGN.search(each) or _PLEA.match(each) or _CONCLUDES.search(each)) for each in more
    )


class Abstention:
    """Let no answer be sure that says that the documents do not hold it.

    Its confidence is lowered and ``needs_human`` set: what it says is clear, and needs no other
    reply. Off where tools have returned something.
    """

    name = "abstention"

    def check(self, value: Any, context: CheckContext) -> Outcome:
        """Pass an answer on that claims no more than it says."""
        answer = answer_of(value)
        if not answer or context.evidence or not says_not_held(answer, context.question):
            return Passed(value)
        confidence = field_of(value, "confidence", (int, float))
        is_sure = confidence is not None and confidence > MAX_WITHOUT_EVIDENCE
        update: dict[str, Any] = {"confidence": MAX_WITHOUT_EVIDENCE} if is_sure else {}
        if field_of(value, "needs_human", bool) is False:
            update["needs_human"] = True
        return passed_with(value, update, self.name) if update else Passed(value)
