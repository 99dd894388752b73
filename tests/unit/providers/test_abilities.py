from __future__ import annotations

import json
import stat
import threading
from pathlib import Path

import pytest

from ragqa.providers.abilities import (
    FILE_NAME,
    REMEMBERED_S,
    AbilityStore,
    FileAbilityStore,
    MemoryAbilityStore,
)


@pytest.fixture(params=["memory", "file"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> AbilityStore:
    return MemoryAbilityStore() if request.param == "memory" else FileAbilityStore(tmp_path / "h")


def test_nothing_is_refused_at_first(store: AbilityStore) -> None:
    assert store.refused("a") == frozenset()


def test_each_endpoint_has_its_own(store: AbilityStore) -> None:
    store.remember("a", frozenset({"temperature"}))
    store.remember("b", frozenset({"json_schema", "max_tokens"}))
    assert store.refused("a") == {"temperature"}
    assert store.refused("b") == {"json_schema", "max_tokens"}


def test_it_can_be_forgotten(store: AbilityStore) -> None:
    store.remember("a", frozenset({"temperature"}))
    store.remember("a", frozenset())
    assert store.refused("a") == frozenset()


def test_a_file_outlives_its_store(tmp_path: Path) -> None:
    FileAbilityStore(tmp_path).remember("http://x/v1 模型", frozenset({"temperature"}))
    assert FileAbilityStore(tmp_path).refused("http://x/v1 模型") == {"temperature"}


def test_only_its_owner_can_read_it(tmp_path: Path) -> None:
    home = tmp_path / "new" / "home"
    FileAbilityStore(home).remember("a", frozenset({"temperature"}))
    assert stat.S_IMODE((home / FILE_NAME).stat().st_mode) == 0o600
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    assert [path.name for path in home.iterdir()] == [FILE_NAME]


def test_it_is_believed_for_a_week(tmp_path: Path) -> None:
    moment = [1_000_000.0]
    store = FileAbilityStore(tmp_path, now=lambda: moment[0])
    store.remember("a", frozenset({"temperature"}))
    moment[0] += REMEMBERED_S - 1
    assert store.refused("a") == {"temperature"}
    moment[0] += 2
    assert store.refused("a") == frozenset()
    store.remember("b", frozenset({"temperature"}))
    assert json.loads((tmp_path / FILE_NAME).read_text("utf-8")).keys() == {"b"}


@pytest.mark.parametrize(
    "content",
    ["", "{", "[]", "null", '"x"', '{"a": 1}', '{"a": {"refuses": ["t"]}}', "\udcff",
     '{"a": {"refuses": 5, "learned_at": "now"}}', '{"a": {"refuses": [1], "learned_at": 9e99}}',
     '{"a": {"refuses": 5, "learned_at": 9e99}}'],
)  # fmt: skip
def test_a_spoiled_file_is_no_error(tmp_path: Path, content: str) -> None:
    (tmp_path / FILE_NAME).write_bytes(content.encode("utf-8", "surrogateescape"))
    store = FileAbilityStore(tmp_path)
    assert store.refused("a") == frozenset()
    store.remember("a", frozenset({"temperature"}))
    assert store.refused("a") == {"temperature"}


def test_a_home_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    store = FileAbilityStore(blocked)
    store.remember("a", frozenset({"temperature"}))
    assert store.refused("a") == frozenset()


def test_a_reader_never_sees_half_a_file(tmp_path: Path) -> None:
    store = FileAbilityStore(tmp_path)
    store.remember("a", frozenset({"temperature"}))
    seen: set[frozenset[str]] = set()
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            seen.add(FileAbilityStore(tmp_path).refused("a"))

    reader = threading.Thread(target=read)
    reader.start()
    for _ in range(100):
        store.remember("a", frozenset({"temperature"}))
    done.set()
    reader.join()
    assert seen == {frozenset({"temperature"})}
