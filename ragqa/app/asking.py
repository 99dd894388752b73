"""Ask a question: from settings to an Answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ragqa.app.agent_tools import chain_options
from ragqa.app.given import check_options, check_schema, settings_of, with_given
from ragqa.app.indexing import Paths, Progress, sync_before_asking
from ragqa.app.own_packages import require_own_packages
from ragqa.errors import ConfigError
from ragqa.ports import Parts
from ragqa.settings import Settings
from ragqa.settings.resolve import missing_for_model, missing_for_retriever, provider_of, require

if TYPE_CHECKING:
    from langchain_core.documents import BaseDocumentCompressor
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.runnables import Runnable

    from ragqa.contract import Answer, QAResponse, Turn
    from ragqa.flow import Event, Pipeline
    from ragqa.ingest.report import IndexReport
    from ragqa.ports import Reranker, Retriever
    from ragqa.validation.gate import Rule

MODEL_FREE = "extractive"


def default_chain(settings: Settings) -> str:
    """Return the chain that answers where none is named."""
    if settings.chain:
        return settings.chain
    return MODEL_FREE if provider_of(settings) == "none" else "stuff"


@dataclass(frozen=True)
class Asker:
    """A chain with its parts, ready for any number of questions, from any number of threads.

    Attributes:
        name: The chain's name.
        parts: What it works with.
        module: Makes its pipeline.
        report: What indexing did before, where documents were given.
        options: What the chain takes beside its parts.
    """

    name: str
    parts: Parts
    module: Any
    report: IndexReport | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def pipeline(self) -> Pipeline:
        """The chain's stages, with what surrounds every ask."""
        if not hasattr(self.module, "pipeline"):
            raise ConfigError(
                f"The chain {self.name!r} has no pipeline(parts).",
                hint=f"Run it as a Runnable: ragqa.chain({self.name!r}).invoke(…).",
            )
        from ragqa.stages.whole import whole

        return whole(self.module.pipeline(self.parts, **self.options), self.parts)

    def turn(
        self, question: str, *, session: str | None = None, groups: Iterable[str] = ()
    ) -> Turn:
        """Return the first Turn of an ask.

        Raises:
            ConfigError: If the question is empty or too long.
        """
        from ragqa.stages.begin import begin

        named = groups if isinstance(groups, str) else tuple(groups)  # one name is one group
        given = {"question": question, "session": session, "groups": named}
        return begin(self.parts, self.name)(given)

    def ask(self, turn: Turn) -> Answer:
        """Return the answer to the question of a Turn."""
        from ragqa import flow

        return flow.answer_of(flow.invoke(self.pipeline, turn))

    async def aask(self, turn: Turn) -> Answer:
        """Return the answer without blocking the event loop."""
        from ragqa import flow

        return flow.answer_of(await flow.ainvoke(self.pipeline, turn))

    def stream(self, turn: Turn) -> Iterator[Event]:
        """Yield pieces of text, withdrawals, and last the Answer."""
        from ragqa import flow

        return flow.stream(self.pipeline, turn)


def asker(
    *,
    docs: Paths | None = None,
    chain: str | None = None,
    settings: Settings | None = None,
    progress: Progress | None = None,
) -> Asker:
    """Index what is new or changed, and return what answers questions.

    Args:
        docs: Files and folders to answer from; ``RAGQA_DOCS`` if not given.
        chain: The chain's name.
        settings: All settings; read from their sources if not given.
        progress: Told how far indexing is.

    Raises:
        ConfigError: If settings are wrong or missing, or the chain is unknown.
        RetrievalError: If there is no index, or it is empty.
    """
    settings = settings_of(settings)
    name = chain or default_chain(settings)
    with_model = _needs_model(name, settings)
    _require_all(settings, with_model=with_model)
    module, options = loaded_chain(name), chain_options(name, settings)
    report = sync_before_asking(docs, settings, progress)

    from ragqa.app.parts import parts_for

    parts = parts_for(settings, with_model=with_model)
    if settings.retriever == "embedded":
        _require_documents(parts)
    return Asker(name, parts, module, report, options)


def _require_documents(parts: Parts) -> None:
    """Find out before any call of a model, and any record, that there is nothing to answer from.

    A service is not asked: its first search, before the model's first call, tells as well.

    Raises:
        RetrievalError: If there is no index, or it is empty.
    """
    from ragqa.contract import Strategy
    from ragqa.ports import SearchQuery

    parts.retriever.retrieve(SearchQuery("?", k=1, strategy=Strategy(search_type="keyword")))


def loaded_chain(name: str) -> Any:
    """Return the module of a chain.

    Raises:
        ConfigError: If there is none of that name, or another package stands in its way.
    """
    require_own_packages()
    import chains

    return chains.load(name)


def _require_all(settings: Settings, *, with_model: bool) -> None:
    missing = missing_for_model(settings) if with_model else []
    missing += missing_for_retriever(settings)
    require(settings, missing, purpose="to answer a question")


def _needs_model(name: str, settings: Settings) -> bool:
    return name != MODEL_FREE and provider_of(settings) != "none"


def ask(
    question: str,
    *,
    docs: Paths | None = None,
    chain: str | None = None,
    session: str | None = None,
    groups: Iterable[str] = (),
    settings: Settings | None = None,
) -> Answer:
    """Answer a question from the documents.

    >>> import ragqa
    >>> ragqa.ask("How long do I have to return a kettle?", docs="docs/")  # doctest: +SKIP

    Args:
        question: What to answer.
        docs: Files and folders to answer from; what is new or changed is indexed first.
        chain: How to answer; by default ``stuff`` with a model, else ``extractive``.
        session: The conversation that the question belongs to.
        groups: What the caller belongs to: decides which documents may be used.
        settings: All settings; read from their sources if not given.

    Raises:
        ConfigError: If settings are wrong or missing, or the question is empty or too long.
        RetrievalError: If there is no index, or nothing of ``docs`` could be indexed.
        ProviderError: If the model's service refuses the key or the deployment.
    """
    check_question(question)
    ready = asker(docs=docs, chain=chain, settings=settings)
    return ready.ask(ready.turn(question, session=session, groups=groups))


async def aask(
    question: str,
    *,
    docs: Paths | None = None,
    chain: str | None = None,
    session: str | None = None,
    groups: Iterable[str] = (),
    settings: Settings | None = None,
) -> Answer:
    """Do the same as :func:`ask` without blocking the event loop."""
    import asyncio

    from ragqa.flow.host import require_asyncio

    require_asyncio()
    check_question(question)
    ready = await asyncio.to_thread(asker, docs=docs, chain=chain, settings=settings)
    return await ready.aask(ready.turn(question, session=session, groups=groups))


def stream(
    question: str,
    *,
    docs: Paths | None = None,
    chain: str | None = None,
    session: str | None = None,
    groups: Iterable[str] = (),
    settings: Settings | None = None,
) -> Iterator[Event]:
    """Yield the text while it is written, withdrawals, and last the Answer; see :func:`ask`."""
    check_question(question)
    ready = asker(docs=docs, chain=chain, settings=settings)
    return ready.stream(ready.turn(question, session=session, groups=groups))


def chain(
    name: str,
    *,
    settings: Settings | None = None,
    schema: type[QAResponse] | None = None,
    rules: Iterable[Rule] = (),
    retriever: Retriever | BaseRetriever | None = None,
    reranker: Reranker | BaseDocumentCompressor | None = None,
    **options: Any,
) -> Runnable[Any, Any]:
    """Return a chain as a LangChain Runnable: takes a string or a dict, gives an Answer.

    >>> chain = ragqa.chain("stuff", schema=SupportResponse, rules=[my_rule])  # doctest: +SKIP

    Args:
        name: The chain's name; ``chains.names()`` lists them.
        settings: All settings; read from their sources if not given.
        schema: A subclass of QAResponse, with fields, categories and lengths of its own.
        rules: More rules that every answer must keep.
        retriever: Finds passages in place of the index: a LangChain retriever will do.
        reranker: Cuts the passages to the best few: a LangChain document compressor will do.
        options: What the chain's ``build`` takes.
    """
    settings = settings_of(settings)
    with_model = _needs_model(name, settings)
    _require_all(settings, with_model=with_model)
    module = loaded_chain(name)
    check_options(name, module.build, options)
    check_schema(name, schema)

    from ragqa.app.parts import parts_for

    parts = with_given(
        parts_for(settings, with_model=with_model),
        schema=schema,
        rules=rules,
        retriever=retriever,
        reranker=reranker,
    )
    runnable: Runnable[Any, Any] = module.build(parts, **chain_options(name, settings, **options))
    return runnable


def check_question(question: Any) -> None:
    """Refuse a question that is empty, too long or no text, before any work.

    Raises:
        ConfigError: Says what is wrong with it.
    """
    from ragqa.stages.begin import question_of

    question_of({"question": question})
