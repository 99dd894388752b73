"""Products are listed only as the answer names them and as the documents give them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from pydantic import BaseModel

from ragqa.contract import Passage
from ragqa.grounding.figures import Figure, FigureSet, figures, stands
from ragqa.grounding.figures.units import money
from ragqa.grounding.names import names
from ragqa.language import sentences
from ragqa.language.late import late
from ragqa.validation.fields import answer_of, field_of, passed_with, sources_of
from ragqa.validation.gate import CheckContext, Fault, Outcome, Passed, Rejected

# "id: 7" or 编号：7, and what a record calls a price.
_ID = late(
    r"(?:\b(?:item|product|article|model|entity)?[ _-]?(?:id|number|no\.?|sku|code)"
    r"|编号|货号|型号|商品号)\s*[:：#=]\s*([^\s;；,，|]+)",
    re.IGNORECASE,
)
_PRICE = late(
    r"(?:prices?|costs?|rrp|msrp|价格|单价|售价|价钱|价)\s?(?:\([^)]{0,12}\)|（[^）]{0,12}）)?"
    r"[\s:：=]{0,3}(?:is|of|为|是)?\s?([^;；|\n]{1,24})",
    re.IGNORECASE,
)
_BLANKS = late(r"[\s\-‐–_·・]+")


class Entities:
    """Refuse entities that the answer does not name, or whose id or price no cited passage gives.

    Id and price have to stand with the product's name: in its row where a passage is a table,
    else in a passage that names it. Entities that are listed twice are left out.
    """

    name = "entities"

    def check(self, value: Any, context: CheckContext) -> Outcome:
        """Pass the entities on that answer and passages bear out."""
        answer, listed = answer_of(value), field_of(value, "entities", list)
        if answer is None or not listed or not all(_is_entity(each) for each in listed):
            return Passed(value)
        faults = tuple(self._faults(answer, listed, _cited(value, context), context.price_unit))
        if faults:
            return Rejected(faults, value=value)
        once = list({_identity(each): each for each in reversed(listed)}.values())[::-1]
        if len(once) == len(listed):
            return Passed(value)
        return passed_with(value, {"entities": once}, "duplicate_entities")

    def _faults(
        self,
        answer: str,
        listed: Sequence[BaseModel],
        cited: Sequence[Passage] | None,
        unit: str,
    ) -> Iterator[Fault]:
        seen: dict[str, tuple[Any, ...]] = {}
        for at, entity in enumerate(listed):
            name = str(getattr(entity, "name", ""))
            path = f"entities.{at}"
            if not _names(answer, name):
                yield self._fault(path, f"the answer does not name {name!r}", "leave it out")
                continue
            if seen.setdefault(_flat(name), _identity(entity)) != _identity(entity):
                yield self._fault(
                    path, f"{name!r} is listed twice with different data", "list it once"
                )
            if cited is not None:
                yield from self._unborne(path, entity, _records(name, cited), unit)

    def _unborne(
        self, path: str, entity: BaseModel, records: Sequence[str], unit: str
    ) -> Iterator[Fault]:
        """Yield what the passages do not bear out."""
        name = getattr(entity, "name", "")
        known, price = getattr(entity, "entity_id", None), getattr(entity, "price", None)
        if known is not None and not any(_has_id(str(known), record) for record in records):
            reason = f"no cited passage gives {name!r} the id {known!r}"
            yield self._fault(f"{path}.entity_id", reason, "copy the id as it stands, or use null")
        near = _near(name, records)
        if price is not None and not any(_priced(price, record, unit) for record in near):
            reason = f"no cited passage gives {name!r} the price {price:.15g}{_in(unit)}"
            yield self._fault(f"{path}.price", reason, "copy the price as it stands, or use null")

    def _fault(self, path: str, reason: str, cure: str) -> Fault:
        return Fault(f"rules.{self.name}", reason, f"{path}: {reason}; {cure}.", path)


def _is_entity(value: Any) -> bool:
    return isinstance(value, BaseModel) and field_of(value, "name", str) is not None


def _identity(entity: BaseModel) -> tuple[Any, ...]:
    price = getattr(entity, "price", None)
    return _flat(str(getattr(entity, "name", ""))), getattr(entity, "entity_id", None), price


def _flat(text: str) -> str:
    return _BLANKS.sub(" ", unicodedata.normalize("NFKC", text)).casefold().strip()


def _names(text: str, name: str) -> bool:
    """Tell whether a text names a product: K2 is not named by K20."""
    return _stands(_flat(name), _flat(text))


def _stands(piece: str, text: str) -> bool:
    if not piece:
        return False
    before = r"(?<![A-Za-z0-9])" if piece[0].isascii() and piece[0].isalnum() else ""
    plural = "(?:e?s)?" if piece[-1].isascii() and piece[-1].isalpha() else ""
    after = plural + r"(?![A-Za-z0-9])" if piece[-1].isascii() and piece[-1].isalnum() else ""
    return re.search(before + re.escape(piece) + after, text) is not None


def _cited(value: Any, context: CheckContext) -> list[Passage] | None:
    """Return the cited passages; None where the passages' texts are not known."""
    if context.passages is None:
        return None
    visible = [each for each in context.passages if context.caller.may_see(each.groups)]
    titles = {source.strip().casefold() for source in sources_of(value) or ()}
    cited = [each for each in visible if each.title.casefold() in titles]
    # A source in another form is mapped by the context gate; until then any passage may be meant.
    return cited if len({each.title for each in cited}) >= len(titles) else visible


def _records(name: str, passages: Sequence[Passage]) -> list[str]:
    """Return what the passages say of a product: its rows, or the texts that name it."""
    records: list[str] = []
    for passage in passages:
        head = f"{passage.title}\n{passage.heading}"
        lines = passage.text.splitlines()
        rows = [line for line in lines if _is_row(line) and _names(line, name)]
        if rows:
            records.extend(rows)
        elif _names(f"{head}\n{passage.text}", name):
            records.append(f"{head}\n{passage.text}")
    return records


def _near(name: str, records: Sequence[str]) -> list[str]:
    """Return what the records say right where they name a product, if a price stands there.

    That is each sentence that names it, with those behind it that name nothing else; all of a text
    whose title or heading names it.
    """
    near: list[str] = []
    for record in records:
        goes_on = _names("\n".join(record.split("\n", 2)[:2]), name)
        if goes_on:
            near.append(record)
            continue
        for start, end in sentences(record):
            said = record[start:end]
            goes_on = _names(said, name) or (goes_on and not names(said))
            if goes_on:
                near.append(said)
    amounts = (figure for said in near for figure in figures(said))
    return near if any(figure.kind == "money" for figure in amounts) else list(records)


def _is_row(line: str) -> bool:
    """Tell whether a line is a record of a table: cells behind commas, bars, tabs or labels."""
    return line.count(",") >= 3 or line.count("|") >= 2 or "\t" in line or line.count(";") >= 2


def _has_id(known: str, record: str) -> bool:
    """Tell whether a record gives an id; a number has to be called one where others are."""
    called = _ID.findall(record)
    if known.isdigit() and called:
        return known in called
    return stands(known, record)


def _priced(price: float, record: str, unit: str) -> bool:
    """Tell whether a record holds a price; in its unit, if prices are in one unit."""
    number = Fraction(str(price))
    asked = int(number) if number.denominator == 1 else number
    meanings = money(unit) if unit else ()
    keys = frozenset((meaning.family, asked) for meaning in meanings)
    figure = Figure("", 0, 0, "money", asked, unit if meanings else "", keys, (asked,))
    return FigureSet.of(_prices(record)).supports(figure)


def _prices(record: str) -> list[Figure]:
    """Return the figures of a record that are prices; all of them where nothing tells."""
    called = [figure for piece in _PRICE.findall(record) for figure in figures(piece)]
    amounts = [figure for figure in figures(record) if figure.kind == "money"]
    return called + amounts or list(figures(record))


def _in(unit: str) -> str:
    return f" {unit}" if unit else ""
