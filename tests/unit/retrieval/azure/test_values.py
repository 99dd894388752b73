from __future__ import annotations

from typing import Any

import pytest

from ragqa.retrieval.azure.values import field_value


@pytest.mark.parametrize(
    ("value", "kind", "sent"),
    [
        (2024, "Edm.String", "2024"),
        (True, "Edm.String", "true"),
        (["a"], "Edm.String", None),
        ("2024", "Edm.Int32", 2024),
        ("soon", "Edm.Int32", None),
        (2**31, "Edm.Int32", None),
        (2**31, "Edm.Int64", 2**31),
        (2.5, "Edm.Int32", None),
        (True, "Edm.Int32", None),
        ("49.90", "Edm.Double", 49.9),
        (49, "Edm.Double", 49.0),
        ("1e999", "Edm.Double", None),
        ("True", "Edm.Boolean", True),
        (1, "Edm.Boolean", None),
        ("2024-05-01", "Edm.DateTimeOffset", "2024-05-01T00:00:00.000Z"),
        ("in May", "Edm.DateTimeOffset", None),
        ("red", "Collection(Edm.String)", ["red"]),
        (["red", 5, None], "Collection(Edm.String)", ["red", "5"]),
        ([], "Collection(Edm.String)", None),
        ("x", "Edm.GeographyPoint", None),
        (None, "Edm.String", None),
    ],
)
def test_a_value_is_sent_as_its_field_takes_it(value: Any, kind: str, sent: Any) -> None:
    found = field_value(value, kind)
    assert found == sent
    assert type(found) is type(sent)
