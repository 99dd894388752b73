from pathlib import Path

import pytest

from ragqa.errors import ConfigError
from ragqa.evaluation.kept import kept_rows, line_of
from tests.unit.evaluation.outcomes import SETUP, outcome


@pytest.fixture
def outcomes():
    return [outcome({"question": f"Q{n}?"}, number=n) for n in (1, 2, 3)]


@pytest.fixture
def out(tmp_path, outcomes):
    path = tmp_path / "out.jsonl"
    path.write_bytes(b"".join(line_of(each.row) for each in outcomes[:2]))
    return path


def test_what_was_measured_is_kept(out, outcomes):
    questions = [each.question for each in outcomes]
    assert kept_rows(out, questions, SETUP) == {1: outcomes[0].row, 2: outcomes[1].row}
    assert kept_rows(out.with_name("none"), questions, SETUP) == {}


def test_a_question_that_changed_is_asked_again(out, outcomes):
    changed = outcome({"question": "Another?"}, number=1).question
    assert list(kept_rows(out, [changed, outcomes[1].question], SETUP)) == [2]


def test_a_line_that_was_cut_off_is_taken_out(out, outcomes):
    whole = out.read_bytes()
    cut = line_of(outcomes[2].row)
    for length in (1, 5, len(cut) // 2, len(cut) - 1):
        out.write_bytes(whole + cut[:length])
        assert list(kept_rows(out, [each.question for each in outcomes], SETUP)) == [1, 2]
        assert out.read_bytes() == whole


@pytest.mark.parametrize("foreign", [b"notes\n", b"{}\n", b"notes", b'{"id": 1, "response": {}}\n'])
def test_a_file_of_something_else_is_left_alone(out, outcomes, foreign):
    content = out.read_bytes() + foreign
    out.write_bytes(content)
    with pytest.raises(ConfigError, match="Line 3"):
        kept_rows(out, [outcomes[0].question], SETUP)
    assert out.read_bytes() == content


def test_another_setup_is_told(out, outcomes):
    with pytest.raises(ConfigError, match=r"chain 'test', now 'stuff'"):
        kept_rows(out, [outcomes[0].question], {"chain": "stuff"})


def test_lone_surrogates_survive(tmp_path):
    odd = outcome({"question": "Q \ud83d?"})
    path = tmp_path / "out.jsonl"
    path.write_bytes(line_of(odd.row))
    assert kept_rows(path, [odd.question], SETUP) == {1: odd.row}


def test_a_device_is_not_read_to_its_end():
    assert kept_rows(Path("/dev/zero"), [], SETUP) == {}
