from __future__ import annotations

import os
from pathlib import Path

import pytest

from ragqa.ingest.discover import Discovery, discover


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    for name in (
        "docs/a.txt",
        "docs/b.MD",
        "docs/deep/er/c.md",
        "docs/.hidden.md",
        "docs/.git/config.md",
        "docs/node_modules/m.md",
        "docs/__pycache__/p.md",
        "docs/env/pyvenv.cfg",
        "docs/env/lib/v.md",
        "docs/~$open.docx",
        "docs/ragqa.toml",
        "docs/.ragqa/index.md",
        "docs/folder.txt/inside.md",
        "other/a.txt",
    ):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    return root


def paths(found: Discovery) -> list[str]:
    return [file.path for file in found.files]


DOCS = ["docs/a.txt", "docs/b.MD", "docs/deep/er/c.md", "docs/folder.txt/inside.md"]


def test_a_folder_gives_its_files_in_order_without_what_is_hidden(project: Path) -> None:
    found = discover([str(project / "docs")], project=project)
    assert paths(found) == DOCS
    assert [file.relative_path for file in found.files] == [
        "a.txt",
        "b.MD",
        "deep/er/c.md",
        "folder.txt/inside.md",
    ]
    assert found.skipped == ()
    assert found.missing == ()


def test_paths_are_relative_to_the_project_or_absolute(project: Path, tmp_path: Path) -> None:
    (file,) = discover([str(project / "docs/a.txt")], project=project).files
    assert (file.path, file.relative_path) == ("docs/a.txt", "a.txt")
    (file,) = discover([str(project / "docs/a.txt")], project=tmp_path / "elsewhere").files
    assert file.path == (project / "docs/a.txt").as_posix()


def test_paths_are_looked_up_from_the_current_folder(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project / "docs")
    assert paths(discover(["a.txt", "./deep", "../other"], project=project)) == [
        "docs/a.txt",
        "docs/deep/er/c.md",
        "other/a.txt",
    ]
    assert paths(discover(["**/*.md"], project=project)) == [
        "docs/deep/er/c.md",
        "docs/folder.txt/inside.md",
    ]


@pytest.mark.parametrize(
    ("glob", "expected"),
    [
        ("docs/**/*.md", ["docs/deep/er/c.md", "docs/folder.txt/inside.md"]),
        ("docs/*.[mM][dD]", ["docs/b.MD"]),
        ("docs/[!b]*.txt", ["docs/a.txt", "docs/folder.txt/inside.md"]),
        ("docs/?.txt", ["docs/a.txt"]),
        ("*/a.txt", ["docs/a.txt", "other/a.txt"]),
        ("docs/**", DOCS),
        ("docs/*", DOCS),
        ("docs/d*/er", ["docs/deep/er/c.md"]),
        ("**/inside.md", ["docs/folder.txt/inside.md"]),
        ("docs/**/er/**/*.md", ["docs/deep/er/c.md"]),
    ],
)
def test_globs(project: Path, glob: str, expected: list[str]) -> None:
    assert paths(discover([str(project / glob)], project=project)) == expected


def test_names_below_a_glob_count_from_its_fixed_part(project: Path) -> None:
    (file,) = discover([str(project / "docs/**/c.md")], project=project).files
    assert file.relative_path == "deep/er/c.md"


def test_a_name_with_wildcard_signs_that_exists_is_no_glob(project: Path) -> None:
    (project / "docs/list[1].txt").write_text("x")
    assert paths(discover([str(project / "docs/list[1].txt")], project=project)) == [
        "docs/list[1].txt"
    ]


def test_hidden_files_and_folders_can_be_given_by_name(project: Path) -> None:
    found = discover(
        [str(project / "docs/.hidden.md"), str(project / "docs/.git")], project=project
    )
    assert paths(found) == ["docs/.git/config.md", "docs/.hidden.md"]


def test_ragqas_own_folder_is_left_out(project: Path) -> None:
    home = project / "state"
    home.mkdir()
    (home / "index.json").write_text("{}")
    assert "state/index.json" not in paths(discover([str(project)], project=project, home=home))
    found = discover([str(home)], project=project, home=home)
    assert paths(found) == []
    assert "own folder" in found.skipped[0].reason


def test_what_does_not_exist_is_missing(project: Path) -> None:
    found = discover(
        [str(project / "no.txt"), str(project / "docs/*.pdf"), str(project / "docs/a.txt/x"), ""],
        project=project,
    )
    assert [root.given.rsplit("/", 1)[-1] for root in found.missing] == ["no.txt", "*.pdf", "x"]
    assert found.files == ()


def test_links_lead_to_one_file(project: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "o.md").write_text("outside")
    docs = project / "docs"
    (docs / "again.txt").symlink_to(docs / "a.txt")
    (docs / "linked").symlink_to(outside)
    (docs / "loop").symlink_to(docs)
    (docs / "deep/up").symlink_to(project)
    found = discover([str(docs)], project=project)
    assert sorted(paths(found)) == sorted([*DOCS, "other/a.txt", (outside / "o.md").as_posix()])
    relative = {file.path: file.relative_path for file in found.files}
    assert relative[(outside / "o.md").as_posix()] == "linked/o.md"
    assert len(set(paths(found))) == len(found.files)


def test_a_file_goes_by_the_folder_it_is_in_rather_than_by_a_link(project: Path) -> None:
    (project / "docs/a-link").symlink_to(project / "docs/deep")
    relative = {f.path: f.relative_path for f in discover([str(project)], project=project).files}
    assert relative["docs/deep/er/c.md"] == "docs/deep/er/c.md"


def test_links_to_nothing_are_reported(project: Path) -> None:
    (project / "docs/gone.md").symlink_to(project / "docs/nowhere.md")
    (project / "docs/self.md").symlink_to(project / "docs/self.md")
    found = discover([str(project / "docs")], project=project)
    assert paths(found) == DOCS
    assert [skip.path for skip in found.skipped] == ["docs/nowhere.md", "docs/self.md"]
    assert "the link docs/gone.md" in found.skipped[0].reason
    assert {skip.hint for skip in found.skipped} == {"Remove the link."}


def test_special_files_are_not_opened(project: Path) -> None:
    os.mkfifo(project / "docs/pipe.txt")
    found = discover([str(project / "docs")], project=project)
    assert [(skip.path, skip.reason) for skip in found.skipped] == [
        ("docs/pipe.txt", "is no regular file")
    ]


def test_names_that_are_no_unicode_are_reported(project: Path) -> None:
    with open(os.fsencode(project / "docs") + b"/caf\xe9.txt", "wb") as file:  # noqa: PTH123
        file.write(b"x")
    found = discover([str(project / "docs")], project=project)
    assert paths(found) == DOCS
    assert found.skipped[0].path.startswith("docs/caf\\")
    assert "Unicode" in found.skipped[0].reason


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_folders_that_cannot_be_read_are_reported(project: Path) -> None:
    (project / "docs/deep").chmod(0)
    try:
        found = discover([str(project / "docs")], project=project)
    finally:
        (project / "docs/deep").chmod(0o755)
    assert [skip.path for skip in found.skipped] == ["docs/deep"]


def test_the_same_file_twice_is_one_with_its_longer_name(project: Path) -> None:
    given = [str(project / name) for name in ("docs/deep/er", "docs", "docs/deep/er/c.md")]
    for order in (given, given[::-1]):
        found = {file.path: file for file in discover(order, project=project).files}
        assert found["docs/deep/er/c.md"].relative_path == "deep/er/c.md"
