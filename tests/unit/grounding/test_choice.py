import pytest

from ragqa.contract import Passage
from ragqa.grounding import Candidate, answer_spans, asked, rank_sentences, weigh


def passage(text: str, title: str = "kettle.md", **fields: object) -> Passage:
    return Passage(id=str(fields.pop("id", title)), title=title, text=text, **fields)  # type: ignore[arg-type]


KETTLE = passage(
    "The kettle holds 1.7 litres. It was designed in 2019 by Ada Byron in Rotterdam. "
    "You can return it within 30 days because we trust our work.",
    score=9.0,
)
TENT = passage("The tent holds two persons. It weighs 2.3 kg.", "tent.md", score=4.0)


def best(question: str, *passages: Passage) -> Candidate:
    return rank_sentences(question, passages or (KETTLE, TENT))[0]


@pytest.mark.parametrize(
    ("question", "start"),
    [
        ("How many litres does the kettle hold?", "The kettle holds"),
        ("Who designed the kettle?", "It was designed"),
        ("When was the kettle designed?", "It was designed"),
        ("How long can I return the kettle?", "You can return"),
        ("How much does the tent weigh?", "It weighs 2.3"),
    ],
)
def test_the_sentence_that_answers_comes_first(question: str, start: str) -> None:
    assert best(question).text.startswith(start)


def test_candidates_are_exact_slices() -> None:
    for candidate in rank_sentences("kettle", [KETTLE, TENT]):
        assert candidate.passage.text[candidate.start : candidate.end] == candidate.text


def test_chinese_sentences_match_by_words_and_characters() -> None:
    text = "水壶容量为1.7升。公司于2019年在鹿特丹创立。签收后30天内可以退换。"
    zh = passage(text, "水壶.md")
    assert best("水壶的容量是多少？", zh).text.startswith("水壶容量")
    assert best("公司是哪一年成立的？", zh).text.startswith("公司于")
    assert best("多少天内可以退货？", zh).text.startswith("签收后")


def test_a_heading_speaks_for_what_stands_below_it() -> None:
    cold = passage("Keep it above 5 degrees.", "guide.md", heading="Guide > Storage", id="a")
    warm = passage("Keep it below 40 degrees.", "guide.md", heading="Guide > Charging", id="b")
    assert best("storage temperature", cold, warm).passage.id == "a"


def test_a_document_is_known_by_its_other_passages() -> None:
    passages = [
        passage("Returns are accepted within 30 days.", "1.md", heading="Returns", id="1"),
        passage("Returns are accepted within 60 days.", "2.md", heading="Returns", id="2"),
        passage("The Alpine tent sleeps four.", "2.md", id="2"),
        passage("Thank you for the Alpine tent.", "2.md", id="2"),
    ]
    found = best("Until when are returns accepted for the Alpine tent?", *passages)
    assert (found.passage.id, found.text) == ("2", "Returns are accepted within 60 days.")


def test_features_explain_the_score() -> None:
    candidate = best("Who designed the kettle?")
    assert candidate.features["typed"] == 1.0  # it holds a name
    assert candidate.features["before"] > 0  # the sentence before names the kettle
    assert all(-0.01 <= value <= 1.01 for value in candidate.features.values())


def test_passages_without_scores_are_ranked_by_their_place() -> None:
    same = "Kettles are grey."
    first, second = passage(same, id="1", score=0.0), passage(same, id="2", score=0.0)
    assert best("Which kettles are grey?", first, second).passage.id == "1"


def test_nothing_to_rank() -> None:
    assert rank_sentences("Why?", []) == []
    assert rank_sentences("Why?", [passage(" \n ")]) == []
    assert len(rank_sentences("is it?", [KETTLE])) == 3  # a question without telling words


@pytest.mark.parametrize(
    ("sentence", "question", "spans"),
    [
        ("He died on 3 May 1990.", "When did he die?", ["3 May 1990"]),
        ("It may rain.", "When does it rain?", []),
        ("It holds 12 and five cups.", "How many cups does it hold?", ["12", "five"]),
        ("In 1990 it had 12.", "How many had it in 1990?", ["12"]),
        ("Then Ada Byron came.", "Who came?", ["Ada Byron"]),
        ("Then Ada Byron came.", "Who was Ada Byron?", []),
        ("It failed because of rain.", "Why did it fail?", ["because"]),
        ("它于1990年5月成立。", "何时成立？", ["1990年5月"]),
        ("共有12个，五种。", "有多少？", ["12", "五"]),
    ],
)
def test_answer_spans(sentence: str, question: str, spans: list[str]) -> None:
    found = answer_spans(sentence, asked(question)) or []
    assert [sentence[start:end] for start, end in found] == spans


def test_kinds_without_marks_have_no_spans() -> None:
    assert answer_spans("It is grey.", asked("What colour is it?")) is None


def confidence(question: str, *passages: Passage) -> float:
    return weigh(asked(question), rank_sentences(question, passages or (KETTLE, TENT))).confidence


def test_evidence_grows_with_what_is_found() -> None:
    good = confidence("How many litres does the kettle hold?")
    less = confidence("How many litres does the blue garden kettle hold?")
    none = confidence("Who is the president of France?")
    assert good > less > none


def test_evidence_counts_missing_names_and_figures_against_an_answer() -> None:
    text = "The Rhine flooded Cologne in 1995. The water rose for days."
    rhine = passage(text, "rhine.md")
    right = confidence("When did the Rhine flood Cologne?", rhine)
    assert confidence("When did the Rhine flood Dresden?", rhine) < right
    assert confidence("How high was the Rhine in Cologne in 1926?", rhine) < right


def test_thin_evidence_is_told() -> None:
    assert weigh(asked("Why?"), []).thin
    question = "Who won the football cup?"
    assert weigh(asked(question), rank_sentences(question, [KETTLE, TENT])).thin
    question = "How many litres does the kettle hold?"
    assert not weigh(asked(question), rank_sentences(question, [KETTLE, TENT])).thin


def test_two_passages_that_agree_do_not_weaken_each_other() -> None:
    twin = KETTLE.model_copy(update={"id": "twin", "title": "twin.md"})
    question = "How many litres does the kettle hold?"
    assert confidence(question, KETTLE, twin, TENT) == pytest.approx(
        confidence(question, KETTLE, TENT), abs=0.1
    )


def test_a_passing_mention_does_not_beat_the_section_that_is_about_it() -> None:
    section = passage(
        "Delivery takes 2 working days in the Netherlands.", "shipping.md", heading="Delivery"
    )
    mention = passage("You can return it within 30 days of delivery.", "returns.md", score=5.0)
    section = section.model_copy(update={"score": 6.0})
    assert best("How long is delivery?", section, mention).text.startswith("Delivery takes")
    zh = passage("包裹到仓库后，我们在 5 个工作日内退款。", "退货.md", heading="退款", score=6.0)
    other = passage("24 小时以上取消的，全额退款。", "取消.md", score=5.0)
    assert best("退款需要多长时间？", zh, other).text.startswith("包裹")
    assert best("退款几天到账？", zh, other).text.startswith("包裹")


@pytest.mark.parametrize(
    ("question", "text", "start"),
    [
        (
            "I lost my badge, what should I do?",
            "A new badge costs 15 euros. The gate opens with your badge.\n\n"
            "Q: What do I do if I lose my badge?\nA: Call security right away.\n",
            "A: Call",
        ),
        ("押金多久退？", "## 违章押金何时退？\n\n30 天后退回。\n\n押金为三千元。", "30 天"),
    ],
)
def test_what_follows_a_question_answers_it(question: str, text: str, start: str) -> None:
    ranked = rank_sentences(question, [passage(text, score=9.0)])
    told = [c for c in ranked if not c.text.endswith(("?", "？"))]
    assert told[0].text.startswith(start)


def test_the_number_of_a_model_is_no_name() -> None:
    assert answer_spans("the kettle K17-F", asked("Who made it?")) == []
    assert answer_spans("the kettle of Ada", asked("Who made it?"))


def test_the_question_of_a_list_says_what_kind_of_thing_answers_it() -> None:
    pay = passage(
        "Q: How often are salaries reviewed?\nA: Every October, together with the yearly talk.\n\n"
        "Q: When is the salary paid?\nA: On the 25th, or on the working day before.\n",
        "pay.txt",
    )
    assert best("When do I get my salary?", pay).text.startswith("A: On the 25th")


def test_what_few_passages_of_a_document_hold_is_not_what_it_is_about() -> None:
    mower = [
        passage(text, "mower.md", heading="Mower", id="mower.md")
        for text in [
            "Charge it indoors.",
            "It cuts 40 cm.",
            "Charge the key.",
            "Light: wait 30 minutes.",
        ]
    ]
    found = rank_sentences("How long does it take to charge the mower?", mower)
    light = next(each for each in found if each.text.startswith("Light"))
    assert light.features["reach"] < 1


def test_that_steps_come_first_is_no_evidence() -> None:
    step = passage("1. Take the parcel to any post office.\n2. Wait.\n", "a.md", id="a")
    other = passage("The driver brings the parcel.\n", "b.md", id="b")
    how, where = "How can I track my parcel?", "Where can I track my parcel?"
    found = rank_sentences(how, [step, other])
    assert found[0].features["step"] > 0
    assert weigh(asked(how), found).features["gap"] < found[0].score - found[-1].score
    assert rank_sentences(where, [step, other])[0].features["step"] == 0
