"""The rules of follow-up questions on the question sets, where these lie beside the repository."""

import pytest

from ragqa.ports import PastTurn
from tests.quality.conversations import DATA, dragged_along, follow_ups, resolved

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the shared data is not here")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_questions_that_stand_alone_are_left_alone(language):
    count, changed = dragged_along(language)
    assert changed <= 0.02 * count


def test_follow_ups_name_the_product_that_is_meant():
    named = [
        name in (resolved(question, [PastTurn("r", first)]) or "")
        for name, first, question in follow_ups()
    ]
    assert sum(named) >= 0.98 * len(named)
