"""Tool calls of many servers, brought to what LangChain reads without raising or guessing."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

MARK = " …"
"""Stands behind the arguments of a call that are not one clear object."""


def calls_in(message: dict[str, Any]) -> list[Any]:
    """Return the calls of a message, or their fragments in a chunk, as they were sent.

    Older servers call one function by ``function_call``, even where tools were offered.
    """
    calls = message.get("tool_calls")
    legacy = message.get("function_call")
    if not calls and isinstance(legacy, dict):
        return [{"index": 0, "type": "function", "function": legacy}]
    return calls if isinstance(calls, list) else []


def whole_calls(said: list[Any]) -> list[dict[str, Any]]:
    """Return the calls of a complete reply with their arguments as text."""
    return [
        spelled(
            {
                **call,
                "function": {**call["function"], "arguments": _sent_arguments(call["function"])},
            }
        )
        for call in said
        if isinstance(call, dict) and isinstance(call.get("function"), dict)
    ]


def spelled(call: dict[str, Any]) -> dict[str, Any]:
    """Return a call, or a fragment of one, whose id and name are texts: some servers count."""
    function = call["function"]
    return {**call, **_text(call, "id"), "function": {**function, **_text(function, "name")}}


@dataclass(slots=True)
class _Begun:
    """A streamed call as far as it has come."""

    name: str = ""
    arguments: str = ""
    id: str | None = None

    def is_repeated_by(self, fragment: dict[str, Any]) -> bool:
        """Tell whether a fragment is the whole call once more: some servers end with it."""
        is_same = fragment.get("id") in (None, "", self.id)
        arguments = fragment["function"].get("arguments")
        return is_same and arguments == self.arguments and _is_object(self.arguments)

    def is_followed_by(self, fragment: dict[str, Any], sent_number: int | None) -> bool:
        """Tell whether a fragment that bears this call's number, or none, begins the next."""
        call_id, name = fragment.get("id"), fragment["function"].get("name")
        if sent_number is None:
            return bool(call_id or name) and (not call_id or call_id != self.id)
        if not name or bool(call_id) != bool(self.id) or (call_id and call_id == self.id):
            return False
        if _is_object(self.arguments):
            return bool(call_id or fragment["function"].get("arguments"))
        return bool(call_id and not self.arguments and name != self.name)


@dataclass(slots=True)
class CallFragments:
    """Puts a number on each fragment of streamed calls: LangChain drops those without one.

    Some servers count nothing; there a new id, or name, begins a new call. Others give all calls
    the same number; there it does so once the call before is whole.
    """

    _begun: list[_Begun] = field(default_factory=list)
    _by_sent: dict[int, int] = field(default_factory=dict)

    def numbered(self, said: list[Any]) -> list[dict[str, Any]]:
        """Return the fragments of a chunk under the numbers of their calls."""
        numbered = []
        for fragment in said:
            if isinstance(fragment, dict) and isinstance(fragment.get("function"), dict):
                numbered += self._numbered(_with_text_arguments(spelled(fragment)))
        return numbered

    def _numbered(self, fragment: dict[str, Any]) -> list[dict[str, Any]]:
        function, sent = fragment["function"], fragment.get("index")
        sent = sent if isinstance(sent, int) else None
        number = len(self._begun) - 1 if sent is None else self._by_sent.get(sent)
        call = self._begun[number] if number is not None and number >= 0 else None
        if call is not None and call.is_repeated_by(fragment):
            return []
        if call is None or number is None or call.is_followed_by(fragment, sent):
            call, number = _Begun(), len(self._begun)
            self._begun.append(call)
        if sent is not None:
            self._by_sent[sent] = number
        call.id = fragment.get("id") or call.id
        call.name = function.get("name") or call.name
        call.arguments += function.get("arguments") or ""
        return [{**fragment, "index": number}]


def put_together(fragments: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the calls that numbered fragments make."""
    calls: dict[int, dict[str, Any]] = {}
    for fragment in fragments:
        function = fragment["function"]
        call = calls.setdefault(
            fragment["index"], {"id": None, "function": {"name": "", "arguments": ""}}
        )
        call["id"] = call["id"] or fragment.get("id")
        name, so_far = function.get("name") or "", call["function"]["name"]
        call["function"]["name"] = so_far if so_far == name else so_far + name
        call["function"]["arguments"] += function.get("arguments") or ""
    return list(calls.values())


def _with_text_arguments(fragment: dict[str, Any]) -> dict[str, Any]:
    """Return a fragment whose arguments are text: some servers send the object itself."""
    function = fragment["function"]
    arguments = function.get("arguments")
    if arguments is None or isinstance(arguments, str):
        return fragment
    text = json.dumps(arguments, ensure_ascii=False)
    return {**fragment, "function": {**function, "arguments": text}}


def _is_object(text: str) -> bool:
    if not text.endswith("}"):
        return False
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def _text(said: dict[str, Any], key: str) -> dict[str, str]:
    return {} if said.get(key) is None else {key: str(said[key])}


def _sent_arguments(function: dict[str, Any]) -> str:
    """Return arguments as text that is JSON only where it is one clear object.

    LangChain raises for any other JSON (``[1]``), and the whole reply would be lost with it; of a
    key that stands twice it takes the last. Text that is no JSON it keeps for whoever reads the
    call.
    """
    arguments = function.get("arguments")
    if arguments is None or isinstance(arguments, dict):
        return json.dumps(arguments or {}, ensure_ascii=False)
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    value = read_arguments(text)
    if value is None:
        return f"{text}{MARK}"
    return text if text.lstrip().startswith("{") else json.dumps(value, ensure_ascii=False)


def read_arguments(text: str) -> dict[str, Any] | None:
    """Return the object that arguments are; None where they are no clear one.

    What holds nothing is an empty one: for tools without parameters services send an empty text,
    null or, where objects are arrays, an empty array. Small models encode objects twice. Numbers
    too long for what keeps a run's messages leave the text as it is, for whoever reads the call.
    """
    try:
        value = _loaded(text) if text.strip() else {}
        if isinstance(value, str) and value.strip():
            value = _loaded(value)
    except (ValueError, RecursionError):
        return None
    if value is None or value in ("", []):
        return {}
    return value if isinstance(value, dict) else None


def _loaded(text: str) -> Any:
    return json.loads(text, object_pairs_hook=_object_of, parse_int=_kept_int)


def _kept_int(digits: str) -> int:
    number = int(digits)
    if not -(2**63) <= number < 2**64:  # the whole numbers of MessagePack
        raise ValueError("the number is too long")
    return number


def _object_of(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands there twice")
    return found
