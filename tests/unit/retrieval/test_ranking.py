from __future__ import annotations

import pytest

from ragqa.ports import SearchQuery
from ragqa.retrieval.embedded import EmbeddedIndex
from ragqa.retrieval.ranking import Hit, fused
from tests.unit.retrieval.shelf import chunks, put, titles

FILLER = "Nothing of note stands here. "


def test_titles_and_headings_are_searched(index: EmbeddedIndex) -> None:
    put(index, {"kettle manual.md": FILLER, "pan.md": FILLER})
    put(index, {"deep.md": chunks("deep.md", FILLER, heading="Care > Descaling")})
    assert titles(index, "kettle") == ["kettle manual.md"]
    assert titles(index, "how do I descale it") == ["deep.md"]


def test_the_text_counts_more_than_the_title(index: EmbeddedIndex) -> None:
    put(index, {"kettle.md": "A pan.", "pan.md": "A kettle."})
    assert titles(index, "kettle") == ["pan.md", "kettle.md"]


def test_words_in_the_order_of_the_question_come_first(index: EmbeddedIndex) -> None:
    put(
        index,
        {
            "apart.md": "The kettle is green, the warranty long. Extended tours cost more.",
            "together.md": "More tours cost, the kettle is green. The extended warranty is long.",
        },
    )
    assert titles(index, "extended warranty") == ["together.md", "apart.md"]
    first, second = index.retrieve(SearchQuery("extended warranty"))
    assert first.score > second.score


def test_neighbours_count_beside_many_equal_passages(index: EmbeddedIndex) -> None:
    """Passages of the same text share a key; they must not push others out."""
    put(index, {f"same/{n}.md": "warranty extended warranty extended" for n in range(300)})
    put(index, {"one.md": "The extended warranty."})
    (best,) = index.retrieve(SearchQuery("the extended warranty", k=1))
    assert best.title == "one.md"


def test_rare_words_tell_more_than_frequent_ones(index: EmbeddedIndex) -> None:
    put(index, {f"{n}.md": "The price of the pan." for n in range(20)})
    put(index, {"rare.md": "The price of the samovar."})
    assert titles(index, "What is the price of the samovar?")[0] == "rare.md"


@pytest.mark.parametrize("k", [1, 3, 20, 21, 70])
def test_as_many_as_asked_for(index: EmbeddedIndex, k: int) -> None:
    put(index, {f"{n}.md": "kettle " * (n % 7 + 1) for n in range(60)})
    passages = index.retrieve(SearchQuery("kettle", k))
    assert len(passages) == min(k, 60)
    assert [p.score for p in passages] == sorted((p.score for p in passages), reverse=True)
    assert len({p.path for p in passages}) == len(passages)


@pytest.mark.parametrize("k", [0, -1])
def test_nothing_where_nothing_is_asked_for(index: EmbeddedIndex, k: int) -> None:
    put(index, {"a.md": "kettle"})
    assert list(index.retrieve(SearchQuery("kettle", k))) == []


def test_files_do_not_count_in_the_statistics(index: EmbeddedIndex) -> None:
    """A word in every passage says nothing, however many files they come from."""
    put(index, {f"{n}.md": f"kettle number{n}" for n in range(30)})
    everywhere, one = (
        index.retrieve(SearchQuery(word, 1))[0].score for word in ("kettle", "number7")
    )
    assert everywhere < one / 20


def test_reciprocal_ranks_are_added_up() -> None:
    first, second, third = (Hit(-1.0, 0, n) for n in (1, 2, 3))
    ranked = fused([first, second], [second, third])
    assert [(hit.segment, hit.number) for hit in ranked] == [(0, 2), (0, 1), (0, 3)]
    assert ranked[0].score == pytest.approx(1 / 6 + 1 / 7)
    assert ranked[2].score == pytest.approx(1 / 7)
