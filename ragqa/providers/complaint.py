"""Which feature of a request an endpoint complains about, if any."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ragqa.language.late import late
from ragqa.providers.fault import Fault

_WORDS = {
    "json_schema": r"response[_ ]?format|json[_ ]?schema|structured[ _]outputs?|grammar|guided",
    "json_mode": r"response[_ ]?format|json[_ ]?object|json mode",
    "function_calling": r"\btools?\b|tool[_ ]choice|function[_ ]call|\bfunctions?\b",
    # not "tool": a fault of the messages may speak of a tool message
    "tools": r"\btools\b|tool[ _-]?(?:use|calling)|tool choice",
    "tool_choice": r"tool_choice",
    "temperature": r"temperature",
    "max_tokens": r"max_tokens",
    "max_completion_tokens": r"max_completion_tokens",
    "stream_options": r"stream_options|include_usage",
    "encoding_format": r"encoding_format|base64",
    # https://github.com/NousResearch/hermes-agent/issues/20154, charmbracelet/crush/issues/279
    "user_after_tool": r"role .?user.? after role .?tool|roles must alternate",
}
_PARAMS = {
    "json_schema": ("response_format",),
    "json_mode": ("response_format",),
    "function_calling": ("tools", "tool_choice", "functions", "function_call"),
}
_LIMITS = frozenset({"max_tokens", "max_completion_tokens"})
_OF_CALLERS = frozenset({"tools", "tool_choice"})
_MODES = ("json_schema", "function_calling", "json_mode")

_UNSUPPORTED = late(
    r"support|unknown|unrecogni[sz]ed|unexpected|not (?:permitted|allowed|implemented|available)"
    r"|unavailable|invalid|must (?:be|alternate)|should be|require|extra|only|failed to parse"
    r"|no such|cannot",
    re.IGNORECASE,
)
_ONLY_A_STATUS = late(
    r"(?:\W|\d|_|bad|request|invalid|unprocessable|entity|content|error|code|validation|the|is)*",
    re.IGNORECASE,
)
_OF_THE_VALUE = late(
    r"strictly positive|too (?:large|big|small|high|low)|at (?:most|least)|(?:above|below) m"
    r"|(?:less|greater) than|between|maximum|minimum",
    re.IGNORECASE,
)
_REFUSING = {0, 400, 404, 405, 415, 422, 500, 501}
"""llama-cpp-python answers 500 to a response_format that it does not know, Mistral and other
FastAPI servers 422 (https://github.com/ggml-org/llama.cpp/issues/23463); 0 is an error event in a
stream."""


def complained_about(fault: Fault, sent: Iterable[str]) -> frozenset[str]:
    """Return the features, of those sent, that the endpoint refuses; empty if it is not that.

    A refusal that names nothing is taken for the format that was asked for, and where none was left
    to ask for, for everything else.
    """
    if fault.status not in _REFUSING or fault.is_html:
        return frozenset()
    features = frozenset(sent)
    if named := _named(fault, features):
        return named
    if fault.status in (400, 422) and not fault.param and _ONLY_A_STATUS.fullmatch(fault.message):
        rest = features - _OF_CALLERS
        return features.intersection(_MODES) or rest | (_LIMITS if rest & _LIMITS else set())
    return frozenset()


def is_of_the_value(fault: Fault) -> bool:
    """Tell whether only this value was refused, not the feature: nothing to remember."""
    return _OF_THE_VALUE.search(fault.message) is not None


def _named(fault: Fault, features: frozenset[str]) -> frozenset[str]:
    blamed = re.split(r"[.\[]", fault.param)[0]
    if blamed != fault.param or blamed == "messages":
        features -= _OF_CALLERS  # one definition or message is at fault, not the whole feature
    for feature in features:
        if blamed and blamed in _PARAMS.get(feature, (feature,)):
            return frozenset({feature})
    if not _UNSUPPORTED.search(fault.message):
        return frozenset()
    found = {
        feature: match.start()
        for feature in features
        if (match := re.search(_WORDS[feature], fault.message, re.IGNORECASE))
    }
    return frozenset({min(found, key=found.__getitem__)}) if found else frozenset()
