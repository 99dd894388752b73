import io
import json
import sys

import pytest

from ragqa.cli import terminal
from ragqa.cli.terminal import plain


class Screen(io.StringIO):
    def isatty(self):
        return True


def on_a_screen(monkeypatch):
    monkeypatch.setattr(sys, "stdout", Screen())
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")


def encoded(monkeypatch, encoding, errors="strict"):
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding=encoding, errors=errors))
    return raw


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Menu → 设置", "Menu → 设置"),
        ("red \x1b[31m text", "red \ufffd[31m text"),
        ("bell\x07 back\x08 csi\x9b", "bell\ufffd back\ufffd csi\ufffd"),
        ("over\rwritten", "over\ufffdwritten"),
        ("turned \u202etxet\u202c", "turned \ufffdtxet\ufffd"),
        ("line\nbreak\ttab", "line\nbreak\ttab"),
    ],
)
def test_text_of_documents_cannot_steer_the_terminal(text, shown):
    assert plain(text) == shown


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "gbk", "utf-8", "latin-1"])
def test_json_survives_every_encoding(monkeypatch, encoding):
    value = {"answer": "Menu → 设置 😀 \udcff"}
    raw = encoded(monkeypatch, encoding)
    terminal.write_json(value)
    assert json.loads(raw.getvalue().decode(encoding)) == value


def test_json_is_escaped_only_where_the_encoding_needs_it(monkeypatch):
    raw = encoded(monkeypatch, "utf-8")
    terminal.write_json({"answer": "设置"})
    assert raw.getvalue() == '{"answer": "设置"}\n'.encode()


def test_colours_only_on_a_terminal(monkeypatch):
    on_a_screen(monkeypatch)
    assert terminal.styled("x", "bold") == "\x1b[1mx\x1b[0m"
    monkeypatch.setenv("NO_COLOR", "1")
    assert terminal.styled("x", "bold") == "x"
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("TERM", "dumb")
    assert terminal.styled("x", "bold") == "x"


def test_no_colours_in_a_pipe(monkeypatch):
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    assert terminal.styled("x", "bold") == "x"


def test_people_get_text_pipes_get_json(monkeypatch):
    on_a_screen(monkeypatch)
    assert terminal.for_people(as_json=False)
    assert not terminal.for_people(as_json=True)
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    assert not terminal.for_people(as_json=False)


@pytest.mark.parametrize(("columns", "width"), [("40", 40), ("5", 20), ("500", 100)])
def test_the_width_is_that_of_the_terminal_within_reason(monkeypatch, columns, width):
    monkeypatch.setenv("COLUMNS", columns)
    assert terminal.width() == width


@pytest.mark.parametrize("columns", ["", "many", "0", "-3"])
def test_a_width_that_makes_no_sense_is_not_taken(monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", columns)
    assert 20 <= terminal.width() <= 100


def test_a_closed_standard_output_is_reported(monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)
    with pytest.raises(terminal.OutputLostError):
        terminal.write("x")


def test_messages_survive_a_closed_standard_error(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stderr", None)
    terminal.say("x")
    closed = io.StringIO()
    closed.close()
    monkeypatch.setattr(sys, "stderr", closed)
    terminal.say("x")
    assert capsys.readouterr().out == "", "a message must not stand where answers do"
