"""What the settings amount to: which provider, what is missing, where a key may go."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal
from urllib.parse import urlsplit

from ragqa.errors import ConfigError
from ragqa.settings.kinds import is_loopback
from ragqa.settings.model import Settings
from ragqa.settings.tables import nearest_variable

OPENAI_URL = "https://api.openai.com/v1"

# Microsoft's own services alone: anybody may run a machine under cloudapp.azure.com, or a gateway
# under azure-api.net.
_AZURE_DOMAINS = (
    *(
        f".{service}.azure.{cloud}"
        for service in ("openai", "cognitiveservices", "services.ai", "search")
        for cloud in ("com", "us", "cn")
    ),
    ".search.windows.net",
)
_KEYS = {
    "OPENAI_BASE_URL": "OPENAI_API_KEY",
    "AZURE_OPENAI_ENDPOINT": "AZURE_OPENAI_API_KEY",
    "AZURE_SEARCH_ENDPOINT": "AZURE_SEARCH_API_KEY",
}


def provider_of(settings: Settings) -> Literal["azure", "openai", "none"]:
    """Return the provider that ``auto`` stands for, or the one that is set."""
    if settings.provider != "auto":
        return settings.provider
    if settings.azure_openai.endpoint:
        return "azure"
    return "openai" if settings.openai.base_url or settings.openai.api_key else "none"


def has_embeddings(settings: Settings) -> bool:
    """Tell whether an embedding model is configured at the provider."""
    return {
        "azure": settings.azure_openai.embedding_deployment,
        "openai": settings.openai.embedding_model,
        "none": None,
    }[provider_of(settings)] is not None


def missing_for_model(settings: Settings) -> list[str]:
    """Name the variables that are missing before a chat model can be called."""
    named: dict[str, object] = {}
    match provider_of(settings):
        case "azure":
            named = {
                "AZURE_OPENAI_ENDPOINT": settings.azure_openai.endpoint,
                "AZURE_OPENAI_CHAT_DEPLOYMENT": settings.azure_openai.chat_deployment,
            }
        case "openai":
            named = {**_openai_access(settings), "RAGQA_CHAT_MODEL": settings.openai.chat_model}
        case "none":
            pass
    return _unset(named)


def missing_for_embeddings(settings: Settings) -> list[str]:
    """Name the variables that are missing before texts can be embedded."""
    named: dict[str, object] = {}
    match provider_of(settings):
        case "azure":
            named = {
                "AZURE_OPENAI_ENDPOINT": settings.azure_openai.endpoint,
                "AZURE_OPENAI_EMBEDDING_DEPLOYMENT": settings.azure_openai.embedding_deployment,
            }
        case "openai":
            embedding_model = settings.openai.embedding_model
            named = {**_openai_access(settings), "RAGQA_EMBEDDING_MODEL": embedding_model}
        case "none":
            named = {"RAGQA_EMBEDDING_MODEL": None}
    return _unset(named)


def missing_for_retriever(settings: Settings) -> list[str]:
    """Name the variables that are missing before documents can be searched."""
    search, kind = settings.azure_search, settings.search_type
    named: dict[str, object] = {}
    if settings.retriever == "azure":
        named = {"AZURE_SEARCH_ENDPOINT": search.endpoint, "AZURE_SEARCH_INDEX": search.index}
        if kind == "semantic_hybrid":
            named["AZURE_SEARCH_SEMANTIC_CONFIG"] = search.semantic_config
    missing = _unset(named)
    if kind in ("similarity", "hybrid", "semantic_hybrid") or has_embeddings(settings):
        missing += missing_for_embeddings(settings)
    return missing


def _openai_access(settings: Settings) -> dict[str, object]:
    base_url = settings.openai.base_url or OPENAI_URL
    needs_key = urlsplit(base_url).hostname == urlsplit(OPENAI_URL).hostname
    return {"OPENAI_API_KEY": settings.openai.api_key} if needs_key else {}


def _unset(named: dict[str, object]) -> list[str]:
    return [variable for variable, value in named.items() if value is None]


def require(settings: Settings, missing: Iterable[str], *, purpose: str) -> None:
    """Refuse to go on while settings are missing.

    Args:
        settings: Tells of variables that are set under a name nobody reads.
        missing: The variables; each is named once.
        purpose: What they are needed for, for instance ``to answer with Azure OpenAI``.

    Raises:
        ConfigError: If anything is missing; names exactly that.
    """
    names = list(dict.fromkeys(missing))
    if not names:
        return
    verb = "is" if len(names) == 1 else "are"
    mistaken = [name for name in settings.unknown_variables if nearest_variable(name) in names]
    hint = "Set it" if len(names) == 1 else "Set them"
    hint += " in the environment, in .env or in ragqa.toml."
    if mistaken:
        hint += f" (Nothing reads {', '.join(mistaken)}.)"
    raise ConfigError(f"{', '.join(names)} {verb} not set, and needed {purpose}.", hint=hint)


def check_key_target(settings: Settings, endpoint_variable: str, endpoint: str) -> None:
    """Refuse to send a key of the environment to an endpoint that a file of the folder names.

    Whoever hands over a folder with a ``.env`` in it would else collect the keys of those who
    work there. Where Azure has no key, the identity's token is what must not leave.

    Raises:
        ConfigError: If the key may not go there.
    """
    key_variable = _KEYS[endpoint_variable]
    endpoint_source = settings.source_of(endpoint_variable)
    key_source = settings.source_of(key_variable)
    if (
        not endpoint_source.is_file
        or key_source.is_file
        or is_loopback(endpoint)
        or settings.allow_key_to_file_endpoint
    ):
        return
    if key_source.kind != "default":
        sent = f"{key_variable} comes from another source ({key_source})"
    elif endpoint_variable != "OPENAI_BASE_URL" and not _at_azure(endpoint):
        sent = "A token of the managed identity is due there"
    else:
        return
    raise ConfigError(
        f"{endpoint_variable} comes from a file of the working directory ({endpoint_source}). "
        f"{sent}, and is not sent there.",
        hint="Put both into the same place, or set RAGQA_ALLOW_KEY_TO_FILE_ENDPOINT=true in the "
        "environment.",
    )


def _at_azure(url: str) -> bool:
    return (urlsplit(url).hostname or "").lower().endswith(_AZURE_DOMAINS)


def plain_http_warning(settings: Settings) -> str | None:
    """Return a warning if the OpenAI key would cross a network unencrypted."""
    url = settings.openai.base_url or ""
    if settings.openai.api_key and url.lower().startswith("http://") and not is_loopback(url):
        return "OPENAI_API_KEY is sent over http:// without encryption; use https:// if you can."
    return None
