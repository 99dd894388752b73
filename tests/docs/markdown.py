"""Reads what can be checked out of a Markdown file: code blocks, tables, links, headings."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
READMES = (ROOT / "README.md", ROOT / "README.zh-CN.md")

_FENCE = re.compile(r"^```(?P<language>\w*)\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(?<!!)\[[^\]]+\]\((?P<target>[^)\s]+)\)")
_HEADING = re.compile(r"^#+ +(?P<title>.+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block of code, and the block of its output under the same heading, if any."""

    path: Path
    line: int
    language: str
    code: str
    shown: str | None = None
    shown_language: str = ""

    @property
    def name(self) -> str:
        return f"{self.path.name}:{self.line}"

    @property
    def commands(self) -> list[str]:
        """The command lines, continued ones joined, comments left out."""
        joined = self.code.replace("\\\n", " ")
        lines = (line.split("  # ")[0].strip() for line in joined.splitlines())
        return [re.sub(r"\s+", " ", line) for line in lines if line and not line.startswith("#")]


def blocks(path: Path, *languages: str) -> list[Block]:
    """Return the blocks in these languages, in order, each with its output."""
    text = path.read_text("utf-8")
    found = list(_FENCE.finditer(text))
    result = []
    for match, following in zip(found, [*found[1:], None], strict=True):
        line = text.count("\n", 0, match.start()) + 1
        shown = _output(text, match, following)
        result.append(Block(path, line, match["language"], match["code"], *shown))
    return [block for block in result if block.language in languages]


def _output(
    text: str, block: re.Match[str], following: re.Match[str] | None
) -> tuple[str | None, str]:
    """Return the text and the language of a block that shows another one's output."""
    if following is None or following["language"] not in ("text", "json"):
        return None, ""
    between = text[block.end() : following.start()]
    stands_apart = re.search(r"^(#|```)", between, re.MULTILINE)
    return (None, "") if stands_apart else (following["code"], following["language"])


def table_rows(path: Path, header: str) -> list[list[str]]:
    """Return the cells of the table whose header line begins with ``header``."""
    lines = path.read_text("utf-8").splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith(header))
    rows = []
    for line in lines[at + 2 :]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]])
    return rows


def links(path: Path) -> list[str]:
    """Return the targets of all links outside of code blocks."""
    return [match["target"] for match in _LINK.finditer(_FENCE.sub("", path.read_text("utf-8")))]


def anchors(path: Path) -> set[str]:
    """Return the anchors that GitHub gives the headings of a file."""
    titles = _HEADING.findall(_FENCE.sub("", path.read_text("utf-8")))
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def agrees(shown: str, printed: str) -> bool:
    """Tell whether an output is the one that is shown.

    ``…`` stands for anything, and a confidence for any: it moves when the measure is tuned, which
    other tests watch.
    """
    parts = re.split(r"(…|(?<=confidence )\d\.\d\d|(?<=可信度 )\d\.\d\d)", shown.strip())
    wild = {"…": ".*?"}
    pattern = "".join(
        re.escape(part) if at % 2 == 0 else wild.get(part, r"\d\.\d\d")
        for at, part in enumerate(parts)
    )
    return re.fullmatch(pattern, printed.strip(), re.DOTALL) is not None


def json_agrees(shown: Any, printed: Any) -> bool:
    """Tell whether a JSON value is the one that is shown; ``"…"`` and fractions stand for any."""
    if shown == "…" or (isinstance(shown, float) and isinstance(printed, float)):
        return True
    if isinstance(shown, dict) and isinstance(printed, dict):
        return shown.keys() == printed.keys() and all(
            json_agrees(value, printed[name]) for name, value in shown.items()
        )
    if isinstance(shown, list) and isinstance(printed, list):
        if shown and shown[-1] == "…":
            shown, printed = shown[:-1], printed[: len(shown) - 1]
        return len(shown) == len(printed) and all(map(json_agrees, shown, printed))
    return bool(shown == printed)
