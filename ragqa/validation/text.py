"""Gate 0: how the reply ended, whether the model declined, and what it thought to itself."""

from __future__ import annotations

import re
from typing import Any, Final

from ragqa.validation.gate import INTERRUPTED, CheckContext, Fault, Outcome, Passed, Rejected

_INVISIBLE: Final = (
    "\ufeff\u200b\u200c\u200d\u200e\u200f\u2060\u2061\u2062\u2063\u2064\u00ad\u180e\u061c"
    "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufffe\x00"
)
_BLANK: Final = " \t\r\n\v\f\u0085\u00a0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)

# What services call it: OpenAI, Azure and most compatible servers; Anthropic, Gemini, Bedrock,
# Mistral, DeepSeek, Zhipu, vLLM, watsonx. Whatever is not listed ends a reply as it should.
_TRUNCATED: Final = frozenset(
    {
        "length",
        "max_tokens",
        "max_output_tokens",
        "max_completion_tokens",
        "max_new_tokens",
        "max_length",
        "model_length",
        "token_limit",
        "token_limit_reached",
        "model_context_window_exceeded",
        "context_length_exceeded",
        "context_length",
        "incomplete",
    }
)
_FILTERED: Final = frozenset(
    {
        "content_filter",
        "content_filtered",
        "content_policy_violation",
        "safety",
        "prohibited_content",
        "blocklist",
        "spii",
        "recitation",
        "sensitive",
        "guardrail_intervened",
    }
)
_BROKEN_OFF: Final = frozenset(
    {
        INTERRUPTED,
        "abort",
        "aborted",
        "cancelled",
        "canceled",
        "error",  # OpenRouter's and vLLM's word for it
        "network_error",
        "insufficient_system_resource",
        "server_error",
        "time_limit",
        "timeout",
    }
)


def _letters(reason: str) -> str:
    """Return the letters of a finish reason: max_tokens, max-tokens and maxTokens are one."""
    return "".join(filter(str.isalpha, reason.rpartition(".")[2].casefold()))


_KINDS: Final = {
    _letters(reason): kind
    for kind, reasons in (
        ("refused", {"refusal"}),
        ("filtered", _FILTERED),
        ("broken off", _BROKEN_OFF),
        ("truncated", _TRUNCATED),
    )
    for reason in reasons
}
_MAY_REASON: Final = re.compile(r"<\|?/?[A-Za-z_思]|◁|\[/?THINK\]|\A(?:analysis|commentary)")
_ASK: Final = "Reply with exactly one JSON object."


class TextGate:
    """Refuse replies that ended early or decline; pass the text on without reasoning and marks.

    Takes the raw reply (str). Faults: ``text.truncated``, ``text.content_filter``,
    ``text.refusal``, ``text.interrupted``, ``text.empty``. Finish reasons that are not known pass.
    """

    name = "text"

    def check(self, value: Any, context: CheckContext) -> Outcome:
        """Return the cleaned text, or why there is no answer in it. Never raises."""
        if value is None:
            value = ""
        if not isinstance(value, str):
            reason = f"a text is due here, not {type(value).__name__}"
            return Rejected((Fault("syntax.invalid", reason, _ASK),), value)
        fault = _of_ending(context)
        if fault is not None:
            return Rejected((fault,), value)
        text, repairs = _stripped(value)
        if _MAY_REASON.search(text):
            return _spoken(value, text, repairs)
        fault = _of_text(text)
        return Passed(text, repairs) if fault is None else Rejected((fault,), value)


def _spoken(raw: str, text: str, repairs: tuple[str, ...]) -> Outcome:
    """Judge what is left of a text without its reasoning, if there is some in it."""
    from ragqa.validation.reasoning import without_reasoning

    spoken = without_reasoning(text)
    if spoken.is_cut:
        return Rejected((_cut_while_thinking(),), raw)
    if spoken.is_tangled:
        reason = "reasoning stands behind an object that cannot be read"
        feedback = f"Your reply cannot be used: {reason}. {_ASK}"
        return Rejected((Fault("syntax.invalid", reason, feedback),), raw)
    if spoken.had_reasoning:
        text, _ = _stripped(spoken.text)
        repairs = (*repairs, "reasoning")
    fault = _of_text(text, had_reasoning=spoken.had_reasoning)
    return Passed(text, repairs) if fault is None else Rejected((fault,), raw)


def _stripped(text: str) -> tuple[str, tuple[str, ...]]:
    """Strip blanks and invisible marks off both ends."""
    stripped = text.strip(_INVISIBLE + _BLANK)
    has_marks = len(stripped) != len(text.strip(_BLANK))
    return stripped, ("invisible_marks",) if has_marks else ()


def _of_ending(context: CheckContext) -> Fault | None:
    """Judge by what the service says of the reply."""
    reason = str(context.finish_reason or "").strip()
    kind = _KINDS.get(_letters(reason).removeprefix("finishreason"))
    if str(context.refusal or "").strip():
        return _refusal("the model declined")
    if kind == "refused":
        return _refusal("the model declined (finish reason refusal)")
    if kind == "filtered":
        return _filtered(f"the service's content filter stopped the reply (finish reason {reason})")
    if kind == "broken off":
        return Fault("text.interrupted", "the reply broke off before its end", _ASK)
    if kind == "truncated":
        feedback = (
            "Your reply was cut off by the token limit. Send the whole object again, with "
            "shorter texts."
        )
        return Fault(
            "text.truncated", f"the token limit cut the reply (finish_reason={reason})", feedback
        )
    return None


def _of_text(text: str, *, had_reasoning: bool = False) -> Fault | None:
    if not text:
        reason = "there is nothing but reasoning" if had_reasoning else "the reply is empty"
        return Fault("text.empty", reason, f"Your reply held no answer. {_ASK}")
    if "{" in text or "｛" in text:
        return None
    # Most replies hold an object and no reasoning: the patterns are loaded where they do not.
    from ragqa.validation.refusals import declines, is_filter_notice

    if is_filter_notice(text):
        return _filtered("the reply is a content filter's notice")
    return _refusal("the reply declines and holds no object") if declines(text) else None


def _cut_while_thinking() -> Fault:
    feedback = (
        f"Your reply ended while you were still thinking; drafts do not count. Think less. {_ASK}"
    )
    return Fault("text.truncated", "the reply ends inside a reasoning block", feedback)


def _refusal(reason: str) -> Fault:
    return Fault("text.refusal", reason, "You declined to answer.")


def _filtered(reason: str) -> Fault:
    return Fault("text.content_filter", reason, "The reply was stopped by a content filter.")
