"""Documents in an index of Azure AI Search: found, put there, and described. Extra ``azure``.

``azure_retriever`` searches an index, ``from_store`` the one behind a LangChain AzureSearch that an
app has already, and ``AzureStore`` fills one. The SDK is loaded with the first request.
"""

from ragqa.retrieval.azure.clients import Access
from ragqa.retrieval.azure.fields import FieldNames
from ragqa.retrieval.azure.retriever import AzureRetriever, azure_retriever
from ragqa.retrieval.azure.store import AzureStore
from ragqa.retrieval.azure.wrapping import from_store

__all__ = ["Access", "AzureRetriever", "AzureStore", "FieldNames", "azure_retriever", "from_store"]
