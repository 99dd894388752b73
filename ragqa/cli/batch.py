"""``ragqa ask --file``: many questions, a few at a time, resumed where it stopped."""

from __future__ import annotations

import argparse
import json
import os
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from ragqa.cli import terminal
from ragqa.cli.kept_file import append, check_name, unwritable
from ragqa.cli.typed_text import text_of
from ragqa.errors import AuthError, ConfigError, RagqaError, RetrievalError, WrongEndpointError

if TYPE_CHECKING:
    from ragqa.app import Asker
    from ragqa.contract import Answer, Turn

INTERRUPTED = 130
_HOPELESS = (AuthError, RetrievalError, WrongEndpointError)
"""What befalls one question of the file befalls them all."""

_HOW_TO_WRITE = 'Write one JSON object a line: {"id": 1, "question": "How long is delivery?"}'

_AHEAD = 8
"""Answers that wait for a slower one before them are lost where the run is killed."""

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Item:
    """A question of the file. ``id`` is its own, else the number of its line."""

    id: Any
    question: str

    @property
    def key(self) -> str:
        """Recognise it in the answers of an earlier run."""
        return json.dumps([self.id, self.question])


def run_batch(args: argparse.Namespace) -> int:
    """Answer every question of the file that the answers do not hold yet."""
    _check_usage(args)
    source, target = Path(args.file), Path(args.out)
    items = read_items(source)
    done = _kept_answers(target)
    left = [item for item in items if not _is_done(item, done)]
    if len(left) < len(items):
        terminal.say(f"{len(items) - len(left)} of {len(items)} are answered already.")
    if not left:
        return 0
    return _answer_all(left, target, args)


def _is_done(item: Item, done: Counter[str]) -> bool:
    """Take an answer off those that are there; a question that stands twice is answered twice."""
    done[item.key] -= 1
    return done[item.key] >= 0


def _check_usage(args: argparse.Namespace) -> None:
    if not args.file or not args.out:
        raise ConfigError("--file and --out go together.", hint="Name both files.")
    check_name(args.out)
    if args.question is not None or args.stream:
        raise ConfigError("--file goes with neither a question nor --stream.")
    if Path(args.file).absolute() == Path(args.out).absolute():
        raise ConfigError("--file and --out name the same file.")


def read_items(source: Path) -> list[Item]:
    """Read the questions: a JSON object with ``question``, or a JSON string, on each line.

    Raises:
        ConfigError: If the file cannot be read, or a line is no question; names the line.
    """
    try:
        lines = text_of(source.read_bytes()).split("\n")
    except (OSError, RetrievalError) as exc:
        reason = f"it {exc.message}" if isinstance(exc, RetrievalError) else exc.strerror
        raise ConfigError(
            f"--file {str(source)!r} cannot be read: {reason}.", hint=_HOW_TO_WRITE
        ) from None
    items = [_item(line, number) for number, line in enumerate(lines, start=1) if line.strip()]
    if not items:
        raise ConfigError(f"--file {str(source)!r} holds no question.")
    return items


def _item(line: str, number: int) -> Item:
    from ragqa import app

    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        record = None
    question = record.get("question") if isinstance(record, dict) else record
    if not isinstance(question, str):
        raise ConfigError(f"Line {number} of --file is no question.", hint=_HOW_TO_WRITE)
    try:
        app.check_question(question)
    except ConfigError as exc:
        raise ConfigError(f"Line {number} of --file: {exc.message}", hint=exc.hint) from None
    return Item(record.get("id", number) if isinstance(record, dict) else number, question)


def _kept_answers(target: Path) -> Counter[str]:
    """Count the answers that a run before this one wrote, by their keys.

    Rows of failed questions, and a last line that was cut off, are taken out: these are asked
    again.

    Raises:
        ConfigError: If the file holds anything else, which is not ours to change.
    """
    if target.exists() and not (target.is_file() or target.is_dir()):
        return Counter()  # a device or a pipe: reading it would never come to an end
    try:
        raw = target.read_bytes()
    except FileNotFoundError:
        return Counter()
    except OSError as exc:
        raise ConfigError(f"--out {str(target)!r} cannot be read: {exc.strerror}.") from None
    lines = raw.splitlines(keepends=True)
    rows = [_row(line, number) for number, line in enumerate(lines, start=1)]
    kept = [(line, row) for line, row in zip(lines, rows, strict=True) if "response" in row]
    whole = b"".join(line for line, _ in kept)
    if whole != raw:
        _replace(target, whole)
    return Counter(Item(row["id"], row["question"]).key for _, row in kept)


def _row(line: bytes, number: int) -> Row:
    """Read a row of answers; one that was cut off, as only the last can be, is empty."""
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        row = None
    if isinstance(row, dict) and {"id", "question"} <= row.keys():
        return row if line.endswith(b"\n") else {}
    begun = b'{"id": '
    if not line.endswith(b"\n") and line[: len(begun)] == begun[: len(line)]:
        return {}
    raise ConfigError(
        f"Line {number} of --out is not an answer of an earlier run.", hint="Name another file."
    )


def _replace(target: Path, content: bytes) -> None:
    beside = target.with_name(f"{target.name}.part")
    try:
        beside.write_bytes(content)
        beside.replace(target)
    except OSError as exc:
        raise unwritable(target, exc) from None


def _answer_all(left: Sequence[Item], target: Path, args: argparse.Namespace) -> int:
    from ragqa.cli.asker import asker_for
    from ragqa.cli.progress import Bar

    asker, concurrency = asker_for(args)
    if args.session is not None:
        concurrency = 1  # turns of a conversation come one after the other
    failures: list[RagqaError] = []
    with _opened(target) as file, Bar() as bar:
        for number, (row, error) in enumerate(_answers(left, asker, args, concurrency), start=1):
            append(file, _line(row), target)
            bar.update(number, len(left), row["question"])
            if error is not None:
                failures.append(error)
    terminal.say(f"{len(left) - len(failures)} answered, {len(failures)} failed.")
    return failures[0].exit_code if failures else 0


def _opened(target: Path) -> BinaryIO:
    try:
        file = target.open("ab")
    except OSError as exc:
        raise unwritable(target, exc) from None
    if not _is_ours_alone(file):
        file.close()
        raise ConfigError(
            f"--out {str(target)!r} is being written by another run.",
            hint="Wait for it, or name another file.",
        )
    return file


def _is_ours_alone(file: BinaryIO) -> bool:
    """Take the file for this process; the system lets it go when the process ends."""
    try:
        import fcntl
    except ImportError:  # Windows refuses to replace an open file anyway
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return True
    return True


def _line(row: Row) -> bytes:
    text = json.dumps(row, ensure_ascii=False)
    if not text.isascii():
        try:
            return f"{text}\n".encode()
        except UnicodeEncodeError:  # a lone surrogate: only escapes can carry it
            text = json.dumps(row)
    return f"{text}\n".encode()


def _answers(
    left: Sequence[Item], asker: Asker, args: argparse.Namespace, concurrency: int
) -> Iterator[tuple[Row, RagqaError | None]]:
    """Yield the answers in the order of the questions; only a few are under way at a time.

    The next ones do not wait for a slow one, but no more are ahead of it than are soon asked again.
    """
    waiting: deque[tuple[Item, Future[Row]]] = deque()
    submit, end = _started(asker, args, concurrency)
    try:
        for item in left:
            if len(waiting) >= _AHEAD * concurrency:
                yield _outcome(*waiting.popleft())
            waiting.append((item, submit(item)))
        while waiting:
            yield _outcome(*waiting.popleft())
    except KeyboardInterrupt:
        os._exit(INTERRUPTED)  # threads that wait for a service would hold the terminal
    finally:
        end()


def _started(
    asker: Asker, args: argparse.Namespace, concurrency: int
) -> tuple[Callable[[Item], Future[Row]], Callable[[], None]]:
    """Return what takes a question on, and what ends it all.

    Where a model is waited for, questions are tasks of an event loop; else they are threads, which
    need nothing to be imported.
    """

    def turn(item: Item) -> Turn:
        return asker.turn(item.question, session=args.session, groups=args.group or ())

    if asker.parts.model is None:
        pool = ThreadPoolExecutor(concurrency)
        return (
            lambda item: pool.submit(lambda: _row_of(asker.ask(turn(item)))),
            lambda: pool.shutdown(wait=False, cancel_futures=True),
        )
    from ragqa.cli.task_pool import TaskPool

    async def answer(item: Item) -> Row:
        return _row_of(await asker.aask(turn(item)))

    tasks = TaskPool(concurrency)
    return lambda item: tasks.submit(answer, item), tasks.shutdown


def _row_of(answer: Answer) -> Row:
    return answer.model_dump(mode="json")


def _outcome(item: Item, future: Future[Row]) -> tuple[Row, RagqaError | None]:
    named = {"id": item.id, "question": item.question}
    try:
        return {**named, **future.result()}, None
    except _HOPELESS:
        raise
    except RagqaError as exc:
        from ragqa.masking import mask

        return {**named, "error": {"code": exc.code, "message": mask(str(exc))}}, exc
