"""The names that programs rely on, and where the lazy ones come from."""

import inspect
import subprocess
import sys

import chains
import ragqa
from ragqa import errors

PUBLIC = [
    "Answer",
    "Caller",
    "Citation",
    "Passage",
    "QAResponse",
    "Question",
    "RagqaError",
    "Settings",
    "ToolPolicy",
    "__version__",
    "aask",
    "aresume",
    "ask",
    "chain",
    "index",
    "resume",
    "retriever",
    "stream",
]


def test_the_public_names_are_these():
    assert sorted(ragqa.__all__) == PUBLIC
    assert dir(ragqa) == PUBLIC


def test_every_public_name_can_be_reached():
    assert all(getattr(ragqa, name) is not None for name in PUBLIC)


def test_star_import_brings_them_all():
    space = {}
    exec("from ragqa import *", space)
    assert set(PUBLIC) <= set(space)


def test_an_unknown_name_is_an_attribute_error():
    assert not hasattr(ragqa, "answer")


def test_signatures_are_the_documented_ones():
    ask = ["question", "docs", "chain", "session", "groups", "settings"]
    assert list(inspect.signature(ragqa.ask).parameters) == ask
    assert list(inspect.signature(ragqa.aask).parameters) == ask
    assert list(inspect.signature(ragqa.stream).parameters) == ask
    assert list(inspect.signature(ragqa.index).parameters)[:3] == ["paths", "to", "settings"]
    assert list(inspect.signature(ragqa.retriever).parameters) == ["settings"]
    own = ["schema", "rules", "retriever", "reranker"]
    chain = ["name", "settings", *own, "options"]
    assert list(inspect.signature(ragqa.chain).parameters) == chain


def test_the_version_is_that_of_the_distribution():
    done = subprocess.run(
        [sys.executable, "-m", "ragqa", "--version"],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout == f"ragqa {ragqa.__version__}\n"


def test_the_chains_bear_the_names_of_their_files():
    assert {"extractive", "retrieval_qa", "stuff", "two_stage"} <= set(chains.names())


def test_every_error_is_of_one_family_with_a_code_of_its_own():
    family = [
        kind
        for kind in vars(errors).values()
        if inspect.isclass(kind) and issubclass(kind, Exception)
    ]
    assert all(issubclass(kind, errors.RagqaError) for kind in family)
    assert len({kind.code for kind in family}) == len(family)
    assert {kind.__name__: kind.exit_code for kind in family} == {
        "RagqaError": 1,
        "ConfigError": 2,
        "MissingExtraError": 2,
        "UnknownNameError": 2,
        "StorageError": 2,
        "StorageBusyError": 2,
        "ProviderError": 3,
        "AuthError": 3,
        "RateLimitError": 3,
        "TransportError": 3,
        "ContextOverflowError": 3,
        "ToolsRefusedError": 3,
        "RefusalError": 3,
        "ContentFilterError": 3,
        "QuotaError": 3,
        "PaceError": 3,
        "BudgetError": 3,
        "WrongEndpointError": 2,
        "RetrievalError": 4,
        "OutputError": 5,
        "AgentLimitError": 6,
        "IllegalMoveError": 1,
        "SessionBusyError": 7,
        "SessionError": 7,
        "PermissionDenied": 8,
    }
