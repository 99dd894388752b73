"""What Azure OpenAI sends beyond OpenAI's own bodies: filter results, and errors in its words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tests.wire.openai_refusals import JsonObject, RefusedError
from tests.wire.openai_replies import Reply, chunks, completion, usage_of

PROMPT_KINDS = ("hate", "jailbreak", "self_harm", "sexual", "violence")
REPLY_KINDS = (
    "hate",
    "protected_material_code",
    "protected_material_text",
    "self_harm",
    "sexual",
    "violence",
)
_DETECTED = frozenset({"jailbreak", "protected_material_code", "protected_material_text"})


@dataclass(frozen=True, slots=True)
class Filters:
    """How filter results are sent.

    Attributes:
        empty: The results name nothing, as where the filters are configured off.
        prompt_key: What the results of the prompt are called; ``prompt_annotations`` in older
            versions.
        late: Results of the reply come in chunks of their own, even after the end ...
        late_reason: ... with this finish reason.
    """

    empty: bool = False
    prompt_key: str = "prompt_filter_results"
    late: bool = False
    late_reason: str | None = None

    def results(self, kinds: tuple[str, ...]) -> JsonObject:
        """Return the verdicts of the filter."""
        if self.empty:
            return {}
        return {kind: verdict(kind) for kind in kinds}

    def of_prompt(self) -> list[JsonObject]:
        """Return the verdicts on the prompt."""
        return [{"prompt_index": 0, "content_filter_results": self.results(PROMPT_KINDS)}]


def verdict(kind: str, *, filtered: bool = False) -> JsonObject:
    """Return what the filter says of one kind of content."""
    if kind in _DETECTED:
        return {"filtered": filtered, "detected": filtered}
    return {"filtered": filtered, "severity": "high" if filtered else "safe"}


def azure_completion(reply: Reply, request: JsonObject, filters: Filters) -> JsonObject:
    """Return the body of a whole reply."""
    body = completion(reply, request)
    del body["service_tier"]
    if reply.choices is None:
        (choice,) = body["choices"]
        choice["content_filter_results"] = filters.results(REPLY_KINDS)
    body[filters.prompt_key] = filters.of_prompt()
    return body


def azure_chunks(reply: Reply, request: JsonObject, filters: Filters) -> Iterator[Any]:
    """Yield the chunks of a streamed reply: the first has no choices."""
    yield {
        "id": "",
        "choices": [],
        "created": 0,
        "model": "",
        "object": "",
        "system_fingerprint": None,
        filters.prompt_key: filters.of_prompt(),
    }
    for chunk in chunks(reply, request):
        del chunk["service_tier"]
        for choice in chunk["choices"]:
            if choice["delta"].get("content") and not filters.late:
                choice["content_filter_results"] = filters.results(REPLY_KINDS)
        if filters.late and not chunk["choices"]:
            yield _late_chunk(filters)
        yield chunk
    if filters.late:
        yield _late_chunk(filters)


def _late_chunk(filters: Filters) -> JsonObject:
    kind = "violence"
    results = {kind: verdict(kind, filtered=filters.late_reason is not None)}
    return {
        "choices": [
            {
                "content_filter_offsets": {
                    "check_offset": 35,
                    "end_offset": 36,
                    "start_offset": 35,
                },
                "content_filter_results": results,
                "finish_reason": filters.late_reason,
                "index": 0,
            }
        ],
        "created": 0,
        "id": "",
        "model": "",
        "object": "",
    }


def azure_response(reply: Reply, request: JsonObject, filters: Filters) -> JsonObject:
    """Return the body of the Responses API."""
    messages = request["input"]
    usage = usage_of(reply, {"messages": messages})
    text = {"annotations": [], "logprobs": [], "text": reply.text, "type": "output_text"}
    return {
        "background": False,
        "completed_at": 1_760_000_001,
        "content_filters": [
            _content_filter("prompt", filters.results(PROMPT_KINDS)),
            _content_filter("completion", filters.results(REPLY_KINDS)),
        ],
        "created_at": 1_760_000_000,
        "error": None,
        "frequency_penalty": 0.0,
        "id": "resp_1",
        "incomplete_details": None,
        "instructions": None,
        "max_output_tokens": None,
        "max_tool_calls": None,
        "metadata": {},
        "model": request["model"],
        "moderation": None,
        "object": "response",
        "output": [
            {
                "content": [text],
                "id": "msg_1",
                "phase": "final_answer",
                "role": "assistant",
                "status": "completed",
                "type": "message",
            }
        ],
        "parallel_tool_calls": True,
        "presence_penalty": 0.0,
        "previous_response_id": None,
        "prompt_cache_key": None,
        "prompt_cache_retention": "in_memory",
        "reasoning": {
            "context": "all_turns",
            "effort": "none",
            "mode": "standard",
            "summary": None,
        },
        "safety_identifier": None,
        "service_tier": "default",
        "status": "completed",
        "store": True,
        "temperature": 1.0,
        "text": {"format": {"type": "text"}, "verbosity": "medium"},
        "tool_choice": "auto",
        "tools": [],
        "top_logprobs": 0,
        "top_p": 0.98,
        "truncation": "disabled",
        "usage": {
            "input_tokens": usage["prompt_tokens"],
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": usage["completion_tokens"],
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": usage["total_tokens"],
        },
        "user": None,
    }


def _content_filter(source: str, results: JsonObject) -> JsonObject:
    return {
        "blocked": False,
        "content_filter_offsets": {"check_offset": 0, "end_offset": 5, "start_offset": 0},
        "content_filter_raw": [],
        "content_filter_results": results,
        "source_type": source,
    }


def prompt_filtered(*, plural: bool = False) -> JsonObject:
    """Return the body of a prompt that the filter stopped.

    Args:
        plural: Call the results as the published schema does, not as the wire does.
    """
    results = {kind: verdict(kind, filtered=kind == "jailbreak") for kind in PROMPT_KINDS}
    key = "content_filter_results" if plural else "content_filter_result"
    message = (
        "The response was filtered due to the prompt triggering Azure OpenAI's content management "
        "policy. Please modify your prompt and retry. To learn more about our content filtering "
        "policies please read our documentation: https://go.microsoft.com/fwlink/?linkid=2198766"
    )
    inner = {"code": "ResponsibleAIPolicyViolation", key: results}
    return {
        "error": {
            "message": message,
            "type": None,
            "param": "prompt",
            "code": "content_filter",
            "status": 400,
            "innererror": inner,
        }
    }


def refused(
    status: int, code: str, message: str, headers: dict[str, str] | None = None
) -> RefusedError:
    """Refuse as the gateway in front of the models does: with code and message alone."""
    return RefusedError(status, {"error": {"code": code, "message": message}}, headers)


def not_found() -> RefusedError:
    """Refuse a path, or an API version, that is not there."""
    return refused(404, "404", "Resource not found")


def no_deployment() -> RefusedError:
    """Refuse a deployment that is not there."""
    return refused(
        404,
        "DeploymentNotFound",
        "The API deployment for this resource does not exist. If you created the deployment within "
        "the last 5 minutes, please wait a moment and try again.",
    )


def wrong_operation(operation: str, model: str) -> RefusedError:
    """Refuse a deployment whose model is for something else."""
    return refused(
        400,
        "OperationNotSupported",
        f"The {operation} operation does not work with the specified model, {model}. Please choose "
        "different model and try again. You can learn more about which models can be used with "
        "each operation here: https://go.microsoft.com/fwlink/?linkid=2197993.",
    )


def no_access() -> RefusedError:
    """Refuse a key."""
    return refused(
        401,
        "401",
        "Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide "
        "a valid key for an active subscription and use a correct regional API endpoint for your "
        "resource.",
    )


def no_valid_token(audience: str) -> RefusedError:
    """Refuse a token."""
    return refused(
        401,
        "401",
        "Unauthorized. Access token is missing, invalid, audience is incorrect "
        f"({audience}), or have expired.",
    )


def newer_version(what: str, version: str) -> RefusedError:
    """Refuse what the API version does not know yet."""
    message = f"{what} is enabled only for api versions {version} and later"
    return refused(400, "BadRequest", message)


def too_many(retry_after_ms: int) -> RefusedError:
    """Refuse one request too many."""
    message = (
        "Requests to the ChatCompletions_Create Operation under Azure OpenAI API version "
        "2024-10-21 have exceeded call rate limit of your current OpenAI S0 pricing tier. Please "
        "retry after 1 second."
    )
    headers = {"retry-after-ms": str(retry_after_ms), "retry-after": "1"}
    return refused(429, "429", message, headers)
