from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from ragqa.errors import RetrievalError
from ragqa.ingest import IndexReport, SkippedFile, sync
from ragqa.ports import StoredFile
from tests.unit.ingest.files import Ink, MemoryStore, pdf


class Shop:
    """A folder of documents and the index that is kept up to date with it."""

    def __init__(self, project: Path) -> None:
        self.project = project
        self.store = MemoryStore()

    def write(self, **files: str | bytes) -> None:
        self.put({name.replace("__", "/").replace("_", "."): text for name, text in files.items()})

    def put(self, files: dict[str, str | bytes]) -> None:
        for name, content in files.items():
            path = self.project / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())

    def sync(self, *paths: str, **options: Any) -> IndexReport:
        given = [str(self.project / path) for path in paths or ("docs",)]
        return sync(given, self.store, project=self.project, **options)


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    return Shop(tmp_path / "shop")


def counts(report: IndexReport) -> tuple[int, int, int, int]:
    return report.added, report.updated, report.unchanged, report.removed


def reasons(report: IndexReport) -> dict[str, str]:
    return {skip.path: skip.reason for skip in report.skipped}


def test_files_are_added_once_and_then_cost_a_hash(shop: Shop) -> None:
    shop.write(
        docs__a_txt="Thirty days.", docs__b_md="# Care\n\nWipe it.\n", docs__c_csv="a,b\n1,2\n"
    )
    assert counts(shop.sync()) == (3, 0, 0, 0)
    chunks = dict(shop.store.chunks)
    assert counts(shop.sync()) == (0, 0, 3, 0)
    assert shop.store.chunks == chunks
    assert shop.store.writers_opened == 1


def test_changed_files_are_replaced_and_lost_ones_removed(shop: Shop) -> None:
    shop.write(docs__a_txt="Thirty days.", docs__b_txt="Two years.", docs__c_txt="Three weeks.")
    shop.sync()
    shop.write(docs__a_txt="Sixty days.")
    (shop.project / "docs/b.txt").unlink()
    report = shop.sync()
    assert counts(report) == (0, 1, 1, 1)
    assert (report.updated_paths, report.removed_paths) == (("docs/a.txt",), ("docs/b.txt",))
    assert shop.store.text("docs/a.txt") == "Sixty days."
    assert set(shop.store.stored) == {"docs/a.txt", "docs/c.txt"}


def test_a_touched_file_is_unchanged(shop: Shop) -> None:
    shop.write(docs__a_txt="Thirty days.")
    shop.sync()
    os.utime(shop.project / "docs/a.txt", (1, 1))
    assert counts(shop.sync()) == (0, 0, 1, 0)


def test_only_what_is_below_the_given_paths_is_removed(shop: Shop) -> None:
    shop.write(docs__a_txt="a", other__b_txt="b", docs__deep__c_md="c", docs__deep__d_txt="d")
    shop.sync("docs", "other")
    for name in ("docs/a.txt", "other/b.txt", "docs/deep/c.md", "docs/deep/d.txt"):
        (shop.project / name).unlink()
    shop.write(docs__keep_txt="keep")
    assert shop.sync("docs/**/*.md", "docs/keep.txt").removed_paths == ("docs/deep/c.md",)
    assert shop.sync("docs/deep", "docs/keep.txt").removed_paths == ("docs/deep/d.txt",)
    assert set(shop.store.stored) == {"docs/a.txt", "docs/keep.txt", "other/b.txt"}


def test_a_lost_file_or_folder_given_by_name_is_removed(shop: Shop) -> None:
    shop.write(docs__a_txt="a", docs__b_txt="b", more__c_txt="c")
    shop.sync("docs", "more")
    (shop.project / "docs/a.txt").unlink()
    report = shop.sync("docs/a.txt")
    assert (counts(report), report.skipped) == ((0, 0, 0, 1), ())
    (shop.project / "more/c.txt").unlink()
    (shop.project / "more").rmdir()
    assert counts(shop.sync("more")) == (0, 0, 0, 1)
    assert set(shop.store.stored) == {"docs/b.txt"}


def test_a_file_that_is_still_there_is_not_removed_because_a_walk_passes_it_over(
    shop: Shop,
) -> None:
    shop.put({"docs/.secret.txt": "hidden", "docs/a.txt": "a"})
    shop.sync("docs/.secret.txt")
    assert counts(shop.sync("docs")) == (1, 0, 0, 0)
    assert set(shop.store.stored) == {"docs/.secret.txt", "docs/a.txt"}


def test_a_file_that_cannot_be_used_is_named_and_the_rest_goes_on(shop: Shop) -> None:
    shop.put(
        {
            "docs/a.txt": "Thirty days.",
            "docs/empty.txt": "",
            "docs/blank.md": " \n\t\n",
            "docs/unseen.md": "\u200b\ufeff\n\u2060",
            "docs/scan.pdf": pdf(None),
            "docs/locked.pdf": pdf([Ink("x")], password="p"),
            "docs/broken.pdf": b"%PDF-1.4\nnothing",
            "docs/broken.docx": b"PK\x03\x04",
            "docs/photo.png": b"\x89PNG\r\n\x1a\n\0\0",
            "docs/bytes.txt": bytes(range(256)) * 9,
            "docs/broken.json": "{",
            "docs/z.txt": "Two years.",
        }
    )
    report = shop.sync()
    assert counts(report) == (2, 0, 0, 0)
    assert set(shop.store.chunks) == {"docs/a.txt", "docs/z.txt"}
    assert reasons(report) == {
        "docs/empty.txt": "is empty",
        "docs/blank.md": "holds no text",
        "docs/unseen.md": "holds no text",
        "docs/scan.pdf": "holds no text, only images: a scan",
        "docs/locked.pdf": "is locked with a password",
        "docs/broken.pdf": "is broken and cannot be opened",
        "docs/broken.docx": "is broken or no Word document",
        "docs/photo.png": "is an image, not text, and its format is not supported",
        "docs/bytes.txt": "is not text",
        "docs/broken.json": (
            "is not valid JSON (Expecting property name enclosed in double quotes, column 2)"
        ),
    }
    assert all(skip.hint for skip in report.skipped)


def test_what_of_a_file_cannot_be_used_is_reported_by_every_run(shop: Shop) -> None:
    shop.put({"docs/a.jsonl": '{"text": "a"}\n5\n', "docs/b.pdf": pdf([Ink("Text.")], None)})
    first = shop.sync()
    assert reasons(first) == {
        "docs/a.jsonl": "line 2 is not an object",
        "docs/b.pdf": "page 2 of 2 holds no text, only an image",
    }
    second = shop.sync()
    assert counts(second) == (0, 0, 2, 0)
    assert second.skipped == first.skipped
    shop.put({"docs/a.jsonl": '{"text": "a"}\n'})
    assert list(reasons(shop.sync())) == ["docs/b.pdf"]


@pytest.mark.parametrize("content", [b"", b"  ", b"\x00\x01\x02\x03" * 40])
def test_a_file_that_becomes_useless_leaves_the_index(shop: Shop, content: bytes) -> None:
    shop.write(docs__a_txt="a", docs__b_txt="b")
    shop.sync()
    shop.put({"docs/b.txt": content})
    report = shop.sync()
    assert counts(report) == (0, 0, 1, 1)
    assert list(reasons(report)) == ["docs/b.txt"]
    assert set(shop.store.stored) == {"docs/a.txt"}


def test_a_file_that_is_too_large_is_left_out_unread(shop: Shop) -> None:
    shop.write(docs__a_txt="a")
    with (shop.project / "docs/huge.txt").open("wb") as file:
        file.truncate(60 * 2**20)
    assert reasons(shop.sync()) == {"docs/huge.txt": "has 60.0 MB, more than the limit of 50.0 MB"}
    assert "RAGQA_MAX_FILE_MB" in shop.sync().skipped[0].hint
    assert reasons(shop.sync(max_file_bytes=100 * 2**20)) == {"docs/huge.txt": "is not text"}


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="needs a file that fails to read")
def test_a_file_that_cannot_be_read_is_named_and_its_entry_stays(shop: Shop) -> None:
    shop.write(docs__a_txt="a")
    mem = Path("/proc/self/mem").resolve().as_posix()
    shop.store.stored[mem] = StoredFile(mem, "old", "mem", "mem")
    report = shop.sync("docs", mem)
    assert "cannot be read" in reasons(report)[mem]
    assert mem in shop.store.stored
    assert counts(report) == (1, 0, 0, 0)


def test_paths_that_lead_nowhere_are_named(shop: Shop) -> None:
    shop.write(docs__a_txt="a")
    report = shop.sync("docs", "nowhere", "docs/*.pdf")
    assert [skip.reason for skip in report.skipped] == ["does not exist", "matches no file"]


@pytest.mark.parametrize(
    ("files", "paths", "named"),
    [
        ({}, ["nowhere"], "nowhere does not exist"),
        ({}, ["nowhere/*.md"], "matches no file"),
        ({"docs/.keep": ""}, ["docs"], "there is no file"),
        ({"docs/a.txt": "", "docs/b.pdf": "x"}, ["docs"], "docs/a.txt is empty; docs/b.pdf is no"),
        ({f"docs/{at}.txt": "" for at in range(9)}, ["docs"], "and 4 more"),
    ],
)
def test_nothing_to_index_is_an_error_with_the_reasons(
    shop: Shop, files: dict[str, str | bytes], paths: list[str], named: str
) -> None:
    shop.put(files)
    with pytest.raises(RetrievalError) as caught:
        shop.sync(*paths)
    assert named in caught.value.message
    assert caught.value.hint
    assert caught.value.exit_code == 4
    assert shop.store.writers_opened == 0


def test_the_last_file_going_bad_is_an_error_but_it_is_out(shop: Shop) -> None:
    shop.write(docs__a_txt="a")
    shop.sync()
    shop.write(docs__a_txt="")
    with pytest.raises(RetrievalError, match="is empty"):
        shop.sync()
    assert shop.store.stored == {}


def test_unreadable_news_are_no_error_while_the_index_holds_something(shop: Shop) -> None:
    shop.write(docs__a_txt="a")
    shop.sync()
    shop.write(docs__b_txt="")
    assert list(reasons(shop.sync("docs/b.txt", "docs"))) == ["docs/b.txt"]


def test_two_files_with_one_name_stay_two_and_are_told_apart(shop: Shop) -> None:
    shop.write(docs__x__faq_md="one", docs__y__faq_md="two", docs__b_md="three")
    shop.sync()
    assert shop.store.titles() == {
        "docs/x/faq.md": "x/faq.md",
        "docs/y/faq.md": "y/faq.md",
        "docs/b.md": "b.md",
    }


def test_a_later_namesake_renames_the_first_and_its_going_undoes_it(shop: Shop) -> None:
    shop.write(docs__x__faq_md="one")
    shop.sync("docs/x")
    assert shop.store.titles() == {"docs/x/faq.md": "faq.md"}
    shop.write(docs__y__faq_md="two")
    assert counts(shop.sync("docs/y")) == (1, 0, 0, 0)
    assert shop.store.titles() == {"docs/x/faq.md": "x/faq.md", "docs/y/faq.md": "y/faq.md"}
    assert shop.store.replaced == ["docs/x/faq.md", "docs/y/faq.md", "docs/x/faq.md"]
    assert counts(shop.sync("docs")) == (0, 0, 2, 0)
    (shop.project / "docs/y/faq.md").unlink()
    assert counts(shop.sync("docs/y")) == (0, 0, 0, 1)
    assert shop.store.titles() == {"docs/x/faq.md": "faq.md"}
    assert shop.store.text("docs/x/faq.md") == "one"


def test_a_useless_namesake_renames_nobody(shop: Shop) -> None:
    shop.write(docs__x__faq_md="one", docs__y__faq_md="")
    for _ in range(2):
        shop.sync()
        assert shop.store.titles() == {"docs/x/faq.md": "faq.md"}
    assert shop.store.writers_opened == 1


def test_titles_do_not_hang_on_the_order_or_the_way_of_indexing(shop: Shop) -> None:
    shop.write(docs__x__faq_md="one", docs__y__faq_md="two", docs__faq_md="three")
    seen = []
    for runs in (["docs"], ["docs/x", "docs/y", "docs"], ["docs/y", "docs"], ["docs", "docs/x"]):
        shop.store = MemoryStore()
        for path in runs:
            shop.sync(path)
        seen.append(shop.store.titles())
    assert seen == [seen[0]] * 4
    assert sorted(seen[0].values()) == ["faq.md", "x/faq.md", "y/faq.md"]


def test_a_namesake_that_vanished_from_another_folder_keeps_its_title(shop: Shop) -> None:
    shop.write(docs__faq_md="one", more__faq_md="two")
    shop.sync("docs")
    (shop.project / "docs/faq.md").unlink()
    shop.sync("more")
    assert len(set(shop.store.titles().values())) == 2


def test_groups_come_with_the_file_and_a_change_of_groups_is_a_change(shop: Shop) -> None:
    shop.write(docs__a_txt="a", docs__staff__b_txt="b")
    staff = {"docs/staff": ("staff",)}

    def groups_of(path: Path) -> tuple[str, ...] | None:
        return staff.get(path.parent.relative_to(shop.project).as_posix())

    shop.sync(groups_of=groups_of)
    assert shop.store.chunks["docs/a.txt"][0].groups == ("*",)
    assert shop.store.chunks["docs/staff/b.txt"][0].groups == ("staff",)
    staff["docs/staff"] = ("staff", "night")
    assert shop.sync(groups_of=groups_of).updated_paths == ("docs/staff/b.txt",)
    assert counts(shop.sync()) == (0, 1, 1, 0)
    assert shop.store.chunks["docs/staff/b.txt"][0].groups == ("*",)


def test_records_bring_their_own_id_title_groups_and_metadata(shop: Shop) -> None:
    lines = [
        {"id": "r1", "title": "Returns", "text": "Thirty days.", "groups": ["staff"], "kind": "x"},
        {"text": "Two years."},
        {"id": "r1", "text": "again"},
    ]
    shop.put({"docs/faq.jsonl": "\n".join(map(json.dumps, lines))})
    report = shop.sync()
    first, second = shop.store.chunks["docs/faq.jsonl"]
    assert (first.doc_id, first.title, first.groups, first.metadata) == (
        "r1",
        "Returns",
        ("staff",),
        {"kind": "x"},
    )
    assert (second.doc_id, second.title, second.groups) == ("docs/faq.jsonl#2", "", ("*",))
    assert reasons(report) == {"docs/faq.jsonl": "line 3 repeats the id 'r1' of line 1"}
    assert (report.documents, report.chunks) == (2, 2)


def test_pages_and_offsets_are_exact(shop: Shop) -> None:
    shop.put({"docs/a.pdf": pdf([Ink("One.")], [Ink("Two."), Ink("Three.", y=600)])})
    shop.sync()
    assert [(c.page, c.start, c.end, c.text) for c in shop.store.chunks["docs/a.pdf"]] == [
        (1, 0, 4, "One."),
        (2, 0, 12, "Two.\n\nThree."),
    ]


def test_a_dry_run_tells_the_same_and_changes_nothing(shop: Shop) -> None:
    shop.write(docs__a_txt="a", docs__x__faq_md="one", docs__y__faq_md="two", docs__e_txt="")
    planned = shop.sync(dry_run=True)
    assert shop.store.stored == {}
    assert shop.store.writers_opened == 0
    done = shop.sync()
    assert planned.model_dump(exclude={"dry_run"}) == done.model_dump(exclude={"dry_run"})


def test_progress_tells_every_file_and_the_end(shop: Shop) -> None:
    shop.write(docs__a_txt="a", docs__b_txt="")
    seen: list[tuple[int, int, str]] = []
    shop.sync(progress=lambda *step: seen.append(step))
    assert seen == [(0, 2, "docs/a.txt"), (1, 2, "docs/b.txt"), (2, 2, "")]


def test_the_report_is_plain_json(shop: Shop) -> None:
    shop.write(docs__a_txt="a", docs__b_txt="")
    report = json.loads(shop.sync().model_dump_json())
    assert report == {
        "added": 1,
        "updated": 0,
        "unchanged": 0,
        "removed": 0,
        "skipped": [
            {"path": "docs/b.txt", "reason": "is empty", "hint": "Fill it, or leave it out."}
        ],
        "documents": 1,
        "chunks": 1,
        "dry_run": False,
        "failed": 0,
        "definition": None,
    }
    assert str(SkippedFile(path="a", reason="is empty")) == "a is empty"


def test_an_error_of_the_index_discards_everything(shop: Shop) -> None:
    shop.write(docs__a_txt="a", docs__b_txt="b")

    def stop(done: int, _total: int, _path: str) -> None:
        if done == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        shop.sync(progress=stop)
    assert shop.store.stored == {}


class MovingStore(MemoryStore):
    """An index that another process changes just before our writer is open."""

    def __init__(self, meanwhile: Callable[[MemoryStore], None]) -> None:
        super().__init__()
        self.meanwhile: Callable[[MemoryStore], None] | None = meanwhile

    @contextmanager
    def writer(self) -> Iterator[Any]:
        meanwhile, self.meanwhile = self.meanwhile, None
        if meanwhile:
            meanwhile(self)
        with super().writer() as writer:
            yield writer


def test_what_another_process_indexed_meanwhile_is_taken_into_account(shop: Shop) -> None:
    shop.write(docs__x__faq_md="one", docs__y__faq_md="two")

    def other(store: MemoryStore) -> None:
        sync([str(shop.project / "docs/y")], store, project=shop.project)

    shop.store = MovingStore(other)
    assert counts(shop.sync("docs/x")) == (1, 0, 0, 0)
    assert shop.store.titles() == {"docs/x/faq.md": "x/faq.md", "docs/y/faq.md": "y/faq.md"}


def test_a_link_whose_target_went_takes_the_target_out(shop: Shop, tmp_path: Path) -> None:
    outside = tmp_path / "outside.txt"
    outside.write_text("outside")
    shop.write(docs__a_txt="a")
    (shop.project / "docs/link.txt").symlink_to(outside)
    assert counts(shop.sync()) == (2, 0, 0, 0)
    outside.unlink()
    report = shop.sync()
    assert report.removed_paths == (outside.as_posix(),)
    assert list(reasons(report)) == [outside.as_posix()]


@pytest.mark.parametrize("address", ["https://example.com/faq.html", "s3://bucket/*.md"])
def test_an_address_is_no_path(shop: Shop, address: str) -> None:
    with pytest.raises(RetrievalError, match="is an address") as caught:
        sync([address], shop.store, project=shop.project)
    assert "Download" in caught.value.hint
