"""Small plots as inline SVG: no script, no font, nothing fetched."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

_SIZE = 260
_LEFT, _TOP = 44, 10
_TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)

Point = tuple[float, float]


def share_plot(
    *,
    label: str,
    across: str,
    up: str,
    line: Sequence[Point] = (),
    dots: Iterable[tuple[float, float, float, str]] = (),
    diagonal: bool = False,
) -> str:
    """Return a plot of shares from 0 to 1.

    Args:
        label: What the plot is, for those who do not see it.
        across: Name of the horizontal axis.
        up: Name of the vertical axis.
        line: Points that are joined.
        dots: Points with a size from 0 to 1 and a text each.
        diagonal: Whether the line of equal shares is drawn.
    """
    parts = [*_axes(across, up)]
    if diagonal:
        parts.append(_polyline([(0.0, 0.0), (1.0, 1.0)], "diagonal"))
    if line:
        parts.append(_polyline(line, "line"))
    for x, y, size, text in dots:
        parts.append(
            f'<circle class="dot" cx="{_x(x):.1f}" cy="{_y(y):.1f}" r="{3 + 6 * size:.1f}">'
            f"<title>{escape(text)}</title></circle>"
        )
    return _figure(label, parts)


def bar_plot(*, label: str, across: str, bars: Sequence[tuple[str, int]]) -> str:
    """Return a plot of counts, a bar for each name."""
    most = max((count for _, count in bars), default=0) or 1
    width = _SIZE / max(len(bars), 1)
    parts = [_axis_name(across)]
    for at, (name, count) in enumerate(bars):
        height = (_SIZE - 20) * count / most
        x, y = _LEFT + at * width, _TOP + _SIZE - height
        middle = x + width / 2
        parts.append(
            f'<rect class="bar" x="{x + 2:.1f}" y="{y:.1f}" width="{max(width - 4, 1):.1f}" '
            f'height="{height:.1f}"/>'
            f'<text class="tick" x="{middle:.1f}" y="{y - 3:.1f}" text-anchor="middle">'
            f"{count}</text>"
            f'<text class="tick" x="{middle:.1f}" y="{_TOP + _SIZE + 14}" text-anchor="middle">'
            f"{escape(name)}</text>"
        )
    return _figure(label, parts)


def _figure(label: str, parts: Iterable[str]) -> str:
    size = f"0 0 {_LEFT + _SIZE + 12} {_TOP + _SIZE + 40}"
    return f'<svg viewBox="{size}" role="img" aria-label="{escape(label)}">{"".join(parts)}</svg>'


def _axes(across: str, up: str) -> Iterable[str]:
    for tick in _TICKS:
        x, y = _x(tick), _y(tick)
        yield (
            f'<line class="grid" x1="{_x(0):.1f}" y1="{y:.1f}" x2="{_x(1):.1f}" y2="{y:.1f}"/>'
            f'<line class="grid" x1="{x:.1f}" y1="{_y(0):.1f}" x2="{x:.1f}" y2="{_y(1):.1f}"/>'
            f'<text class="tick" x="{_LEFT - 4}" y="{y + 3:.1f}" text-anchor="end">{tick:g}</text>'
            f'<text class="tick" x="{x:.1f}" y="{_TOP + _SIZE + 14}" text-anchor="middle">'
            f"{tick:g}</text>"
        )
    middle = _TOP + _SIZE / 2
    yield _axis_name(across)
    yield (
        f'<text class="axis" x="10" y="{middle}" text-anchor="middle" '
        f'transform="rotate(-90 10 {middle})">{escape(up)}</text>'
    )


def _axis_name(name: str) -> str:
    middle, below = _LEFT + _SIZE / 2, _TOP + _SIZE + 32
    return f'<text class="axis" x="{middle}" y="{below}" text-anchor="middle">{escape(name)}</text>'


def _polyline(points: Sequence[Point], kind: str) -> str:
    joined = " ".join(f"{_x(x):.1f},{_y(y):.1f}" for x, y in points)
    return f'<polyline class="{kind}" points="{joined}"/>'


def _x(share: float) -> float:
    return _LEFT + _SIZE * share


def _y(share: float) -> float:
    return _TOP + _SIZE * (1 - share)
