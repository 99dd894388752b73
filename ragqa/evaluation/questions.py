"""The questions of an evaluation: JSON lines that say what is asked and what is right.

>>> question = question_of({"question": "How tall is it?", "truth": "80 m. [tower.pdf#page=3]"}, 1)
>>> question.reference, question.places
('80 m.', (Place(name='tower.pdf', page=3),))
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragqa.errors import ConfigError

_REFERENCE = re.compile(r"\s*\[([^\[\]\n]*?\.[A-Za-z][A-Za-z0-9]{1,4})(?:#page=(\d+))?\]")
_UNANSWERABLE = "unanswerable"
_HINT = (
    'Write one JSON object a line: {"question": "…", "answers": ["…"], "gold_doc": "…"}, '
    'or {"question": "…", "truth": "… [file.pdf#page=2]"}; "answers": [] says that nothing '
    "answers it."
)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a right answer stands: a document (its id, title, path or file name), and the page."""

    name: str
    page: int | None = None

    def is_in(self, names: Iterable[str | None], page: int | None) -> bool:
        """Tell whether a document of these names, at that page, is this place."""
        if self.page is not None and page != self.page:
            return False
        return self.name in {_file_name(name) for name in names if name} | set(names)


@dataclass(frozen=True, slots=True)
class EvalQuestion:
    """A question, and what is right.

    Attributes:
        number: Its line in the file, from 1.
        id: Its own id, else the number of its line.
        text: What is asked.
        answers: Short right answers, each of them right alone.
        reference: A longer right answer, as a person would write it; empty where there is none.
        places: Where the answer stands.
        alternatives: Whether one of the places is enough; else all of them belong to the answer.
        answerable: Whether the documents answer it.
    """

    number: int
    id: str
    text: str
    answers: tuple[str, ...] = ()
    reference: str = ""
    places: tuple[Place, ...] = ()
    alternatives: bool = True
    answerable: bool = True

    @property
    def key(self) -> str:
        """Recognise it in the results of an earlier run."""
        return json.dumps([self.number, self.id, self.text])


def read_questions(path: Path) -> list[EvalQuestion]:
    """Read the questions of a file of JSON lines; blank lines are skipped.

    Raises:
        ConfigError: If the file cannot be read or a line is no question; names the line.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as exc:
        reason = "it is not in UTF-8" if isinstance(exc, UnicodeDecodeError) else exc.strerror
        raise ConfigError(
            f"{str(path)!r} cannot be read: {reason}.",
            hint="Name a file of questions, one JSON object a line; see ragqa eval --help.",
        ) from None
    lines = enumerate(text.split("\n"), start=1)
    questions = [_read(line, number) for number, line in lines if line.strip()]
    if not questions:
        raise ConfigError(f"{str(path)!r} holds no question.", hint=_HINT)
    return questions


def question_of(record: Any, number: int) -> EvalQuestion:
    """Read a question out of one record.

    Raises:
        ConfigError: If it is no question; names the line.
    """
    if not isinstance(record, dict):
        raise _wrong(number, "is no JSON object")
    text = record.get("question")
    if not isinstance(text, str):
        raise _wrong(number, "has no text under 'question'")
    _check_text(text, number)
    reference, references = _truth(record, number)
    answers = _texts(record, "answers", number)
    golds = _texts(record, "gold_doc", number), _texts(record, "alt_docs", number)
    places = tuple(dict.fromkeys(map(Place, (golds[0] or ()) + (golds[1] or ()))))
    if answers is None and not (reference or places or references or _said_unanswerable(record)):
        raise _wrong(number, "says neither what is right nor that nothing is")
    answerable = not _said_unanswerable(record) and bool(
        answers or (answers is None and (reference or places or references))
    )
    return EvalQuestion(
        number=number,
        id=str(record.get("id", number)),
        text=text,
        answers=(answers or ()) if answerable else (),
        reference=reference if answerable else "",
        places=(places or references) if answerable else (),
        alternatives=bool(places) or len(references) < 2,
        answerable=answerable,
    )


def sample(questions: Sequence[EvalQuestion], limit: int | None, seed: int) -> list[EvalQuestion]:
    """Return so many of the questions, drawn at random but the same for a seed, in file order."""
    if limit is None or limit >= len(questions):
        return list(questions)
    drawn = random.Random(seed).sample(range(len(questions)), limit)  # noqa: S311
    return [questions[at] for at in sorted(drawn)]


def _read(line: str, number: int) -> EvalQuestion:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        raise _wrong(number, "is no JSON") from None
    return question_of(record, number)


def _wrong(number: int, what: str) -> ConfigError:
    return ConfigError(f"Line {number} of the questions {what}.", hint=_HINT)


def _check_text(text: str, number: int) -> None:
    from ragqa.contract import Question

    try:
        Question.of(text)
    except ValueError as exc:
        raise _wrong(number, f"cannot be asked: {str(exc).rstrip('.')}") from None


def _said_unanswerable(record: Mapping[str, Any]) -> bool:
    kind = record.get("kind")
    said = isinstance(kind, str) and kind.lower().startswith(_UNANSWERABLE)
    return said or record.get("is_impossible") is True


def _truth(record: Mapping[str, Any], number: int) -> tuple[str, tuple[Place, ...]]:
    """Return a longer answer without its references, and the places that they name."""
    truth = record.get("truth")
    if truth is None:
        return "", ()
    if not isinstance(truth, str):
        raise _wrong(number, "has something under 'truth' that is no text")
    found = _REFERENCE.findall(truth)
    places = tuple(dict.fromkeys(Place(name, int(page) if page else None) for name, page in found))
    return _REFERENCE.sub("", truth).strip(), places


def _texts(record: Mapping[str, Any], name: str, number: int) -> tuple[str, ...] | None:
    """Return the texts under a name, where one may stand alone; None where there is nothing."""
    value = record.get(name)
    if value is None:
        return None
    values = [value] if isinstance(value, str) else value
    if not isinstance(values, list) or not all(isinstance(each, str) for each in values):
        raise _wrong(number, f"has something under {name!r} that is no list of texts")
    return tuple(each for each in values if each.strip())


def _file_name(name: str) -> str:
    return re.split(r"[/\\]", name)[-1]
