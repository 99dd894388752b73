import io
import sys

from ragqa.cli.progress import Bar, bar_line
from ragqa.cli.wrapping import columns


class Screen(io.StringIO):
    def isatty(self):
        return True


def test_nothing_is_written_without_a_terminal(monkeypatch):
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    with Bar() as bar:
        bar.update(1, 2, "a.md")
    assert stream.getvalue() == ""


def test_a_terminal_sees_the_bar_and_a_clean_line_after_it(monkeypatch):
    stream = Screen()
    monkeypatch.setattr(sys, "stderr", stream)
    with Bar() as bar:
        bar.update(1, 2, "a.md")
        bar.update(2, 2, "b.md")
    text = stream.getvalue()
    assert "1/2 a.md" in text
    assert "2/2 b.md" in text
    assert text.endswith("\r\x1b[K")


def test_the_line_fits_and_names_of_files_cannot_steer(monkeypatch):
    line = bar_line(3, 10, "很长的文件名" * 20 + "\x1b[2J\n", 60)
    assert columns(line) <= 60
    assert "\x1b" not in line
    assert bar_line(0, 0, "", 80).startswith("[....")
