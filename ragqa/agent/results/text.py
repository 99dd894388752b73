"""Any result of a tool as one bounded text for the model."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, Final

from ragqa.masking import mask

MAX_ITEMS: Final = 1000
"""Most items that are taken from something that only yields."""

_SIZE_OF_BASE64 = 3 / 4


def text_of(result: Any, max_chars: int) -> str:
    """Return any result as one text; the longest are cut, and say so. Never raises.

    Args:
        result: What a tool returned: text, bytes, JSON, a pydantic or dataclass object, content
            blocks, a message, an MCP result, an exception, None.
        max_chars: Where to cut.
    """
    try:
        text = _text(unwrapped(result), max_chars)
    except Exception:  # a foreign object's own methods may do anything
        text = f"<a {type(result).__name__} that cannot be shown>"
    return bounded(text, max_chars)


def bounded(text: str, max_chars: int) -> str:
    """Return a text no longer than that, with a note where it was cut."""
    text = text.encode("utf-8", "replace").decode()  # half a character breaks the next request
    if len(text) <= max_chars:
        return text
    note = " […]"
    return text[: max(0, max_chars - len(note))] + note


def error_text(exc: BaseException, max_chars: int = 1000) -> str:
    """Return what an exception says, masked: addresses in it may hold keys."""
    try:
        said = str(exc)
    except Exception:
        said = ""
    name = type(exc).__name__
    text = said if said and name == "ToolException" else f"{name}: {said}".removesuffix(": ")
    return bounded(mask(text[: 2 * max_chars]), max_chars)


def unwrapped(result: Any) -> Any:
    """Return the content of a message or of an MCP result; what else they hold is not for it."""
    if hasattr(result, "update") and hasattr(result, "goto"):  # LangGraph's Command
        messages = result.update.get("messages") if isinstance(result.update, Mapping) else None
        return unwrapped(messages[-1]) if messages else None
    if hasattr(result, "content") and (hasattr(result, "isError") or hasattr(result, "status")):
        spare = getattr(result, "structuredContent", None) or getattr(result, "artifact", None)
        return result.content or spare
    return result


def _text(value: Any, max_chars: int) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, bytes | bytearray | memoryview):
        return _text_of_bytes(bytes(value[: 4 * max_chars + 1]), len(value))
    if isinstance(value, BaseException):
        return error_text(value, max_chars)
    if isinstance(value, list | tuple) and value and all(map(_is_block, value)):
        return "\n".join(block_text(block) for block in value)
    if isinstance(value, Iterator):
        value = list(islice(value, MAX_ITEMS))
    return _json_text(value, max_chars)


def _text_of_bytes(head: bytes, size: int) -> str:
    try:
        text = head.decode() if size <= len(head) else head.decode(errors="ignore")
    except UnicodeDecodeError:
        return f"<{size} bytes that are no text>"
    return text if "\x00" not in text else f"<{size} bytes that are no text>"


def _json_text(value: Any, max_chars: int) -> str:
    """Write JSON as far as it is shown, so that a huge value costs no more than a small one."""
    pieces: list[str] = []
    length = 0
    encoder = json.JSONEncoder(ensure_ascii=False, default=_plain)
    try:
        for piece in encoder.iterencode(_plain_or_same(value)):
            pieces.append(piece)
            length += len(piece)
            if length > max_chars:
                break
    except (TypeError, ValueError, RecursionError):  # odd keys, circles, depth
        return str(value)
    text = "".join(pieces)
    return json.loads(text) if length <= max_chars and _is_one_string(text) else text


def _is_one_string(text: str) -> bool:
    return text.startswith('"')


def _plain_or_same(value: Any) -> Any:
    return value if isinstance(value, dict | list | tuple | str | int | float) else _plain(value)


def _plain(value: Any) -> Any:
    """Return an object in a form that JSON knows."""
    if hasattr(value, "page_content"):
        return {"text": value.page_content, "metadata": getattr(value, "metadata", {})}
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json")
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    return _plain_collection(value)


def _plain_collection(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, bytes | bytearray | memoryview):
        return _text_of_bytes(bytes(value), len(value))
    is_table = hasattr(value, "dtype") or hasattr(value, "columns")  # these show themselves best
    if isinstance(value, Iterable) and not is_table:
        return list(islice(value, MAX_ITEMS))
    return str(value)


_BLOCKS: Final = frozenset(
    {
        *("text", "image", "image_url", "input_image", "audio", "input_audio", "file"),
        "input_file",
        *("document", "video", "resource", "resource_link", "json", "search_result"),
        *("custom_tool_call_output", "tool_reference"),
    }
)
"""Types of content blocks: OpenAI's, Anthropic's, MCP's and LangChain's own."""


def _is_block(value: Any) -> bool:
    kind = value.get("type") if isinstance(value, Mapping) else getattr(value, "type", None)
    return kind in _BLOCKS


def block_text(block: Any) -> str:
    """Return a content block as text; of what is no text, its kind and size."""
    if isinstance(block, str):
        return block
    if not _is_block(block):
        return ""
    fields = block if isinstance(block, Mapping) else vars(block)
    if isinstance(fields.get("text"), str):
        return str(fields["text"])
    resource = fields.get("resource")
    inner = getattr(resource, "text", None) or (
        resource.get("text") if isinstance(resource, Mapping) else None
    )
    if isinstance(inner, str):
        return inner
    if fields.get("type") in {"json", "search_result"}:
        return json.dumps(dict(fields), ensure_ascii=False, default=str)
    return _media_text(fields)


def _media_text(fields: Mapping[str, Any]) -> str:
    data = fields.get("base64") or fields.get("data") or ""
    size = f", {int(len(data) * _SIZE_OF_BASE64)} bytes" if isinstance(data, str) and data else ""
    kind = fields.get("mime_type") or fields.get("mimeType") or fields.get("type")
    return f"[{fields.get('type')}: {kind}{size}]"
