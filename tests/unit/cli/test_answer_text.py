import pytest

from ragqa.cli.answer_text import answer_text
from ragqa.contract import Answer, Citation, QAResponse


def answer(**changes):
    response = {
        "answer": "Unopened items can be returned within 30 days.",
        "confidence": 0.82,
        "category": "policy",
        "sources": ["returns.md"],
        "follow_up": ["What about opened items?"],
        "needs_human": False,
    } | changes.pop("response", {})
    citation = Citation(
        title="returns.md",
        id="returns.md",
        path="docs/returns.md",
        page=2,
        quote="Unopened items can be returned within 30 days.",
        start=0,
        end=46,
        verified=True,
    )
    fields = {
        "status": "answered",
        "chain": "extractive",
        "citations": (citation,),
        "run_id": "run_1",
    } | changes
    return Answer(response=QAResponse(**response), **fields)


@pytest.fixture(autouse=True)
def narrow(monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")


def test_a_person_sees_answer_sources_quotes_and_what_it_is():
    text = answer_text(answer(), "en")
    assert text.splitlines()[0] == "Unopened items can be returned within 30 days."
    assert "[1] returns.md (docs/returns.md)" in text
    assert "“Unopened items can be returned within 30 days.”" in text
    assert "page 2" in text
    assert "quotation from the documents, not a written answer" in " ".join(text.split())
    assert "confidence 0.82 · policy" in text
    assert "- What about opened items?" in text


def test_in_chinese():
    text = answer_text(answer(), "zh")
    for part in ("来源", "第 2 页", "并非撰写的回答", "可信度 0.82", "您还可以问"):
        assert part in text


@pytest.mark.parametrize(
    ("language", "said"), [("en", "ragqa doctor tries the model"), ("zh", "ragqa doctor 检查")]
)
def test_a_degraded_answer_names_what_tells_more(language, said):
    nothing = {"confidence": 0.0, "sources": [], "follow_up": [], "needs_human": True}
    degraded = answer(
        response=nothing, citations=(), status="degraded", reason="model_unavailable", chain="stuff"
    )
    text = " ".join(answer_text(degraded, language).split())
    assert "model_unavailable" in text
    assert "ragqa runs show last" in text
    assert said in text


def test_a_reused_answer_says_so():
    reused = answer(status="cached", chain="stuff")
    assert "This answer was given before" in answer_text(reused, "en")
    assert "直接复用" in answer_text(reused, "zh")
    assert "given before" not in answer_text(answer(chain="stuff"), "en")


def test_a_written_answer_is_not_called_a_quotation():
    assert "quotation" not in answer_text(answer(chain="stuff"), "en")


@pytest.mark.parametrize(
    ("status", "reason", "said"),
    [
        ("abstained", "no_evidence", "The documents do not say."),
        ("degraded", "model_unavailable", "model_unavailable"),
        ("waiting", "approval", "approval"),
    ],
)
def test_what_is_no_answer_says_so(status, reason, said):
    empty = {
        "answer": "The documents do not say.",
        "sources": [],
        "follow_up": [],
        "needs_human": True,
        "confidence": 0.1,
    }
    text = answer_text(answer(status=status, reason=reason, response=empty, citations=()), "en")
    assert said in text
    assert "A person should look at this." in text
    assert "Sources" not in text


def test_a_source_without_quote_is_listed_and_an_unverified_quote_is_marked():
    sources = {"sources": ["returns.md", "prices.csv"]}
    doubtful = answer().citations[0].model_copy(update={"verified": False})
    text = answer_text(answer(response=sources, citations=(doubtful,)), "en")
    assert "[2] prices.csv" in text
    assert "do not all stand in this quote" in " ".join(text.split())


def test_documents_cannot_steer_the_terminal():
    hostile = {"answer": "Click \x1b]8;;http://x\x07here", "sources": ["a\x1b[2J.md"]}
    assert "\x1b" not in answer_text(answer(response=hostile), "en")


def test_lines_fit_the_terminal():
    long = {"answer": "很长的回答" * 30}
    lines = answer_text(answer(response=long), "zh").splitlines()
    assert all(len(line) <= 31 for line in lines if "很" in line)
