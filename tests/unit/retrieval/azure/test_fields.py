"""Document keys: valid, stable and different for any file name, and readable again."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragqa.retrieval.azure.fields import FieldNames, Place, place_of

KEY = re.compile(r"[A-Za-z0-9=-][A-Za-z0-9_=-]{0,1023}")
NAMES = [
    "取扱説明書20230101.txt",
    "_draft notes.md",
    "a/b.md",
    "\udce9.md",
    "é.md",
    "e\u0301.md",
    "",
]

PLACES = st.builds(
    Place,
    path=st.text(max_size=80),
    doc_id=st.text(max_size=80),
    page=st.integers(0, 5000),
    start=st.integers(0, 10**7),
    heading=st.text(max_size=40),
    copy=st.integers(0, 3),
)


@pytest.mark.parametrize("path", NAMES)
def test_keys_of_any_file(path: str) -> None:
    places = [Place(path, path, start=start) for start in (0, 100)]
    keys = [place.key for place in places]
    assert len(set(keys)) == 2
    assert all(KEY.fullmatch(key) for key in keys)
    assert [place_of(key) for key in keys] == places


@given(PLACES)
def test_a_key_tells_its_place(place: Place) -> None:
    assert KEY.fullmatch(place.key)
    found = place_of(place.key)
    if place.doc_id:
        assert found == place


@given(PLACES, PLACES)
def test_different_places_have_different_keys(one: Place, other: Place) -> None:
    if one.doc_id and other.doc_id and one != other:
        assert one.key != other.key


def test_long_names_are_shortened() -> None:
    heading = Place("a", "b", heading="長" * 300)
    assert place_of(heading.key) == Place("a", "b")
    one, other = (Place("長" * 400 + end, "b", 1, 2) for end in "xy")
    assert one.key != other.key
    assert KEY.fullmatch(one.key)
    assert place_of(one.key) is None


@pytest.mark.parametrize(
    "key", ["1", "r1=", "r1=!=a=0=0=", "r1=w6k=x=1=2", "r1=_w==1=2=", "r2=a==0=0="]
)
def test_foreign_keys(key: str) -> None:
    assert place_of(key) is None


def test_selected_fields() -> None:
    assert FieldNames().selected == ("id", "title", "content", "path", "page")
    assert FieldNames(groups="acl", title=None).selected[-1] == "acl"
    assert FieldNames(page="seite").optional == {"title", "path"}
