"""An answer that repeats the question, a placeholder or the instructions says nothing."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Any

import prompts
from ragqa.contract import QAResponse
from ragqa.language import content_terms
from ragqa.language.late import late
from ragqa.language.traditional import simplified
from ragqa.validation.fields import answer_of, field_of, passed_with, refused, sources_of
from ragqa.validation.gate import CheckContext, Outcome, Passed

_UNSPOKEN = late(r"[\W_]+")
_LEAD = late(
    r"\s*(?:(?:your |the )?question(?: is| was)?|q|you asked|answer|问题|问|您问的是|回答)"
    r"\s*[:：]\s*|\s*请问[，,]?\s*",
    re.IGNORECASE,
)
_RETOLD = late(
    r"\s*(?:you(?:['’]re| are)? (?:asked|asking|want(?:ed)? to know"
    r"|would like to know|wonder(?:ed)?)"
    r"|(?:your|the) question (?:is|was|asks)"
    r"|[您你](?:的问题|想?(?:问|知道|了解|咨询|询问)的?)是?)\s*[:：,，]?",
    re.IGNORECASE,
)
"""How a question begins that is told over again: "You asked how long it takes"."""


_LEAD_CHARS = 24
_GLANCE = 12  # so many characters hold three that are said, unless there is little to say


def _spoken(text: str) -> str:
    """Return the letters and digits of a text, without case: what is said, not how."""
    return _UNSPOKEN.sub("", text).casefold()


_spoken_question = lru_cache(maxsize=64)(_spoken)


def _repeats(answer: str, asked: str) -> bool:
    question = _spoken_question(asked)
    if not question:
        return False
    if retold := _RETOLD.match(answer):
        said = frozenset(content_terms(answer[retold.end() :]))
        if said and said <= frozenset(content_terms(asked)):
            return True
    lead = _LEAD.match(answer)
    if lead is None and _spoken(answer[:_GLANCE])[:3] != question[:3]:
        return False
    return question == _spoken(answer) or (
        lead is not None and question == _spoken(answer[lead.end() :])
    )


class EchoedQuestion:
    """Refuse an answer that is the question over again."""

    name = "echoed_question"

    def check(self, value: Any, context: CheckContext) -> Outcome:
        """Pass an answer on that says anything beside the question."""
        answer, asked = answer_of(value), context.question
        if answer is None or not asked or len(answer) > 2 * len(asked) + _LEAD_CHARS:
            return Passed(value)
        if not _repeats(answer, asked):
            return Passed(value)
        return refused(
            f"rules.{self.name}",
            "answer repeats the question",
            "answer: it only repeats the question. Answer it from the documents, or say that they"
            " do not hold the answer and set needs_human to true.",
            field="answer",
            value=value,
        )


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


_FILLERS = _listed(
    """
    placeholder answer todo tbd tbc fixme undefined null nan na lorem loremipsum youranswer
    youranswerhere answerhere theanswer insertanswer insertanswerhere answertext answergoeshere
    texthere sampleanswer exampleanswer shortanswer ashortanswer ashortdirectanswer
    答案 你的答案 您的答案 回答 你的回答 此处填写答案 待定 待填写 待补充 占位符 回答内容 略 同上
    不适用 字符串 示例答案 在此填写
    """
)
_TYPE_WORDS = _listed("string str text none 无 文本 example sample value number")
_BRACKETED = late(r"[<\[{（(【《]{1,2}\s*([^<>\[\]{}]{1,60}?)\s*[>\]}）)】》]{1,2}[.。]?")
_MARKED = late(
    r"\W*(?:\$\{?\w*answer\w*\}?|%s|%\(\w+\)s|x{3,}|_{3,})\W*"
    r"|\s*(?:todo|fixme|tbd|待填写|待补充)\b\s*[:：].*|\s*lorem ipsum\b.*",
    re.IGNORECASE | re.DOTALL,
)
_FILLED_IN = late(
    r"\b(?:answer|text|here|insert|your|placeholder|string|response)\b|答案|回答|填写|内容",
    re.IGNORECASE,
)
_REPLY = "(?:answer|information|details|results?|response|reply|summary|json)"
_ANNOUNCED = late(
    r"\W*(?:(?:sure|of course|certainly|absolutely|ok(?:ay)?|yes"
    r"|great question|good question|great)\b\W*)*"
    rf"(?:(?:(?:here|below|this) (?:is|are)|here['’]s) (?:the|your|an?|my) (?:\w+ )?{_REPLY}"
    r"(?: (?:you (?:requested|asked for|need|wanted)|(?:to|for) your (?:question|request|query)))?"
    rf"|(?:the|your) {_REPLY} (?:is|are) (?:as follows|below)"
    r"|i(?:['’]d be| am|['’]m|['’]ll be| would be| will be)? "
    r"(?:can|will|happy to|glad to|here to) "
    r"(?:help|assist)(?: you)?(?: with (?:that|this|your question))?(?: today)?"
    r"|(?:how (?:can|may) i|let me) (?:help|assist)(?: you)?(?: with (?:that|this))?(?: today)?"
    r"|thank(?:s| you)(?: (?:very much|so much))?(?: for (?:your (?:question|message)|asking))?)\W*"
    r"|\W*(?:(?:好的?|当然|可以|您好|没问题)[，,。！!]?)*(?:(?:以下|下面|这|如下)(?:就?是|为)"
    r"(?:[您你](?:要|需要|查询|想要|所需|想知道|询问)的?)?(?:问题的|相关的?)?(?:答案|回答|信息|结果|内容|回复|答复)"
    r"|(?:答案|回答|结果)如下|我(?:可以|很乐意|很高兴|来|会)?(?:帮助?|为|协助)[您你](?:解答|处理|回答)?(?:这个?|该)?(?:问题)?"
    r"|感谢[您你]的(?:提问|咨询)|(?:请问)?有什么可以帮[您你]的?吗?)\W*",
    re.IGNORECASE,
)
_FILLER_CHARS = 80
_MIN_ECHO_CHARS = 24  # a shorter piece of the instructions may be said by chance


class PlaceholderAnswer:
    """Refuse what stands in the place of an answer: fillers, the prompt's own words or example.

    A word that a type's name is ("string", "none") may be the answer where a source is cited.
    Follow-up questions that are fillers are left out, and that is recorded.
    """

    name = "placeholder_answer"

    def check(self, value: Any, context: CheckContext) -> Outcome:
        """Pass an answer on that somebody wrote for this question."""
        answer = answer_of(value)
        if answer is None:
            return Passed(value)
        cited = bool(sources_of(value))
        what = "a placeholder" if is_filler(answer, cited=cited) else _of_prompt(answer, context)
        if what:
            return refused(
                f"rules.{self.name}",
                f"answer is {what}",
                f"answer: it is {what}, not an answer. Write what the documents say about the"
                " question, or say that they do not hold it.",
                field="answer",
                value=value,
            )
        return self._without_filler_questions(value)

    def _without_filler_questions(self, value: Any) -> Outcome:
        questions = field_of(value, "follow_up", list) or []
        kept = [each for each in questions if not isinstance(each, str) or not is_filler(each)]
        if len(kept) == len(questions):
            return Passed(value)
        return passed_with(value, {"follow_up": kept}, "filler_follow_up")


def is_filler(text: str, *, cited: bool = False) -> bool:
    """Tell whether a text only holds the place of one."""
    if len(text) > _FILLER_CHARS:
        return False
    text = simplified(text)
    spoken = _spoken(text)
    if not spoken:
        return not any(char in "0123456789°%§€$£¥" for char in text)
    if spoken in _FILLERS or (spoken in _TYPE_WORDS and not cited) or _MARKED.fullmatch(text):
        return True
    if _ANNOUNCED.fullmatch(text):
        return True
    bracketed = _BRACKETED.fullmatch(text.strip())
    return bracketed is not None and _FILLED_IN.search(bracketed[1]) is not None


def _of_prompt(answer: str, context: CheckContext) -> str:
    """Return what of the prompt an answer is; empty if it is none of it."""
    said = _even(answer)
    if len(said) >= _MIN_ECHO_CHARS and any(rule in said for rule in _rules_of(context.schema)):
        return "a rule of the format"
    if said not in _worked_examples() or context.passages is None:
        return ""
    documented = any(said in _even(passage.text) for passage in context.passages)
    return "" if documented else "the example of the instructions"


def _even(text: str) -> str:
    """Return a text without case, line breaks and last marks."""
    return " ".join(text.split()).casefold().rstrip(".。 ")


@lru_cache(maxsize=64)
def _rules_of(schema: type[Any]) -> tuple[str, ...]:
    """Return what the prompt says of the format: the schema's descriptions and its own rules."""
    told = [field.description or "" for field in getattr(schema, "model_fields", {}).values()]
    for language in prompts.LANGUAGES:
        told += [
            text
            for name, text in prompts.load("fields", language).parts
            if name in QAResponse.model_fields or name == "intro"
        ]
    evened = dict.fromkeys(map(_even, told))
    return tuple(rule for rule in evened if len(rule) >= _MIN_ECHO_CHARS)


@cache
def _worked_examples() -> frozenset[str]:
    return frozenset(
        _even(prompts.load("fields", language).part("example_answer"))
        for language in prompts.LANGUAGES
    )
