"""Chat models of OpenAI and of every server that speaks its protocol."""

from __future__ import annotations

from ragqa.ports.limits import LimitsOf
from ragqa.providers.abilities import AbilityStore
from ragqa.providers.chat import EndpointChatModel
from ragqa.providers.endpoint import Secret, openai_endpoint
from ragqa.providers.exchange import Exchanges
from ragqa.providers.forms import DEFAULT_ORDER, Mode

MAX_RETRIES = 2


def chat_model(
    *,
    base_url: str | None,
    api_key: Secret | str | None,
    model: str,
    timeout_s: float,
    abilities: AbilityStore,
    max_retries: int = MAX_RETRIES,
    order: tuple[Mode, ...] = DEFAULT_ORDER,
    limits: LimitsOf | None = None,
) -> EndpointChatModel:
    """Return a chat model of OpenAI, Ollama, llama.cpp, vLLM or the like.

    Nothing is sent before the first request, which also finds out what the endpoint accepts.

    Args:
        base_url: The address up to ``/v1``; OpenAI itself if not given.
        api_key: The key; servers other than OpenAI's may need none.
        model: The model, as the service calls it.
        timeout_s: Seconds for a call that brings no time-out of its own.
        abilities: Where it is remembered what the endpoint does not accept.
        max_retries: How often a request that the transport failed is sent again.
        order: Ways to ask for a format, the preferred one first.
        limits: Makes what holds its calls back, by the name of the deployment.

    Raises:
        ConfigError: If the model's name is missing, or OpenAI's own service has no key.
    """
    at = openai_endpoint(base_url, api_key, model, model_setting="RAGQA_CHAT_MODEL")
    # OpenAI's newer models refuse max_tokens; many other servers know nothing else, and some
    # ignore the new name in silence and write without end.
    limit_name = "max_completion_tokens" if at.is_official else "max_tokens"
    exchanges = Exchanges(
        at,
        abilities,
        timeout_s=timeout_s,
        max_retries=max_retries,
        order=order,
        limit_name=limit_name,
        limits=limits and limits(at.identity),
    )
    return EndpointChatModel(at, exchanges)
