import pytest

from ragqa.cli.typed_text import argument, question_of


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gbk", "big5", "utf-16"])
def test_a_question_in_the_encoding_of_its_terminal(encoding):
    assert question_of("保固期多久？".encode(encoding)) == "保固期多久？"


def test_odd_bytes_are_left_out():
    assert "delivery" in question_of(b"How long \xe4\xb8 is delivery? \xff\x01\x02\x03")


@pytest.mark.parametrize("encoding", ["utf-8", "gbk"])
def test_an_argument_that_python_could_not_decode(encoding):
    word = "保修期多久？".encode(encoding).decode("ascii", errors="surrogateescape")
    assert argument(word) == "保修期多久？"
    assert argument("plain → 中文") == "plain → 中文"
