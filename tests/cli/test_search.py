from tests.cli.screen import run_on_screen


def test_a_pipe_gets_passages_and_is_told_that_nothing_was_answered(shop):
    found = shop("search", "return a kettle", "--k", "2").json
    assert found["retrieval_only"] is True
    assert "no answer" in found["note"]
    assert 1 <= len(found["passages"]) <= 2
    first = found["passages"][0]
    assert first["title"] == "returns.md"
    assert "kettle" in first["text"]
    assert first["score_kind"] == "bm25"


def test_a_person_gets_text(shop):
    code, shown = run_on_screen(shop, "search", "return a kettle", NO_COLOR="1")
    assert code == 0
    assert "Retrieval only" in shown
    assert "[1] returns.md" in shown
    assert "仅检索" in run_on_screen(shop, "search", "退货", NO_COLOR="1")[1]


def test_groups_decide_what_is_found(shop):
    assert "12 euros" not in shop("search", "staff kettle").out
    assert "12 euros" in shop("search", "staff kettle", "--group", "staff").out


def test_nothing_found_is_no_error(shop):
    done = shop("search", "zzzxqwv")
    assert (done.code, done.json["passages"]) == (0, [])
