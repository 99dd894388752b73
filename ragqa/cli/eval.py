"""``ragqa eval``: measure answers against questions with known answers."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from ragqa.cli import terminal
from ragqa.cli.arguments import add_chain, add_docs, add_groups
from ragqa.cli.kept_file import append, check_name, unwritable
from ragqa.cli.numbers import count
from ragqa.cli.phrases import Language, language_for
from ragqa.errors import ConfigError

if TYPE_CHECKING:
    from ragqa.evaluation import EvalQuestion, Metrics, Miss, Outcome, Trial
    from ragqa.settings import Settings

SUMMARY = "measure answers against questions with known answers"
DESCRIPTION = """\
Ask every question of a file and measure what comes: retrieval, answers, citations, refusals,
confidence, repairs, tokens and time. No model is the judge.
"""
EPILOG = """\
A line of QUESTIONS is a JSON object: "question", and what is right:
  "answers": ["30 days"]    short right answers; [] says that nothing answers it
  "gold_doc": "returns.md"  where that stands, by id, title or file name; "alt_docs": others
  "truth": "… [a.pdf#page=7]"  or a longer answer that names its places

The names of figures for --fail-under are those of --json; a wrong one lists all.

examples:
  ragqa eval questions.jsonl --docs docs/ --report report.html
  ragqa eval questions.jsonl --fail-under recall_at_5=0.9,citation_verbatim=1
"""

MISSED = 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add = parser.add_argument
    add("questions", metavar="QUESTIONS", help="the file of questions, one JSON object a line")
    add_docs(parser)
    add_chain(parser)
    add("--k", type=count(1, 100), metavar="N", help="passages per question; default: RAGQA_TOP_K")
    add_groups(parser)
    add("--limit", type=count(1, 10**9), metavar="N", help="ask only N of them, drawn at random")
    add("--seed", type=count(0, 2**63), default=0, metavar="N", help="which ones --limit draws")
    add("--out", metavar="FILE.jsonl", help="what came of each question; resumes what is there")
    add("--report", metavar="FILE.html", help="a page with plots and the questions, worst first")
    add(
        "--fail-under",
        metavar="NAME=VALUE,…",
        help="exit with 1 where a figure is worse; errors and times must not be over it",
    )
    add("--json", action="store_true", help="print one JSON object")


def run(args: argparse.Namespace) -> int:
    """Ask, measure, and say whether what was asked for is reached."""
    from ragqa.evaluation import measure, missed, parse_limits, read_questions, sample

    limits = parse_limits(args.fail_under) if args.fail_under is not None else {}
    source = Path(args.questions)
    questions = sample(read_questions(source), args.limit, args.seed)
    check_name(args.out or "")
    _check_files(source, args.out, args.report)
    trial, settings = _trial(args)
    outcomes = _outcomes(trial, questions, args.out, settings.concurrency)
    metrics = measure(outcomes)
    misses = missed(metrics, limits)
    language = language_for(questions[0].text)
    if args.report:
        _write_report(Path(args.report), metrics, outcomes, misses, trial.asker.name, language)
    _show(metrics, args, language)
    for miss in misses:
        terminal.say(f"ragqa: {miss}")
    return MISSED if misses else 0


def _check_files(source: Path, *targets: str | None) -> None:
    """Find out before any work that a file to be written cannot be."""
    named = [source.absolute(), *(Path(target).absolute() for target in targets if target)]
    if len(set(named)) < len(named):
        raise ConfigError("QUESTIONS, --out and --report must name different files.")
    for path in named[1:]:
        if path.is_dir() or not path.parent.is_dir():
            reason = "it is a folder" if path.is_dir() else "there is no such folder"
            raise ConfigError(f"{str(path)!r} cannot be written: {reason}.")


def _trial(args: argparse.Namespace) -> tuple[Trial, Settings]:
    from ragqa import app
    from ragqa.cli.progress import Bar
    from ragqa.cli.report_text import say_skipped
    from ragqa.evaluation import trial_of
    from ragqa.settings import Settings

    settings = Settings.load()
    if args.k is not None:
        settings = settings.model_copy(update={"top_k": args.k})
    with Bar() as bar:
        asker = app.asker(docs=args.docs, chain=args.chain, settings=settings, progress=bar.update)
    if asker.report is not None:
        say_skipped(asker.report)
    return trial_of(asker, groups=args.group or ()), settings


def _outcomes(
    trial: Trial, questions: Sequence[EvalQuestion], out: str | None, concurrency: int
) -> list[Outcome]:
    """Return what came of every question, asked now or by a run before this one."""
    from ragqa.cli.progress import Bar
    from ragqa.evaluation import Outcome, run
    from ragqa.evaluation.kept import kept_rows, line_of

    kept = kept_rows(Path(out), questions, trial.setup) if out else {}
    if kept:
        terminal.say(f"{len(kept)} of {len(questions)} are measured already.")
    left = [question for question in questions if question.number not in kept]
    outcomes = {q.number: Outcome(q, kept[q.number]) for q in questions if q.number in kept}
    with _appending(out) as file, Bar() as bar:
        for number, outcome in enumerate(run(trial, left, concurrency=concurrency), start=1):
            outcomes[outcome.question.number] = outcome
            if file is not None and outcome.status != "failed":
                append(file, line_of(outcome.row), Path(out or ""))
            bar.update(number, len(left), outcome.question.text)
    _say_failures([outcomes[question.number] for question in questions])
    return [outcomes[question.number] for question in questions]


def _say_failures(outcomes: Sequence[Outcome]) -> None:
    failed = [outcome for outcome in outcomes if outcome.status == "failed"]
    if failed:
        message = failed[0].row["answer"]["message"]
        terminal.say(f"{len(failed)} of {len(outcomes)} failed, the first with: {message}")


def _appending(out: str | None) -> AbstractContextManager[BinaryIO | None]:
    if out is None:
        return nullcontext()
    try:
        return Path(out).open("ab")
    except OSError as exc:
        raise unwritable(Path(out), exc) from None


def _write_report(
    path: Path,
    metrics: Metrics,
    outcomes: Sequence[Outcome],
    misses: Sequence[Miss],
    chain: str,
    language: Language,
) -> None:
    from ragqa.evaluation.report import report_html

    page = report_html(metrics, outcomes, chain=chain, language=language, misses=misses)
    try:
        path.write_text(page, encoding="utf-8")
    except OSError as exc:
        raise ConfigError(f"--report {str(path)!r} cannot be written: {exc.strerror}.") from None
    terminal.say(f"Report: {path}")


def _show(metrics: Metrics, args: argparse.Namespace, language: Language) -> None:
    if not terminal.for_people(as_json=args.json):
        terminal.write_json(metrics.values)
        return
    terminal.write(metrics_text(metrics.figures(), metrics.values["intervals"], language))


def metrics_text(
    figures: Mapping[str, float | None],
    intervals: Mapping[str, Sequence[float]],
    language: Language,
) -> str:
    """Return the figures for a person, one a line, with their names and 95 % intervals."""
    from ragqa.cli.wrapping import columns
    from ragqa.evaluation.phrases import name_of
    from ragqa.evaluation.report import figure_text

    names = {name: name_of(name, language) for name in figures}
    width = max(columns(text) for text in names.values())
    lines = []
    for name, value in figures.items():
        between = intervals.get(name)
        told = f"   {between[0]:.3f} – {between[1]:.3f}" if between else ""
        blank = " " * (width - columns(names[name]))
        lines.append(f"{names[name]}{blank}  {figure_text(value):>8}{told}")
    return "\n".join(lines) + "\n"
