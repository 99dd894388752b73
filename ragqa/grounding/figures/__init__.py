"""Figures of English and Chinese text, compared by what they say and not by how they are written.

1,200 and 1 200 and 一千二百, 30 days and thirty-day and 三十天, 5 % and 百分之五, 2024-05-01 and
May 1, 2024 and 2024年5月1日 are the same; K2 is not K3. All values are exact.

>>> FigureSet.of(figures("退货期限为30天。")).supports(figures("within thirty days")[0])
True
"""

from ragqa.grounding.figures.figure import Figure, FigureSet
from ragqa.grounding.figures.lookup import missing, stands
from ragqa.grounding.figures.scan import figures, plain_digits

__all__ = ["Figure", "FigureSet", "figures", "missing", "plain_digits", "stands"]
