"""The ChatModel port for any endpoint that speaks the OpenAI protocol.

LangChain's ChatOpenAI runs what a callback hears, and streams; the rest goes past it.

>>> model = EndpointChatModel(at, exchanges)                              # doctest: +SKIP
>>> model.complete(ModelRequest((Message("user", "Say hello."),))).text    # doctest: +SKIP
'Hello.'
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Generator, Iterator, Mapping
from contextlib import aclosing, closing, contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from ragqa.contract import Usage
from ragqa.flow.hearing import is_heard
from ragqa.ports import Message, ModelReply, ModelRequest, TraceConfig
from ragqa.providers.endpoint import NO_KEY, Endpoint
from ragqa.providers.exchange import Exchanges
from ragqa.providers.forms import Mode
from ragqa.providers.normal import REFUSAL
from ragqa.providers.schema import response_format
from ragqa.providers.translate import cause_of, translate
from ragqa.providers.unheard import Unheard

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage
    from langchain_openai import ChatOpenAI

    from ragqa.providers.completions import Resources


class EndpointChatModel:
    """A chat model behind an endpoint; one object serves threads and event loops alike.

    Args:
        at: The endpoint.
        exchanges: Know how it is called.
    """

    def __init__(self, at: Endpoint, exchanges: Exchanges) -> None:
        self._at = at
        self._exchanges = exchanges

    @property
    def name(self) -> str:
        """Name model and endpoint kind, for records and cache keys; never a key."""
        return f"{self._at.label}:{self._at.model}"

    @property
    def format_mode(self) -> Mode | None:
        """Tell how a format is asked for, by what the endpoint was found to accept."""
        return self._exchanges.mode

    @cached_property
    def langchain(self) -> ChatOpenAI:
        """Return the ChatOpenAI that calls the endpoint, for LangChain's own parts.

        It is made when it is first used: importing it takes a second.
        """
        from pydantic import SecretStr

        from ragqa.providers.heard import HeardChat

        return HeardChat(
            name="ChatOpenAI",  # for traces
            model=self._at.model,
            base_url=self._at.base_url,
            api_key=SecretStr(NO_KEY),  # the clients hold the key; nothing is read elsewhere
            client=self._resources.blocking,
            async_client=self._resources.of_loops,
            temperature=None,  # said by the request; or ChatOpenAI has one for some models
            stream_usage=True,
            stream_chunk_timeout=None,  # the deadline of the call bounds it
            use_responses_api=False,
            output_version="v0",
            cache=False,  # a validated answer is kept elsewhere, a raw reply nowhere
        )

    @cached_property
    def _resources(self) -> Resources:
        """Return what sends, made when it is first used: importing the SDK takes half a second."""
        from ragqa.providers.completions import Resources

        return Resources(self._at, self._exchanges)

    @cached_property
    def _unheard(self) -> Unheard:
        return Unheard(self._resources, self._at.model)

    def translated(self, exc: Exception) -> Exception:
        """Return the error to raise for one of LangChain's or the SDK's."""
        return translate(exc, self._at)

    def complete(self, request: ModelRequest, config: TraceConfig = None) -> ModelReply:
        """Return the whole reply."""
        with _translated(self._at):
            if self._is_heard(config):
                llm = self.langchain
                return _reply_of(llm.invoke(*_call(request, config), **_options(request)))
            return _unheard_reply(self._unheard.complete(request))

    async def acomplete(self, request: ModelRequest, config: TraceConfig = None) -> ModelReply:
        """Do the same without blocking the event loop."""
        with _translated(self._at):
            if self._is_heard(config):
                llm = await self._loaded("langchain")
                return _reply_of(await llm.ainvoke(*_call(request, config), **_options(request)))
            unheard = await self._loaded("_unheard")
            return _unheard_reply(await unheard.acomplete(request))

    def stream(
        self, request: ModelRequest, config: TraceConfig = None
    ) -> Generator[str | ModelReply, None, None]:
        """Yield pieces of the reply as they come, last the whole reply."""
        gathered = _Gathered()
        chunks = self.langchain.stream(*_call(request, config), **_options(request))
        with _translated(self._at), closing(chunks):  # type: ignore[type-var]
            for chunk in chunks:
                if piece := gathered.piece(chunk):
                    yield piece
        yield gathered.reply()

    async def astream(
        self, request: ModelRequest, config: TraceConfig = None
    ) -> AsyncGenerator[str | ModelReply, None]:
        """Do the same without blocking the event loop."""
        gathered, llm = _Gathered(), await self._loaded("langchain")
        chunks = llm.astream(*_call(request, config), **_options(request))
        with _translated(self._at):
            async with aclosing(chunks):
                async for chunk in chunks:
                    if piece := gathered.piece(chunk):
                        yield piece
        yield gathered.reply()

    def _is_heard(self, config: TraceConfig) -> bool:
        """Tell whether LangChain has to run the call; nobody can listen to what is not made yet."""
        made: ChatOpenAI | None = self.__dict__.get("langchain")
        if made is None:
            return is_heard(config)
        return is_heard(config, made.callbacks, verbose=made.verbose)

    async def _loaded(self, name: Literal["langchain", "_unheard"]) -> Any:
        """Return a property without blocking the event loop while its package is imported."""
        if name not in self.__dict__:
            await asyncio.to_thread(getattr, self, name)
        return getattr(self, name)


def _options(request: ModelRequest) -> dict[str, Any]:
    """Return what one request asks for beyond its messages."""
    options: dict[str, Any] = {"timeout": request.timeout_s}
    if request.temperature is not None:
        options["temperature"] = request.temperature
    if request.max_tokens is not None:
        options["max_tokens"] = request.max_tokens
    if request.schema is not None:
        # As an argument of its own, ChatOpenAI would have the SDK parse the reply, which raises
        # where a reply was cut off, and loses its text.
        options["extra_body"] = {"response_format": response_format(request.schema)}
    return options


def _call(request: ModelRequest, config: TraceConfig) -> tuple[list[BaseMessage], Any]:
    """Return what ChatOpenAI takes for messages and configuration."""
    return [_message(message) for message in request.messages], config


def _message(message: Message) -> BaseMessage:
    from langchain_core.messages import AIMessage, HumanMessage, SystemMessage

    if message.role == "user":
        return HumanMessage(message.content)
    return (SystemMessage if message.role == "system" else AIMessage)(message.content)


@contextmanager
def _translated(at: Endpoint) -> Iterator[None]:
    try:
        yield
    except Exception as exc:
        error = translate(exc, at)
        if error is exc:
            raise
        raise error from cause_of(exc, error, at)


def _reply_of(message: Any) -> ModelReply:
    return _made(message.content, message.response_metadata, message.usage_metadata)


def _unheard_reply(data: Mapping[str, Any]) -> ModelReply:
    """Make the reply of a chat completion as ``whole_reply`` shapes it."""
    choice, usage = data["choices"][0], data["usage"] or {}
    metadata = {"finish_reason": choice["finish_reason"], "model_name": data["model"]}
    details = {"cache_read": usage.get("prompt_tokens_details", {}).get("cached_tokens", 0)}
    said = {
        "input_tokens": usage.get("prompt_tokens", 0),
        "output_tokens": usage.get("completion_tokens", 0),
        "input_token_details": details,
    }
    return _made(choice["message"]["content"], metadata, said)


class _Gathered:
    """What has come of a streamed reply."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._metadata: dict[str, Any] = {}
        self._usage: Mapping[str, Any] | None = None

    def piece(self, chunk: Any) -> str:
        """Keep a chunk and return its text; a refusal is no piece of an answer."""
        self._metadata |= chunk.response_metadata
        self._usage = chunk.usage_metadata or self._usage
        text: str = chunk.content
        self._pieces.append(text)
        return "" if self._metadata.get("finish_reason") == REFUSAL else text

    def reply(self) -> ModelReply:
        """Return the whole reply."""
        return _made("".join(self._pieces), self._metadata, self._usage)


def _made(text: str, metadata: Mapping[str, Any], usage: Mapping[str, Any] | None) -> ModelReply:
    reason = metadata.get("finish_reason")
    is_refusal = reason == REFUSAL
    return ModelReply(
        text="" if is_refusal else text,
        finish_reason="stop" if is_refusal else reason,
        refusal=text if is_refusal else None,
        usage=usage_of(usage),
        model=metadata.get("model_name") or "",
    )


def usage_of(said: Mapping[str, Any] | None) -> Usage:
    """Return one call's tokens, as LangChain's ``usage_metadata`` tells them."""
    said = said or {}
    details = said.get("input_token_details") or {}
    return Usage(
        calls=1,
        prompt_tokens=said.get("input_tokens", 0),
        completion_tokens=said.get("output_tokens", 0),
        # a service tier puts its name before the key
        cached_tokens=sum(n for key, n in details.items() if key.endswith("cache_read")),
    )
