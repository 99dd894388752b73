from __future__ import annotations

import inspect
import subprocess
import sys
from typing import Any

import pytest
from azure.core import exceptions as azure_core
from azure.identity import CredentialUnavailableError
from pydantic import SecretStr

from ragqa.errors import AuthError, ConfigError, MissingExtraError, WrongEndpointError
from ragqa.providers.abilities import MemoryAbilityStore
from ragqa.providers.azure import (
    AzureResource,
    azure_chat_model,
    azure_embeddings,
    azure_endpoint,
    deployment_url,
)
from ragqa.providers.endpoint import Endpoint
from ragqa.providers.entra import Entra
from ragqa.providers.fault import read_fault
from ragqa.providers.refusals import refusal
from ragqa.providers.translate import translate
from ragqa.settings import Settings
from ragqa.settings.kinds import is_v1_form

KEY = "0123456789abcdef0123456789abcdef"
NAME = "https://name.openai.azure.com"


def _at(endpoint: str | None = NAME, deployment: str | None = "gpt", **more: Any) -> Endpoint:
    resource = AzureResource(endpoint, **{"api_key": KEY, **more})
    return azure_endpoint(resource, deployment, model_setting="AZURE_OPENAI_CHAT_DEPLOYMENT")


@pytest.mark.parametrize(
    ("endpoint", "v1"),
    [
        (f"{NAME}/openai/v1/", True),
        (f"{NAME}/openai/v1", True),
        (f"{NAME}/OpenAI/V1//", True),
        ("https://gateway.azure-api.net/team/openai/v1", True),
        (NAME, False),
        (f"{NAME}/openai", False),
        (f"{NAME}/v1", False),
        (f"{NAME}/openai/v1/more", False),
        (f"{NAME}/openai/v10", False),
    ],
)
def test_the_address_selects_the_form(endpoint: str, *, v1: bool) -> None:
    assert is_v1_form(endpoint) is v1
    assert bool(_at(endpoint).api_version) is not v1


@pytest.mark.parametrize("tail", ["", "/", "//", "/openai", "/openai/", "/OpenAI/"])
def test_the_path_of_a_deployment(tail: str) -> None:
    assert deployment_url(NAME + tail, "gpt-4o") == f"{NAME}/openai/deployments/gpt-4o"


def test_a_gateway_keeps_its_path_and_odd_names_are_quoted() -> None:
    made = deployment_url("https://gateway.example/team/", "über gpt/4")
    assert made == "https://gateway.example/team/openai/deployments/%C3%BCber%20gpt%2F4"


def test_the_default_version_is_that_of_the_settings() -> None:
    resource = AzureResource(NAME, KEY)
    assert resource.api_version == Settings().azure_openai.api_version


@pytest.mark.parametrize(
    ("endpoint", "deployment", "named"),
    [
        (None, "gpt", "AZURE_OPENAI_ENDPOINT"),
        ("", "gpt", "AZURE_OPENAI_ENDPOINT"),
        (NAME, None, "AZURE_OPENAI_CHAT_DEPLOYMENT"),
        ("http://name.openai.azure.com", "gpt", "https"),
        ("http://10.0.0.1", "gpt", "https"),
        ("http://localhost.evil.example", "gpt", "https"),
        ("ftp://name.openai.azure.com", "gpt", "https"),
        ("https://", "gpt", "https"),
        ("name.openai.azure.com", "gpt", "https"),
        ("https://me:hunter2@name.openai.azure.com", "gpt", "AZURE_OPENAI_ENDPOINT"),
        (f"{NAME}?api-key={KEY}", "gpt", "AZURE_OPENAI_ENDPOINT"),
    ],
)
@pytest.mark.parametrize("key", [KEY, None])
def test_a_wrong_address_is_refused_before_any_request(
    endpoint: str | None, deployment: str | None, named: str, key: str | None
) -> None:
    with pytest.raises(ConfigError, match=named) as caught:
        _at(endpoint, deployment, api_key=key)
    assert "hunter2" not in str(caught.value)
    assert KEY not in str(caught.value)


@pytest.mark.parametrize("url", ["http://127.0.0.1:8080", "http://localhost:1", "http://[::1]:1"])
def test_plain_http_is_taken_on_loopback(url: str) -> None:
    assert _at(url).base_url.startswith(url)


@pytest.mark.parametrize("key", [KEY, SecretStr(KEY), f" {KEY}\r\n"])
def test_a_key_leaves_no_use_for_a_token(key: Any) -> None:
    at = _at(api_key=key)
    assert (at.key, at.entra) == (KEY, None)
    assert KEY not in repr(at)
    assert KEY not in repr(AzureResource(NAME, key))


@pytest.mark.parametrize("key", [None, "", "  ", SecretStr("")])
@pytest.mark.parametrize(
    ("endpoint", "scope"),
    [
        (NAME, "https://cognitiveservices.azure.com/.default"),
        (f"{NAME}/openai/v1/", "https://ai.azure.com/.default"),
    ],
)
def test_the_scope_of_tokens(key: Any, endpoint: str, scope: str) -> None:
    assert _at(endpoint, api_key=key).entra == Entra(scope)


@pytest.mark.parametrize("missing", ["azure.identity", "azure"])
def test_a_missing_extra_is_told_at_once(missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("azure.identity")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(MissingExtraError, match=r"ragqa\[azure\]"):
        _at(api_key=None)


def test_what_is_remembered_depends_on_the_version() -> None:
    versions = {_at(api_version=version).identity for version in ("2024-06-01", "2024-10-21")}
    assert len(versions) == 2
    assert KEY not in str(versions)


def test_names_tell_models_apart() -> None:
    calling: dict[str, Any] = {"timeout_s": 1.0, "abilities": MemoryAbilityStore()}
    resource = AzureResource(NAME, KEY)
    assert azure_chat_model(resource, "gpt", **calling).name == "azure(name.openai.azure.com):gpt"
    made = azure_embeddings(resource, "embed", **calling)
    assert made.name == "name.openai.azure.com:embed"


def _azure_errors() -> list[Exception]:
    kinds = [kind for _, kind in inspect.getmembers(azure_core, inspect.isclass)]
    kinds = [kind for kind in kinds if issubclass(kind, azure_core.AzureError)]
    made = [kind.__new__(kind, "no") for kind in kinds]
    return [*made, CredentialUnavailableError(message="no identity")]


@pytest.mark.parametrize("error", _azure_errors(), ids=lambda error: type(error).__name__)
def test_every_fault_of_an_identity_is_told_as_one(error: Exception) -> None:
    said = translate(error, _at(api_key=None))
    assert type(said) is AuthError
    assert "AZURE_OPENAI_API_KEY" in str(said)


@pytest.mark.parametrize(
    "body",
    [
        {"error": {"code": "UnsupportedApiVersion", "message": "No."}},
        {"error": {"code": "BadRequest", "message": "API version not supported"}},
        {"error": {"code": "InvalidApiVersionParameter", "message": "The api-version is invalid."}},
        {"error": {"message": "Model o1 is enabled only for api versions 2024-12-01-preview."}},
    ],
)
def test_a_wrong_version_is_named_where_there_is_one(body: Any) -> None:
    error = refusal(read_fault(400, body), _at(), {})
    assert type(error) is WrongEndpointError
    assert "AZURE_OPENAI_API_VERSION" in str(error)
    of_v1 = refusal(read_fault(400, body), _at(f"{NAME}/openai/v1/"), {})
    assert "AZURE_OPENAI_API_VERSION" not in str(of_v1)


def test_the_module_loads_no_sdk() -> None:
    code = (
        "import sys, ragqa.providers.azure; "
        "print([name for name in sys.modules if name.partition('.')[0] in "
        "('azure', 'openai', 'langchain_openai', 'langchain_core', 'httpx2', 'asyncio')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "azure" not in done.stdout
    assert "openai" not in done.stdout
    assert "langchain" not in done.stdout
