"""The bodies with which the real service and others refuse a request."""

from __future__ import annotations

from typing import Any

JsonObject = dict[str, Any]


class RefusedError(Exception):
    """A request that gets an error answer."""

    def __init__(self, status: int, body: Any, headers: dict[str, str] | None = None) -> None:
        super().__init__(status, body)
        self.status = status
        self.body = body
        self.headers = headers or {}


def invalid(message: str, param: str | None = None, code: str | None = None) -> RefusedError:
    """Refuse as OpenAI does: 400 with message, type, param and code."""
    return RefusedError(400, error_body(message, param=param, code=code))


def error_body(
    message: str,
    *,
    kind: str = "invalid_request_error",
    param: str | None = None,
    code: str | None = None,
) -> JsonObject:
    return {"error": {"message": message, "type": kind, "param": param, "code": code}}


def wrong_key(key: str) -> RefusedError:
    shown = f"{key[:6]}{'*' * 12}{key[-4:]}" if len(key) > 10 else key
    message = (
        f"Incorrect API key provided: {shown}. You can find your API key at "
        "https://platform.openai.com/account/api-keys."
    )
    return RefusedError(401, error_body(message, code="invalid_api_key"))


def no_key() -> RefusedError:
    message = (
        "You didn't provide an API key. You need to provide your API key in an Authorization "
        "header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY)."
    )
    return RefusedError(401, error_body(message))


def no_model(model: str) -> RefusedError:
    message = f"The model `{model}` does not exist or you do not have access to it."
    return RefusedError(404, error_body(message, code="model_not_found"))


def no_route(method: str, path: str) -> RefusedError:
    return RefusedError(404, error_body(f"Invalid URL ({method} {path})"))


def over_quota(retry_after: str) -> RefusedError:
    message = "Rate limit reached for requests. Please try again in 1s."
    body = error_body(message, kind="requests", code="rate_limit_exceeded")
    return RefusedError(429, body, {"retry-after": retry_after})


def too_long(limit: int, got: int) -> RefusedError:
    return invalid(
        f"This model's maximum context length is {limit} tokens. However, your messages resulted "
        f"in {got} tokens. Please reduce the length of the messages.",
        "messages",
        "context_length_exceeded",
    )


UNSUPPORTED: dict[str, tuple[int, Any]] = {
    "json_schema": (
        400,
        error_body(
            "Invalid parameter: 'response_format' of type 'json_schema' is not supported with "
            "this model. Learn more about supported models at the Structured Outputs guide.",
            param="response_format",
        ),
    ),
    "json_object": (
        400,
        error_body(
            "Invalid parameter: 'response_format' of type 'json_object' is not supported with "
            "this model.",
            param="response_format",
        ),
    ),
    "tools": (
        400,
        error_body(
            "'tools' is not supported with this model.",
            param="tools",
            code="unsupported_parameter",
        ),
    ),
    "temperature": (
        400,
        error_body(
            "Unsupported value: 'temperature' does not support 0.2 with this model. Only the "
            "default (1) value is supported.",
            param="temperature",
            code="unsupported_value",
        ),
    ),
    "max_tokens": (
        400,
        error_body(
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use "
            "'max_completion_tokens' instead.",
            param="max_tokens",
            code="unsupported_parameter",
        ),
    ),
    "max_completion_tokens": (
        400,
        error_body("Unrecognized request argument supplied: max_completion_tokens"),
    ),
    "stream_options": (
        400,
        error_body("Unrecognized request argument supplied: stream_options"),
    ),
    "encoding_format": (
        400,
        error_body("Unsupported value: encoding_format 'base64' is not supported."),
    ),
}
"""How OpenAI says that a model does not take a parameter."""


def in_the_words_of(style: str, feature: str, sent: Any) -> tuple[int, Any]:
    """Return how another server refuses a parameter; ``style`` names the server."""
    param = "response_format" if feature in ("json_schema", "json_object") else feature
    details = [
        {
            "type": "extra_forbidden",
            "loc": ["body", param],
            "msg": "Extra inputs are not permitted",
            "input": sent,
        }
    ]
    if style == "fastapi":
        return 422, {"detail": details}
    if style == "vllm":
        shown = str(details).replace("['body', ", "('body', ").replace(f"'{param}']", f"'{param}')")
        return 400, {
            "object": "error",
            "message": shown,
            "type": "BadRequestError",
            "param": None,
            "code": 400,
        }
    if style == "llama_cpp":
        message = f"Unsupported param: {param}"
        return 500, {"error": {"code": 500, "message": message, "type": "server_error"}}
    if style == "lm_studio":
        return 400, {"error": f"'{param}' must be one of the supported values"}
    if style == "nameless":
        return 400, {"error": {"message": "Bad Request", "code": 400}}
    return UNSUPPORTED[feature]
