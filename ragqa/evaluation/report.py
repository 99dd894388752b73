"""An evaluation as one page of HTML that needs nothing beside itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from importlib.resources import files

from ragqa.evaluation.limits import Miss
from ragqa.evaluation.metrics import DEPTH, Metrics
from ragqa.evaluation.outcome import Outcome, worst_first
from ragqa.evaluation.phrases import Language, name_of, phrase
from ragqa.evaluation.plots import bar_plot, share_plot
from ragqa.evaluation.question_html import question_html

_MOST_QUESTIONS = 1000
"""A page with more would be too heavy for a browser."""

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def report_html(
    metrics: Metrics,
    outcomes: Sequence[Outcome],
    *,
    chain: str,
    language: Language = "en",
    misses: Sequence[Miss] = (),
) -> str:
    """Return the page: figures, plots, and the questions, worst first.

    Every text of questions, answers and documents is escaped, and the page forbids itself to load
    or run anything.

    Args:
        metrics: The figures.
        outcomes: What came of each question.
        chain: The chain that answered.
        language: What the page is written in.
        misses: Figures that are not what was asked of them.
    """
    title = phrase("title", language)
    head = phrase("of", language, n=len(outcomes), chain=chain)
    style = files("ragqa.evaluation").joinpath("report.css").read_text(encoding="utf-8")
    body = "\n".join(
        [
            f"<h1>{title}</h1><p>{escape(head)}</p>",
            *_figures(metrics, misses, language),
            *_plots(metrics, outcomes, language),
            *_questions(outcomes, language),
        ]
    )
    return (
        (
            f'<!DOCTYPE html>\n<html lang="{"zh-CN" if language == "zh" else "en"}"><head>'
            f'<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            f"<title>{escape(title)}: {escape(head)}</title><style>{style}</style></head>\n"
            f"<body>{body}</body></html>\n"
        )
        .encode("utf-8", "replace")
        .decode()
    )  # no encoding can write a lone surrogate


def figure_text(value: float | None) -> str:
    """Return a figure for a person."""
    if value is None:
        return "–"
    return f"{value:g}" if isinstance(value, int) else f"{value:.3f}".rstrip("0").rstrip(".")


def _figures(metrics: Metrics, misses: Sequence[Miss], language: Language) -> Iterator[str]:
    named = {miss.name: miss for miss in misses}
    head = "".join(
        f"<th>{phrase(name, language)}</th>" for name in ("figure", "value", "interval", "limit")
    )
    yield f"<h2>{phrase('figures', language)}</h2><table><thead><tr>{head}</tr></thead><tbody>"
    for name, value in metrics.figures().items():
        low_high = metrics.values["intervals"].get(name)
        between = f"{low_high[0]:.3f} – {low_high[1]:.3f}" if low_high else ""
        miss = named.get(name)
        limit = f"{phrase('missed', language)}: {miss.limit:g}" if miss else ""
        yield (
            f"<tr{' class=missed' if miss else ''}><th>{escape(name_of(name, language))}"
            f" <code>{escape(name)}</code></th>"
            f"<td>{figure_text(value)}</td><td>{between}</td><td>{limit}</td></tr>"
        )
    yield "</tbody></table>"
    rejected = metrics.values["rates"]["rejected"]
    if rejected:
        codes = ", ".join(f"{escape(code)}: {count}" for code, count in rejected.items())
        yield f"<p>{phrase('rejected', language)}: {codes}</p>"


def _plots(metrics: Metrics, outcomes: Sequence[Outcome], language: Language) -> Iterator[str]:
    yield '<div class="plots">'
    yield from _titled("reliability", _reliability(metrics, language), language)
    yield from _titled("trade_off", _trade_off(metrics, language), language)
    yield from _titled("ranks", _ranks(outcomes, language), language)
    yield "</div>"


def _titled(name: str, plot: str, language: Language) -> Iterable[str]:
    note = phrase(f"{name}_note", language)
    return (
        f"<figure><figcaption><h2>{phrase(name, language)}</h2>{note}</figcaption>{plot}</figure>",
    )


def _reliability(metrics: Metrics, language: Language) -> str:
    bins = metrics.values["reliability"]
    if not bins:
        return f"<p>{phrase('no_answers', language)}</p>"
    most = max(each["n"] for each in bins)
    return share_plot(
        label=phrase("reliability", language),
        across=phrase("confidence", language),
        up=phrase("share_right", language),
        line=[(each["confidence"], each["right"]) for each in bins],
        dots=[
            (each["confidence"], each["right"], each["n"] / most, _bin_text(each)) for each in bins
        ],
        diagonal=True,
    )


def _bin_text(each: dict[str, float]) -> str:
    return f"{each['confidence']:.2f} → {each['right']:.2f} (n = {each['n']})"


def _trade_off(metrics: Metrics, language: Language) -> str:
    curve = metrics.values["curve"]
    if not curve:
        return f"<p>{phrase('no_curve', language)}</p>"
    return share_plot(
        label=phrase("trade_off", language),
        across=phrase("false_refusals", language),
        up=phrase("refused_unanswerable", language),
        line=[(each["false_refusals"], each["refused_unanswerable"]) for each in curve],
        dots=[
            (
                each["false_refusals"],
                each["refused_unanswerable"],
                0.4,
                f"{each['false_refusals']:.3f}, {each['refused_unanswerable']:.3f}",
            )
            for each in curve
            if each["own"]
        ],
        diagonal=True,
    )


def _ranks(outcomes: Sequence[Outcome], language: Language) -> str:
    counted = Counter(outcome.rank for outcome in outcomes if outcome.question.places)
    bars = [(str(rank), counted[rank]) for rank in range(1, DEPTH + 1)]
    missing = sum(n for rank, n in counted.items() if rank is None or rank > DEPTH)
    return bar_plot(
        label=phrase("ranks", language),
        across=phrase("rank", language),
        bars=[*bars, ("–", missing)],
    )


def _questions(outcomes: Sequence[Outcome], language: Language) -> Iterator[str]:
    yield f"<h2>{phrase('questions', language)}</h2>"
    ordered = worst_first(outcomes)
    for outcome in ordered[:_MOST_QUESTIONS]:
        yield question_html(outcome, language)
    if len(ordered) > _MOST_QUESTIONS:
        yield f"<p>{phrase('left_out', language, n=len(ordered) - _MOST_QUESTIONS)}</p>"
