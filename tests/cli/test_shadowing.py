"""Folders and packages that bear the names of ours."""

FOREIGN = {
    "chains/__init__.py": "raise SystemExit('foreign chains')",
    "prompts/__init__.py": "raise SystemExit('foreign prompts')",
    "json.py": "raise SystemExit('foreign json')",
    "tantivy.py": "raise SystemExit('foreign tantivy')",
    "docs/a.md": "Delivery takes 3 days.",
}


def test_those_of_the_working_directory_do_not_count(shell):
    shell.write({name: text for name, text in FOREIGN.items() if name != "json.py"})
    done = shell("ask", "How long does delivery take?", "--docs", "docs")
    assert done.code == 0, done.err
    assert "3 days" in done.json["response"]["answer"]


def test_one_that_still_wins_is_named_with_both_paths(shell):
    shell.write(
        {"other/prompts/__init__.py": "raise SystemExit('foreign')", "docs/a.md": "3 days."}
    )
    from tests.cli.conftest import ROOT

    other = shell.folder / "other"
    done = shell("ask", "How long?", "--docs", "docs", PYTHONPATH=f"{other}:{ROOT}")
    assert (done.code, done.out) == (2, "")
    assert str(other / "prompts") in done.err
    assert str(ROOT / "prompts") in done.err
