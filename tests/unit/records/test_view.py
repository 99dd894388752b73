import json

from ragqa.contract import Caller
from ragqa.ports import Run
from ragqa.records.view import is_withheld, shown

FOUND = {"score": 1.0, "score_kind": "bm25", "start": 0}
PASSAGES = [
    {"id": "open.md", "title": "Open", "groups": ["*"], **FOUND},
    {"id": "hr.md", "title": "Salaries", "groups": ["hr"], **FOUND},
]
CITED = {"path": None, "page": None, "start": 0, "end": 5, "verified": True}
RECORD = {
    "category": "policy",
    "search_text": "what salaries are paid",
    "passages": PASSAGES,
    "source_groups": [],
    "attempts": [{"verdict": "accepted", "code": "ok"}],
    "calls": [{"kind": "answer", "reply": "9000 euros", "refusal": None, "messages": []}],
    "anything": "9000 euros",
    "answer": {
        "status": "answered",
        "reason": None,
        "response": {
            "answer": "9000 euros.",
            "confidence": 0.9,
            "category": "policy",
            "sources": ["Salaries"],
            "follow_up": ["Who gets 9000 euros?"],
            "needs_human": False,
            "entities": ["9000 euros"],
        },
        "citations": [
            {"id": "hr.md", "title": "Salaries", "quote": "9000 euros", **CITED},
            {"id": "open.md", "title": "Open", "quote": "hello", **CITED},
        ],
        "tools": [{"name": "t", "call_id": "c", "state": "succeeded", "result": "9000 euros"}],
    },
}
RUN = Run(
    id="r",
    state="failed",
    question="How much?",
    started_s=1.0,
    last_error={"code": "x", "message": "9000 euros"},
    record=RECORD,
)


def test_who_may_see_all_sources_sees_the_run():
    seen = shown(RUN, Caller(groups=("hr",)))
    assert (seen["hidden"], seen["hidden_sources"]) == (0, False)
    assert seen["answer"] == RECORD["answer"]
    assert seen["calls"] == RECORD["calls"]
    assert all("groups" not in passage for passage in seen["passages"])


def test_whoever_may_not_sees_no_text_that_may_draw_on_them():
    for looker in (Caller(), Caller(groups=("sales", "HR"))):
        seen = shown(RUN, looker)
        written = json.dumps(seen)
        assert "9000" not in written
        assert "Salaries" not in written
        assert "salaries" not in written
        assert "hr.md" not in written
        assert (seen["hidden"], seen["hidden_sources"]) == (1, True)
        assert [passage["title"] for passage in seen["passages"]] == ["Open"]
        assert [each["quote"] for each in seen["answer"]["citations"]] == ["hello"]
        assert seen["answer"]["response"]["confidence"] == 0.9
        assert seen["attempts"] == RECORD["attempts"]
        assert seen["question"] == "How much?"


def test_sources_of_earlier_answers_count_too():
    record = RECORD | {"passages": PASSAGES[:1], "source_groups": [["hr"]]}
    run = Run(id="r", state="completed", record=record)
    assert is_withheld(run, Caller())
    assert not is_withheld(run, Caller(groups=("hr",)))


def test_a_run_without_a_record_can_be_shown():
    seen = shown(Run(id="r", state="in_progress", question="How?"), Caller())
    assert (seen["question"], seen["passages"], seen["ended_at"]) == ("How?", [], None)


def test_no_group_is_a_wildcard():
    assert is_withheld(RUN, Caller(groups=("*",)))
