from __future__ import annotations

import json
from dataclasses import asdict

from ragqa.ports import StoredFile


def test_a_record_comes_back_as_it_was() -> None:
    file = StoredFile("a", "1", "a", "a", problems=(("line 2 is not an object", "Correct it."),))
    assert StoredFile.of_record(json.loads(json.dumps(asdict(file)))) == file


def test_records_of_other_versions_are_read() -> None:
    earlier = {"path": "a", "content_hash": "1", "title": "a", "relative_path": "a"}
    assert StoredFile.of_record(earlier) == StoredFile("a", "1", "a", "a")
    assert StoredFile.of_record({**earlier, "owner": "x"}) == StoredFile("a", "1", "a", "a")
