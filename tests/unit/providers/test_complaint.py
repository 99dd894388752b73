from __future__ import annotations

import pytest

from ragqa.providers.complaint import complained_about, is_of_the_value
from ragqa.providers.fault import Fault, read_fault
from ragqa.providers.forms import USER_AFTER_TOOL
from tests.wire.openai_refusals import UNSUPPORTED, in_the_words_of

SENT = frozenset({"json_schema", "temperature", "max_tokens", "stream_options"})
NAMES = {"tools": "function_calling", "json_object": "json_mode"}


@pytest.mark.parametrize("style", ["openai", "fastapi", "vllm", "llama_cpp", "lm_studio"])
@pytest.mark.parametrize("feature", UNSUPPORTED)
def test_the_blamed_feature_is_found(feature: str, style: str) -> None:
    status, body = in_the_words_of(style, feature, "temperature json_schema")
    name = NAMES.get(feature, feature)
    sent = SENT - {"json_schema"} | {name}
    assert complained_about(read_fault(status, body), sent) == {name}


FIELD = [
    # as quoted in the issue trackers of the servers and of their users
    (500, 'response_format type must be one of "text" or "json_object", but got: json_schema'),
    (400, "'response_format.type' must be 'json_schema'"),
    (400, "This response_format type is unavailable now"),
    (400, "Invalid schema for response_format 'r': In context=(), 'minLength' is not permitted."),
    (400, "json_schema is not supported by this model"),
    (400, "failed to parse grammar"),
]


@pytest.mark.parametrize(("status", "message"), FIELD)
def test_formats_that_are_refused_in_the_field(status: int, message: str) -> None:
    assert complained_about(Fault(status, message), SENT) == {"json_schema"}


@pytest.mark.parametrize(
    "message",
    [
        "registry.ollama.ai/library/gemma:2b does not support tools",
        '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
        "tools param requires --jinja flag",
        "Unsupported param: tools",
        "deepseek-reasoner does not support this tool_choice",
        "Function call is not supported for this model.",
    ],
)
def test_tools_that_are_refused_in_the_field(message: str) -> None:
    assert complained_about(Fault(400, message), {"function_calling", "temperature"}) == {
        "function_calling"
    }


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (401, "temperature is not supported"),
        (403, "temperature is not supported"),
        (429, "temperature is not supported"),
        (503, "temperature is not supported"),
        (500, "The server had an error while processing your request"),
        (500, ""),
        (404, "Not Found"),
        (400, "messages must alternate between user and assistant"),
    ],
)
def test_other_faults_are_no_complaints(status: int, message: str) -> None:
    assert complained_about(Fault(status, message), SENT) == frozenset()


def test_only_what_was_sent_can_be_refused() -> None:
    assert not complained_about(Fault(400, "Unknown parameter: 'tools'.", param="tools"), SENT)


def test_the_first_named_counts() -> None:
    said = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
    assert complained_about(Fault(400, said), SENT) == {"max_tokens"}


@pytest.mark.parametrize("message", ["", "Bad Request", "400: Bad Request", "Invalid request."])
def test_a_fault_without_name_is_taken_for_the_format(message: str) -> None:
    assert complained_about(Fault(400, message), SENT) == {"json_schema"}
    rest = SENT - {"json_schema"}
    assert complained_about(Fault(422, message), rest) == rest | {"max_completion_tokens"}
    assert complained_about(Fault(422, message), {"temperature"}) == {"temperature"}
    assert complained_about(Fault(422, message), ()) == frozenset()


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("`temperature` must be strictly positive", True),
        ("max_tokens is too large: 9000. This model supports at most 4096 tokens", True),
        ("Invalid 'temperature': decimal above maximum value.", True),
        ("'temperature' does not support 0.2 with this model. Only the default (1) is.", False),
        ("Unknown parameter: 'stream_options'.", False),
    ],
)
def test_values_and_features_are_told_apart(message: str, expected: bool) -> None:
    assert is_of_the_value(Fault(400, message)) is expected


@pytest.mark.parametrize(
    "message",
    [
        "Unexpected role 'user' after role 'tool'",
        "After the optional system message, conversation roles must alternate user/assistant/...",
    ],
)
def test_an_order_of_roles_that_is_refused_in_the_field(message: str) -> None:
    sent = {"tools", "temperature", USER_AFTER_TOOL}
    assert complained_about(Fault(400, message), sent) == {USER_AFTER_TOOL}
    assert complained_about(Fault(400, message), sent - {USER_AFTER_TOOL}) == frozenset()
