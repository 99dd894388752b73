"""``ragqa search``: retrieval alone."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ragqa.cli import terminal
from ragqa.cli.arguments import add_groups
from ragqa.cli.numbers import count
from ragqa.cli.phrases import Language, language_for, phrase
from ragqa.cli.typed_text import argument

if TYPE_CHECKING:
    from ragqa.contract import Passage

SUMMARY = "find passages, write no answer"
DESCRIPTION = """\
Find the passages that an answer would rest on. This is retrieval only: nothing is answered.
"""
EPILOG = """\
example:
  ragqa search "return a kettle" --k 3
"""

_SHOWN_CHARS = 300


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add = parser.add_argument
    add("question", metavar="QUESTION", help="what to look for")
    add("--k", type=count(1, 100), metavar="N", help="how many passages; default: RAGQA_TOP_K")
    add_groups(parser, "found")
    add("--json", action="store_true", help="print one JSON object")


def run(args: argparse.Namespace) -> int:
    """Find passages and show them."""
    from ragqa import app

    question = argument(args.question)
    passages = app.search(question, k=args.k, groups=args.group or ())
    language = language_for(question)
    if terminal.for_people(as_json=args.json):
        terminal.write(_text(passages, language))
    else:
        terminal.write_json(
            {
                "retrieval_only": True,
                "note": phrase("retrieval_only", "en"),
                "passages": [_entry(passage) for passage in passages],
            }
        )
    return 0


def _entry(passage: Passage) -> dict[str, object]:
    return passage.model_dump(mode="json") | {
        "path": passage.path,
        "page": passage.page,
        "heading": passage.heading,
        "start": passage.start,
        "end": passage.end,
        "text": passage.text,
    }


def _text(passages: Sequence[Passage], language: Language) -> str:
    from ragqa.cli.wrapping import wrapped

    if not passages:
        return phrase("nothing_found", language) + "\n"
    blocks = [terminal.styled(phrase("retrieval_only", language), "dim")]
    for number, passage in enumerate(passages, start=1):
        text = " ".join(terminal.plain(passage.text).split())
        short = text if len(text) <= _SHOWN_CHARS else f"{text[:_SHOWN_CHARS]}…"
        blocks.append(
            terminal.styled(f"[{number}] {_place(passage, language)}", "bold")
            + "\n"
            + wrapped(short, terminal.width(), indent="    ")
        )
    return "\n\n".join(blocks) + "\n"


def _place(passage: Passage, language: Language) -> str:
    page = phrase("page", language, page=passage.page) if passage.page else ""
    score = f"{passage.score_kind} {passage.score:.3g}"
    parts = (passage.title, page, passage.heading, score)
    return terminal.plain(" · ".join(part for part in parts if part))
