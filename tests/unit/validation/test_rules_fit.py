"""Category, language and entities fit what was asked and what the documents say."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragqa.contract import Caller, Entity
from ragqa.ports import Category
from ragqa.validation.gate import CheckContext
from ragqa.validation.rules import AnswerLanguage, CategoryFit, Entities
from tests.unit.validation.answers import codes, judged, passage, response

CATEGORIES = (
    Category(
        "pricing", "Prices and costs.", ("price", "cost", "how much", "euro", "价格", "多少钱")
    ),
    Category("policy", "Returns and warranty.", ("return", "warranty", "退货", "保修")),
    Category("stock", "Availability.", ("in stock", "available", "库存", "有货")),
    Category("other", "Anything else."),
)


def refused(category: str, question: str, answer: str, categories: Any = CATEGORIES) -> bool:
    value = response(answer).model_copy(update={"category": category})
    context = CheckContext(question=question, categories=categories)
    return codes(CategoryFit().check(value, context)) == ["rules.category_fit"]


def test_another_category_that_is_plainly_meant_is_named() -> None:
    value = response("The kettle costs 49 euros.").model_copy(update={"category": "stock"})
    context = CheckContext(question="How much is the kettle?", categories=CATEGORIES)
    outcome = CategoryFit().check(value, context)
    assert codes(outcome) == ["rules.category_fit"]
    assert "'pricing'" in outcome.faults[0].feedback  # type: ignore[union-attr]
    assert refused("stock", "水壶多少钱？", "水壶价格为199元。")


@pytest.mark.parametrize(
    ("category", "question", "answer"),
    [
        ("pricing", "How much is the kettle?", "The kettle costs 49 euros."),
        ("other", "How much is the kettle?", "The kettle costs 49 euros."),
        ("stock", "Is it in stock, and how much?", "Yes; the price is 49 euros."),
        ("stock", "How much is left?", "42 pieces."),
        ("policy", "How much does a return cost?", "A return costs 4.95 euros."),
        ("policy", "Is it waterproof?", "Yes, it is."),
        ("unknown", "How much is the kettle?", "The kettle costs 49 euros."),
    ],
)
def test_when_in_doubt_a_category_passes(category: str, question: str, answer: str) -> None:
    assert not refused(category, question, answer)


def test_names_alone_refuse_nothing() -> None:
    bare = tuple(Category(each.name) for each in CATEGORIES)
    assert not refused("stock", "How much is the kettle?", "It costs 49 euros.", bare)
    assert not refused("stock", "How much is the kettle?", "It costs 49 euros.", ())


def test_categories_of_a_callers_own_are_judged_by_their_examples() -> None:
    own = (
        Category("billing", examples=("Where is my invoice?", "Why was my card charged twice?")),
        Category("technical", examples=("The router blinks red.", "My modem restarts at night.")),
    )
    question = "Where can I see the invoice for my card?"
    answer = "Every invoice lists how your card was charged, under Account."
    assert refused("technical", question, answer, own)
    assert not refused("billing", question, answer, own)


LANGUAGES = [
    ("退货期限是多久？", "You can return it within 30 days of delivery.", True),
    ("How long is the return period?", "签收后三十天内可以退货，需保留包装。", True),
    ("退货期限是多久？", "签收后30天内。", False),
    ("退货期限是多久？", "30", False),
    ("这款水壶叫什么？", "Kettle K17", False),
    ("作者是谁？", "The Lord of the Rings", False),
    ("他的书用英文怎么说？", "The book is called The Art of War in English.", False),
    ("K17 的保修？", "保修 2 年 (K17)。", False),
    ("What is the Chinese name of the kettle?", "它的中文名称是电热水壶。", False),
    ("How do you say that?", "退货", False),
    ("返品期限は？", "You can return it within 30 days of delivery.", False),
    ("Wie lange habe ich Zeit?", "You have 30 days to return it.", False),
    ("", "签收后三十天内可以退货，需保留包装。", False),
]


@pytest.mark.parametrize(("question", "answer", "wrong"), LANGUAGES)
def test_the_answer_is_in_the_language_of_the_question(
    question: str, answer: str, wrong: bool
) -> None:
    expected = ["rules.language"] if wrong else []
    assert judged(AnswerLanguage(), answer, question=question) == expected


def test_a_quotation_stays_in_the_language_of_its_document() -> None:
    text = "Returns: you can return it within 30 days\nof delivery. Keep the box."
    said = "you can return it within 30 days of delivery."
    known = {"question": "退货期限是多久？", "passages": (passage("returns.md", text),)}
    assert judged(AnswerLanguage(), said, **known) == []
    said = "You may return it for 30 days after delivery."
    assert judged(AnswerLanguage(), said, **known) == ["rules.language"]


TABLE = passage(
    "products.csv",
    "id: 1; name: TrailMaster X4 Tent; price: 250.0; brand: OutdoorLiving\n"
    "id: 2; name: Adventurer Pro Backpack; price: 90.0; brand: HikeMate\n",
)
MANUAL = passage(
    "tent.md", "item_number: 1\nprice $250,\n## Brand\nIt sleeps 4.", heading="TrailMaster X4 Tent"
)
CHINESE = passage(
    "价格表.csv", "型号: K17; 名称: 电热水壶K17; 价格: ￥299\n型号: L5; 名称: 台灯L5; 价格: ￥199\n"
)
TENT = "TrailMaster X4 Tent"


def listed(
    answer: str, *entities: tuple[str, str | None, float | None], source: str, **known: Any
) -> list[str]:
    value = response(
        answer,
        sources=[source],
        entities=[Entity(name=name, entity_id=id_, price=price) for name, id_, price in entities],
    )
    context = {"passages": (TABLE, MANUAL, CHINESE)} | known
    outcome = Entities().check(value, CheckContext(**context))
    faults = getattr(outcome, "faults", ())
    return [fault.field for fault in faults] or list(outcome.repairs)


@pytest.mark.parametrize(
    ("entity", "source", "wrong"),
    [
        ((TENT, "1", 250.0), "products.csv", []),
        ((TENT, None, None), "products.csv", []),
        ((TENT, "2", 250.0), "products.csv", ["entities.0.entity_id"]),
        ((TENT, "1", 90.0), "products.csv", ["entities.0.price"]),
        ((TENT, "1", 1.0), "products.csv", ["entities.0.price"]),
        ((TENT, "250", None), "products.csv", ["entities.0.entity_id"]),
        ((TENT, "1", 250.0), "tent.md", []),
        ((TENT, "1", 4.0), "tent.md", ["entities.0.price"]),
        (("X4", None, None), "products.csv", []),
        (("X40", None, None), "products.csv", ["entities.0"]),
        (("Summit Tent", None, None), "products.csv", ["entities.0"]),
    ],
)
def test_ids_and_prices_stand_with_the_products_name(
    entity: tuple[str, str | None, float | None], source: str, wrong: list[str]
) -> None:
    assert listed(f"The {TENT} sleeps four.", entity, source=source) == wrong


PROSE = passage(
    "shop.md", "The Ranger Bag is green. It costs 90 euros. The Summit Tent costs 250 euros."
)


@pytest.mark.parametrize(
    ("price", "wrong"), [(90.0, []), (250.0, ["entities.0.price"]), (None, [])]
)
def test_a_price_in_prose_stands_where_the_product_is_named(price: float, wrong: list[str]) -> None:
    known: dict[str, Any] = {"source": "shop.md", "passages": (PROSE,)}

    assert listed("Ranger Bags are green.", ("Ranger Bag", None, price), **known) == wrong


def test_chinese_records() -> None:
    said = "电热水壶K17售价299元。"
    assert listed(said, ("电热水壶K17", "K17", 299.0), source="价格表.csv") == []
    assert listed(said, ("电热水壶K17", "L5", 199.0), source="价格表.csv") == [
        "entities.0.entity_id",
        "entities.0.price",
    ]


def test_prices_are_in_the_one_unit() -> None:
    entity = (TENT, None, 250.0)
    said = f"The {TENT} costs 250."
    assert listed(said, entity, source="tent.md", price_unit="USD") == []
    assert listed(said, entity, source="tent.md", price_unit="EUR") == ["entities.0.price"]
    assert listed(said, entity, source="products.csv", price_unit="EUR") == []


def test_entities_stand_once() -> None:
    said, entity = f"The {TENT} costs 250.", (TENT, "1", 250.0)
    assert listed(said, entity, entity, source="products.csv") == ["duplicate_entities"]
    assert listed(said, entity, (TENT, "1", None), source="products.csv") == ["entities.1"]


def test_without_texts_only_the_names_are_checked() -> None:
    assert listed("No product.", (TENT, "9", 9.0), source="a.md", passages=None) == ["entities.0"]
    assert listed(f"The {TENT}.", (TENT, "9", 9.0), source="a.md", passages=None) == []


def test_a_passage_that_the_caller_may_not_see_bears_nothing_out() -> None:
    secret = TABLE.model_copy(update={"groups": ("staff",)})
    entity, said = (TENT, "1", 250.0), f"The {TENT} costs 250."
    assert listed(said, entity, source="products.csv", passages=(secret,)) == [
        "entities.0.entity_id",
        "entities.0.price",
    ]
    staff = Caller(groups=("staff",))
    assert listed(said, entity, source="products.csv", passages=(secret,), caller=staff) == []


@given(st.text(), st.text(), st.text(min_size=1).filter(str.strip))
def test_any_texts_can_be_compared(question: str, answer: str, name: str) -> None:
    try:
        entity = Entity(name=name, entity_id=question, price=1.5)
    except ValueError:  # lone surrogates never get here
        return
    value = response(entities=[entity]).model_copy(update={"answer": answer})
    context = CheckContext(question=question, passages=(TABLE,), categories=CATEGORIES)
    for rule in (CategoryFit(), AnswerLanguage(), Entities()):
        assert set(codes(rule.check(value, context))) <= {f"rules.{rule.name}"}
