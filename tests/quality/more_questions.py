"""Further questions about the same paragraphs, from the published sets that these are taken from.

A folder with one folder a language, in it files in the format of SQuAD, named after their set:

    en/squad2*.json    the two files https://github.com/chrischute/squad/tree/master/data and
                       https://github.com/SebastianHurubaru/cs224n_squad_2/tree/master/data call dev
    en/xquad.json, zh/xquad.json     https://github.com/google-deepmind/xquad
    zh/cmrc2018*.json  dev and trial of https://github.com/ymcui/cmrc2018 (squad-style-data)

Nothing of the half that figures are reported on is among them: no question of it, and none about
a paragraph that one of its questions is about.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.quality.qa import DATA, Row, normalised, rows


def more_rows(language: str, folder: Path) -> list[Row]:
    """Return the further questions of a language whose paragraph is in its corpus."""
    handed = rows(language)
    hidden = [row for row in handed if row.half == "other"]
    hidden_ids = {row.id for row in hidden}
    hidden_documents = frozenset[str]().union(*(row.documents for row in hidden))
    known = {normalised(row.question) for row in handed}
    documents = _documents(language)
    found: dict[str, Row] = {}
    for source, paragraph in _paragraphs(folder / language):
        own = documents[normalised(paragraph["context"])]
        asked_here = {question["id"] for question in paragraph["qas"]}
        if not own or own & hidden_documents or asked_here & hidden_ids:
            continue
        for question in paragraph["qas"]:
            if normalised(question["question"]) not in known:
                found.setdefault(question["id"], _row(question, own, source))
    return list(found.values())


def _row(question: dict[str, Any], documents: frozenset[str], source: str) -> Row:
    answers = tuple(dict.fromkeys(answer["text"] for answer in question["answers"]))
    kind = "answerable" if answers else "unanswerable_adversarial"
    return Row(
        question["id"],
        question["question"],
        answers,
        documents if answers else frozenset(),
        source,
        kind,
    )


def _documents(language: str) -> defaultdict[str, frozenset[str]]:
    """Return the documents of a corpus by their text."""
    found: defaultdict[str, frozenset[str]] = defaultdict(frozenset)
    corpus = (DATA / "qa" / language / "corpus.jsonl").read_text(encoding="utf-8")
    for document in map(json.loads, corpus.splitlines()):
        found[normalised(document["text"])] |= {document["id"]}
    return found


def _paragraphs(folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    # Sets that share questions: the smaller one, whose share of the questions is larger, first.
    for path in sorted(folder.glob("*.json"), key=lambda path: path.stat().st_size):
        source = path.stem.partition("-")[0]
        for article in json.loads(path.read_text(encoding="utf-8"))["data"]:
            for paragraph in article["paragraphs"]:
                yield source, paragraph
