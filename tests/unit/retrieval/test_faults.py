from pathlib import Path

import pytest

from ragqa.errors import RetrievalError
from ragqa.retrieval.faults import DamagedIndexError, translated


@pytest.mark.parametrize(
    ("raised", "message", "hint"),
    [
        (ValueError("IoError: No space left on device (os error 28)"), "disk is full", "Make room"),
        (OSError(28, "No space left on device"), "disk is full", "ragqa index PATH"),
        (PermissionError(13, "Permission denied"), "access is denied", "RAGQA_HOME"),
        (ValueError("Read-only file system (os error 30)"), "access is denied", "RAGQA_HOME"),
        (OSError(24, "Too many open files"), "too many files", "ulimit"),
        (ValueError("Data corrupted: 'x'"), "is damaged", "ragqa index PATH"),
        (FileNotFoundError(2, "No such file or directory"), "is damaged", "ragqa index PATH"),
        (ValueError("something new"), "something new", "ragqa index PATH"),
    ],
)
def test_foreign_errors_say_what_to_do(raised: Exception, message: str, hint: str) -> None:
    with pytest.raises(RetrievalError) as caught, translated(Path("home/index"), "read"):
        raise raised
    assert message in caught.value.message
    assert hint in caught.value.hint
    assert "home" in caught.value.message
    assert caught.value.__cause__ is raised


def test_a_panic_of_the_engine_is_damage() -> None:
    panic = type("PanicException", (BaseException,), {})
    with pytest.raises(DamagedIndexError), translated(Path("index"), "read"):
        raise panic("called `Option::unwrap()` on a `None` value")


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit, ZeroDivisionError])
def test_everything_else_passes(kind: type[BaseException]) -> None:
    with pytest.raises(kind), translated(Path("index"), "read"):
        raise kind


def test_errors_of_our_own_pass_unchanged() -> None:
    error = RetrievalError("busy", hint="wait")
    with pytest.raises(RetrievalError) as caught, translated(Path("index"), "read"):
        raise error
    assert caught.value is error
