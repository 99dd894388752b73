"""Tools that a provider ran on its side, as its replies tell of them.

Groq lists them beside the text; in a stream an entry comes in parts, under its index. OpenAI's
search models, and gateways that search for any model, only cite the pages that they found.
Sources: https://console.groq.com/docs/tool-use/built-in-tools and
https://platform.openai.com/docs/guides/tools-web-search (Chat Completions).
"""

from __future__ import annotations

import json
from typing import Any

KEY = "executed_tools"
"""Where they stand in a reply, and in ``additional_kwargs`` of a LangChain message."""

_MAX_OUTPUT_CHARS = 8000
"""As much as is kept of what an own tool returned, see ``ToolPolicy.max_result_chars``."""

_MAX_TOOLS = 100
"""More than any service runs for one reply."""

_OF_THE_CALL = frozenset({"index", "type", "name", "arguments"})


class ExecutedTools:
    """What a reply has said so far of tools that the provider ran."""

    def __init__(self) -> None:
        self._by_index: dict[Any, dict[str, Any]] = {}
        self._cited: dict[str, None] = {}

    def take(self, message: dict[str, Any]) -> None:
        """Keep what a message says of them, or a piece of one."""
        for number, entry in enumerate(_entries(message.get(KEY))):
            index = entry.get("index")
            known = self._by_index.setdefault(index if isinstance(index, int) else number, {})
            known |= {name: value for name, value in entry.items() if value is not None}
        for note in _entries(message.get("annotations")):
            if isinstance(page := note.get("url_citation"), dict):
                self._cited[f"{page.get('title') or ''} {page.get('url') or ''}".strip()] = None

    def told(self) -> dict[str, list[dict[str, str]]]:
        """Return name, arguments and output of each under ``KEY``; without any, nothing."""
        entries = [entry for _, entry in sorted(self._by_index.items())[:_MAX_TOOLS]]
        if self._cited and not entries:
            entries = [{"name": "web_search", "output": "\n".join(self._cited)}]
        return {KEY: list(map(_told, entries))} if entries else {}


def executed_in(message: dict[str, Any]) -> dict[str, list[dict[str, str]]]:
    """Return those of a whole message under ``KEY``; without any, nothing."""
    tools = ExecutedTools()
    tools.take(message)
    return tools.told()


def _entries(said: Any) -> list[dict[str, Any]]:
    listed = said[:_MAX_TOOLS] if isinstance(said, list) else []
    return [entry for entry in listed if isinstance(entry, dict)]


def _told(entry: dict[str, Any]) -> dict[str, str]:
    """Return the texts of an entry; some tools return members of their own, and no output."""
    results = {name: value for name, value in entry.items() if name not in _OF_THE_CALL}
    return {
        "name": _text(entry.get("name") or entry.get("type") or "unnamed"),
        "arguments": _text(entry.get("arguments") or ""),
        "output": _text(entry.get("output") or results or "")[:_MAX_OUTPUT_CHARS],
    }


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
