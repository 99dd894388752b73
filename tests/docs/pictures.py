"""Draw the pictures of the README from what the program really prints.

python -m tests.docs.pictures          a terminal session, as SVG
python -m tests.docs.pictures --report the report of eval, as PNG; needs chromium
"""

from __future__ import annotations

import argparse
import html
import shutil
import subprocess
import tempfile
import unicodedata
from pathlib import Path

from tests.docs.markdown import ROOT
from tests.docs.terminal import environment, on_terminal

PICTURES = ROOT / "docs" / "pictures"
COMMANDS = (
    'ragqa ask "How long do I have to return a kettle?" --docs ragqa/samples/shop',
    'ragqa ask "保修期多久？"',
    'ragqa ask "Who is the president of France?"',
)
SIZE_PX, LINE_PX, WIDTH_PX, EDGE_PX = 14, 20, 760, 24
CELL_PX = 8.43  # of a character in the fonts below


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--report", action="store_true")
    PICTURES.mkdir(exist_ok=True)
    if parser.parse_args().report:
        draw_report(PICTURES / "report.png")
    else:
        (PICTURES / "terminal.svg").write_text(drawn(session()), encoding="utf-8")


def session() -> list[str]:
    """Return the lines of a session: each command after a prompt, and what it printed."""
    lines: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(ROOT / "ragqa" / "samples", Path(folder) / "ragqa" / "samples")
        for command in COMMANDS:
            ran = on_terminal(command, Path(folder), environment(HOME=folder, PYTHONSAFEPATH="1"))
            lines += [f"$ {command}", *ran.out.rstrip().splitlines(), ""]
    return lines


def drawn(lines: list[str]) -> str:
    """Return lines of a terminal as an SVG."""
    height = 2 * EDGE_PX + LINE_PX * len(lines)
    rows = "\n".join(_row(number, line) for number, line in enumerate(lines))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH_PX} {height}" role="img">\n'
        "<title>ragqa answers questions in a terminal</title>\n"
        f'<rect width="{WIDTH_PX}" height="{height}" rx="8" fill="#1b1f27"/>\n'
        f'<g font-family="ui-monospace, Menlo, Consolas, DejaVu Sans Mono, Noto Sans Mono CJK SC, '
        f'monospace" font-size="{SIZE_PX}" fill="#d7dce5" xml:space="preserve">\n{rows}\n</g>\n'
        "</svg>\n"
    )


def _row(number: int, line: str) -> str:
    y = EDGE_PX + LINE_PX * number + SIZE_PX
    colour = ' fill="#8fd19e"' if line.startswith("$ ") else ""
    if line and line.startswith((" ", "[", "“", "confidence", "可信度")):
        colour = ' fill="#9aa4b5"'
    cells = sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in line)
    length = f' textLength="{cells * CELL_PX:.0f}"' if line.strip() else ""
    return f'<text x="{EDGE_PX}" y="{y}"{colour}{length}>{html.escape(line)}</text>'


def draw_report(out: Path) -> None:
    """Measure the sample questions and photograph the page that eval writes."""
    with tempfile.TemporaryDirectory() as folder:
        questions = ROOT / "ragqa" / "samples" / "questions.jsonl"
        script = f"ragqa eval {questions} --docs {ROOT / 'ragqa/samples/shop'} --report report.html"
        ran = on_terminal(script, Path(folder), environment(HOME=folder, PYTHONSAFEPATH="1"))
        assert ran.code == 0, ran.out
        browser = shutil.which("chromium")
        if browser is None:
            raise SystemExit("Install chromium to photograph the report.")
        subprocess.run(
            [
                *(browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"),
                *("--window-size=1100,1720", f"--screenshot={out}"),
                f"file://{folder}/report.html",
            ],
            check=True,
            capture_output=True,
            timeout=120,
        )


if __name__ == "__main__":
    main()
