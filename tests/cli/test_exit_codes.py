"""What fails ends with its code and says what to do; nothing looks like an answer."""

import subprocess

import pytest

from tests.cli.conftest import TIMEOUT_S, command, environment

KEY = "test-key-123"
AZURE = {
    "AZURE_OPENAI_ENDPOINT": "https://unit.openai.azure.com",
    "AZURE_OPENAI_API_KEY": KEY,
}


def assert_fails(done, code, *said):
    assert done.code == code, done.err
    assert done.out == ""
    assert all(part in done.err for part in said), done.err
    assert KEY not in done.err


def test_exactly_the_missing_settings_are_named(shop):
    done = shop("ask", "How long is delivery?", **AZURE)
    assert_fails(done, 2, "AZURE_OPENAI_CHAT_DEPLOYMENT")
    for present in ("AZURE_OPENAI_ENDPOINT", "AZURE_OPENAI_API_KEY", "AZURE_SEARCH"):
        assert present not in done.err


def test_missing_settings_of_model_and_search_come_in_one_message(shop):
    environ = AZURE | {"RAGQA_RETRIEVER": "azure", "AZURE_SEARCH_INDEX": "docs"}
    done = shop("ask", "How long is delivery?", **environ)
    assert_fails(done, 2, "AZURE_OPENAI_CHAT_DEPLOYMENT", "AZURE_SEARCH_ENDPOINT")
    for present in ("AZURE_OPENAI_ENDPOINT", "AZURE_SEARCH_INDEX", "AZURE_SEARCH_API_KEY"):
        assert present not in done.err


def test_the_model_that_is_missing_is_named(shop):
    done = shop("ask", "How long is delivery?", OPENAI_API_KEY=KEY)
    assert_fails(done, 2, "RAGQA_CHAT_MODEL")
    assert "OPENAI_API_KEY" not in done.err


@pytest.mark.parametrize(
    ("environ", "said"),
    [
        ({"RAGQA_TOP_K": "0"}, "RAGQA_TOP_K is '0' (environment)"),
        ({"RAGQA_PROVIDER": "opnai"}, "RAGQA_PROVIDER is 'opnai'"),
        ({"OPENAI_BASE_URL": "localhost:8000"}, "OPENAI_BASE_URL is 'localhost:8000'"),
        ({"AZURE_OPENAI_ENDPOINT": "unit"}, "AZURE_OPENAI_ENDPOINT is 'unit'"),
        ({"AZURE_SEARCH_ENDPOINT": "http://x.example"}, "AZURE_SEARCH_ENDPOINT"),
        ({"RAGQA_CHAIN": "nonesuch"}, "nonesuch"),
        ({"RAGQA_SEARCH_TYPE": "hybrid"}, "RAGQA_EMBEDDING_MODEL"),
        ({"OPENAI_API_KEY": f"{KEY} x"}, "OPENAI_API_KEY"),
    ],
)
def test_wrong_settings(shop, environ, said):
    assert_fails(shop("ask", "How long is delivery?", **environ), 2, said)


def test_a_wrong_setting_in_a_file_is_named_with_its_line(shell):
    shell.write({".env": "A=1\r\nRAGQA_TOP_K=many\r\n"})
    assert_fails(shell("ask", "How long?"), 2, "RAGQA_TOP_K is 'many' (.env line 2)")
    shell.write({".env": "", "ragqa.toml": "topk = 3"})
    assert_fails(shell("ask", "How long?"), 2, "topk", "top_k")


def test_a_key_of_the_environment_does_not_go_where_a_file_says(shop, shell):
    shell.write({".env": "OPENAI_BASE_URL=https://collector.example/v1\nRAGQA_CHAT_MODEL=m\n"})
    home = str(shop.folder / ".ragqa")
    done = shell("ask", "How long is delivery?", OPENAI_API_KEY=KEY, RAGQA_HOME=home)
    assert_fails(done, 2, "OPENAI_BASE_URL", ".env line 1")


def test_an_unknown_chain(shop):
    assert_fails(shop("ask", "How long?", "--chain", "stuf"), 2, "'stuf'", "stuff", "extractive")


def test_no_index_says_how_to_make_one(shell):
    for name in ("ask", "search"):
        done = shell(name, "How long is delivery?")
        assert_fails(done, 4, "ragqa index")
    assert not (shell.folder / ".ragqa").exists()


def test_an_empty_index_says_how_to_fill_it(shell):
    shell.write({"docs/a.md": "Delivery takes 3 days."})
    assert shell("index", "docs").code == 0
    (shell.folder / "docs/a.md").unlink()
    shell("index", "docs")
    assert_fails(shell("ask", "How long is delivery?"), 4, "ragqa index")


@pytest.mark.parametrize("command", [["index"], ["ask", "How long is delivery?", "--docs"]])
def test_documents_that_are_not_there(shell, command):
    done = shell(*command, "does-not-exist.txt")
    assert done.code == 4
    assert "does-not-exist.txt" in done.err
    assert "answer" not in done.out


def test_documents_that_are_not_there_do_not_pass_for_those_of_before(shop):
    done = shop("ask", "How long is delivery?", "--docs", "does-not-exist.txt")
    assert_fails(done, 4, "does-not-exist.txt")


def test_a_state_folder_that_cannot_be_made(shell):
    shell.write({"docs/a.md": "Delivery takes 3 days.", "taken": "a file"})
    done = shell("index", "docs", RAGQA_HOME="taken")
    assert_fails(done, 2, "RAGQA_HOME", "taken")


def test_a_damaged_index(shell):
    shell.write({"docs/a.md": "Delivery takes 3 days."})
    assert shell("index", "docs").code == 0
    for path in (shell.folder / ".ragqa/index").rglob("*"):
        if path.is_file():
            path.write_bytes(b"\0garbage" * 3)
    assert_fails(shell("ask", "How long is delivery?"), 4, "index")
    assert shell("index", "docs").code == 0
    assert "3 days" in shell("ask", "How long is delivery?").json["response"]["answer"]


def test_a_damaged_question_file(shell):
    shell.write({"q.jsonl": "{"})
    done = shell("ask", "--file", "q.jsonl", "--out", "a.jsonl")
    assert_fails(done, 2, "Line 1")


@pytest.mark.parametrize(
    "args",
    [
        ["--file", "q.jsonl"],
        ["--out", "a.jsonl"],
        ["--file", "q.jsonl", "--out", "q.jsonl"],
        ["--file", "q.jsonl", "--out", "a.jsonl", "--stream"],
        ["How long?", "--file", "q.jsonl", "--out", "a.jsonl"],
        ["--file", "missing.jsonl", "--out", "a.jsonl"],
        ["--file", "q.jsonl", "--out", "missing/a.jsonl"],
    ],
)
def test_wrong_use_of_question_files(shop, args, tmp_path):
    (tmp_path / "q.jsonl").write_text('"How long is delivery?"\n')
    words = [str(tmp_path / word) if word.endswith("jsonl") else word for word in args]
    assert_fails(shop("ask", *words), 2, "--")


def test_a_folder_that_was_deleted_meanwhile_is_named_as_the_cause(shell):
    folder = shell.folder / "gone"
    script = 'mkdir "$0" && cd "$0" && rmdir "$0" && exec "$@"'
    done = subprocess.run(
        ["/bin/sh", "-c", script, str(folder), *command("ask", "How long is delivery?")],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "does not exist any more" in done.stderr
