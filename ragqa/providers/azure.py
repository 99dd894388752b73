"""Chat models and embeddings of Azure OpenAI, by deployment endpoints or by the v1 form.

    https://NAME.openai.azure.com                deployment endpoints, with an API version
    https://NAME.openai.azure.com/openai/v1/     the v1 form: the deployment is named in the body

LangChain's AzureChatOpenAI is not used: it takes OPENAI_API_KEY where no key is given, and raises
ValueError where the content filter stopped a reply. The SDK's Azure client is, below ChatOpenAI.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from ragqa.errors import ConfigError
from ragqa.ports.limits import LimitsOf
from ragqa.providers.abilities import AbilityStore
from ragqa.providers.chat import EndpointChatModel
from ragqa.providers.endpoint import Endpoint, Secret, key_of
from ragqa.providers.entra import Entra, require_azure_identity
from ragqa.providers.exchange import Exchanges
from ragqa.settings.kinds import is_loopback, is_v1_form

if TYPE_CHECKING:
    from ragqa.providers.embeddings import EndpointEmbeddings

DEFAULT_API_VERSION = "2024-10-21"
"""The newest version of the deployment API that is not a preview.
Source: https://learn.microsoft.com/azure/ai-foundry/openai/api-version-lifecycle"""

DEPLOYMENT_SCOPE = "https://cognitiveservices.azure.com/.default"
V1_SCOPE = "https://ai.azure.com/.default"
MAX_RETRIES = 2

_TAIL = re.compile(r"(/openai)?/*$", re.IGNORECASE)
_URL_HINT = "It looks like https://NAME.openai.azure.com, or ends in /openai/v1/ for the v1 form."


@dataclass(frozen=True, slots=True)
class AzureResource:
    """A resource of Azure OpenAI, and what opens it.

    Attributes:
        endpoint: Its address; one that ends in ``/openai/v1/`` selects the v1 form.
        api_key: Its key; without one, a token of Entra ID is sent.
        api_version: Version of the deployment API; the v1 form has none.
        credential: A credential of azure-identity for the tokens, sync or async, that the caller
            closes; DefaultAzureCredential if there is none.
    """

    endpoint: str | None
    api_key: Secret | str | None = field(default=None, repr=False)
    api_version: str = DEFAULT_API_VERSION
    credential: Any = field(default=None, repr=False)


def azure_chat_model(
    resource: AzureResource,
    deployment: str | None,
    *,
    timeout_s: float,
    abilities: AbilityStore,
    max_retries: int = MAX_RETRIES,
    limits: LimitsOf | None = None,
) -> EndpointChatModel:
    """Return a chat model of Azure OpenAI.

    Nothing is sent before the first request, which also finds out what deployment and API version
    accept.

    Args:
        resource: Where it is.
        deployment: The deployment's name.
        timeout_s: Seconds for a call that brings no time-out of its own.
        abilities: Where it is remembered what the endpoint does not accept.
        max_retries: How often a request that the transport failed is sent again.
        limits: Makes what holds its calls back, by the name of the deployment.

    Raises:
        ConfigError: If something is missing, or the address is unencrypted and not on loopback.
        MissingExtraError: If there is no key and azure-identity is not installed.
    """
    at = azure_endpoint(resource, deployment, model_setting="AZURE_OPENAI_CHAT_DEPLOYMENT")
    exchanges = Exchanges(
        at,
        abilities,
        timeout_s=timeout_s,
        max_retries=max_retries,
        limits=limits and limits(at.identity),
    )
    return EndpointChatModel(at, exchanges)


def azure_embeddings(
    resource: AzureResource,
    deployment: str | None,
    *,
    timeout_s: float,
    abilities: AbilityStore,
    max_retries: int = MAX_RETRIES,
) -> EndpointEmbeddings:
    """Return the embeddings of a deployment.

    Args:
        resource: Where it is.
        deployment: The deployment's name.
        timeout_s: Seconds for one request.
        abilities: Where it is remembered what the endpoint does not accept.
        max_retries: How often a request that the transport failed is sent again.

    Raises:
        ConfigError: If something is missing, or the address is unencrypted and not on loopback.
        MissingExtraError: If there is no key and azure-identity is not installed.
    """
    from ragqa.providers.embeddings import EndpointEmbeddings

    at = azure_endpoint(resource, deployment, model_setting="AZURE_OPENAI_EMBEDDING_DEPLOYMENT")
    exchanges = Exchanges(at, abilities, timeout_s=timeout_s, max_retries=max_retries)
    return EndpointEmbeddings(exchanges)


def azure_endpoint(
    resource: AzureResource, deployment: str | None, *, model_setting: str
) -> Endpoint:
    """Return the endpoint of a deployment.

    Raises:
        ConfigError: If something is missing, or the address is unencrypted and not on loopback.
        MissingExtraError: If there is no key and azure-identity is not installed.
    """
    url = (resource.endpoint or "").strip()
    _check_address(url, deployment, model_setting)
    is_v1 = is_v1_form(url)
    key = key_of(resource.api_key, "AZURE_OPENAI_API_KEY")
    if not key:
        require_azure_identity()
    scope = V1_SCOPE if is_v1 else DEPLOYMENT_SCOPE
    return Endpoint(
        url.rstrip("/") if is_v1 else deployment_url(url, deployment or ""),
        deployment or "",
        key,
        url_setting="AZURE_OPENAI_ENDPOINT",
        key_setting="AZURE_OPENAI_API_KEY",
        model_setting=model_setting,
        service="azure",
        api_version="" if is_v1 else resource.api_version,
        url_hint=_URL_HINT if is_v1 else f"{_URL_HINT} AZURE_OPENAI_API_VERSION may be wrong, too.",
        entra=None if key else Entra(scope, resource.credential),
    )


def deployment_url(endpoint: str, deployment: str) -> str:
    """Return what ``/chat/completions`` is added to.

    >>> deployment_url("https://name.openai.azure.com/", "gpt")
    'https://name.openai.azure.com/openai/deployments/gpt'
    """
    return f"{_TAIL.sub('', endpoint)}/openai/deployments/{quote(deployment, safe='')}"


def _check_address(url: str, deployment: str | None, model_setting: str) -> None:
    for name, value in (("AZURE_OPENAI_ENDPOINT", url), (model_setting, deployment)):
        if not value:
            raise ConfigError(f"{name} is not set.", hint="It is needed to call Azure OpenAI.")
    parts = urlsplit(url)
    encrypted = parts.scheme == "https" and parts.hostname
    if not encrypted and not (parts.scheme == "http" and is_loopback(url)):
        raise ConfigError(
            "AZURE_OPENAI_ENDPOINT is no https:// URL.",
            hint="http:// is taken on loopback alone (localhost, 127.0.0.1).",
        )
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ConfigError("AZURE_OPENAI_ENDPOINT holds more than an address.", hint=_URL_HINT)
