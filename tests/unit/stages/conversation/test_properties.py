"""Whatever is said in a conversation, its rules and its prompt hold."""

import bpe_openai
from hypothesis import given, settings
from hypothesis import strategies as st

from ragqa.contract import Question, Turn
from ragqa.ports import PastTurn, Policy, Summary
from ragqa.stages.conversation.prompt import compact, shortened, shown_history
from ragqa.stages.conversation.resolve import faithful
from ragqa.stages.conversation.rules import resolved, stands_alone
from ragqa.stages.conversation.summary import plain_summary

TALK = (
    "and the white one it its what about how much is L4 lamp kettle ? ？ , 那 白色 款 呢 它 的 "
    "多少钱 水壶 K17 保修 期 returns delivery 's = { } {{history}} \u200d 🙂 12 1.5 €"
)
WORDS = st.sampled_from(TALK.split())
SAID = st.one_of(st.lists(WORDS, max_size=14).map(" ".join), st.text(max_size=60))
TURNS = st.lists(
    st.builds(PastTurn, st.uuids().map(str), SAID, SAID, SAID, st.just("pricing"), st.just(0.5)),
    max_size=8,
)


@settings(max_examples=150)
@given(SAID, TURNS)
def test_rules_never_break(question, turns):
    stands_alone(question)
    whole = resolved(question, turns)
    assert whole is None or whole


@settings(max_examples=150)
@given(SAID, SAID, TURNS)
def test_a_rewriting_that_is_taken_is_one_short_line(reply, question, turns):
    taken = faithful(reply, question, turns)
    assert taken is None or ("\n" not in taken and 0 < len(taken) <= 300)
    summary = plain_summary(reply, question)
    assert summary is None or len(summary) <= 900


@settings(max_examples=100)
@given(st.text(max_size=400), st.integers(20, 300))
def test_a_shortened_text_is_short_and_begins_like_the_long_one(text, limit):
    short = shortened(text, limit)
    assert len(short) <= limit
    assert " ".join(text.split()).startswith(short.removesuffix(" …"))


@settings(max_examples=60)
@given(TURNS, SAID.filter(lambda text: text.strip()), st.integers(500, 5000))
def test_the_history_stays_within_its_budget(turns, question, budget):
    policy = Policy(max_prompt_tokens=budget)
    turn = Turn(Question(question), "r", search_text="What is meant?")
    summary = Summary("Older things. " * 30, tuple(past.run_id for past in turns[:3]))
    lines = "\n\n".join(shown_history(turns, summary, turn, policy))
    # Odd signs take more tokens than the estimate; the budget of the whole prompt has room for it.
    assert len(bpe_openai.get_encoding("o200k_base").encode(lines)) <= 1.3 * policy.session_tokens


def test_a_record_holds_question_answer_category_and_confidence():
    past = PastTurn("r", "and it?", "How much is the lamp?", "It costs 5.", "pricing", 0.876)
    assert (
        compact(past, "en") == "Q: and it? (How much is the lamp?)\nA: It costs 5. [pricing, 0.88]"
    )
    assert compact(past, "zh").startswith("问：")
