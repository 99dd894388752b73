"""The context gate: sources, figures and citations of a response."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragqa.contract import Caller, Passage
from ragqa.errors import UnknownNameError
from ragqa.language import sentences
from ragqa.validation.gate import CheckContext, Outcome, Passed, Rejected
from ragqa.validation.grounded import (
    CitationsLocated,
    ContextGate,
    FiguresSupported,
    QuotationsHeld,
    RequiredGroup,
    RequiredState,
    SourcesRetrieved,
)
from tests.unit.validation.answers import codes, passage, response

QA = Path(__file__).parents[3].parent / "shared" / "data" / "qa"
needs_data = pytest.mark.skipif(not QA.is_dir(), reason="the shared data is not here")

TITLES = (
    "returns-policy.md",
    "shipping-faq.html",
    "docs/a/faq.md",
    "docs/b/faq.md",
    "退货政策.md",
    "Kettle (K17)",
    "report 2024.pdf",
    "notes.md",
    "notes.txt",
    "Immune system",
)
RETURNS = passage("returns-policy.md", "Unopened items can be returned within 30 days of delivery.")
SHIPPING = passage("shipping-faq.html", "Standard delivery takes 3 to 5 working days.")


def cite(*sources: str, **known: Any) -> Outcome:
    context = {"titles": TITLES, "numbered": TITLES[:6]} | known
    return SourcesRetrieved().check(response(sources=list(sources)), CheckContext(**context))


def test_a_quotation_may_be_in_traditional_characters() -> None:
    motto = passage("motto.md", "校训是“博学之，审问之，慎思之，明辨之，笃行之”。")
    context = CheckContext(titles=("motto.md",), passages=(motto,))

    for quoted in ("博學之，審問之，慎思之，明辨之，篤行之", "博學之、審問之、慎思之"):
        value = response(f"校訓是「{quoted}」。", sources=["motto.md"])
        assert isinstance(QuotationsHeld().check(value, context), Passed)
    invented = response("校訓是「自強不息，厚德載物，獨立思考」。", sources=["motto.md"])
    assert codes(QuotationsHeld().check(invented, context)) == ["context.quotation"]


def test_a_dot_in_a_name_is_no_extension() -> None:
    titles = ("manual.v2.pdf", "manual.v3.pdf", "notes.docx")

    outcome = cite("docs/manual.v2", titles=titles)

    assert outcome.value.sources == ["manual.v2.pdf"]
    assert codes(cite("manual.v4", titles=titles)) == ["context.unknown_source"]


@pytest.mark.parametrize(
    ("source", "title"),
    [
        (" ./docs/Returns-Policy.MD ", "returns-policy.md"),
        ("returns-policy", "returns-policy.md"),
        ("Returns Policy", "returns-policy.md"),
        ("returns_policy.md", "returns-policy.md"),
        ("C:\\docs\\returns-policy.md", "returns-policy.md"),
        ("ｒeturns-policy.md", "returns-policy.md"),
        ("returns-policy.md\u200b", "returns-policy.md"),
        ("**returns-policy.md**", "returns-policy.md"),
        ('"returns-policy.md"', "returns-policy.md"),
        ("Source: returns-policy.md", "returns-policy.md"),
        ("returns-policy.md (page 2)", "returns-policy.md"),
        ("[returns-policy.md](https://x.test/returns-policy.md)", "returns-policy.md"),
        ("https://x.test/docs/returns-policy.md?x=1#page=2", "returns-policy.md"),
        ("returns-policy.md > Kettles > How long", "returns-policy.md"),
        ("returns-policy.md.", "returns-policy.md"),
        ("《退货政策》第三条", "退货政策.md"),
        ("docs/a/FAQ.md", "docs/a/faq.md"),
        ("a/faq.md", "docs/a/faq.md"),
        ("《退货政策》", "退货政策.md"),
        ("退货 政策.md", "退货政策.md"),
        ("退货政策.md 第3页", "退货政策.md"),
        ("“Kettle (K17)”", "Kettle (K17)"),
        ("report%202024.pdf", "report 2024.pdf"),
        ("report 2024.pdf, page 3", "report 2024.pdf"),
        ("report 2024.pdf#page=3", "report 2024.pdf"),
        ("report 2024.pdf p. 3-4", "report 2024.pdf"),
        ("immune system.txt", "Immune system"),
        ("[1]", "returns-policy.md"),
        ("2", "shipping-faq.html"),
        ("【5】", "退货政策.md"),
        ("document 1", "returns-policy.md"),
        ("[1] returns-policy.md", "returns-policy.md"),
        ("1. returns-policy.md", "returns-policy.md"),
    ],
)
def test_a_form_that_fits_one_title_is_mapped_to_it_and_recorded(source: str, title: str) -> None:
    outcome = cite(source)
    assert isinstance(outcome, Passed)
    assert outcome.value.sources == [title]
    assert outcome.repairs == ("source_mapped",)


@pytest.mark.parametrize("title", TITLES)
def test_an_exact_title_passes_without_a_repair(title: str) -> None:
    value = response(sources=[title])
    assert SourcesRetrieved().check(value, CheckContext(titles=TITLES)) == Passed(value)


@pytest.mark.parametrize(
    "source",
    [
        "warranty-terms-2024.pdf",
        "returns-policy.pdf",
        "c/faq.md",
        "returns",
        "policy",
        "0",
        "[99]",
        "Kettle (K2)",
        "report 2023.pdf",
    ],
)
def test_a_source_that_was_not_retrieved_is_refused_with_the_allowed_titles(source: str) -> None:
    outcome = cite(source, "returns-policy.md")
    assert codes(outcome) == ["context.unknown_source"]
    assert isinstance(outcome, Rejected)
    feedback = outcome.faults[0].feedback
    assert source in feedback
    assert all(title in feedback for title in TITLES)
    assert outcome.value.sources == [source, "returns-policy.md"]


@pytest.mark.parametrize(
    ("source", "both"),
    [
        ("faq.md", ("docs/a/faq.md", "docs/b/faq.md")),
        ("notes", ("notes.md", "notes.txt")),
        ("[2] returns-policy.md", ("returns-policy.md", "shipping-faq.html")),
    ],
)
def test_a_form_that_fits_two_titles_is_refused_with_both_named(
    source: str, both: tuple[str, str]
) -> None:
    outcome = cite(source)
    assert codes(outcome) == ["context.source_ambiguous"]
    assert all(title in outcome.faults[0].feedback for title in both)  # type: ignore[union-attr]


def test_several_titles_in_one_source_come_apart() -> None:
    both = ["returns-policy.md", "shipping-faq.html"]
    for source in ("returns-policy.md; shipping-faq.html", "[1], [2]", "[1][2]", "1, 2"):
        assert cite(source).value.sources == both
    assert codes(cite("returns-policy.md; unknown.md")) == ["context.unknown_source"]


def test_what_is_mapped_to_one_title_stands_once() -> None:
    outcome = cite("[1]", "RETURNS-POLICY.md", "shipping-faq.html")
    assert outcome.value.sources == ["returns-policy.md", "shipping-faq.html"]
    assert outcome.repairs == ("source_mapped", "duplicate_sources")


def test_numbers_count_only_where_the_prompt_numbered() -> None:
    assert codes(cite("[1]", numbered=())) == ["context.unknown_source"]
    assert cite("1984", titles=("1984", "b.md"), numbered=("b.md",)).value.sources == ["1984"]
    named = cite("2", titles=("2", "b.md"), numbered=("2", "b.md"))
    assert named.value.sources == ["2"], "a title goes before a number"


def test_the_id_of_a_passage_stands_for_its_title() -> None:
    known = passage("returns-policy.md", "x").model_copy(update={"id": "doc-7"})
    assert cite("doc-7", passages=(known,)).value.sources == ["returns-policy.md"]


def test_unknown_titles_turn_the_check_off_and_no_titles_refuse_every_source() -> None:
    assert cite("anything.md", titles=None).value.sources == ["anything.md"]
    outcome = cite("anything.md", titles=())
    assert codes(outcome) == ["context.unknown_source"]
    assert "[]" in outcome.faults[0].feedback  # type: ignore[union-attr]
    derived = cite("b.md", titles=None, passages=(RETURNS,))
    assert codes(derived) == ["context.unknown_source"]


@pytest.mark.parametrize("blanks", [" ", "\n", " \t"])
def test_long_runs_of_blanks_take_linear_time(blanks: str) -> None:
    started = time.perf_counter()
    assert codes(cite(f"a{blanks * 10_000}x")) == ["context.unknown_source"]
    assert time.perf_counter() - started < 2


def test_many_titles_and_a_long_source_make_no_long_feedback() -> None:
    titles = tuple(f"document-{number:04}.md" for number in range(500))
    outcome = cite("x\n" * 5000, titles=titles, numbered=())
    feedback = outcome.faults[0].feedback  # type: ignore[union-attr]
    assert len(feedback) < 1000
    assert "\n" not in feedback
    assert "490 more" in feedback


SECRET = passage("salaries-2024.pdf", "The raise is 4 %.", groups=("board",))


@pytest.mark.parametrize("source", ["salaries-2024.pdf", "Salaries 2024", "docs/SALARIES-2024.pdf"])
def test_a_document_that_the_caller_may_not_see_is_unknown_and_never_named(source: str) -> None:
    known = {"passages": (RETURNS, SECRET), "titles": (RETURNS.title, SECRET.title)}
    outcome = cite(source, **known)
    assert codes(outcome) == ["context.unknown_source"]
    assert isinstance(outcome, Rejected)
    said = repr(outcome.faults).lower()
    assert "salaries" not in said
    assert RETURNS.title in said
    board = cite(source, **known, caller=Caller(groups=("board",)))
    assert board.value.sources == [SECRET.title]


def test_a_title_that_a_visible_document_bears_too_is_no_secret() -> None:
    twin = passage(SECRET.title, "Salaries are paid on the 25th.")
    outcome = cite(SECRET.title, passages=(SECRET, twin), titles=(SECRET.title,))
    assert outcome.value.sources == [SECRET.title]


def said(answer: str, *texts: str, **known: Any) -> list[str]:
    """Return what the figure check quotes of an answer that cites documents of these texts."""
    passages = tuple(passage(f"{at}.md", text) for at, text in enumerate(texts))
    value = response(answer, sources=[each.title for each in passages])
    outcome = FiguresSupported().check(value, CheckContext(**({"passages": passages} | known)))
    return [fault.reason.split("'")[1] for fault in getattr(outcome, "faults", ())]


def test_a_figure_stands_in_a_cited_passage_in_its_title_or_its_heading() -> None:
    assert said("Within 30 days.", RETURNS.text) == []
    assert said("Within sixty days.", RETURNS.text) == ["sixty days"]
    assert said("Item 0 is fine.", "It is fine.") == []  # the title is 0.md
    headed = passage("a.md", "It holds 1.7 litres.", heading="Kettle K17")
    value = response("The K17 holds 1,700 ml.", sources=["a.md"])
    assert FiguresSupported().check(value, CheckContext(passages=(headed,))) == Passed(value)


def test_figures_of_the_question_and_of_tools_may_be_used() -> None:
    assert said("Yes, 45 days are too many.", RETURNS.text, question="Is 45 days fine?") == []
    assert said("It left on 3 May.", RETURNS.text, evidence=("shipped: 2024-05-03",)) == []
    assert said("It left on 4 May.", RETURNS.text, evidence=("shipped: 2024-05-03",)) == ["4 May"]


@pytest.mark.parametrize(
    ("answer", "text", "wrong"),
    [
        ("Delivery takes a week.", "Delivery takes 10 days.", ["a week"]),
        ("Delivery takes a week.", "Delivery takes 7 days.", []),
        ("Return it within a month.", "Return it within one month.", []),
        ("The warranty is a year.", "The warranty is two years.", ["a year"]),
        ("Open 8 hours a day.", "Open eight hours per day.", []),
        ("It is a day trip.", "The trip is short.", []),
        ("Do it twice a day.", "Do it three times a day.", ["twice"]),
        ("Do it three times a day.", "Do it twice a day.", ["three"]),
        ("Do it once a day.", "Do it two times a day.", ["once"]),
        ("Once opened, it is kept.", "It is kept when opened, two times.", []),
        ("It reads 100 MB/s.", "It reads 100 Mbit/s.", ["100 MB/s"]),
        ("It reads 100 MB/s.", "It reads 100 megabytes per second.", []),
        ("Inflate it to 30 psi.", "Inflate it to 30 bar.", ["30 psi"]),
    ],
)
def test_durations_with_an_article_and_numbers_of_times_are_figures(
    answer: str, text: str, wrong: list[str]
) -> None:
    assert said(answer, text) == wrong


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("Pay to DE89 3704 0044 0532 0130 00.", "IBAN: DE89370400440532013000"),
        ("It is ISBN 978-3-16-148410-0.", "ISBN 9783161484100"),
        ("Call +49 30 1234567.", "Phone: +49 (0)30 123 45 67"),
        ("请拨打400 123 4567。", "电话：4001234567"),
    ],
)
def test_a_long_number_may_be_cut_into_other_groups(answer: str, text: str) -> None:
    assert said(answer, text) == []
    assert said(answer.replace("0", "9"), text)
    assert said("It has 1234567 parts.", "It has 123 and 4567 parts.") == ["1234567"]


def test_a_sum_is_no_figure_of_the_documents() -> None:
    assert said("45 in total.", "20 kettles and 25 lamps") == ["45"]
    assert said("45 in total.", "20 kettles and 25 lamps", evidence=("sum = 45",)) == []


def test_figures_of_one_date_may_stand_in_two_passages() -> None:
    assert said("It came out on May 1, 2024.", "It came out on 1 May.", "The 2024 model.") == []


def test_the_check_is_off_where_no_texts_are_known() -> None:
    value = response("Within 99 days.")
    known = CheckContext(titles=("returns.md",))
    assert FiguresSupported().check(value, known) == Passed(value)


def test_without_sources_only_question_and_tools_bear_a_figure_out() -> None:
    value = response("It holds 99 litres.", sources=[], confidence=0.3)
    outcome = FiguresSupported().check(
        value, CheckContext(passages=(RETURNS,), question="How much?")
    )
    assert codes(outcome) == ["context.figure"]


def test_the_feedback_tells_where_the_right_figures_are() -> None:
    known = CheckContext(passages=(RETURNS, SHIPPING))
    wrong = FiguresSupported().check(response("60 days", sources=[RETURNS.title]), known)
    assert isinstance(wrong, Rejected)
    assert "'60 days'" in wrong.faults[0].feedback
    assert "30 days" in wrong.faults[0].feedback
    other = FiguresSupported().check(response("5 working days", sources=[RETURNS.title]), known)
    assert isinstance(other, Rejected)
    assert "'shipping-faq.html'" in other.faults[0].feedback


def test_the_feedback_tells_nothing_of_what_the_caller_may_not_see() -> None:
    known = CheckContext(passages=(RETURNS, SECRET))
    outcome = FiguresSupported().check(response("4 %", sources=[RETURNS.title]), known)
    assert codes(outcome) == ["context.figure"]
    assert "salaries" not in repr(outcome.faults).lower()  # type: ignore[union-attr]


def test_counting_words_pass_unless_the_documents_count_otherwise() -> None:
    assert said("There are two ways: by post or in the shop.", "By post or in the shop.") == []
    assert said("It has two handles.", "It has three handles.") == ["two"]
    assert said("有两种颜色可选。", "有白色和黑色可选") == []
    assert said("有三个档位。", "共有五个档位。") == ["三"]
    assert said("It has 2 handles.", "It has a handle on each side.") == ["2"]


def test_a_sentence_said_word_by_word_is_right() -> None:
    text = "羊声 (3)2. 不是气体或液体 (5)"
    assert said(text, f"例子：1. {text}，等等。") == []
    assert said("5 days.", "within 15 days.") == ["5 days"]


def test_at_most_five_figures_are_told() -> None:
    assert len(said("11, 12, 13, 14, 15, 16 and 17 days", RETURNS.text)) == 5


@needs_data
@pytest.mark.parametrize("language", ["en", "zh"])
def test_no_sentence_of_a_cited_passage_is_refused(language: str) -> None:
    """The extractive chain quotes; a model may, too: that must never raise an alarm."""
    with (QA / language / "corpus.jsonl").open(encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines]
    count, refused = 0, []
    for record in records:
        source = passage("cited.md", record["text"])
        context = CheckContext(passages=(source,), titles=("cited.md",))
        good = response(sources=["cited.md"])
        for start, end in sentences(record["text"]):
            count += 1
            value = good.model_copy(update={"answer": record["text"][start:end]})
            if not isinstance(FiguresSupported().check(value, context), Passed):
                refused.append(value.answer)
    print(f"{language}: {len(refused)} of {count} quoted sentences refused")
    assert refused == []


@needs_data
@pytest.mark.parametrize("language", ["en", "zh"])
def test_gold_answers_pass_and_another_documents_figures_do_not(language: str) -> None:
    with (QA / language / "corpus.jsonl").open(encoding="utf-8") as lines:
        texts = {record["id"]: record["text"] for record in map(json.loads, lines)}
    with (QA / language / "questions.jsonl").open(encoding="utf-8") as lines:
        questions = [json.loads(line) for line in lines]
    right = wrong = caught = 0
    for asked in questions:
        if not asked["gold_doc"] or not any(char.isdigit() for char in asked["answers"][0]):
            continue
        context = CheckContext(
            passages=(passage("gold.md", texts[asked["gold_doc"]]), passage("b.md", "No figure.")),
            question=asked["question"],
        )
        for source in ("gold.md", "b.md"):
            value = response(asked["answers"][0], sources=[source])
            accepted = isinstance(FiguresSupported().check(value, context), Passed)
            right += source == "gold.md" and accepted
            wrong += source == "gold.md" and not accepted
            caught += source == "b.md" and not accepted
    print(f"{language}: {right} gold figures pass, {wrong} refused; {caught} caught elsewhere")
    assert wrong == 0
    assert right > 10
    assert caught >= 0.95 * right


def test_every_source_of_an_accepted_answer_has_a_citation() -> None:
    answer = "Unopened items can be returned within 30 days. Delivery takes 3 to 5 working days."
    lamp = passage("lamp.md", "The lamp shines. It is warm.", start=100, page=3)
    passages = (RETURNS, SHIPPING, lamp)
    titles = tuple(each.title for each in passages)
    value = response(answer, sources=list(titles))
    outcome = ContextGate().check(value, CheckContext(passages=passages, titles=titles))
    assert isinstance(outcome, Passed)
    found = {citation.title: citation for citation in outcome.citations}
    assert found.keys() == set(titles)
    assert found[RETURNS.title].quote == RETURNS.text
    assert found[RETURNS.title].verified
    assert found[SHIPPING.title].verified
    unsupported = found["lamp.md"]
    assert (unsupported.quote, unsupported.verified) == ("The lamp shines.", False)
    assert (unsupported.start, unsupported.end, unsupported.page) == (100, 116, 3)


def test_no_citations_without_sources_texts_or_acceptance() -> None:
    known = CheckContext(passages=(RETURNS,), titles=(RETURNS.title,))
    assert CitationsLocated().check(response(sources=[]), known).citations == ()  # type: ignore[union-attr]
    gate = ContextGate()
    bare = gate.check(
        response(sources=["returns-policy.md"]), CheckContext(titles=(RETURNS.title,))
    )
    assert isinstance(bare, Passed)
    assert bare.citations == ()
    refused = gate.check(response("60 days", sources=[RETURNS.title]), known)
    assert codes(refused) == ["context.figure"]


def test_a_mapped_source_counts_as_cited_for_figures_and_citations() -> None:
    known = CheckContext(passages=(RETURNS, SHIPPING), titles=(RETURNS.title, SHIPPING.title))
    value = response("Unopened items go back within thirty days.", sources=["./Returns-Policy"])
    outcome = ContextGate().check(value, known)
    assert isinstance(outcome, Passed)
    assert outcome.value.sources == [RETURNS.title]
    assert outcome.repairs == ("source_mapped",)
    assert [citation.title for citation in outcome.citations] == [RETURNS.title]


def test_checks_are_added_and_left_out_by_name_and_the_gravest_comes_first() -> None:
    gate = ContextGate().added(RequiredState("order"), RequiredGroup("staff"))
    outcome = gate.check(response(sources=["x.md"]), CheckContext(titles=()))
    assert codes(outcome) == ["context.permission", "context.state", "context.unknown_source"]
    allowed = CheckContext(titles=(), state={"order": "A1"}, caller=Caller(groups=("staff",)))
    assert codes(gate.without("sources").check(response(), allowed)) == []
    with pytest.raises(UnknownNameError, match="figurs"):
        gate.without("figurs")


def test_a_check_that_fails_refuses() -> None:
    gate = ContextGate((RequiredState("order", lambda value, held: held.paid),))
    outcome = gate.check(response(), CheckContext(state={"order": "A1"}))
    assert codes(outcome) == ["context.state"]


PIECES = st.sampled_from(
    [
        "30 days",
        "K2",
        "三十天",
        "[1]",
        "a.md",
        " ",
        "/",
        ".",
        "%20",
        "《",
        "》",
        "第3页",
        "(",
        "\n",
        "1,2",
    ]
)


@given(
    answer=st.one_of(st.text(min_size=1), st.lists(PIECES, min_size=1).map("".join)),
    sources=st.lists(st.one_of(st.text(min_size=1), st.lists(PIECES).map("".join)), max_size=3),
    titles=st.one_of(st.none(), st.lists(st.text(min_size=1), max_size=3).map(tuple)),
    text=st.text(),
    question=st.text(),
)
@settings(max_examples=200)
def test_nothing_makes_the_gate_raise_and_nothing_unknown_passes(
    answer: str, sources: list[str], titles: tuple[str, ...] | None, text: str, question: str
) -> None:
    value = response().model_copy(update={"answer": answer, "sources": sources})
    passages = None if titles is None else tuple(passage(title, text) for title in titles)
    context = CheckContext(
        titles=titles, passages=passages, numbered=titles or (), question=question, evidence=(text,)
    )
    outcome = ContextGate().check(value, context)
    if isinstance(outcome, Passed) and titles is not None:
        assert set(outcome.value.sources) <= set(titles)
        assert {citation.title for citation in outcome.citations} >= {
            source for source in outcome.value.sources if text
        }
        for citation in outcome.citations:
            assert text[citation.start : citation.end] == citation.quote


@pytest.mark.parametrize("value", [None, "text", {"sources": ["x"]}, 3])
def test_what_is_no_response_passes(value: Any) -> None:
    known = CheckContext(titles=(), passages=())
    assert ContextGate().check(value, known) == Passed(value)


def test_passages_of_one_document_are_searched_together() -> None:
    first = Passage(id="1", title="a.md", text="It holds 1.7 litres.", start=0, end=20)
    second = Passage(id="1", title="a.md", text="It weighs 1.2 kg.", start=500, end=517)
    value = response("It holds 1.7 litres and weighs 1200 g.", sources=["a.md"])
    outcome = ContextGate().check(value, CheckContext(passages=(first, second), titles=("a.md",)))
    assert isinstance(outcome, Passed)
    assert {citation.title for citation in outcome.citations} == {"a.md"}


KEPT = passage("a.md", "Unopened items can be returned within 30 days, if the box is kept.")
KEPT_ZH = passage("a.md", "签收后30天内可退货，需保留包装。")


@pytest.mark.parametrize(
    ("answer", "text", "held"),
    [
        ('It says "no refunds are given after this period".', KEPT, False),
        ("It says “you must pay a restocking fee of some kind”.", KEPT, False),
        ("政策规定「超过期限后一律不予退款处理」。", KEPT_ZH, False),
        ('It says "unopened items can be returned within 30 days".', KEPT, True),
        ('It says "[u]nopened items ... within 30 days, if the box is kept".', KEPT, True),
        ("政策规定“签收后30天内可退货，需保留包装”。", KEPT_ZH, True),
        ('It says "returns are possible within 30 days of receipt".', KEPT_ZH, True),
        ('Press "Reset", then hold 5" of the cable.', KEPT, True),
    ],
)
def test_a_quotation_stands_word_for_word_in_what_is_cited(answer, text, held) -> None:
    value = response(answer, sources=["a.md"])
    found = codes(QuotationsHeld().check(value, CheckContext(passages=(text,), question="Why?")))

    assert found == ([] if held else ["context.quotation"])
    assert codes(QuotationsHeld().check(value, CheckContext(titles=("a.md",)))) == []


def test_the_question_and_tools_may_be_quoted() -> None:
    value = response('You asked "can I bring back my green kettle".', sources=["a.md"])
    asked = CheckContext(passages=(KEPT,), question="Can I bring back my green kettle?")

    assert QuotationsHeld().check(value, asked) == Passed(value)
    told = CheckContext(passages=(KEPT,), evidence=("can I bring back my green kettle",))
    assert QuotationsHeld().check(value, told) == Passed(value)
