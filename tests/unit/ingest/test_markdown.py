from __future__ import annotations

import time

import pytest

from ragqa.ingest.parsers import markdown


def found(text: str) -> list[tuple[int, str]]:
    headings = list(markdown.headings(text))
    for heading in headings:
        assert heading.title.split()[0].strip("*") in text[heading.start : heading.end]
    return [(heading.level, heading.title) for heading in headings]


def test_headings_keep_their_level_and_lose_their_marks() -> None:
    text = "# Lamp\n\ntext\n\n## Care  ##\n\n   ### Bulbs\ntext\n#### 退货政策\n"
    assert found(text) == [(1, "Lamp"), (2, "Care"), (3, "Bulbs"), (4, "退货政策")]


def test_offsets_count_in_the_decoded_file_with_crlf() -> None:
    data = "\ufeff# A\r\n\r\ntext\r\n\r\n## B\r\n".encode()
    page = markdown.parse(data).documents[0].pages[0]
    assert page.text == "# A\r\n\r\ntext\r\n\r\n## B\r\n"
    assert [page.text[h.start : h.end] for h in page.headings] == ["# A", "## B"]


def test_underlined_headings() -> None:
    assert found("Lamp\n====\n\ntext\n\nCare\n----\n") == [(1, "Lamp"), (2, "Care")]


@pytest.mark.parametrize(
    "text",
    [
        "```\n# comment\n```\n",
        "~~~sh\n# comment\n```\n# still code\n~~~\n",
        "````\n```\n# code\n````\n",
        "---\ntitle: x\n# a comment\n---\n",
        "    # indented code\n",
        "#hashtag\n",
        "####### seven\n",
        "#\n",
        "two lines\nof text\n---\n",
        "- item\n---\n",
        "| a | b |\n---\n",
        "\n---\n\n---\n",
        "text # not at the start\n",
    ],
)
def test_what_is_no_heading(text: str) -> None:
    assert found(text) == []


def test_an_unclosed_fence_runs_to_the_end() -> None:
    assert found("# A\n\n```\n# code\n\n# more code\n") == [(1, "A")]


def test_headings_follow_front_matter() -> None:
    assert found("---\ntitle: x\ntags: [a]\n---\n# A\n") == [(1, "A")]
    assert found("---\n---\n# A\n") == [(1, "A")]


def test_a_rule_at_the_top_is_no_front_matter() -> None:
    assert found("---\n\n# A\n\ntext\n") == [(1, "A")]


def test_titles_are_what_a_reader_sees() -> None:
    text = "# The **big** `X4` [manual](x.html) <a id='q'></a>\n## snake_case \\* {#anchor}\n"
    assert found(text) == [(1, "The big X4 manual"), (2, "snake_case *")]


@pytest.mark.parametrize("piece", ["[", "<", "*_", "`", "\\", " #", "\t", "(", "![a]("])
def test_no_title_takes_long(piece: str) -> None:
    began_s = time.process_time()
    assert len(list(markdown.headings("# " + piece * 50_000 + "\n"))) <= 1
    assert time.process_time() - began_s < 2.0
