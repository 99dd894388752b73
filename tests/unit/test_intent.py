import pytest

from ragqa.contract import Strategy
from ragqa.intent import BUILT_IN, categorise
from ragqa.ports import Category

ENGLISH = tuple(BUILT_IN[name] for name in ("pricing", "policy", "product", "stock", "other"))
CHINESE = tuple(BUILT_IN[name] for name in ("价格咨询", "售后政策", "产品参数", "库存查询", "其他"))
TWINS = dict(
    zip((c.name for c in ENGLISH), (c.name for c in CHINESE), strict=True),
)


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("How much is the red lamp?", "pricing"),
        ("Do you give students a discount?", "pricing"),
        ("这个怎么卖？", "pricing"),
        ("会员价格有优惠吗？", "pricing"),
        ("Can I send back an opened box?", "policy"),
        ("What does the warranty cover?", "policy"),
        ("My order arrived damaged, what now?", "policy"),
        ("坏了怎么保修？", "policy"),
        ("可以七天无理由退货吗？", "policy"),
        ("How much does the stove weigh?", "product"),
        ("Is the jacket waterproof?", "product"),
        ("帐篷的材质是什么？", "product"),
        ("电池续航多久？", "product"),
        ("Is the blue one in stock?", "stock"),
        ("When will it be available again?", "stock"),
        ("什么时候补货？", "stock"),
        ("Who founded the company?", "other"),
        ("你们老板是谁？", "other"),
    ],
)
def test_built_in_categories_know_both_languages(question: str, name: str) -> None:
    assert categorise(question, ENGLISH) == name
    assert categorise(question, CHINESE) == TWINS[name]


def test_bare_names_of_built_in_categories_are_enough() -> None:
    bare = (Category("pricing"), Category("stock"), Category("other"))
    assert categorise("What does it cost?", bare) == "pricing"
    assert categorise("库存还有吗？", (Category("库存查询"), Category("其他"))) == "库存查询"


def test_own_keywords_replace_the_built_in_ones() -> None:
    own = (Category("pricing", keywords=("toll",)), Category("other"))
    assert categorise("What is the toll?", own) == "pricing"
    assert categorise("Is there a discount?", own) == "other"


CUSTOM = (
    Category("billing", keywords=("invoice", "direct debit")),
    Category("technical", description="Crashes and errors of the app"),
    Category("account", examples=("How do I change my password?",)),
    Category("shipping"),
    Category("rest"),
)


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("Where are my invoices?", "billing"),
        ("Can I pay by direct debit?", "billing"),
        ("The app shows errors and crashes", "technical"),
        ("Can I change the password?", "account"),
        ("Is shipping free?", "shipping"),
        ("Hello there", "rest"),
        ("Direct trains to Rome", "rest"),
    ],
)
def test_custom_categories_are_told_by_what_they_say(question: str, name: str) -> None:
    assert categorise(question, CUSTOM) == name


def test_the_last_resort_is_other_wherever_it_stands() -> None:
    categories = (Category("Other"), Category("billing"))
    assert categorise("Hello", categories) == "Other"
    assert categorise("你好", (Category("账单"), Category("其他"), Category("技术"))) == "其他"


def test_without_categories_the_defaults_count() -> None:
    assert categorise("What does it cost?", ()) == "pricing"
    assert categorise("Hello", ()) == "other"


def test_braces_and_blanks_are_no_trouble() -> None:
    assert categorise("{price} %s", ENGLISH) == "pricing"
    assert categorise("?", ENGLISH) == "other"


def test_built_in_strategies_are_plain() -> None:
    assert all(category.strategy == Strategy() for category in BUILT_IN.values())
