import pytest

from ragqa.ports import Chunk, SearchQuery, StoredFile
from ragqa.retrieval.analysis import query_terms
from ragqa.retrieval.embedded import EmbeddedIndex
from ragqa.retrieval.spelling import corrected, distance

TEXTS = {
    "health.md": "Health insurance covers ambulance services and anesthesia in emergencies.",
    "kettle.md": "The kettle boils water. Standard delivery takes three days.",
    "茶具.md": "茶具可在三十天内退货。",
    "code.md": "Order number ab12x ships from Zürich.",
}


@pytest.fixture
def index(tmp_path):
    index = EmbeddedIndex(tmp_path / "index")
    with index.writer() as writer:
        for name, text in TEXTS.items():
            file = StoredFile(name, name, name, name, chunks=1)
            writer.replace(file, [Chunk(name, "", text, 0, len(text))])
    return index


def meant(index, question):
    return corrected(index._view(), query_terms(question)).words


@pytest.mark.parametrize(
    ("typed", "known"),
    [
        ("helth", "health"),
        ("standerd", "standard"),
        ("deilvery", "deliveri"),
        ("anesthezia", "anesthesia"),
        ("servis", "servic"),
    ],
)
def test_slips_are_read_as_what_was_meant(index, typed, known):
    assert meant(index, typed) == [known]


@pytest.mark.parametrize(
    "word", ["health", "kettle", "paris", "oslo", "wtr", "ab13x", "茶几", "zzzz", "hexlth9"]
)
def test_what_is_known_or_like_nothing_stays(index, word):
    assert meant(index, word) == query_terms(word).words


def test_a_question_with_slips_finds_its_document(index):
    found = index.retrieve(SearchQuery("Dose helth insurence cover ambulence?", k=1))
    assert [passage.title for passage in found] == ["health.md"]


def test_pairs_are_corrected_too(index):
    terms = corrected(index._view(), query_terms("standerd delivry"))
    assert terms.pairs == [("standard", "deliveri")]


@pytest.mark.parametrize(
    ("one", "other", "most", "apart"),
    [
        ("tea", "tea", 1, 0),
        ("tea", "teas", 1, 1),
        ("recieve", "receive", 1, 1),
        ("kitten", "sitting", 2, None),
        ("kitten", "sitting", 3, 3),
        ("", "ab", 2, 2),
        ("abcdef", "fedcba", 2, None),
    ],
)
def test_distance(one, other, most, apart):
    assert distance(one, other, most) == apart
    assert distance(other, one, most) == apart
