import pytest

from tests.cli.screen import run_on_screen

KEY = "sk-test-0123456789abcdef"


def by_name(done):
    return {check["name"]: check for check in done.json["checks"]}


def test_a_fresh_machine_is_told_what_to_do(shell):
    done = shell("doctor")
    checks = by_name(done)
    assert done.code == 0
    assert done.json["ok"] is True
    assert checks["python"]["status"] == "ok"
    assert "tantivy" in checks["packages"]["detail"]
    assert checks["index"]["status"] == "not_configured"
    assert "ragqa index" in checks["index"]["hint"]
    assert checks["model"]["status"] == "not_configured"
    assert "RAGQA_CHAT_MODEL" in checks["model"]["hint"]


def test_a_working_index_is_tried(shop):
    checks = by_name(shop("doctor"))
    assert checks["index"]["status"] == "ok"
    assert f"{5} files" in checks["index"]["detail"]
    assert checks["trial question"]["status"] == "ok"
    assert "extractive" in checks["trial question"]["detail"]
    assert checks["state folder"]["status"] == "ok"


@pytest.mark.parametrize("damage", ["head", "middle"])
def test_a_damaged_file_of_the_state_folder_is_named(shell, damage):
    shell.write({"returns.md": "Kettles can be returned within 30 days."})
    shell("ask", "Can I return a kettle?", "--docs", "returns.md")
    (file,) = shell.folder.glob(".ragqa/runs.sqlite")
    data = bytearray(file.read_bytes())
    at = 0 if damage == "head" else 4096
    data[at : at + 100] = b"\xff" * 100
    file.write_bytes(data)
    for beside in file.parent.glob("runs.sqlite-*"):
        beside.unlink()
    done = shell("doctor")
    found = by_name(done)["state folder"]
    assert (found["status"], done.json["ok"]) == ("broken", False)
    assert "runs.sqlite is damaged" in found["detail"]
    assert found["hint"]


def test_settings_are_listed_with_their_sources_and_keys_hidden(shell):
    shell.write({".env": "RAGQA_TOP_K=3\n", "ragqa.toml": "max_context_chars = 900"})
    at = {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1", "RAGQA_CHAT_MODEL": "m"}
    done = shell("doctor", OPENAI_API_KEY=KEY, **at)
    listed = {entry["name"]: (entry["value"], entry["source"]) for entry in done.json["settings"]}
    assert listed["RAGQA_TOP_K"] == ("3", ".env line 1")
    assert listed["RAGQA_MAX_CONTEXT_CHARS"] == ("900", "ragqa.toml line 1")
    assert listed["RAGQA_CHAT_MODEL"] == ("m", "environment")
    assert listed["OPENAI_API_KEY"] == ("(hidden)", "environment")
    assert KEY not in done.out + done.err


def test_a_variable_that_nobody_reads_is_pointed_out(shell):
    done = shell("doctor", RAGQA_TOPK="3")
    (warning,) = [check for check in done.json["checks"] if check["status"] == "warning"]
    assert "RAGQA_TOPK" in warning["detail"]
    assert "RAGQA_TOP_K" in warning["hint"]
    assert done.code == 0


def test_wrong_settings_are_broken(shell):
    done = shell("doctor", RAGQA_TOP_K="many")
    assert done.code == 2
    assert done.json["ok"] is False
    assert "RAGQA_TOP_K is 'many'" in by_name(done)["settings"]["detail"]


def test_missing_settings_are_broken(shop):
    done = shop("doctor", OPENAI_API_KEY=KEY)
    assert done.code == 2
    assert "RAGQA_CHAT_MODEL" in by_name(done)["model"]["detail"]


def test_a_service_that_cannot_be_reached_is_named_with_its_stage(shop):
    environ = {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1", "RAGQA_CHAT_MODEL": "m"}
    trial = by_name(shop("doctor", **environ))["trial question"]
    assert trial["status"] == "broken"
    assert "model_unavailable" in trial["detail"]


def test_a_damaged_index_is_broken(shell):
    shell.write({"docs/a.md": "Delivery takes 3 days."})
    assert shell("index", "docs").code == 0
    for path in (shell.folder / ".ragqa/index").rglob("*"):
        if path.is_file():
            path.write_bytes(b"\0garbage" * 3)
    done = shell("doctor")
    assert done.code == 4
    assert by_name(done)["index"]["status"] == "broken"


def test_a_person_gets_a_line_for_each(shop):
    code, shown = run_on_screen(shop, "doctor", NO_COLOR="1", RAGQA_TOP_K="3")
    assert code == 0
    assert "ok             python" in shown
    assert "not configured model" in shown
    assert "RAGQA_TOP_K=3  (environment)" in shown


@pytest.mark.parametrize(
    "files",
    [
        {"docs/a.txt": "The red kettle holds 2 litres."},
        {"docs/faq.md": "# Lamps\n\n## What is it?\n\nA lamp lasts two years.\n"},
        {"docs/一.txt": "须在30天内办理。"},
        {"docs/about.md": "# How?\n\nIt works well in rain.\n"},
    ],
    ids=["title", "heading", "Chinese", "neither"],
)
def test_a_question_is_made_of_words_that_can_be_found(shell, files):
    shell.write(files)
    assert shell("index", "docs").code == 0
    done = shell("doctor")
    trial = by_name(done)["trial question"]
    assert (done.code, trial["status"]) == (0, "ok"), trial
