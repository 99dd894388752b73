"""Questions over csv files: the agent computes with the tables that its caller may see."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import ragqa
from ragqa.settings import Settings
from tests.wire.agent_play import acted, calls, states, told

SALES = "month,region,units,revenue\n2024-01,north,120,1200.50\n2024-02,north,150,1500.25\n"
MORE = "2024-03,south,90,899.25\n"
PAY = "name,salary\nAnn,51000\nBob,48250\n"


@pytest.fixture
def ready(tmp_path: Path, openai_server: Any) -> Any:
    """Return what makes an agent over two tables, one of them for the group hr alone."""
    docs = tmp_path / "docs"
    (docs / "hr").mkdir(parents=True)
    (docs / "sales.csv").write_text(SALES + MORE)
    (docs / "hr" / "pay.csv").write_text(PAY)

    def made(*script: Any, **options: Any) -> Any:
        server = openai_server(*script)
        settings = Settings.load(
            cwd=tmp_path,
            environ={},
            home=str(tmp_path / "state"),
            openai_base_url=server.base_url,
            chat_model="m",
            folder_groups={str(docs / "hr"): ["hr"]},
            **options,
        )
        ragqa.index([str(docs)], settings=settings)
        return server, ragqa.chain("agent", settings=settings)

    return made


def offered(chat: Any) -> str:
    """Return what the model is told of the tool that computes."""
    found = [tool["function"] for tool in chat["tools"]]
    return next(tool["description"] for tool in found if tool["name"] == "calculate")


def compute(code: str) -> Any:
    return calls(("calculate", {"code": code}))


SUM = "sum(row['units'] for row in table('sales.csv'))"
GROWTH = (
    "by = {row['month']: row['revenue'] for row in table('sales.csv')}\n"
    "print(f\"{(by['2024-02'] / by['2024-01'] - 1) * 100:.1f}%\")"
)


@pytest.mark.parametrize(
    ("question", "code", "figure", "answer"),
    [
        ("How many units were sold?", SUM, "360", "360 units were sold."),
        ("How did revenue grow?", GROWTH, "25.0%", "Revenue grew by 25.0% in February."),
        ("二月份的收入增长了多少？", GROWTH, "25.0%", "二月份的收入增长了 25.0%。"),
    ],
)
def test_a_sum_and_a_growth_over_a_csv_file(ready, question, code, figure, answer):
    server, agent = ready(compute(code), acted(answer))
    got = agent.invoke(question)
    assert (got.status, got.response.answer) == ("answered", answer)
    assert states(got) == [("calculate", "succeeded")]
    assert figure in told(server.chats[1])[0]["content"]
    assert "'sales.csv': 3 rows; columns: 'month' text" in offered(server.chats[0])
    assert "'revenue' float" in offered(server.chats[0])


def test_a_figure_that_nothing_computed_is_not_accepted(ready):
    wrong = acted("412 units were sold.")
    _, agent = ready(compute("sum(r['units'] for r in table('sales.csv'))"), wrong, wrong)
    assert agent.invoke("How many units were sold?").status == "degraded"


def test_a_table_of_others_is_neither_shown_nor_read(ready):
    total = "sum(row['salary'] for row in table('pay.csv'))"
    server, agent = ready(
        compute(total),
        acted("All salaries add up to 99250."),
        compute(total),
        acted("Nothing is known of salaries.", confidence=0.3),
    )
    question = "What do all salaries add up to?"
    assert agent.invoke({"question": question, "groups": ["hr"]}).status == "answered"
    assert "'pay.csv': 2 rows" in offered(server.chats[0])

    other = agent.invoke({"question": question, "groups": ["sales"]})
    assert states(other) == [("calculate", "failed")]
    assert "pay.csv" not in offered(server.chats[2])
    (result,) = told(server.chats[3])
    assert "there is no table 'pay.csv'" in result["content"]
    assert "99250" not in str(server.chats[2:])


def test_the_filter_of_the_settings_holds_for_rows(ready):
    server, agent = ready(
        compute("sum(row['units'] for row in table('sales.csv'))"),
        acted("270 units were sold."),
        filter={"region": "north"},
    )
    assert agent.invoke("How many units were sold in the north?").status == "answered"
    assert "'sales.csv': 2 rows" in offered(server.chats[0])
    assert "270" in told(server.chats[1])[0]["content"]


def test_each_run_has_variables_of_its_own(ready):
    server, agent = ready(
        compute("units = 41"),
        acted("It is 41.", confidence=0.5),
        compute("units + 1"),
        acted("It is unknown.", confidence=0.3),
    )
    assert agent.invoke("What is it: 41?").status == "answered"
    agent.invoke("What was it?")
    assert "NameError" in told(server.chats[3])[0]["content"]
