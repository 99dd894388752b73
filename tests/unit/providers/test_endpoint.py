from __future__ import annotations

import subprocess
import sys

import pytest
from pydantic import SecretStr

from ragqa.errors import ConfigError
from ragqa.providers.abilities import MemoryAbilityStore
from ragqa.providers.endpoint import Endpoint, openai_endpoint
from ragqa.providers.openai import chat_model

KEY = "sk-proj-0123456789"


def _at(url: str | None, key: SecretStr | str | None = KEY) -> Endpoint:
    return openai_endpoint(url, key, "m", model_setting="RAGQA_CHAT_MODEL")


def test_openai_is_the_default() -> None:
    at = _at(None, SecretStr(KEY))
    assert (at.base_url, at.host, at.key) == ("https://api.openai.com/v1", "api.openai.com", KEY)
    assert at.is_official


@pytest.mark.parametrize(
    ("url", "official", "loopback"),
    [
        ("https://api.openai.com/v1", True, False),
        ("https://eu.api.openai.com/v1/", True, False),
        ("https://api.openai.com.evil.example/v1", False, False),
        ("https://notapi.openai.com.example/v1", False, False),
        ("http://localhost:11434/v1", False, True),
        ("http://127.0.0.1:8080/v1", False, True),
        ("http://[::1]:8080/v1", False, True),
        ("https://models.example.com/v1", False, False),
    ],
)
def test_services_are_told_apart(url: str, *, official: bool, loopback: bool) -> None:
    at = _at(url)
    assert (at.is_official, at.is_loopback) == (official, loopback)


def test_no_secret_is_shown() -> None:
    at = _at("https://user:hunter2@models.example.com:8443/v1/")
    assert at.identity == "https://models.example.com:8443/v1 m"
    shown = f"{at!r}{at.identity}{at.host}".replace(at.base_url, "")
    assert KEY not in shown
    assert "hunter2" not in shown


def test_a_model_name_tells_endpoints_apart() -> None:
    def name(url: str | None) -> str:
        abilities = MemoryAbilityStore()
        return chat_model(
            base_url=url, api_key=KEY, model="m", timeout_s=1, abilities=abilities
        ).name

    assert name(None) == "openai:m"
    assert name("http://127.0.0.1:1/v1") == "openai-compatible(127.0.0.1:1):m"


def test_settings_that_are_missing_are_named() -> None:
    with pytest.raises(ConfigError, match="OPENAI_API_KEY"):
        _at(None, None)
    with pytest.raises(ConfigError, match="RAGQA_CHAT_MODEL"):
        openai_endpoint("http://127.0.0.1:1", None, "", model_setting="RAGQA_CHAT_MODEL")


def test_a_model_that_is_not_asked_loads_nothing_heavy() -> None:
    program = (
        "import sys\n"
        "from ragqa.providers.abilities import MemoryAbilityStore\n"
        "from ragqa.providers.openai import chat_model\n"
        "model = chat_model(base_url='http://127.0.0.1:1/v1', api_key=None, model='m',\n"
        "                   timeout_s=1, abilities=MemoryAbilityStore())\n"
        "heavy = {'openai', 'langchain_core', 'langchain_openai', 'httpx', 'httpx2', 'numpy'}\n"
        "print(model.name, sorted(heavy & sys.modules.keys()))\n"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "openai-compatible(127.0.0.1:1):m []"
