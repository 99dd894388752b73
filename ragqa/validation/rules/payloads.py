"""JSON, field lists and tables are no answer."""

from __future__ import annotations

import re
from typing import Any

from ragqa.language.late import late
from ragqa.language.traditional import simplified
from ragqa.validation.fields import answer_of, refused
from ragqa.validation.gate import CheckContext, Outcome, Passed
from ragqa.validation.rules.labels import is_field_list, is_table

_KEY = late(r"([\"'“”])([^\"'“”\n:：{}\[\]]{1,40})[\"'“”]\s*[:：]\s*(?=[\"'“\[{\d\-tfnTFN])")
_BARE_KEY = late(r"[{,]\s*[A-Za-z_]\w{0,30}\s*:\s*[\"'\[{\d\-tfn]")
_LIST = late(r"\[\s*(?:[\"'“{\[].*|\(\s*[\"'\d].*\)\s*|-?[\d.][\d\s.,eE+-]*)?\]", re.DOTALL)
_FENCE = late(r"```[ \t]*(\w{0,12})[ \t]*(\n?)(.{0,4000}?)(?:```|$)", re.DOTALL)
_ESCAPED = late(r"\\.", re.DOTALL)  # Python would warn of those that it does not know
_DATA_SIGN = late(r"[{\[<:：=\t\n]")
_DATA_FENCES = frozenset({"json", "jsonc", "json5", "yaml", "yml", "xml", "csv", "tsv", "toml"})
_MARKUP = late(r"<([A-Za-z][\w-]{0,30})(?:\s[^<>]{0,200})?>.*</\1>", re.DOTALL)
_ASKS_FOR_CODE = late(
    r"\b(?:json|yaml|xml|csv|code|config\w*|snippet|command|script|syntax|format|payload|body|"
    r"request|header|field|parameter|setting|example|sample|query|api|schema|template)s?\b"
    r"|代码|配置|格式|命令|示例|例子|语法|脚本|参数|字段|请求|接口|模板|设置",
    re.IGNORECASE,
)
_OWN_KEYS = frozenset({"answer", "confidence", "sources", "follow_up", "needs_human", "category"})


# Nearly every answer holds none of these, and then it is no payload.
_SIGN = late(r"[{\[<|:：=\t`\n┌]|\A\s*\(")


def is_payload(text: str, question: str = "") -> str:
    """Return what kind of payload a text is (JSON, a table, a field list); empty if it is none.

    A snippet inside a sentence passes, all the more where the question asks for code.
    """
    if not _SIGN.search(text):
        return ""
    body = simplified(text.strip()).replace('\\"', '"')  # quotes of JSON that was encoded twice
    if _is_whole_payload(body):
        return "JSON"
    keys = [match.group(2).strip() for match in _KEY.finditer(body)]
    if len(_OWN_KEYS.intersection(keys)) >= 2:
        return "JSON"
    asked = _ASKS_FOR_CODE.search(question) is not None
    if not asked and _is_data(body, keys):
        return "JSON"
    if is_table(body):
        return "a table"
    return "a list of fields" if not asked and is_field_list(body) else ""


def _is_whole_payload(body: str) -> bool:
    """Tell whether nothing but data stands there, closed or cut off."""
    if body[:1] == "{":
        closed = body.rstrip("`. ")[-1:] == "}"
        has_key = _KEY.search(body) or _BARE_KEY.search(body)
        return bool(has_key) or (closed and not body[1:-1].strip())
    if body[:1] == "[":
        return _LIST.fullmatch(body) is not None or body[1:].lstrip()[:1] == "{"
    if body[:1] == "(" and "," in body:
        return _is_row(body)
    return _MARKUP.fullmatch(body) is not None


def _is_row(body: str) -> bool:
    """Tell whether a text is a row of a database as Python prints it: (1, 'K2', 'white')."""
    import ast

    try:
        row = ast.literal_eval(_ESCAPED.sub("x", body))
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False  # TypeError: a list as a key
    return isinstance(row, tuple) and any(isinstance(each, str | tuple) for each in row)


def _is_data(body: str, keys: list[str]) -> bool:
    """Tell whether a text with something around it is data in the main."""
    for language, own_lines, block in _FENCE.findall(body):
        inner = block.strip()
        if not own_lines and 2 * len(inner) < len(body):
            continue  # "send ```{"a": 1}``` to the hub" quotes it, or names the fence itself
        named = language.lower() in _DATA_FENCES and (own_lines or _DATA_SIGN.search(inner))
        if named or _is_whole_payload(inner):
            return True
    if len(set(keys)) >= 3:
        return True
    begin, end = body.find("{"), body.rfind("}")
    named = bool(keys) or _BARE_KEY.search(body, max(begin, 0)) is not None
    return named and 0 <= begin < end and 2 * _width(body[begin : end + 1]) >= _width(body)


def _width(text: str) -> int:
    """Return how much a text says, in columns: a Chinese character says as much as two letters."""
    return sum(2 if char > "\u2e7f" else 1 for char in text)


class JsonAnswer:
    """Refuse an answer that is JSON, a Python literal, a list of fields or a table."""

    name = "json_answer"

    def check(self, value: Any, context: CheckContext) -> Outcome:
        """Pass an answer on that is made of sentences."""
        answer = answer_of(value)
        kind = is_payload(answer, context.question) if answer else ""
        if not kind:
            return Passed(value)
        return refused(
            f"rules.{self.name}",
            f"answer is {kind}, not a sentence",
            f"answer: it is {kind}. Say the same in one or two plain sentences, without JSON,"
            " tables or lists of fields.",
            field="answer",
            value=value,
        )
