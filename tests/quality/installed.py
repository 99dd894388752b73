"""Build the wheel, install it in clean environments, ask offline, list licences.

    python -m tests.quality.installed [--pythons python3.11,python3.12] [--out docs/installing.md]

For each Python: seconds of installation, packages, size on disk, a question answered without
network (where `unshare` can cut it off), and a strict mypy run of a small app against the wheel.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from tests.peers.page import put

ROOT = Path(__file__).parents[2]
QUESTION = "How long do I have to return a kettle?"
APP = '''"""A small app, to be checked strictly against the installed package."""

import ragqa
from ragqa.validation import check


class SupportResponse(ragqa.QAResponse):
    ticket: str | None = None


def first_source(question: str) -> str | None:
    answer = ragqa.ask(question, docs="docs")
    return answer.response.sources[0] if answer.response.sources else None


def is_valid(raw: str) -> bool:
    return check(raw, titles=["a.md"], schema=SupportResponse).accepted


def confidence(question: str) -> float:
    answer = ragqa.chain("extractive").invoke(question)
    assert isinstance(answer, ragqa.Answer)
    return answer.response.confidence
'''
LICENCES = """
import json
from importlib.metadata import distributions

def licence(meta):
    said = meta.get("License-Expression") or meta.get("License") or ""
    if said and len(said) < 60:
        return said
    kinds = [c for c in meta.get_all("Classifier") or () if c.startswith("License ::")]
    return kinds[0].rpartition(" :: ")[2] if kinds else "see the package"

print(json.dumps(sorted(
    [d.metadata["Name"], d.version, licence(d.metadata)] for d in distributions()
    if d.metadata["Name"] not in ("pip", "setuptools", "ragqa")
)))
"""


@dataclass
class Row:
    python: str
    install_s: float
    packages: int
    size_mb: float
    offline: str
    typed: str


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--pythons", default=sys.executable)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        wheel = _wheel(Path(folder))
        rows, licences = [], []
        for python in given.pythons.split(","):
            row, licences = _installed(Path(folder), python, wheel)
            rows.append(row)
        size_kb = wheel.stat().st_size / 1024
    text = table(rows, size_kb)
    print(text)
    print(licence_table(licences))
    if given.out:
        put(given.out, "installing", text)
        put(given.out, "licences", licence_table(licences))


def _wheel(folder: Path) -> Path:
    _run(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(folder), str(ROOT))
    [wheel] = folder.glob("*.whl")
    return wheel


def _installed(folder: Path, python: str, wheel: Path) -> tuple[Row, list[list[str]]]:
    home = Path(tempfile.mkdtemp(dir=folder))
    _run(python, "-m", "venv", str(home / "env"))
    own = str(home / "env" / "bin" / "python")
    before_mb = _size_mb(home)
    began_s = time.monotonic()
    _run(own, "-m", "pip", "install", "-q", str(wheel))
    install_s = time.monotonic() - began_s
    licences = json.loads(_run(own, "-c", LICENCES))
    row = Row(
        python=_run(own, "-c", "import platform; print(platform.python_version())").strip(),
        install_s=install_s,
        packages=len(licences),
        size_mb=_size_mb(home) - before_mb,
        offline=_asked_offline(home),
        typed=_typed(home, own),
    )
    return row, licences


def _asked_offline(home: Path) -> str:
    """Ask in an empty folder without network; the samples come with the wheel."""
    work = home / "work"
    work.mkdir()
    where = "import ragqa.samples as s; print(s.SHOP)"
    docs = _run(str(home / "env/bin/python"), "-c", where, cwd=work).strip()
    cut_off = ["unshare", "-rn"] if shutil.which("unshare") else []
    asked = [str(home / "env/bin/ragqa"), "ask", QUESTION, "--docs", docs, "--json"]
    answer = json.loads(_run(*cut_off, *asked, cwd=work))
    assert answer["status"] == "answered", answer
    return f"{answer['response']['sources'][0]}{'' if cut_off else ' (with network)'}"


def _typed(home: Path, own: str) -> str:
    _run(own, "-m", "pip", "install", "-q", "mypy")
    app = home / "app.py"
    app.write_text(APP, encoding="utf-8")
    return _run(own, "-m", "mypy", "--strict", str(app), cwd=home).strip().splitlines()[-1]


def _run(*command: str, cwd: Path | None = None) -> str:
    done = subprocess.run(
        command, cwd=cwd, capture_output=True, text=True, timeout=900, check=False
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def _size_mb(folder: Path) -> float:
    files = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return sum(path.stat().st_size for path in files) / 1e6


def table(rows: list[Row], size_kb: float) -> str:
    lines = [
        f"The wheel has {size_kb:.0f} kB.",
        "",
        "| Python | installation | packages | on disk | asked offline, source | mypy --strict |",
        "| --- | ---: | ---: | ---: | --- | --- |",
    ]
    lines += [
        f"| {row.python} | {row.install_s:.0f} s | {row.packages} | {row.size_mb:.0f} MB "
        f"| {row.offline} | {row.typed} |"
        for row in rows
    ]
    return "\n".join(lines) + "\n"


def licence_table(licences: list[list[str]]) -> str:
    lines = ["| package | version | licence |", "| --- | --- | --- |"]
    lines += [f"| {name} | {version} | {licence} |" for name, version, licence in licences]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
