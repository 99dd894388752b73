import pytest

from ragqa.grounding.cuts import Spans, parts_of


def parts(sentence: str, max_chars: int = 200) -> list[str]:
    return [sentence[start:end] for start, end in parts_of(sentence, Spans.of(None), max_chars)]


@pytest.mark.parametrize(
    "together",
    ["between nine in the morning and five", "as soon as", "such as"],
)
def test_a_range_or_a_comparison_is_not_cut(together: str) -> None:
    sentence = f"The shop in the old town is open {together} people come on all days of the week."
    found = parts(sentence)
    assert len(found) > 1
    assert any(together in part for part in found)


def test_what_a_negation_reaches_stays_with_it() -> None:
    sentence = "You must not leave the kettle with children or on a wet table in the garden."
    assert parts(sentence) == [sentence]


def test_a_span_that_may_be_the_answer_is_not_cut() -> None:
    sentence = "It was opened by the Duke and the Duchess of York on a Monday in the rain."
    start, end = sentence.index("the Duke"), sentence.index(" of York")
    whole = sentence[start:end]
    assert not any(whole in part for part in parts(sentence))
    cut = parts_of(sentence, Spans.of([(start, end)]), 200)
    assert any(whole in sentence[a:b] for a, b in cut)
