"""Every setting of ragqa, as values, and where each one came from.

    explicit  >  environment  >  .env in the current directory  >  ragqa.toml  >  default

>>> settings = Settings.load(top_k=3, environ={})
>>> settings.top_k, settings.source_of("RAGQA_TOP_K").kind
(3, 'explicit')
"""

from ragqa.settings.model import CategorySettings, Price, Settings, StrategySettings
from ragqa.settings.origin import Source
from ragqa.settings.services import (
    AzureOpenAISettings,
    AzureSearchSettings,
    OpenAISettings,
    SearchFields,
)

__all__ = [
    "AzureOpenAISettings",
    "AzureSearchSettings",
    "CategorySettings",
    "OpenAISettings",
    "Price",
    "SearchFields",
    "Settings",
    "Source",
    "StrategySettings",
]
