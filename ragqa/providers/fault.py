"""What a service said when it refused: one reading of the many shapes of error bodies.

OpenAI and Azure send ``{"error": {message, type, param, code}}``, vLLM the inner object alone with
a numeric code, LM Studio a string, FastAPI servers ``{"detail": [{loc, msg, input}]}``, proxies
HTML. Echoes of the request (``input``, ``ctx``) are left out: they hold the prompt.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ragqa.language.late import late

MAX_MESSAGE_CHARS = 300

_ECHO = late(r"""(?:['"](?:input|ctx)['"]\s*:|\binput_value\s*=).*""", re.DOTALL)
_HTML = late(r"<\s*(?:!doctype|html|head|body|h1|title)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Fault:
    """A refusal, read.

    Attributes:
        status: The HTTP status; 0 where the refusal came inside a stream.
        message: What it said, without echoes of the request.
        code: Its code and type, joined; for matching only.
        param: The parameter that it blames, if it names one.
        is_html: Whether a page came instead of an API's answer.
    """

    status: int
    message: str = ""
    code: str = ""
    param: str = ""
    is_html: bool = False


def read_fault(status: int, body: Any) -> Fault:
    """Read an error body, whatever its shape.

    Args:
        status: The HTTP status.
        body: The decoded JSON, or the text where it was none.
    """
    if isinstance(body, str) and _HTML.search(body[:2000]):
        return Fault(status, is_html=True)
    inner = body.get("error", body) if isinstance(body, dict) else body
    if not isinstance(inner, dict):
        return Fault(status, _cut(inner if isinstance(inner, str) else ""))
    said = inner.get("message", inner.get("detail", inner.get("msg", "")))
    texts, params = _details(said)
    codes = (inner.get("code"), inner.get("type"), _inner_code(inner))
    return Fault(
        status,
        _cut("; ".join(texts)),
        " ".join(str(code) for code in codes if isinstance(code, str | int)),
        str(inner.get("param") or next(params, "")),
    )


def _details(said: Any) -> tuple[list[str], Iterator[str]]:
    """Return the messages and the blamed parameters of a plain or a FastAPI message."""
    if isinstance(said, dict):
        said = said.get("detail", [said])
    if not isinstance(said, list):
        return [str(said or "")], iter(_quoted_location(str(said or "")))
    items = [item for item in said if isinstance(item, dict)]
    locations = (_location(item.get("loc", ())) for item in items)
    return [str(item.get("msg", "")) for item in items], filter(None, locations)


def _quoted_location(message: str) -> list[str]:
    """Find the location in a message that is the repr of FastAPI's details, as vLLM sends it."""
    found = re.search(r"""['"]loc['"]: [(\[]['"]body['"], ['"](\w+)""", message)
    return [found.group(1)] if found else []


def _location(loc: Any) -> str:
    parts = [str(part) for part in loc if part != "body"] if isinstance(loc, list | tuple) else []
    return ".".join(parts)


def _inner_code(inner: dict[str, Any]) -> Any:
    innererror = inner.get("innererror")
    return innererror.get("code") if isinstance(innererror, dict) else None


def _cut(message: str) -> str:
    text = " ".join(_ECHO.sub("", message).split())
    return text if len(text) <= MAX_MESSAGE_CHARS else f"{text[:MAX_MESSAGE_CHARS]}…"
