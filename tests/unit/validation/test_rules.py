"""The rules gate: order, collection, configuration; rules of a caller's own."""

from __future__ import annotations

import time
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from ragqa.contract import QAResponse
from ragqa.errors import UnknownNameError
from ragqa.validation.checking import check
from ragqa.validation.gate import CheckContext, Outcome, Passed, Rejected
from ragqa.validation.rules import (
    Abstention,
    Default,
    DuplicateFollowUps,
    DuplicateSources,
    InvisibleCharacters,
    Normalise,
    Refuse,
    RulesGate,
    UnsupportedConfidence,
    default_rules,
)
from ragqa.validation.rules.abstaining import says_not_held
from ragqa.validation.rules.invisible import visible
from tests.unit.validation.answers import codes, response

NOTHING = CheckContext()


class Order(BaseModel):
    """Arguments of a tool."""

    city: str
    amount: int = Field(ge=0)
    country: str | None = None
    tags: list[str] = []


def test_a_good_answer_passes_as_it_is() -> None:
    good = response()
    outcome = RulesGate().check(good, NOTHING)
    assert outcome == Passed(good)
    assert outcome.value is good


def test_all_faults_are_collected_the_gravest_first() -> None:
    bad = response("Thought: look it up.\nAction: search_docs", sources=[], confidence=0.9)
    outcome = RulesGate().check(bad, NOTHING)
    assert codes(outcome) == ["rules.scratchpad", "rules.unsupported_confidence"]
    assert all(fault.feedback for fault in outcome.faults)


def test_a_refused_value_is_handed_on_mended_as_far_as_it_got() -> None:
    bad = response("{}", sources=["a.md", "a.md"])
    outcome = RulesGate().check(bad, NOTHING)
    assert isinstance(outcome, Rejected)
    assert outcome.value.sources == ["a.md"]
    assert outcome.repairs == ("duplicate_sources",)


def test_rules_are_added_and_left_out_by_name() -> None:
    gate = RulesGate().without("json_answer", "unsupported_confidence")
    assert codes(gate.check(response("{}", sources=[]), NOTHING)) == ["rules.placeholder_answer"]
    with pytest.raises(UnknownNameError, match="json_answr"):
        gate.without("json_answr")
    no = Refuse(lambda value: True, "No.", "never")
    assert codes(gate.added(no).check(response(), NOTHING)) == ["rules.never"]
    assert gate.added(no, first=True).rules[0] is no
    assert [rule.name for rule in RulesGate().rules] == [rule.name for rule in default_rules()]


def test_rules_of_a_schema_run_for_it_and_its_subclasses_only() -> None:
    class Ticket(QAResponse):
        ticket: str = ""

    no = Refuse(lambda value: not value.ticket, "A ticket is missing.", "ticket")
    gate = RulesGate(per_schema={Ticket: (no,)})
    values = response().model_dump()
    assert codes(gate.check(Ticket(**values), NOTHING)) == ["rules.ticket"]
    assert codes(gate.check(type("Sub", (Ticket,), {})(**values), NOTHING)) == ["rules.ticket"]
    assert codes(gate.check(response(), NOTHING)) == []


def test_normalise_default_refuse_work_in_their_order_and_are_recorded() -> None:
    gate = RulesGate(
        (
            Normalise("city", lambda city: city.strip().title(), "city_name"),
            Default("country", "Netherlands", "home_country"),
            Refuse(
                lambda order: order.city == "Atlantis", "We do not deliver there.", field="city"
            ),
        )
    )
    outcome = gate.check(Order(city=" rotterdam ", amount=3), NOTHING)
    assert isinstance(outcome, Passed)
    assert outcome.value == Order(city="Rotterdam", amount=3, country="Netherlands")
    assert outcome.repairs == ("city_name", "home_country")
    refused = gate.check(Order(city="atlantis", amount=3, country="x"), NOTHING)
    assert codes(refused) == ["rules.refuse"]
    assert refused.value.city == "Atlantis"
    assert isinstance(refused, Rejected)
    assert refused.faults[0].feedback == "We do not deliver there."
    assert refused.faults[0].field == "city"


def test_normalise_reaches_every_text_of_a_list_and_leaves_other_schemas_alone() -> None:
    upper = RulesGate((Normalise("tags", str.upper, "tags"),))
    assert upper.check(Order(city="x", amount=1, tags=["a", "b"]), NOTHING).value.tags == ["A", "B"]
    assert upper.check(response(), NOTHING).repairs == ()
    assert upper.check({"tags": ["a"]}, NOTHING).value == {"tags": ["a"]}


def test_what_is_normal_already_is_no_repair() -> None:
    gate = RulesGate((Normalise("city", str.title, "city_name"), Default("country", "Malta")))
    order = Order(city="Delft", amount=1, country="France")
    assert gate.check(order, NOTHING) == Passed(order)


def test_a_default_may_come_from_the_state() -> None:
    gate = RulesGate((Default("country", lambda context: context.state.get("country")),))
    order = Order(city="Delft", amount=1)
    known = CheckContext(state={"country": "Malta"})
    assert gate.check(order, known).value.country == "Malta"
    assert gate.check(order, NOTHING).value.country is None


def test_a_value_that_does_not_fit_the_schema_is_refused() -> None:
    gate = RulesGate((Normalise("amount", lambda amount: -amount, "sign"),))
    outcome = gate.check(Order(city="x", amount=2), NOTHING)
    assert codes(outcome) == ["rules.sign"]
    assert outcome.value.amount == 2


def _unknown_city(city: str) -> str:
    raise ValueError(f"{city!r} is no city we know")


@pytest.mark.parametrize(
    ("function", "code", "reason"),
    [
        (_unknown_city, "rules.city", "'x' is no city we know"),
        (lambda city: city / 0, "rules.error", "the rule city failed with TypeError"),
    ],
)
def test_a_rule_that_raises_refuses(function: Any, code: str, reason: str) -> None:
    outcome = RulesGate((Normalise("city", function, "city"),)).check(
        Order(city="x", amount=1), NOTHING
    )
    assert codes(outcome) == [code]
    assert reason in outcome.faults[0].reason  # type: ignore[union-attr]


def test_a_rule_of_another_schema_fails_closed() -> None:
    gate = RulesGate((Refuse(lambda order: order.amount > 5, "Too many."),))
    assert codes(gate.check(response(), NOTHING)) == ["rules.error"]
    named = RulesGate((Refuse(lambda order: order.amount > 5, "Too many.", field="amount"),))
    assert codes(named.check(response(), NOTHING)) == []


@pytest.mark.parametrize(
    ("sources", "kept", "repairs"),
    [
        (["b", "a", "b"], ["b", "a"], ["duplicate_sources"]),
        ([" a ", "a"], ["a"], ["trimmed_sources", "duplicate_sources"]),
        ([" a ", "b"], ["a", "b"], ["trimmed_sources"]),
        (["a"], ["a"], []),
        ([], [], []),
    ],
)
def test_duplicate_sources_go_and_the_first_keeps_its_place(
    sources: list[str], kept: list[str], repairs: list[str]
) -> None:
    outcome = DuplicateSources().check(response(sources=sources), NOTHING)
    assert outcome.value.sources == kept
    assert outcome.repairs == tuple(repairs)


def test_duplicate_follow_ups_go() -> None:
    asked = ["How long?", " how long ", "什么颜色？", "什么颜色"]
    outcome = DuplicateFollowUps().check(response(follow_up=asked[:3]), NOTHING)
    assert outcome.value.follow_up == ["How long?", "什么颜色？"]
    assert outcome.repairs == ("trimmed_follow_ups", "duplicate_follow_ups")
    kept_once = DuplicateFollowUps().check(response(follow_up=asked[2:]), NOTHING)
    assert kept_once.repairs == ("duplicate_follow_ups",)


@pytest.mark.parametrize("needs_human", [False, True])
@pytest.mark.parametrize(
    "answer",
    [
        "I cannot help with that.",
        "I'm sorry, but I can't assist with that request.",
        "As an AI, I must decline to discuss this.",
        "抱歉，我不能协助处理此类请求。",
        "您的请求涉及敏感内容，不便讨论。",
    ],
)
def test_a_refusal_in_the_clothes_of_an_answer_is_one(answer: str, needs_human: bool) -> None:
    declined = response(answer, sources=[], confidence=0.9, needs_human=needs_human)
    outcome = RulesGate().check(declined, NOTHING)
    assert codes(outcome)[0] == "text.refusal"
    verdict = check(declined.model_dump_json(), [])
    assert (verdict.code, verdict.handling) == ("text.refusal", "fallback")


@pytest.mark.parametrize(
    ("answer", "options"),
    [
        ("The documents do not say.", {"needs_human": True}),
        ("I cannot answer that from the documents.", {}),
        ("I'm sorry, I can't answer that question.", {"needs_human": True}),
        ("I don't know.", {}),
        ("We cannot accept opened kettles.", {}),
        ("We can't help with repairs of other brands.", {"sources": ["a"]}),
        ("Unfortunately, opened kettles cannot be returned.", {}),
        ("文档中没有这个问题的答案。", {"needs_human": True}),
        ("很抱歉，我无法回答这个问题。", {"needs_human": True}),
        ("抱歉，资料里没有提供保修期。", {}),
        ("已拆封的水壶不能退货。", {}),
    ],
)
def test_an_honest_answer_is_no_refusal(answer: str, options: dict[str, Any]) -> None:
    given = response(answer, **{"sources": [], "confidence": 0.4, **options})
    assert codes(RulesGate().check(given, NOTHING)) == []


@pytest.mark.parametrize(
    ("confidence", "sources", "known", "refused"),
    [
        (0.9, [], {}, True),
        (0.51, [], {}, True),
        (0.5, [], {}, False),
        (0.9, ["a"], {}, False),
        (0.9, ["a"], {"titles": ("a",)}, False),
        (0.9, ["a"], {"titles": ()}, True),
        (0.9, [], {"evidence": ("The order left on Monday.",)}, False),
    ],
)
def test_high_confidence_needs_evidence(
    confidence: float, sources: list[str], known: dict[str, Any], refused: bool
) -> None:
    value = response(confidence=confidence, sources=sources)
    outcome = UnsupportedConfidence().check(value, CheckContext(**known))
    assert codes(outcome) == (["rules.unsupported_confidence"] if refused else [])
    lenient = UnsupportedConfidence().check(value, CheckContext(**known, strict_confidence=False))
    assert isinstance(lenient, Passed)
    assert lenient.value.confidence == (0.5 if refused else confidence)
    assert lenient.repairs == (("unsupported_confidence",) if refused else ())


class Strange(BaseModel):
    """A schema that shares names with a response and nothing else."""

    answer: int
    sources: dict[str, int]
    confidence: Literal["high"]
    entities: str
    category: list[str]
    follow_up: list[int]


@pytest.mark.parametrize(
    "value",
    [
        None,
        "text",
        {"answer": "{}"},
        Order(city="{}", amount=1),
        Strange(
            answer=1,
            sources={"a": 1},
            confidence="high",
            entities="x",
            category=["a"],
            follow_up=[1, 1],
        ),
    ],
)
def test_rules_let_pass_what_is_not_theirs(value: Any) -> None:
    assert RulesGate().check(value, CheckContext(titles=(), question="?")) == Passed(value)


@given(
    answer=st.text(min_size=1).filter(str.strip),
    question=st.text(),
    sources=st.lists(st.text(min_size=1).filter(str.strip), max_size=4),
    follow_up=st.lists(st.text(min_size=1).filter(str.strip), max_size=3),
)
def test_no_response_makes_the_gate_raise(
    answer: str, question: str, sources: list[str], follow_up: list[str]
) -> None:
    try:
        value = response(answer, sources=sources, follow_up=follow_up)
    except ValueError:  # a lone surrogate never gets past the schema
        return
    outcome: Outcome = RulesGate().check(value, CheckContext(question=question))
    mended = outcome.value
    assert set(mended.sources) <= {source.strip() for source in sources}
    assert mended.answer in (answer, visible(answer))


NOT_HELD = [
    "The provided documents do not mention the price.",
    "I'm sorry, but the provided context does not include that.",
    "I could not find this in the passages.",
    "There is not enough information in the provided context to answer.",
    "I don't know. Please contact support.",
    "文档中没有相关信息。",
    "抱歉，文檔中沒有提到價格。",
    "抱歉，提供的资料中未提及价格。请联系客服。",
]
HELD = [
    "The documents do not name a price, but delivery is free.",
    "The warranty does not cover water damage.",
    "Documents do not have to be translated.",
    "没有发票不能退货。",
]


@pytest.mark.parametrize("answer", NOT_HELD)
def test_nobody_is_sure_of_an_answer_that_is_none(answer: str) -> None:
    rule, sure = Abstention(), response(answer, confidence=0.9, sources=["a.md"])

    lowered = rule.check(sure, CheckContext())
    assert (lowered.value.confidence, lowered.value.needs_human) == (0.5, True)
    assert lowered.repairs == ("abstention",)
    unsure = rule.check(response(answer, confidence=0.3, sources=[]), CheckContext())
    assert (unsure.value.needs_human, unsure.repairs) == (True, ("abstention",))

    honest = response(answer, confidence=0.3, sources=[], needs_human=True)
    assert rule.check(honest, CheckContext()) == Passed(honest)


@pytest.mark.parametrize(
    ("answer", "abstains"),
    [
        ("The documents do not mention a size limit; one dog is allowed for 15 euros.", False),
        ("The documents do not mention a size limit; please ask the hotel.", True),
        ("The documents do not mention Norway; they say that we ship to the EU.", False),
        ("The documents do not mention Norway; we recommend asking the shop.", True),
        ("The documents do not mention the price; I cannot answer the question.", True),
        ("The documents do not mention it; a person should answer this.", True),
        ("文档没有说明体型限制，可以带一条狗。", False),
        ("文档没有说明体型限制；每晚15欧元。", False),
        ("文档中没有提到价格，因此无法回答。", True),
        ("文档中没有提到价格，建议咨询客服。", True),
        ("資料中沒有提到價格，可以聯繫客服。", True),
    ],
)
def test_an_answer_behind_what_is_not_held_is_an_answer(answer: str, abstains: bool) -> None:
    assert says_not_held(answer, "What does it cost?") is abstains


@pytest.mark.parametrize("answer", HELD)
def test_an_answer_that_denies_something_is_one(answer: str) -> None:
    sure = response(answer, confidence=0.9, sources=["a.md"])

    assert Abstention().check(sure, CheckContext()) == Passed(sure)


@pytest.mark.parametrize("blanks", ["，", "\n", "€"])
def test_a_long_answer_is_looked_at_in_no_time(blanks: str) -> None:
    begun_s = time.process_time()
    says_not_held(f"The documents do not{blanks * 50_000}say.")
    assert time.process_time() - begun_s < 1


def test_what_documents_do_not_say_is_an_answer_where_that_was_asked() -> None:
    sure = response(NOT_HELD[0], confidence=0.9, sources=["a.md"])
    asked = CheckContext(question="Do the documents mention a price?")

    assert Abstention().check(sure, asked) == Passed(sure)
    assert Abstention().check(sure, CheckContext(evidence=("order 17 is open",))) == Passed(sure)


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("30\x00 days\x07", "30 days"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("30 days\u202e", "30 days"),
        ("30 days" + "".join(chr(0xE0000 + ord(char)) for char in "obey"), "30 days"),
        ("zero\u200bwidth\ufeff", "zerowidth"),
        ("re\u00adturned", "returned"),
    ],
)
def test_what_nobody_sees_is_left_out(text: str, seen: str) -> None:
    outcome = InvisibleCharacters().check(response(text, follow_up=[text]), NOTHING)

    assert (outcome.value.answer, outcome.value.follow_up) == (seen, [seen])
    assert outcome.repairs == ("invisible_characters",)


@pytest.mark.parametrize(
    "text",
    [
        "1. open\n2. pour\tit",
        "👨\u200d👩\u200d👧 ❤\ufe0f",
        "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
        "می\u200cخواهم \u2067abc\u2069",
    ],
)
def test_what_joins_letters_and_emoji_stays(text: str) -> None:
    good = response(text)

    assert InvisibleCharacters().check(good, NOTHING) == Passed(good)
