from __future__ import annotations

from typing import Any

import pytest

from ragqa.errors import ConfigError, UnknownNameError
from ragqa.ports import Chunk
from ragqa.retrieval.embedded import EmbeddedIndex
from tests.unit.retrieval.shelf import put, titles

KETTLE = "A kettle boils water."


def record(title: str, **metadata: Any) -> Chunk:
    return Chunk(title, title, KETTLE, 0, len(KETTLE), metadata=metadata)


@pytest.fixture
def shop(index: EmbeddedIndex) -> EmbeddedIndex:
    put(
        index,
        {
            "policies/returns.md": KETTLE,
            "policies/old/returns.md": KETTLE,
            "products.jsonl": [
                record("A1", category="kettles", price=20, stock=True, tags=["red", "big"]),
                record("A2", category="pans", price=20.5, stock=False, tags=["red"]),
                record("A3", maker={"name": "Acme", "town": "Ulm"}, note=None),
            ],
        },
    )
    return index


def found(index: EmbeddedIndex, **strategy: Any) -> set[str]:
    return set(titles(index, "kettle", k=50, **strategy))


@pytest.mark.parametrize(
    ("conditions", "expected"),
    [
        ({"category": "kettles"}, {"A1"}),
        ({"category": ["kettles", "pans"]}, {"A1", "A2"}),
        ({"price": 20}, {"A1"}),
        ({"price": "20"}, {"A1"}),
        ({"price": 20.5}, {"A2"}),
        ({"stock": True}, {"A1"}),
        ({"stock": "false"}, {"A2"}),
        ({"tags": "red"}, {"A1", "A2"}),
        ({"tags": ("big", "small")}, {"A1"}),
        ({"maker.town": "Ulm"}, {"A3"}),
        ({"tags": "red", "price": 20}, {"A1"}),
        ({"tags": "red", "maker.town": "Ulm"}, set()),
        ({"category": []}, set()),
        ({"id": "A2"}, {"A2"}),
        ({"title": "A3"}, {"A3"}),
        ({"title": "A?"}, {"A1", "A2", "A3"}),
        ({"title": "*.md"}, {"returns.md"}),
        ({"title": "a1"}, set()),
        ({"path": "products.jsonl"}, {"A1", "A2", "A3"}),
        ({"path": ["policies/*", "nowhere"]}, {"returns.md"}),
        ({"path": "policies"}, set()),
        ({"page": 1}, set()),
        ({"heading": "none"}, set()),
    ],
)
def test_filters(shop: EmbeddedIndex, conditions: dict[str, Any], expected: set[str]) -> None:
    assert found(shop, filter=conditions) == expected


@pytest.mark.parametrize(
    "marks", ["a.b", "a+b", "(a)", "[a]", "a|b", "^a$", "a\\b", "{a}", "a\x1fb"]
)
def test_marks_of_regular_expressions_stand_for_themselves(
    index: EmbeddedIndex, marks: str
) -> None:
    put(index, {f"x/{marks}.md": KETTLE, "x/other.md": KETTLE})
    assert found(index, filter={"path": f"x/{marks}*"}) == {f"{marks}.md"}
    assert found(index, filter={"path": f"?/{marks}.md"}) == {f"{marks}.md"}


def test_an_unknown_field_is_named_with_the_known_ones(shop: EmbeddedIndex) -> None:
    with pytest.raises(UnknownNameError) as caught:
        found(shop, filter={"categry": "pans"})
    assert "categry" in caught.value.message
    assert "category" in caught.value.hint
    assert "maker.town" in caught.value.hint


@pytest.mark.parametrize("value", [None, {"a": 1}, ["x", None]])
def test_a_filter_value_that_is_none_is_refused(shop: EmbeddedIndex, value: Any) -> None:
    with pytest.raises(ConfigError, match="category"):
        found(shop, filter={"category": value})


def test_metadata_cannot_pose_as_a_field_of_the_document(index: EmbeddedIndex) -> None:
    put(index, {"a.jsonl": [record("A1", path="b.jsonl", id="B1", heading="H")]})
    assert found(index, filter={"path": "b.jsonl"}) == set()
    assert found(index, filter={"heading": "H"}) == set()
    assert found(index, filter={"id": "A1", "title": "A1"}) == {"A1"}


def test_a_value_cannot_pose_as_another_field(index: EmbeddedIndex) -> None:
    put(index, {"a.jsonl": [record("A1", note="x\x1fcategory"), record("A2", category="pans")]})
    assert found(index, filter={"category": "pans"}) == {"A2"}


@pytest.mark.parametrize(
    ("boost", "first"),
    [
        ({"A2": 2.0}, "A2"),
        ({"A*": 2.0, "A3": 3.0}, "A3"),
        ({"policies/*": 2.0}, "returns.md"),
        ({"category=pans": 1.5}, "A2"),
        ({"price=20": 1.5, "A2": 1.2}, "A1"),
    ],
)
def test_boosted_documents_come_first(
    shop: EmbeddedIndex, boost: dict[str, float], first: str
) -> None:
    assert titles(shop, "kettle", boost=boost)[0] == first


def test_a_boost_multiplies_the_score(shop: EmbeddedIndex) -> None:
    from ragqa.contract import Strategy
    from ragqa.ports import SearchQuery

    def scores(**boost: float) -> dict[str, float]:
        query = SearchQuery("kettle", 50, strategy=Strategy(boost=boost))
        return {p.chunk_id: p.score for p in shop.retrieve(query)}

    plain, boosted = scores(), scores(A1=2.0, A2=0.5)
    assert plain.keys() == boosted.keys()
    assert boosted["products.jsonl#0"] == pytest.approx(2 * plain["products.jsonl#0"])
    assert boosted["products.jsonl#1"] == pytest.approx(plain["products.jsonl#1"] / 2)
    assert boosted["products.jsonl#2"] == pytest.approx(plain["products.jsonl#2"])


def test_a_lowered_document_does_not_hide_the_others(index: EmbeddedIndex) -> None:
    many = {f"old/{n}.md": "kettle kettle kettle" for n in range(60)}
    put(index, {**many, "new.md": "A kettle among many other words that say little of it."})
    assert titles(index, "kettle", k=1, boost={"old/*": 0.01}) == ["new.md"]


@pytest.mark.parametrize("factor", [0, -1.0, float("nan"), float("inf")])
def test_a_boost_that_is_no_factor_is_refused(shop: EmbeddedIndex, factor: float) -> None:
    with pytest.raises(ConfigError, match="boost"):
        titles(shop, "kettle", boost={"A1": factor})


def test_filter_and_boost_go_together(shop: EmbeddedIndex) -> None:
    assert titles(shop, "kettle", filter={"tags": "red"}, boost={"A2": 3.0, "A3": 9.0}) == [
        "A2",
        "A1",
    ]


@pytest.fixture
def office(index: EmbeddedIndex) -> EmbeddedIndex:
    put(index, {"open.md": KETTLE})
    put(index, {"staff.md": KETTLE}, groups=("staff",))
    put(index, {"both.md": KETTLE}, groups=("staff", "board"))
    put(index, {"nobody.md": KETTLE}, groups=())
    return index


@pytest.mark.parametrize(
    ("groups", "expected"),
    [
        ((), {"open.md"}),
        (("guests",), {"open.md"}),
        (("staff",), {"open.md", "staff.md", "both.md"}),
        (("board", "guests"), {"open.md", "both.md"}),
        (("*",), {"open.md"}),
        (("Staff", "staf", "staff*", "\ud800"), {"open.md"}),
    ],
)
def test_a_caller_finds_what_its_groups_may_see(
    office: EmbeddedIndex, groups: tuple[str, ...], expected: set[str]
) -> None:
    assert set(titles(office, "kettle", groups=groups)) == expected


def test_trimming_happens_inside_the_search(index: EmbeddedIndex) -> None:
    put(index, {f"secret/{n}.md": "kettle " * 9 for n in range(80)}, groups=("board",))
    put(index, {"open.md": "Once in a while somebody mentions a kettle here."})
    assert titles(index, "kettle", k=1) == ["open.md"]


def test_what_is_secret_later_is_trimmed_in_the_same_object(index: EmbeddedIndex) -> None:
    put(index, {"a.md": KETTLE, "b.md": KETTLE})
    assert set(titles(index, "kettle")) == {"a.md", "b.md"}
    put(index, {"a.md": KETTLE}, groups=("staff",))
    assert set(titles(index, "kettle")) == {"b.md"}


def test_where_nothing_is_for_everybody_a_caller_without_groups_finds_nothing(
    index: EmbeddedIndex,
) -> None:
    put(index, {"a.md": KETTLE}, groups=("staff",))
    assert titles(index, "kettle") == []
    assert titles(index, "kettle", groups=("staff",)) == ["a.md"]
