"""jsonl: one document a line: ``id``, ``title``, ``text``, ``groups``; the rest is metadata.

In place of the text a record may hold a ``question`` and its ``answer``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ragqa.errors import RetrievalError
from ragqa.ingest.decode import decode_data
from ragqa.ingest.document import ParsedDocument, ParsedFile, Problem, TextPage
from ragqa.ingest.faq import question_and_answer
from ragqa.ingest.parsers.json_tree import loads

_OWN_KEYS = frozenset({"id", "title", "text", "groups"})
_NAMED_PROBLEMS = 20  # a file of another kind has thousands

Numbered = tuple[int, dict[str, Any]]


def parse(data: bytes) -> ParsedFile:
    """Parse a jsonl file; a line that cannot be used is reported by its number."""
    records: list[Numbered] = []
    problems: list[tuple[int, str]] = []
    # Only "\n" ends a line: U+2028 and its like may stand inside a JSON string.
    for number, line in enumerate(decode_data(data).split("\n"), start=1):
        if line.strip():
            try:
                records.append((number, _record(line)))
            except ValueError as exc:
                problems.append((number, str(exc)))
    return parsed(records, problems, unit="line")


def parsed(
    records: Sequence[Numbered], problems: list[tuple[int, str]], *, unit: str
) -> ParsedFile:
    """Return the documents that records describe.

    Args:
        records: Objects, each with its number in the file.
        problems: What could not be read, by number.
        unit: What the numbers count.

    Raises:
        RetrievalError: If none of them can be used.
    """
    documents = list(_documents(records, problems, unit))
    if not documents and problems:
        number, reason = min(problems)
        raise RetrievalError(
            f"holds no {unit} that can be used; {unit} {number} {reason}",
            hint='Write one object a line: {"id": "…", "title": "…", "text": "…"}.',
        )
    return ParsedFile(documents, tuple(_reported(sorted(problems), unit)))


def _record(line: str) -> dict[str, Any]:
    record = loads(line)
    if not isinstance(record, dict):
        raise ValueError("is not an object")
    return record


def _documents(
    records: Sequence[Numbered], problems: list[tuple[int, str]], unit: str
) -> Iterator[ParsedDocument]:
    """Yield a document for every record that can be used."""
    seen: dict[str, int] = {}
    for number, record in records:
        try:
            document = _document(record, number)
            if document.id in seen:
                first = seen[document.id]
                raise ValueError(f"repeats the id {document.id!r} of {unit} {first}")
        except ValueError as exc:
            problems.append((number, str(exc)))
            continue
        if document.id:
            seen[document.id] = number
        yield document


def _document(record: dict[str, Any], number: int) -> ParsedDocument:
    text = record["text"] if "text" in record else question_and_answer(record)
    if not isinstance(text, str) or not text.strip():
        raise ValueError('has no text under "text", and no "question" with its "answer"')
    groups = record.get("groups")
    return ParsedDocument(
        pages=(TextPage(text),),
        id=_name(record.get("id")),
        title=_name(record.get("title")),
        groups=None if groups is None else _groups(groups),
        metadata={key: value for key, value in record.items() if key not in _OWN_KEYS},
        line=number,
    )


def _name(value: Any) -> str:
    return str(value).strip() if isinstance(value, str | int | float) else ""


def _groups(value: Any) -> tuple[str, ...]:
    """Return the groups; what is not understood is an error, for it might be meant to hide."""
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list) or not all(isinstance(name, str) and name for name in names):
        raise ValueError('has "groups" that are not a list of names')
    return tuple(names)


def _reported(problems: Sequence[tuple[int, str]], unit: str) -> Iterator[Problem]:
    hint = f"Correct the {unit}; the others are indexed."
    for number, reason in problems[:_NAMED_PROBLEMS]:
        yield Problem(f"{unit} {number} {reason}", hint)
    if len(problems) > _NAMED_PROBLEMS:
        yield Problem(f"{len(problems) - _NAMED_PROBLEMS} more {unit}s cannot be used", hint)
