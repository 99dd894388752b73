"""Parts that a program brings along: its own schema, rules, retriever or reranker."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ragqa.contract import QAResponse
from ragqa.errors import ConfigError
from ragqa.ports import Parts, Policy, Reranker, Retriever
from ragqa.settings import Settings

if TYPE_CHECKING:
    from langchain_core.documents import BaseDocumentCompressor
    from langchain_core.retrievers import BaseRetriever

    from ragqa.validation.gate import Rule


def settings_of(given: Settings | None) -> Settings:
    """Return the settings that a program gave, else those of their sources.

    Raises:
        ConfigError: If what was given is something else.
    """
    if given is not None and not isinstance(given, Settings):
        raise ConfigError(
            f"The settings are a {type(given).__name__}.",
            hint="Pass ragqa.Settings(top_k=3) or the like; what it leaves out is at its default.",
        )
    return given if given is not None else Settings.load()


def check_options(name: str, build: Callable[..., Any], options: Iterable[str]) -> None:
    """Refuse options that a chain does not take, before anything is built.

    Raises:
        ConfigError: Names the chain, the option and those that there are.
    """
    taken = inspect.signature(build).parameters
    if any(one.kind is inspect.Parameter.VAR_KEYWORD for one in taken.values()):
        return
    unknown = [option for option in options if option not in taken]
    if unknown:
        own = list(taken)[1:]  # the first are its parts
        known = ", ".join([*own, "settings", "schema", "rules", "retriever", "reranker"])
        raise ConfigError(
            f"The chain {name!r} takes no option {unknown[0]!r}.", hint=f"It takes: {known}."
        )


def check_schema(name: str, schema: Any) -> None:
    """Refuse a response that a chain could never give, which would look like missing documents.

    Raises:
        ConfigError: If a chain that quotes has to fill a field that no document holds.
    """
    from ragqa.stages.quote import unfilled

    if name != "extractive" or not (isinstance(schema, type) and issubclass(schema, QAResponse)):
        return
    if fields := unfilled(schema):
        raise ConfigError(
            f"The chain 'extractive' quotes, and cannot fill the required field {fields[0]!r}.",
            hint="Give it a default, or take a chain with a model.",
        )


def with_given(
    parts: Parts,
    *,
    schema: type[QAResponse] | None = None,
    rules: Iterable[Rule] = (),
    retriever: Retriever | BaseRetriever | None = None,
    reranker: Reranker | BaseDocumentCompressor | None = None,
) -> Parts:
    """Return the parts with what is given in place of what the settings say.

    Args:
        parts: What the settings describe.
        schema: The response class; its categories and lengths count.
        rules: More rules for the rules gate.
        retriever: Finds passages: ragqa's kind or LangChain's.
        reranker: Cuts them to the best few: ragqa's kind or a LangChain document compressor.

    Raises:
        ConfigError: If one of them is of another kind.
    """
    if schema is not None:
        parts = replace(parts, policy=_policy_for(parts.policy, schema))
    if rules := tuple(rules):
        # What own code accepts today it may refuse tomorrow: nothing tells, so nothing is reused.
        parts = replace(parts, gates=_gates_with(parts, rules), answers=None)
    if retriever is not None:
        parts = _searched_by(parts, retriever)
    if reranker is not None:
        parts = replace(parts, reranker=_reranker(reranker, parts.policy.top_k))
    return parts


def _policy_for(policy: Policy, schema: Any) -> Policy:
    from ragqa.ports import Category

    if not (isinstance(schema, type) and issubclass(schema, QAResponse)):
        raise ConfigError(
            f"The schema {schema!r} is no subclass of QAResponse.",
            hint="Derive it: class MyResponse(ragqa.QAResponse): …",
        )
    _check_described(schema)
    known = {category.name: category for category in policy.categories}
    categories = tuple(known.get(name, Category(name)) for name in schema.categories)
    return replace(policy, schema=schema, categories=categories)


def _check_described(schema: type[QAResponse]) -> None:
    """Refuse a response class that no model could be told of, or no answer of ours would fit.

    Raises:
        ConfigError: Names the class and what is wrong with it.
    """
    from pydantic.errors import PydanticUserError

    fault = ""
    try:
        schema.model_json_schema()
    except PydanticUserError as exc:
        fault = f"a field of it cannot be JSON ({exc.message.splitlines()[0]})"
    if not schema.categories:
        fault = "its categories are empty"
    elif schema.max_answer_chars < 1:
        fault = f"its max_answer_chars is {schema.max_answer_chars}"
    if fault:
        raise ConfigError(
            f"The schema {schema.__name__} cannot be used: {fault}.",
            hint="Give it a category, a length of at least 1, and fields of JSON's own types.",
        )


def _gates_with(parts: Parts, rules: tuple[Rule, ...]) -> Any:
    from ragqa.validation.defaults import default_gates
    from ragqa.validation.rules import RulesGate

    gates = default_gates(handling=parts.policy.handling)
    return gates.replaced(RulesGate().added(*rules))


def _searched_by(parts: Parts, given: Any) -> Parts:
    """Reuse answers only while the retriever finds the same: its version may say nothing."""
    answers = parts.answers and replace(parts.answers, version_tells=False)
    return replace(parts, retriever=_retriever(given), answers=answers)


def _retriever(given: Any) -> Retriever:
    if hasattr(given, "retrieve"):
        ours: Retriever = given
        return ours
    if hasattr(given, "invoke"):
        from ragqa.retrieval.langchain import from_langchain

        return from_langchain(given)
    raise ConfigError(
        f"{type(given).__name__} is no retriever.", hint="Give a LangChain BaseRetriever."
    )


def _reranker(given: Any, n: int) -> Reranker:
    if hasattr(given, "rerank"):
        ours: Reranker = given
        return ours
    if hasattr(given, "compress_documents"):
        from ragqa.retrieval.langchain import reranker_from_compressor

        return reranker_from_compressor(given, n)
    raise ConfigError(
        f"{type(given).__name__} is no reranker.",
        hint="Give a LangChain document compressor (BaseDocumentCompressor).",
    )
