"""The samples say the same in both languages, and hold what the questions ask for."""

import json
import re
import unicodedata

import pytest

from ragqa.ingest import parse
from ragqa.samples import QUESTIONS, SHOP

TRANSLATIONS = {
    "backpack-b28-manual.md": "背包B28说明书.md",
    "faq.jsonl": "常见问题.jsonl",
    "grinder-g1-manual.md": "磨豆机G1说明书.md",
    "kettle-k17-manual.md": "水壶K17说明书.md",
    "lamp-l5-manual.html": "台灯L5说明书.html",
    "lantern-f300-manual.html": "露营灯F300说明书.html",
    "prices.csv": "价格表.csv",
    "returns-policy.md": "退货政策.md",
    "shipping.md": "配送说明.md",
    "staff-notes.jsonl": "员工须知.jsonl",
    "stock.csv": "库存表.csv",
    "tent-t2-guide.pdf": "帐篷T2使用指南.docx",
    "warranty.md": "保修条款.md",
}
NUMBERED_STEPS = {"1", "2", "3", "4", "5"}
"""Figures that count the steps of a list: Word keeps them apart from the text."""

QUESTIONS_ASKED = [json.loads(line) for line in QUESTIONS.read_text("utf-8").splitlines()]


@pytest.fixture(scope="module")
def texts():
    """The text of every document by its title."""
    return {
        document.title or path.name: "\n".join(page.text for page in document.pages)
        for path in sorted(SHOP.rglob("*.*"))
        for document in parse(path).documents
    }


def whole_text(name):
    path = next(SHOP.rglob(name))
    return "\n".join(page.text for doc in parse(path).documents for page in doc.pages)


def figures(text):
    plain = re.sub(r"(?<=\d),(?=\d{3}\b)", "", text)
    return set(re.findall(r"\d+(?:[.:-]\d+)*", plain))


def test_every_document_has_its_translation():
    # A file system may hand out names in another normal form of Unicode.
    found = {unicodedata.normalize("NFC", path.name) for path in SHOP.rglob("*.*")}
    assert found == {*TRANSLATIONS, *TRANSLATIONS.values()}


@pytest.mark.parametrize(("english", "chinese"), TRANSLATIONS.items())
def test_both_languages_give_the_same_figures(english, chinese):
    in_english, in_chinese = figures(whole_text(english)), figures(whole_text(chinese))
    steps = NUMBERED_STEPS if chinese.endswith(".docx") else set()
    assert in_english - steps == in_chinese - steps
    assert in_chinese


def test_titles_are_distinct():
    titles = [
        document.title or path.name
        for path in SHOP.rglob("*.*")
        for document in parse(path).documents
    ]
    assert len(titles) == len(set(titles))


def test_thirty_questions_in_each_language():
    asked = [question["language"] for question in QUESTIONS_ASKED]
    assert (asked.count("en"), asked.count("zh")) == (30, 30)
    assert len({question["id"] for question in QUESTIONS_ASKED}) == 60
    pairs = {question["id"][3:] for question in QUESTIONS_ASKED}
    assert len(pairs) == 30


@pytest.mark.parametrize("question", QUESTIONS_ASKED, ids=lambda question: question["id"])
def test_gold_documents_hold_the_answers(question, texts):
    if question["kind"] == "unanswerable":
        assert question["answers"] == []
        assert question["gold_doc"] is None
        return
    for title in (question["gold_doc"], *question["alt_docs"]):
        text = " ".join(texts[title].split())
        assert any(answer in text for answer in question["answers"])


def test_only_staff_notes_are_for_a_group():
    groups = {
        path.name: {document.groups for document in parse(path).documents}
        for path in SHOP.rglob("*.*")
    }
    for name, found in groups.items():
        staff = name in ("staff-notes.jsonl", "员工须知.jsonl")
        assert found == ({("staff",)} if staff else {None})


def test_the_pdf_has_pages_with_text():
    (document,) = parse(SHOP / "en" / "tent-t2-guide.pdf").documents
    assert [page.number for page in document.pages] == [1, 2, 3]
    assert all(page.text.strip() for page in document.pages)
