from __future__ import annotations

from pathlib import PurePosixPath

from ragqa.ingest.titles import Named, titles


def called(*files: tuple[str, str]) -> dict[str, str]:
    """Return titles of files given as path and relative path."""
    return dict(titles(Named(path, PurePosixPath("/home/p") / path, name) for path, name in files))


def test_a_file_is_called_by_its_name() -> None:
    assert called(("docs/deep/a.md", "deep/a.md"), ("docs/b.md", "b.md")) == {
        "docs/deep/a.md": "a.md",
        "docs/b.md": "b.md",
    }


def test_files_that_share_a_name_are_called_by_their_relative_paths() -> None:
    assert called(("docs/a.md", "a.md"), ("docs/x/a.md", "x/a.md"), ("docs/b.md", "b.md")) == {
        "docs/a.md": "a.md",
        "docs/x/a.md": "x/a.md",
        "docs/b.md": "b.md",
    }


def test_relative_paths_that_are_the_same_are_made_longer_until_they_differ() -> None:
    assert called(("x/k/a.md", "a.md"), ("y/k/a.md", "a.md"), ("y/l/a.md", "a.md")) == {
        "x/k/a.md": "x/k/a.md",
        "y/k/a.md": "y/k/a.md",
        "y/l/a.md": "l/a.md",
    }


def test_a_path_that_ends_another_one_is_still_told_apart() -> None:
    assert called(("a.md", "a.md"), ("q/p/a.md", "p/a.md"), ("p/a.md", "a.md")) == {
        "a.md": "home/p/a.md",
        "q/p/a.md": "q/p/a.md",
        "p/a.md": "p/p/a.md",
    }


def test_names_differ_by_case() -> None:
    assert called(("x/A.md", "A.md"), ("y/a.md", "a.md")) == {"x/A.md": "A.md", "y/a.md": "a.md"}
