"""An agent's notes, a model's reasoning and prompt marks are no answer."""

from __future__ import annotations

import re
from typing import Any

from ragqa.language.late import late
from ragqa.language.traditional import simplified
from ragqa.validation.fields import answer_of, refused, texts_of
from ragqa.validation.gate import CheckContext, Outcome, Passed

_LINE = r"(?:^|\n|(?<=[.!?。！？]\s))[ \t>*_#]*"
_NOTES = late(
    rf"{_LINE}(?:Action Input|Final Answer|Observation|"
    rf"(?:Tool|Function) (?:Call|Input|Output|Result|Response)|"
    rf"行动输入|最终答案|观察|工具(?:调用|输入|输出|返回|结果)(?:结果|内容)?)[*_]{{0,2}}\s?[:：]",
    re.IGNORECASE,
)
_THOUGHT = late(
    rf"{_LINE}(?:Thoughts?|Reasoning|Plan|思考|推理|计划)(?: \d{{1,2}})?[*_]{{0,2}}\s?[:：]",
    re.IGNORECASE,
)
_ACTION = late(
    r"(?:^|\n|[.!?。！？;；]\s?|\s)[ \t>*_#]*(?:Action|Tool|行动|动作|工具)[*_]{0,2}\s?[:：]\s*\S"
)
_NAMED_ACTION = late(
    rf"{_LINE}(?:Action|行动|动作)(?: \d{{1,2}})?[*_]{{0,2}}\s?[:：]\s*"
    r"(?:[a-z]+_[a-z_]+|\w+\(|\w+\[|search\b|搜索|查询)"
)
_TAG = late(
    r"</?(?:think|thinking|thought|thoughts|reasoning|reflection|scratchpad|analysis|tool_calls?|"
    r"tool_response|tool_result|function_calls?|function_results?|(?:\w{1,12}:)?invoke|"
    r"tool_use)\b[^>\n]{0,200}>"
    r"|<\|[^|>\n]{1,40}\|>|<｜[^｜>\n]{1,40}｜>|◁/?think▷|&lt;/?think"
    r"|[\[【](?:thought|action|observation|思考|行动|推理|观察)[\]】]"
    r"|\[/?(?:INST|TOOL_CALLS?|AVAILABLE_TOOLS|TOOL_RESULTS?)\]|<</?SYS>>"
    r"|<(?:start|end)_of_turn>|#{2,3} ?(?:Instruction|Response|System|Assistant|Human) ?:",
    re.IGNORECASE,
)
_CALL = late(
    r"(?:^|\s)(?:functions|tools)\.\w{2,40}\s*\(|\"tool_call_id\"\s*:"
    r"|\"function_call\"\s*:|\"tool_calls\"\s*:"
)
_ONE_CALL = late(r"[\s`]*(?:python\s+)?(?:\w+\s*=\s*)?(?:await\s+)?(\w+)\s*\([^\n]*\)[\s`;.。]*")
_SPEAKER = r"\s*(?:system|assistant|user|human|系统|助手|用户)\s*[:：]"
_PLAN = late(
    r"\s*(?:(?:ok(?:ay)?|sure|well|first)[,.!]? )?"
    r"(?:let me|i(?:['’]ll| will| need to| should| must| have to| am going to))"
    r" (?:first |now |quickly )?(?:search|look (?:(?:this|that|it) )?up|call the|query|"
    r"check the (?:documents?|passages?|context|knowledge)|use the (?:search|tool)|"
    r"(?:call|use|invoke|run) [`'\"]?[a-z]\w*[`'\"]? (?:tool|function|with \w+=\S+))\b"
    r"|\s*(?:好的?[，,。])?(?:让我|我(?:需要|应该|将|先|来|会))先?(?:搜索|查找|检索|查询|调用|查一下)",
    re.IGNORECASE,
)
_ANSWERING = late(r"\s*(assistant|助手)\s?[:：]\s*\S", re.IGNORECASE)
_ROLE = late(_SPEAKER, re.IGNORECASE)
_ROLE_TURN = late(rf"\n{_SPEAKER}", re.IGNORECASE)
_SYSTEM_PROMPT = late(
    r"\s*(?:you are (?:an?|the) (?:\w+[ -]){0,4}(?:assistant|agent|model|chatbot|bot)\b"
    r"|(?:reply|respond|answer|return) (?:only )?(?:with|in|as) (?:a |an |one )?(?:\w+ )?json\b"
    r"|你是(?:一[个名位])?[^，。\n]{0,16}(?:助手|助理|客服机器人|模型)[，。,.]"
    r"|(?:请)?(?:只|仅)(?:用|以|返回|输出)[^，。\n]{0,10}JSON)",
    re.IGNORECASE,
)


# Nearly every answer holds none of these signs, and then only its opening can tell.
_SIGN = late(r"[:：<◁&\[【(#]")
_OPENING = (_SYSTEM_PROMPT, _PLAN)
_ANYWHERE = (_NOTES, _NAMED_ACTION, _TAG, _CALL)


def scratchpad_mark(text: str) -> str:
    """Return the mark by which a text is recognised as notes or a prompt; empty if it is none."""
    text = simplified(text)
    for pattern in _OPENING:
        if match := pattern.match(text):
            return match.group().strip()
    if "search_documents" in text:
        return "search_documents"
    return _marked(text) if _SIGN.search(text) else ""


def _marked(text: str) -> str:
    for pattern in _ANYWHERE:
        if match := pattern.search(text):
            return match.group().strip()
    if answering := _ANSWERING.match(text):
        return answering[1]
    thought = _THOUGHT.search(text)
    if thought and _ACTION.search(text, thought.end()):
        return thought.group().strip()
    if thought and thought.start() == 0 and thought.group().strip(" *_#>").lower()[:7] == "thought":
        return thought.group().strip()
    if _ROLE.match(text) and _ROLE_TURN.search(text):
        return "a dialogue"
    return ""


def _called_in(text: str, context: CheckContext) -> str:
    """Return a text that is nothing but a call of one of the run's tools; else nothing."""
    call = _ONE_CALL.fullmatch(text)
    names = {str(record.get("name")) for record in context.records}
    return text if call and call[1] in names else ""


class Scratchpad:
    """Refuse thoughts, planned actions, reasoning tags and echoes of the prompt.

    A mark that the question itself holds is what the question is about, and passes.
    """

    name = "scratchpad"

    def check(self, value: Any, context: CheckContext) -> Outcome:
        """Pass a response on that speaks to the reader."""
        if answer_of(value) is None:
            return Passed(value)
        for path, text in texts_of(value):
            mark = "" if path.startswith("sources") else scratchpad_mark(text)
            mark = mark or _called_in(text, context)
            if mark and mark.lower() not in simplified(context.question).lower():
                return refused(
                    f"rules.{self.name}",
                    f"{path} holds working notes or parts of the prompt ({mark[:40]})",
                    f"{path}: it holds working notes or parts of the instructions. Give only the"
                    " answer for the reader.",
                    field=path,
                    value=value,
                )
        return Passed(value)
