import json

from tests.cli.screen import run_on_screen

REPORT = {"added", "updated", "unchanged", "removed", "skipped"}


def test_the_report_counts_and_names_what_was_skipped(shell):
    shell.write({"docs/a.txt": "Delivery takes 3 days.", "docs/empty.txt": "", "docs/b.md": " \n"})
    done = shell("index", "docs")
    report = done.json
    assert done.code == 0
    assert set(report) >= REPORT
    assert (report["added"], report["updated"], report["removed"]) == (1, 0, 0)
    assert {entry["path"] for entry in report["skipped"]} == {"docs/b.md", "docs/empty.txt"}
    assert all(entry["reason"] for entry in report["skipped"])
    assert "docs/empty.txt" in done.err
    assert "docs/b.md" in done.err


def test_a_second_run_changes_nothing_and_changes_are_followed(shell):
    shell.write({"docs/a.txt": "Delivery takes 3 days.", "docs/b.txt": "Lamps cost 5 euros."})
    assert shell("index", "docs").json["added"] == 2
    assert shell("index", "docs").json["unchanged"] == 2
    shell.write({"docs/a.txt": "Delivery takes 7 days."})
    (shell.folder / "docs/b.txt").unlink()
    report = shell("index", "docs").json
    assert (report["updated"], report["removed"]) == (1, 1)


def test_a_dry_run_changes_nothing(shell):
    shell.write({"docs/a.txt": "Delivery takes 3 days."})
    report = shell("index", "docs", "--dry-run").json
    assert report["added"] == 1
    assert not (shell.folder / ".ragqa").exists()
    assert shell("ask", "How long is delivery?").code == 4


def test_a_person_gets_text_and_a_bar(shell):
    shell.write({f"docs/{n}.txt": f"Lamp {n} costs {n} euros." for n in range(30)})
    shell.write({"docs/empty.txt": ""})
    code, shown = run_on_screen(shell, "index", "docs", NO_COLOR="1")
    assert code == 0
    assert "30 added" in shown
    assert "Skipped: docs/empty.txt is empty. Fill it" in shown
    assert "/31 " in shown or "/30 " in shown


def test_groups_of_a_folder_hide_it_from_others(shell):
    shell.write(
        {
            "docs/hr/pay.md": "Managers earn 90000 euros.",
            "docs/open.md": "Delivery takes 3 days.",
            "ragqa.toml": '[folders."docs/hr"]\ngroups = ["people"]\n',
        }
    )
    assert shell("index", "docs").code == 0
    question = "What do managers earn?"
    assert "90000" not in shell("ask", question).out
    assert "90000" in shell("ask", question, "--group", "people").json["response"]["answer"]
    shell.write({"ragqa.toml": '[groups]\n"docs/hr" = ["board"]\n'})
    assert shell("index", "docs").json["updated"] == 1
    assert "90000" not in shell("ask", question, "--group", "people").out
    assert "90000" in shell("ask", question, "--group", "board").out


def test_azure_is_named_where_it_is_not_configured(shell):
    shell.write({"docs/a.txt": "x"})
    done = shell("index", "docs", "--to", "azure")
    assert (done.code, done.out) == (2, "")
    assert "AZURE_SEARCH_ENDPOINT" in done.err
    assert "AZURE_SEARCH_INDEX" in done.err


def test_json_on_a_terminal(shell):
    shell.write({"docs/a.txt": "Delivery takes 3 days."})
    code, shown = run_on_screen(shell, "index", "docs", "--json", stderr_too=False)
    assert code == 0
    assert json.loads(shown)["added"] == 1
