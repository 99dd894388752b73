import json

import pytest

from ragqa.errors import ConfigError
from ragqa.evaluation import Place, question_of, read_questions, sample


def test_answers_with_documents():
    question = question_of(
        {"id": "q7", "question": "How long?", "answers": ["30 days", "a month"],
         "gold_doc": "returns.md", "alt_docs": ["faq.md"], "kind": "answerable"}, 1,
    )  # fmt: skip
    assert question.id == "q7"
    assert question.answers == ("30 days", "a month")
    assert question.places == (Place("returns.md"), Place("faq.md"))
    assert question.alternatives
    assert question.answerable


def test_a_truth_names_its_places():
    truth = "Ask twice. [Benefit Options.pdf#page=3] [handbook.pdf#page=12]"
    question = question_of({"question": "How?", "truth": truth}, 4)
    assert question.reference == "Ask twice."
    assert question.places == (Place("Benefit Options.pdf", 3), Place("handbook.pdf", 12))
    assert not question.alternatives
    assert (question.id, question.answers) == ("4", ())


def test_brackets_that_are_no_place_stay_in_the_truth():
    question = question_of({"question": "How?", "truth": "See [1] and [a.pdf] [note: x]."}, 1)
    assert question.reference == "See [1] and [note: x]."
    assert question.places == (Place("a.pdf"),)


@pytest.mark.parametrize(
    "more",
    [
        {"answers": []},
        {"answers": [], "gold_doc": None, "alt_docs": []},
        {"kind": "unanswerable_withheld"},
        {"kind": "Unanswerable", "answers": ["what was withheld"]},
        {"is_impossible": True, "answers": []},
    ],
)
def test_unanswerable(more):
    question = question_of({"question": "Who?", **more}, 1)
    assert not question.answerable
    assert question.answers == question.places == ()


@pytest.mark.parametrize("more", [{"gold_doc": "a.md"}, {"truth": "[a.pdf#page=2]"}])
def test_a_place_alone_is_enough(more):
    question = question_of({"question": "Who?", **more}, 1)
    assert question.answerable
    assert len(question.places) == 1


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"question": "Who?"', "no JSON"),
        ('["Who?"]', "no JSON object"),
        ('"Who?"', "no JSON object"),
        ('{"answers": ["x"]}', "no text under 'question'"),
        ('{"question": 7, "answers": []}', "no text under 'question'"),
        ('{"question": "  ", "answers": []}', "empty"),
        ('{"question": "Who?"}', "neither what is right"),
        ('{"question": "Who?", "answers": [7]}', "'answers' that is no list of texts"),
        ('{"question": "Who?", "answers": {"text": "x"}}', "'answers'"),
        ('{"question": "Who?", "answers": [], "alt_docs": 3}', "'alt_docs'"),
        ('{"question": "Who?", "truth": ["x"]}', "'truth'"),
        ("[" * 100_000, "no JSON"),
        (json.dumps({"question": "x" * 5000, "answers": []}), "5000 characters"),
    ],
)
def test_a_wrong_line_is_named(tmp_path, line, said):
    file = tmp_path / "q.jsonl"
    file.write_text('{"question": "Fine?", "answers": ["x"]}\n\n' + line + "\n")
    with pytest.raises(ConfigError) as raised:
        read_questions(file)
    assert "Line 3" in raised.value.message
    assert said in raised.value.message
    assert raised.value.hint


def test_files_that_hold_nothing_to_ask(tmp_path):
    with pytest.raises(ConfigError, match="cannot be read"):
        read_questions(tmp_path / "none.jsonl")
    with pytest.raises(ConfigError, match="cannot be read"):
        read_questions(tmp_path)
    (tmp_path / "e.jsonl").write_text("\n \n")
    with pytest.raises(ConfigError, match="holds no question"):
        read_questions(tmp_path / "e.jsonl")
    (tmp_path / "l.jsonl").write_bytes('{"question": "Größe?", "answers": []}'.encode("latin-1"))
    with pytest.raises(ConfigError, match="UTF-8"):
        read_questions(tmp_path / "l.jsonl")


def test_line_separators_inside_a_text_break_no_line(tmp_path):
    file = tmp_path / "q.jsonl"
    text = '{"question": "Who\u2028said\x85it?", "answers": ["x"]}\r\n'
    file.write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert len(read_questions(file)) == 1


def test_a_sample_is_the_same_for_a_seed_and_in_order():
    questions = [question_of({"question": f"Q{n}?", "answers": []}, n) for n in range(1, 51)]
    drawn = sample(questions, 10, 3)
    assert drawn == sample(questions, 10, 3) != sample(questions, 10, 4)
    assert [q.number for q in drawn] == sorted(q.number for q in drawn)
    assert sample(questions, None, 3) == sample(questions, 99, 3) == questions


@pytest.mark.parametrize(
    ("place", "names", "page", "there"),
    [
        (Place("a.pdf", 3), ("docs/a.pdf", "a.pdf"), 3, True),
        (Place("a.pdf", 3), ("docs/a.pdf",), 3, True),
        (Place("a.pdf", 3), (r"docs\a.pdf",), 3, True),
        (Place("a.pdf", 3), ("a.pdf",), 4, False),
        (Place("a.pdf", 3), ("a.pdf",), None, False),
        (Place("a.pdf"), ("a.pdf",), 4, True),
        (Place("docs/a.pdf"), ("docs/a.pdf",), 1, True),
        (Place("a.pdf"), ("ba.pdf", None), None, False),
        (Place("en-1"), ("en-1", "Kettle"), None, True),
    ],
)
def test_a_place_is_recognised(place, names, page, there):
    assert place.is_in(names, page) is there
