"""Tell how often an index at Azure AI Search gives the same answers as the embedded one.

    python -m tests.quality.both_indexes [--lang en|zh] [--half tuned|other|both]

The service is the stand-in of tests/wire: it does what is published of analysis and of Lucene's
ranking. How the real one differs from that cannot be seen here. An index of a real service shards
its documents, and breaks ties in another way.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import ragqa
from ragqa import Answer, Settings
from ragqa.app import asker
from tests.quality.qa import DATA, LANGUAGES, rows
from tests.wire.azure.search_server import SearchServer


class Pair(NamedTuple):
    """The answers to one question."""

    answerable: bool
    embedded: Answer
    azure: Answer


_SAME: dict[str, Callable[[Answer], object]] = {
    "sources": lambda answer: answer.response.sources,
    "abstaining": lambda answer: answer.status == "abstained",
    "answer": lambda answer: answer.response.answer,
    "passages": lambda answer: [passage.text for passage in answer.passages],
}


def asked(language: str, half: str) -> list[Pair]:
    """Put the questions of a language to both indexes of its documents."""
    documents = DATA / "qa" / language / "corpus.jsonl"
    with SearchServer() as server:
        at_azure = {
            "RAGQA_RETRIEVER": "azure",
            "AZURE_SEARCH_ENDPOINT": server.endpoint,
            "AZURE_SEARCH_API_KEY": server.admin_key,
            "AZURE_SEARCH_INDEX": "kb",
            "RAGQA_TIMEOUT_S": "60",
        }
        both = [Settings.load(environ=environ) for environ in ({}, at_azure)]
        for settings in both:
            ragqa.index(documents, settings=settings)
        askers = [asker(settings=settings, docs=()) for settings in both]
        return [
            Pair(row.answerable, *(one.ask(one.turn(row.question)) for one in askers))
            for row in rows(language, half)
        ]


def show(label: str, pairs: Sequence[Pair]) -> None:
    shares = (
        f"{name} {sum(of(p.embedded) == of(p.azure) for p in pairs) / len(pairs):.3f}"
        for name, of in _SAME.items()
    )
    print(f"  {label} ({len(pairs)} questions): the same {', '.join(shares)}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--lang", choices=LANGUAGES)
    parser.add_argument("--half", choices=["tuned", "other", "both"], default="both")
    given = parser.parse_args()
    for language in [given.lang] if given.lang else LANGUAGES:
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            pairs = asked(language, given.half)
            os.chdir(Path(__file__).parent)
        print(language)
        show("all", pairs)
        show("answerable", [pair for pair in pairs if pair.answerable])


if __name__ == "__main__":
    main()
