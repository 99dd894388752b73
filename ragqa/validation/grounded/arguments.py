"""Attack patterns in a tool's arguments, where an argument is due and not a program."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import BaseModel

from ragqa.language.late import late
from ragqa.validation.fields import answer_of, texts_of
from ragqa.validation.gate import CheckContext, Fault, Outcome, Passed, Rejected

Due = Literal["identifier", "path", "line", "text", "code"]
"""What a field is for: a key, a file's path, a short line, free text, a program."""

_SQL = late(
    r"[;'\")]\s{0,8};?\s{0,8}(?:drop|truncate|alter|delete|insert|update|create|grant|exec(?:ute)?|shutdown)\s+"
    r"(?:table|database|schema|view|index|user|from|into|all|login|\w+\s+set|xp_\w+|@?\w+)\b"
    r"|['\")]\s{0,8}(?:or|and|\|\||&&)\s*\(?\s*(?:['\"]?\w{0,20}['\"]?\s*=\s*['\"]?\w{0,20}|true\b|not\b)"
    r"|\bunion\s+(?:all\s+)?select\b.{0,80}?(?:\bfrom\b|\bnull\b|[\d*@])|\b(?:or|and)\s+(\d{1,6})\s*(?:=|eq)\s*\1\b"
    r"|\w['\"]\)?\s?(?:--(?:\s|$)|/\*|#\s*$)"
    r"|;\s*(?:waitfor\s+delay|select\s+.{1,80}\bfrom)\b|\b(?:sleep|benchmark|pg_sleep)\s*\(\s*\d",
    re.IGNORECASE,
)
_FULL_SQL = late(
    r"['\")]\s{0,8};\s{0,8}(?:drop|truncate|alter|delete|insert|update|grant|exec(?:ute)?|shutdown)\b"
    r"[^;]{0,200}(?:;|--|/\*|#)",
    re.IGNORECASE,
)
_COMMANDS = (
    r"(?:rm|curl|wget|bash|zsh|nc|ncat|netcat|python3?|perl|ruby|powershell|chmod|chown|whoami|uname|"
    r"sudo|mkfs|nslookup|scp|ssh|certutil)"
)
# These are English words or names, too: only with an option, a path or nothing behind them.
_PLAIN_COMMANDS = (
    r"(?:id|ls|cat|echo|env|kill|ping|eval|exec|cmd|sh|dd|su|del|type|php|reboot|shutdown)"
)
_RUN = (
    rf"(?:/[\w/]{{1,40}}/)?(?:{_COMMANDS}(?:\s+[-/~.$'\"\w]|\s*$|;)"
    rf"|{_PLAIN_COMMANDS}(?:\s+[-/~.$]|\s*$|\s*;))"
)
_SHELL = late(
    rf"(?:;|\|\|?|&&?|\n)\s{{0,8}}{_RUN}"
    rf"|\$\(\s*[A-Za-z/]|`\s{{0,8}}(?:/[\w/]{{1,40}}/)?(?:{_COMMANDS}|{_PLAIN_COMMANDS})\b[^`]{{0,200}}`"
    r"|\$\{IFS\}|>\s?/(?:dev|etc|tmp|var)/|/dev/tcp/"
)
_TRAVERSAL = late(
    r"(?:\.\.[/\\]){2}|(?:^|[/\\])\.\.[/\\](?:etc|proc|root|home|windows|var|\.ssh|\.env)\b"
    r"|%2e%2e(?:%2f|%5c|/|\\)|\.\.(?:%2f|%5c|%255c|%252f)|\.\.;/"
    r"|/etc/(?:passwd|shadow|hosts|ssh)|\\windows\\(?:system32|win\.ini)|/proc/self/|~/\.(?:ssh|aws)",
    re.IGNORECASE,
)
_ANY_UP = late(r"(?:^|[/\\])\.\.(?:[/\\]|$)|^file:|^~|^[/\\]{2}\w", re.IGNORECASE)
_TEMPLATE = late(r"\$\{[^}]{0,200}\}|\{\{.{0,200}?\}\}|<%.{0,200}?%>|\$\{jndi:", re.IGNORECASE)
_SCRIPT = late(r"<script\b|javascript:\s*\w|\bon(?:error|load|click)\s*=", re.IGNORECASE)
_CONTROL = late(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_CODE_MARK = late(r"[;|&`$<>\\\n\r]|--|/\*")

_NAMES: tuple[tuple[Due, re.Pattern[str]], ...] = (
    ("code", late(r"(?:^|_)(?:code|script|sql|program|expression|python|source_code)$")),
    ("path", late(r"(?:^|_)(?:path|file|filename|file_name|folder|dir|directory)$")),
    (
        "identifier",
        late(
            r"(?:^|_)(?:ids?|uuid|key|sku|number|no|ref|reference|table|column|field|host|hostname|"
            r"domain|port|email|phone|username|user|slug|currency|country|zip|postcode|date|sort|"
            r"order_by)$"
        ),
    ),
    (
        "text",
        late(
            r"(?:^|_)(?:query|question|text|body|message|content|note|notes|comment|comments|summary|"
            r"description|reason|subject|title|prompt|answer|details?|feedback|search|keywords?)$"
        ),
    ),
)
_LONG = 200  # a longer value is free text, whatever its field is called


@dataclass(frozen=True, slots=True)
class SuspiciousArguments:
    """Refuse SQL, shell and path tricks in a tool's arguments.

    What a field is for decides what is a trick: an id holds no command, a path does not climb up,
    a short line holds no injection, while free text may speak of all that, with semicolons and
    apostrophes, as long as it is not a whole injection that the user never typed. A field's name
    tells what it is for ("order_id", "path", "message"); ``fields`` says it where the name does
    not. Responses are not checked: their texts run nowhere.

    Attributes:
        fields: What a field is for, by its dotted path or its last name.
    """

    fields: Mapping[str, Due] = field(default_factory=dict)
    name: str = "suspicious"

    def check(self, value: Any, context: CheckContext) -> Outcome:
        """Pass arguments on that are only data."""
        if not isinstance(value, BaseModel) or answer_of(value) is not None:
            return Passed(value)
        faults = tuple(
            _fault(path, trick)
            for path, text in texts_of(value)
            if (trick := self._trick(path, text, context.question))
        )
        return Rejected(faults, value=value) if faults else Passed(value)

    def _trick(self, path: str, text: str, question: str) -> str:
        due = self._due(path, text)
        if due == "code":
            return ""
        if _CONTROL.search(text):
            return "control characters"
        if due == "text":
            found = _FULL_SQL.search(text)
            return "SQL" if found and found.group() not in question else ""
        return _structured_trick(due, text)

    def _due(self, path: str, text: str) -> Due:
        names = [name for name in path.split(".") if not name.isdigit()] or [path]
        for key in (path, ".".join(names), names[-1]):
            if key in self.fields:
                return self.fields[key]
        if len(text) > _LONG:
            return "text"
        return next((due for due, named in _NAMES if named.search(names[-1].lower())), "line")


def _structured_trick(due: Due, text: str) -> str:
    """Return the kind of trick in a field that is no free text; empty if there is none."""
    tricks = (
        ("SQL", _SQL),
        ("a shell command", _SHELL),
        ("a path that climbs up", _TRAVERSAL),
        ("a template", _TEMPLATE),
        ("a script", _SCRIPT),
    )
    for kind, pattern in tricks:
        if pattern.search(text):
            return kind
    if due == "path" and _ANY_UP.search(text):
        return "a path that climbs up"
    if due == "identifier" and _CODE_MARK.search(text):
        return "marks of a program"
    return ""


def _fault(path: str, trick: str) -> Fault:
    return Fault(
        "context.suspicious",
        f"the argument {path} holds {trick}",
        f"{path}: it holds {trick}, where a plain value is due. Pass only the value itself.",
        path,
    )
