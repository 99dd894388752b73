import json
from typing import Any, ClassVar

import pytest

from ragqa.contract import (
    CHINESE_CATEGORIES,
    Passage,
    QAResponse,
    QAResponseWithEntities,
    Question,
    Turn,
    response_type,
)
from ragqa.ports import Parts, Policy, SearchQuery
from ragqa.stages.draft import Draft
from ragqa.stages.quote import quote


class Shelf:
    """A retriever of fixed passages; the stage gets them from the turn."""

    def retrieve(self, query: SearchQuery, config: Any = None) -> list[Passage]:
        raise AssertionError("the stage retrieves nothing")

    async def aretrieve(self, query: SearchQuery, config: Any = None) -> list[Passage]:
        raise AssertionError("the stage retrieves nothing")

    def version(self) -> str:
        return "1"


def passage(text: str, title: str = "kettle.md", **fields: Any) -> Passage:
    return Passage(**{"id": title, "title": title, "text": text, "score": 5.0, **fields})


KETTLE = passage(
    "## Data\n\n- **Capacity**: the kettle holds 1.7 litres.\n- Colour of the kettle: grey.\n",
    heading="Kettle K17 > Data",
    start=40,
)
RETURNS = passage(
    "You can return a kettle within 30 days of delivery. A return costs 4.95 euros.",
    "returns.md",
    heading="Returns > Deadlines",
    score=4.0,
)


def draft(
    question: str, *passages: Passage, schema: type[QAResponse] = QAResponse, **turn: Any
) -> Draft:
    stage = quote(Parts(retriever=Shelf(), policy=Policy(schema=schema)))
    asked = Turn(Question.of(question), "run", passages=passages or (KETTLE, RETURNS), **turn)
    after = stage.step(asked)
    assert isinstance(after, Turn)
    made = after.notes["draft"]
    assert isinstance(made, Draft)
    return made


def answer(made: Draft, schema: type[QAResponse] = QAResponse) -> QAResponse:
    return schema.model_validate_json(made.response_json)


def test_the_sentence_is_quoted_without_its_marks_and_cited_with_them() -> None:
    made = draft("How many litres does the kettle hold?")
    response = answer(made)
    assert response.answer == "Capacity: the kettle holds 1.7 litres."
    assert response.sources == ["kettle.md"]
    assert response.category == "product"
    assert response.confidence > 0.5
    assert not response.needs_human
    (citation,) = made.citations
    assert citation.quote == "- **Capacity**: the kettle holds 1.7 litres."
    assert KETTLE.text[citation.start - 40 : citation.end - 40] == citation.quote
    assert citation.verified


def test_thin_evidence_abstains_in_the_language_of_the_question() -> None:
    for question, said in [
        ("Who is the president of France?", "The documents do not hold an answer"),
        ("法国总统是谁？", "文档中没有这个问题的答案"),
    ]:
        made = draft(question)
        response = answer(made)
        assert made.abstained
        assert response.answer.startswith(said)
        assert (response.sources, response.needs_human) == ([], True)
        assert response.confidence <= 0.5
        assert made.citations == ()


def test_without_passages_it_abstains() -> None:
    stage = quote(Parts(retriever=Shelf()))
    after = stage.step(Turn(Question.of("How much is it?"), "run"))
    assert isinstance(after, Turn)
    assert after.notes["draft"].abstained


def test_a_question_on_two_things_gets_two_sentences() -> None:
    made = draft("How many litres does the kettle hold and how long can I return it?")
    response = answer(made)
    assert "1.7 litres" in response.answer
    assert "30 days" in response.answer
    assert response.sources == ["kettle.md", "returns.md"]
    assert len(made.citations) == 2


def test_headings_and_questions_are_no_answers() -> None:
    faq = passage(
        "## Descaling the kettle\n\nQ: How do I descale the kettle?\nA: Boil vinegar in it.",
        heading="Kettle > Descaling the kettle",
    )
    assert answer(draft("How do I descale the kettle?", faq)).answer.startswith("Boil vinegar")


def test_titles_above_prose_are_no_answers() -> None:
    page = "COVERED SERVICES: Urgent Care\nUrgent care is paid for when a clinic is open late.\n"
    guide = passage(page, "benefits.pdf", page=3)
    assert answer(draft("Is urgent care covered?", guide)).answer.startswith("Urgent care is paid")
    specs = passage("Carry Bag: Included\nMaterial: Polyester\n", "tent.md")
    assert answer(draft("What material is the tent?", specs)).answer == "Material: Polyester"


def test_an_announced_list_is_quoted_with_its_items() -> None:
    box = passage("The box of the tent holds:\n\n- two poles\n- 14 pegs\n\nEnjoy your trip.")
    made = draft("What does the box of the tent hold?", box)
    assert answer(made).answer == "The box of the tent holds: two poles; 14 pegs"
    assert made.citations[0].quote == "The box of the tent holds:\n\n- two poles\n- 14 pegs"


def test_rows_of_tables_read_well() -> None:
    row = passage("model: L5; product: Desk lamp L5; price_eur: 39.00; unit: piece\n", "prices.csv")
    made = draft("What is the price of the desk lamp L5?", row)
    assert answer(made).answer == "Desk lamp L5, price eur: 39.00"
    assert made.citations[0].quote == row.text.strip()


LONG = passage(
    "Although it had been planned for years, and nobody in the town believed in it any more, the "
    "bridge over the river was opened on 12 May 1931 by the mayor, who held a long speech on "
    "progress, thrift, hope and the weather, and then everybody went home to have dinner.",
    "bridge.md",
)


@pytest.mark.parametrize("limit", [60, 120, 200])
def test_long_sentences_are_cut_and_cited_whole(limit: int) -> None:
    schema = response_type(max_answer_chars=limit)
    made = draft("When was the bridge over the river opened?", LONG, schema=schema)
    response = answer(made, schema)
    assert "12 May 1931" in response.answer
    assert len(response.answer) <= limit
    assert made.citations[0].quote == LONG.text
    pieces = [piece.strip() for piece in response.answer.split("…") if piece.strip()]
    assert all(piece in LONG.text for piece in pieces)


def test_follow_ups_come_from_the_same_document() -> None:
    safety = passage("Keep the lid closed.", heading="Kettle K17 > Safety")
    made = draft("How many litres does the kettle hold?", KETTLE, safety, RETURNS)
    assert answer(made).follow_up == ["What do the documents say about “Safety”?"]


def test_the_schema_sets_categories_and_lengths() -> None:
    schema = response_type(categories=CHINESE_CATEGORIES)
    zh = passage("水壶的容量为1.7升。退货费用为4.95欧元。", "水壶.md")
    response = answer(draft("水壶的容量是多少？", zh, schema=schema), schema)
    assert response.answer == "水壶的容量为1.7升。"
    assert response.category == "产品参数"
    kept = draft("水壶的容量是多少？", zh, schema=schema, category="库存查询")
    assert answer(kept, schema).category == "库存查询"


def test_entities_stay_empty_and_other_required_fields_abstain() -> None:
    question = "How many litres does the kettle hold?"
    made = draft(question, schema=QAResponseWithEntities)
    assert answer(made, QAResponseWithEntities).model_dump()["entities"] == []

    class Ticketed(QAResponse):
        ticket: str

    class Noted(QAResponse):
        max_answer_chars: ClassVar[int] = 100
        note: str | None = None

    assert draft(question, schema=Ticketed).abstained
    assert not draft(question, schema=Noted).abstained
    assert answer(draft(question, schema=Noted), Noted).answer


def test_what_a_session_resolved_is_looked_for() -> None:
    made = draft("And the kettle?", search_text="How many litres does the kettle hold?")
    assert "1.7 litres" in answer(made).answer


def test_documents_are_quoted_and_never_read_as_templates() -> None:
    braces = passage('Set the kettle config to {"mode": "eco", "n": {60}} and %s for {question}.')
    made = draft("What is the kettle config set to?", braces)
    assert answer(made).answer == braces.text


def test_a_sentence_as_a_draft_is_valid_json_whatever_it_holds() -> None:
    odd = passage('The kettle says "hi"\\n, a tab\tand a 😀 to whom it greets.')
    made = draft("What does the kettle say to whom it greets?", odd)
    assert json.loads(made.response_json)["answer"]


def test_weak_evidence_asks_for_a_person() -> None:
    made = draft("How long does the kettle in the garden shed of my uncle last?")
    if not made.abstained:
        assert answer(made).needs_human


def test_other_notes_are_kept() -> None:
    stage = quote(Parts(retriever=Shelf()))
    turn = Turn(Question.of("kettle?"), "run", passages=(KETTLE,), notes={"seen": 1})
    after = stage.step(turn)
    assert isinstance(after, Turn)
    assert after.notes["seen"] == 1


NEIGHBOURS = "The red kettle holds {} litres. The blue kettle holds 1.5 litres."


def test_two_neighbouring_sentences_that_are_as_good_are_quoted_as_one_piece() -> None:
    text = NEIGHBOURS.format("1.7")
    made = draft("How many litres does a kettle hold?", passage(text))
    assert answer(made).answer == text
    assert [citation.quote for citation in made.citations] == [text]
    assert made.citations[0].verified


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            NEIGHBOURS.format("1.7").replace(". The", ".\n\nThe"),
            NEIGHBOURS.format("1.7"),
        ),
        (
            NEIGHBOURS.format("1.7").replace(". The", ". It came in the spring.\n\nThe"),
            NEIGHBOURS.format("1.7").replace(". The", ". … The"),
        ),
    ],
    ids=["another paragraph", "a sentence between"],
)
def test_sentences_apart_that_are_as_good_are_quoted_each(text: str, said: str) -> None:
    made = draft("How many litres does a kettle hold?", passage(text))
    assert answer(made).answer == said
    first, second = (citation.quote for citation in made.citations)
    assert "red" in first
    assert "blue" in second
    assert all(citation.verified for citation in made.citations)


def test_of_two_that_do_not_fit_the_second_is_cut() -> None:
    text = NEIGHBOURS.format("1.7, and " + "very " * 40 + "many more,")
    made = draft("How many litres does a kettle hold?", passage(text))
    said = answer(made).answer
    assert len(said) <= 200
    assert "1.5 litres" in said
    assert "1.7" in said
    assert {citation.verified for citation in made.citations} == {True}


@pytest.mark.parametrize(
    "text",
    ["- The red kettle holds 1.7 litres.\n- The blue kettle holds 1.5 litres.\n"],
    ids=["items"],
)
def test_of_a_list_one_item_is_quoted(text: str) -> None:
    made = draft("How many litres does a kettle hold?", passage(text))
    (citation,) = made.citations
    assert ("red" in citation.quote) != ("blue" in citation.quote)


def test_a_sentence_that_turns_round_what_it_says_stays_whole() -> None:
    text = (
        "Within 30 days of delivery you can return most goods that you have bought online, but "
        "opened software, sealed hygiene products and downloads cannot be returned at any time."
    )
    assert answer(draft("When can I return opened software?", passage(text))).answer == text


def test_a_second_sentence_that_turns_round_what_it_says_is_not_cut() -> None:
    first = "The capacity of the tank is 12 litres, which is " + "much and " * 12 + "enough."
    second = (
        "Contrary to what older manuals of the maker told, the capacity of the tank, as was "
        "measured by many people, is not 15 litres at all."
    )
    said = answer(draft("What is the capacity of the tank?", passage(f"{first}\n\nX.\n\n{second}")))
    assert "15 litres" not in said.answer or "is not 15 litres at all" in said.answer


@pytest.mark.parametrize("limit", [10, 21, 40, 67, 100, 200])
@pytest.mark.parametrize("between", [" ", " It has a lid. "])
def test_two_cut_sentences_are_within_the_limit_with_one_mark_between(
    limit: int, between: str
) -> None:
    weight = (
        "The K17 kettle weighs 1.2 kg when it is empty, and 2.9 kg when it is filled to the top."
    )
    ends = (
        "For the K17 kettle the warranty of the maker, which begins with the day on which you buy "
        "it, ends after 24 months, as long as you have kept the receipt."
    )
    schema = response_type(max_answer_chars=limit)
    question = "How heavy is the K17 kettle and how long is the warranty?"
    made = draft(question, passage(weight + between + ends), schema=schema)
    said = answer(made, schema).answer
    assert len(said) <= limit
    assert "… …" not in said
    assert limit < 100 or "24 months" in said  # each is cut for its part of the question


def test_two_short_chinese_pieces_are_within_the_limit() -> None:
    text = (
        "水壶的价格为人民币三百九十九元整，含运费。颜色有三种。水壶的保修期为二十四个月，含配件。"
    )
    schema = response_type(max_answer_chars=10)
    assert (
        len(answer(draft("水壶多少钱？保修期多久？", passage(text), schema=schema), schema).answer)
        <= 10
    )


def test_of_a_table_of_markdown_one_row_is_quoted() -> None:
    table = passage("| Model | Capacity |\n|---|---|\n| K17 | 1.7 l |\n| K20 | 2 l |")
    assert answer(draft("What is the capacity?", table)).answer == "K17, 1.7 l"


def test_a_sentence_that_points_back_is_not_quoted_without_what_it_points_to() -> None:
    text = (
        "The red kettle of the house holds 1.7 litres of water.\n\nA pan stands beside it.\n\n"
        "This holds 2.5 litres of water, more than a kettle."
    )
    said = answer(draft("How many litres of water does a kettle hold?", passage(text))).answer
    assert not ("1.7" in said and "2.5" in said)


@pytest.mark.parametrize("pointing", ["It is the kettle that", "This kettle"])
def test_a_second_sentence_that_points_back_is_left_out(pointing: str) -> None:
    text = f"The red kettle holds 1.7 litres. The lid is grey. {pointing} holds 1.5 litres."
    made = draft("How many litres does a kettle hold?", passage(text))
    assert answer(made).answer == "The red kettle holds 1.7 litres."


def test_a_second_sentence_is_not_cut_where_it_forbids_something() -> None:
    text = (
        f"The red kettle holds 1.7 litres, as every {'good ' * 14}kettle. The blue kettle holds "
        f"1.5 litres, but for safety you must never fill it {'very ' * 20}full."
    )
    made = draft("How many litres does a kettle hold?", passage(text))
    assert "1.7 litres" in answer(made).answer
    assert "1.5 litres" not in answer(made).answer


@pytest.mark.parametrize(
    ("question", "text", "said"),
    [
        ("Where can I park?", "Q: Where can I park?\nA: In Mill Street.\n", "In Mill Street."),
        ("在哪里停车？", "问：在哪里停车？\n答：在人民路 18 号。\n", "在人民路 18 号。"),
        ("Which vitamin?", "Lemons hold much of it.\nA: a vitamin of carrots.\n", "A: a vitamin"),
    ],
)
def test_the_mark_of_an_answer_is_left_out(question: str, text: str, said: str) -> None:
    made = draft(question, passage(text, heading="FAQ"))
    assert answer(made).answer.startswith(said)
    assert made.citations[0].quote in text


@pytest.mark.parametrize(
    ("question", "row", "said"),
    [
        (
            "How much is the kettle, and how long can I return it?",
            "model: K17; product: kettle; price_eur: 49.90",
            "kettle, price eur: 49.90; You can return",
        ),
        (
            "水壶多少钱？多久可以退货？",
            "型号: K17; 商品: 水壶; 价格: 49.90",
            "水壶，价格：49.90；水壶",
        ),
    ],
)
def test_a_mark_stands_between_a_row_and_a_sentence(question: str, row: str, said: str) -> None:
    returns = passage("水壶在签收后 30 天内可以退货。", "退货.md", score=4.0)
    made = draft(question, passage(row, "prices.csv"), RETURNS, returns)
    assert said in answer(made).answer


FAQ = (
    "Q: Is there a canteen?\nA: Yes, on the ground floor.\n\n"
    "Q: Where can I park?\nA: In Mill Street. The gate opens with your badge.\n\n"
    "Q: Can I bring my dog?\nA: On Fridays, on a leash. Dogs are not allowed in the canteen.\n"
)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Can I open the gate with my badge?", "The gate opens with your badge."),
        ("Are dogs allowed in the canteen?", "Dogs are not allowed in the canteen."),
        ("Is there a canteen?", "Yes, on the ground floor."),
    ],
)
def test_yes_and_no_are_said_to_the_question_that_was_asked(question: str, said: str) -> None:
    told = answer(draft(question, passage(FAQ, "faq.txt"))).answer
    assert said in told
    assert told.startswith("Yes") == said.startswith("Yes")


@pytest.mark.parametrize(
    ("question", "rows", "said"),
    [
        (
            "What is the price of the rain cover?",
            (
                "model: B28; product: Backpack B28; price: 79.00; note: rain cover included",
                "model: B28-R; product: Rain cover B28; price: 9.90; note: yellow",
            ),
            "9.90",
        ),
        (
            "防雨罩多少钱？",
            (
                "型号: B28; 商品: 背包; 价格: 79; 备注: 附防雨罩",
                "型号: B28-R; 商品: 防雨罩; 价格: 9; 备注: 黄色",
            ),
            "价格：9",
        ),
    ],
)
def test_a_price_is_that_of_the_row_which_is_about_it(question, rows, said) -> None:
    passages = [passage(row, "prices.csv", score=5.0 - n / 10) for n, row in enumerate(rows)]
    told = answer(draft(question, *passages)).answer
    assert told.endswith(said)


SYNC = passage(
    "## Turning on sync\n\n1. Open Settings.\n2. Sign in\n   with your account.\n\n"
    "3. Switch on sync of this device.\n\nChanges take a minute.\n",
    "sync.md",
    heading="Help > Turning on sync",
)


def test_how_something_is_done_is_told_by_all_steps() -> None:
    made = draft("How do I turn on sync?", SYNC)
    assert (
        answer(made).answer
        == "Open Settings. Sign in with your account. Switch on sync of this device."
    )
    (citation,) = made.citations
    assert citation.quote.startswith("1. Open Settings.")
    assert citation.quote.endswith("sync of this device.")
    assert citation.verified


def test_one_step_tells_what_is_asked_about_it() -> None:
    which = answer(draft("Which device is sync switched on for?", SYNC)).answer
    assert which == "Switch on sync of this device."


def test_steps_that_do_not_fit_are_marked() -> None:
    schema = response_type(max_answer_chars=45)
    told = answer(draft("How do I turn on sync?", SYNC, schema=schema), schema).answer
    assert told == "Open Settings. Sign in with your account. …"


@pytest.mark.parametrize(
    "steps",
    [
        "Step 1: Pull the plug.\nStep 2: Turn the lid.\nStep 3: Take it out.",
        "(1) Pull the plug.\n(2) Turn the lid.\n(3) Take it out.",
        "① Pull the plug.\n② Turn the lid.\n③ Take it out.",
        "1) Pull the plug.\n\n2) Turn the lid.\n\n3) Take it out.",
        "第一步：Pull the plug.\n第二步：Turn the lid.\n第三步：Take it out.",
    ],
)
def test_steps_are_numbered_in_many_ways(steps: str) -> None:
    filter_ = passage(
        f"## Changing the filter\n\n{steps}\n\nA filter lasts a year.\n",
        heading="Kettle > Changing the filter",
    )
    told = answer(draft("How do I change the filter?", filter_)).answer
    assert [told.count(each) for each in ("plug", "lid", "out", "year")] == [1, 1, 1, 0]


def test_steps_of_something_else_are_not_preferred() -> None:
    mail = passage(
        "## Sending a letter\n\n1. Print a stamp.\n2. Hand the letter in.\n",
        "mail.md",
        heading="Help > Sending a letter",
    )
    made = draft("How do I turn on sync?", mail, SYNC)
    assert answer(made).sources == ["sync.md"]


def test_ratings_with_numbers_are_no_steps() -> None:
    reviews = passage(
        "## Reviews\n\n1) Rating: 5\n2) Rating: 3\n\nSet the tent up on flat ground.\n"
    )
    assert answer(draft("How do I set up the tent?", reviews)).answer.startswith("Set the tent up")


def test_how_something_is_done_is_told_by_the_whole_paragraph() -> None:
    faq = passage(
        "**如何导出笔记？**\n答：打开“文件”菜单。选择“导出”，可以选 PDF。\n\n"
        "**怎么打印？**\n按 Ctrl+P。",
        "faq.md",
    )
    assert answer(draft("怎么导出笔记？", faq)).answer == "打开“文件”菜单。选择“导出”，可以选 PDF。"
    bin_ = passage(
        "## Bin\n\nDeleted notes stay there for 60 days. Open the bin and press Put back.\n"
    )
    assert answer(draft("How do I get deleted notes back?", bin_)).answer.endswith("Put back.")
    assert answer(draft("Where do deleted notes stay?", bin_)).answer.startswith("Deleted notes")


def test_a_question_in_bold_is_no_answer_but_leads_to_one() -> None:
    faq = passage(
        "# Questions\n\n**Do you have a loyalty card?**\nYes, and it is free.\n\n"
        "**Is there parking?**\nThere are 60 spaces behind the store.\n",
        "faq.md",
    )
    assert "60 spaces" in answer(draft("Is there parking?", faq)).answer
    assert "it is free" in answer(draft("Do you have a loyalty card?", faq)).answer
    zh = passage(
        "**有会员卡吗？**\n有，免费办理。\n\n**有停车场吗？**\n店后面有 60 个车位。\n", "faq.md"
    )
    assert "60 个车位" in answer(draft("有停车场吗？", zh)).answer


STOCK = [
    passage(f"product: {name}; colour: {colour}; in_warehouse: {n}; in_shop: {n + 1}", "stock.csv")
    for name, colour, n in [
        ("Kettle K17", "grey", 42),
        ("Kettle K17", "white", 0),
        ("Lamp", "red", 7),
    ]
]


def test_rows_on_the_same_thing_are_told_apart() -> None:
    made = draft("How many kettles are in stock?", *STOCK)
    assert answer(made).answer == (
        "Kettle K17, colour: grey, in warehouse: 42, in shop: 43;"
        " Kettle K17, colour: white, in warehouse: 0, in shop: 1"
    )
    assert [citation.verified for citation in made.citations] == [True, True]
    only = answer(draft("How many white kettles are in stock?", *STOCK)).answer
    assert only == "Kettle K17, colour: white, in warehouse: 0, in shop: 1"


def test_a_row_says_which_one_it_is_about() -> None:
    told = answer(draft("Is a white kettle in the shop?", STOCK[1])).answer
    assert told == "Kettle K17, colour: white, in shop: 1"


def test_figures_do_not_tell_where_something_is() -> None:
    shop = passage("鹿特丹门店在周二至周六营业。", "营业时间")
    rows = passage(
        "型号: K17-F; 商品: 水壶滤网; 仓库库存: 130; 门店库存: 12", "库存表.csv", score=9.0
    )
    assert "鹿特丹" in answer(draft("门店在哪里？", rows, shop)).answer


def test_a_value_may_be_what_was_asked_for() -> None:
    row = passage("福利: 体检; 对象: 正式员工; 公司承担: 每年一次; 开始: 转正后", "福利.csv")
    assert answer(draft("体检多久一次？", row)).answer == "体检，公司承担：每年一次"


@pytest.mark.parametrize(
    ("question", "rows", "said"),
    [
        (
            "How many tents are in stock?",
            ["product: Groundsheet for tent T2; in_shop: 1", "product: Tent T2; in_shop: 0"],
            "Tent T2: 0",
        ),
        (
            "When will the tent be available again?",
            [
                "product: Groundsheet for tent T2; in_shop: 1; next_delivery: 2027-02-16",
                "product: Two-person tent T2; in_shop: 0; next_delivery: 2027-02-15",
            ],
            "Two-person tent T2, in shop: 0, next delivery: 2027-02-15",
        ),
        (
            "水壶还有多少库存？",
            ["商品: 水壶 K17 滤网; 单位: 个; 库存: 12", "商品: 电水壶 K17; 单位: 个; 库存: 5"],
            "电水壶 K17，库存：5",
        ),
    ],
)
def test_a_part_of_a_thing_is_not_the_thing(question: str, rows: list[str], said: str) -> None:
    stock = [passage(row, "stock.csv") for row in rows]
    assert answer(draft(question, *stock)).answer == said


EXCEPTIONS = passage(
    "## Exceptions to returns\n\n- Living plants\n- Opened seeds\n- Greenhouses\n",
    heading="Returns > Exceptions to returns",
)


def test_a_list_answers_whole_what_is_asked_of_its_heading() -> None:
    what = "What are the exceptions to returns?"
    assert answer(draft(what, EXCEPTIONS)).answer == "Living plants; Opened seeds; Greenhouses"
    schema = response_type(max_answer_chars=32)
    told = answer(draft(what, EXCEPTIONS, schema=schema), schema).answer
    assert told == "Living plants; Opened seeds …"
    one = answer(draft("Are plants exceptions to returns?", EXCEPTIONS)).answer
    assert one == "Living plants"
