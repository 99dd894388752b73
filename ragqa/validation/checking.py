"""Check one raw reply, without a chain around it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from pydantic import BaseModel

from ragqa.contract import DEFAULT_CATEGORIES, QAResponse, response_type
from ragqa.errors import ConfigError
from ragqa.validation.defaults import default_gates
from ragqa.validation.gate import CheckContext
from ragqa.validation.gates import Gates
from ragqa.validation.verdict import Verdict


def check(
    raw: str,
    titles: Sequence[str] | None = None,
    categories: Sequence[str] | None = None,
    finish_reason: str | None = None,
    schema: type[BaseModel] | None = None,
    *,
    question: str = "",
    gates: Gates | None = None,
) -> Verdict:
    """Judge a raw model output by the four gates.

    >>> from ragqa.validation import check
    >>> check("I think so.").code
    'syntax.invalid'

    Args:
        raw: What the model wrote.
        titles: Titles that may be cited. None: unknown, source checks are off; empty: nothing
            was retrieved.
        categories: The values that ``category`` may take; the default list if None.
        finish_reason: Why the reply ended, as the service says.
        schema: What the reply must look like; a QAResponse if None.
        question: What was asked, where it is known.
        gates: Other gates than the default ones.

    Returns:
        The verdict with code, repairs, feedback and each gate's log.

    Raises:
        ConfigError: If categories are given with a schema that is no QAResponse, or one text
            where a list is due.
    """
    if isinstance(titles, str) or isinstance(categories, str):
        raise ConfigError("Titles and categories are lists of names, not one text.")
    context = CheckContext(
        schema=_schema(schema, categories),
        question=question,
        titles=None if titles is None else tuple(titles),
        numbered=() if titles is None else tuple(titles),
        finish_reason=finish_reason,
    )
    return (gates or default_gates()).judge(raw, context)


def _schema(schema: type[BaseModel] | None, categories: Sequence[str] | None) -> type[BaseModel]:
    if schema is None:
        return response_type(categories=tuple(categories or DEFAULT_CATEGORIES))
    if categories is None:
        return schema
    if not issubclass(schema, QAResponse):
        raise ConfigError("Categories go with a QAResponse, not with another schema.")
    return _with_categories(schema, tuple(categories))


@lru_cache(maxsize=256)
def _with_categories(schema: type[QAResponse], categories: tuple[str, ...]) -> type[QAResponse]:
    own = {"__module__": schema.__module__, "categories": categories}
    return type(schema.__name__, (schema,), own)
