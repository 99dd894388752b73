import multiprocessing
import os
import signal
import sqlite3
import stat
import subprocess
import sys
import threading
import time

import pytest

from ragqa.errors import StorageBusyError, StorageError
from ragqa.storage import Database

SCHEMA = ("CREATE TABLE note (id TEXT PRIMARY KEY, text TEXT NOT NULL);",)
COUNTER = ("CREATE TABLE counter (n INTEGER NOT NULL); INSERT INTO counter VALUES (0);",)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "state.sqlite"


def add_one(database):
    with database.transaction():
        (n,) = database.row("SELECT n FROM counter")
        database.change("UPDATE counter SET n = ?", (n + 1,))


def insert_and_fail(database, note_id):
    with database.transaction():
        database.change("INSERT INTO note VALUES (?, '')", (note_id,))
        raise KeyError


def test_nothing_is_made_before_the_first_use(path):
    Database(path, SCHEMA)
    assert not path.exists()


def test_what_is_written_is_read_by_another(path):
    with Database(path, SCHEMA) as one, Database(path, SCHEMA) as other:
        assert one.change("INSERT INTO note VALUES ('a', 'first')") == 1
        assert other.rows("SELECT id, text FROM note") == [("a", "first")]
        assert other.row("SELECT text FROM note WHERE id = 'b'") is None


def test_the_files_are_for_their_owner_alone(path):
    with Database(path, SCHEMA) as database:
        database.change("INSERT INTO note VALUES ('a', '')")
        files = [path, path.with_name(path.name + "-wal"), path.with_name(path.name + "-shm")]
        assert [stat.S_IMODE(file.stat().st_mode) for file in files] == [0o600] * 3


def test_a_file_that_others_could_read_is_closed_to_them(path):
    path.touch(mode=0o644)
    path.chmod(0o644)
    with Database(path, SCHEMA) as database:
        database.rows("SELECT 1")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_transaction_is_kept_whole_or_not_at_all(path):
    with Database(path, SCHEMA) as database:
        with pytest.raises(KeyError):
            insert_and_fail(database, "a")
        assert database.rows("SELECT * FROM note") == []
        with database.transaction():
            database.change("INSERT INTO note VALUES ('a', '')")
            with pytest.raises(KeyError):
                insert_and_fail(database, "b")
        assert database.rows("SELECT id FROM note") == [("a",)]


def test_a_constraint_is_the_callers_to_handle(path):
    with Database(path, SCHEMA) as database:
        database.change("INSERT INTO note VALUES ('a', '')")
        with pytest.raises(sqlite3.IntegrityError):
            database.change("INSERT INTO note VALUES ('a', '')")


def test_a_file_is_brought_to_the_newest_version_once(path):
    with Database(path, SCHEMA) as database:
        database.change("INSERT INTO note VALUES ('a', 'x;y')")
    newer = (*SCHEMA, "ALTER TABLE note ADD COLUMN at REAL NOT NULL DEFAULT 1;\n-- that is all;\n")
    for _ in range(2):
        with Database(path, newer) as database:
            assert database.rows("SELECT * FROM note") == [("a", "x;y", 1.0)]


def test_a_script_that_fails_leaves_the_file_as_it_was(path):
    with Database(path, SCHEMA) as database:
        database.rows("SELECT 1")
    broken = (*SCHEMA, "CREATE TABLE more (a); SELECT no_such_function();")
    with Database(path, broken) as database, pytest.raises(StorageError):
        database.rows("SELECT 1")
    with Database(path, SCHEMA) as database:
        assert database.rows("SELECT name FROM sqlite_master WHERE name = 'more'") == []


def test_a_file_of_a_newer_version_is_left_alone(path):
    with Database(path, (*SCHEMA, "CREATE TABLE more (a);")) as database:
        database.rows("SELECT 1")
    with Database(path, SCHEMA) as database, pytest.raises(StorageError, match="newer version"):
        database.rows("SELECT 1")


@pytest.mark.parametrize(
    "content", [b"This is no database. " * 100, b"SQLite format 3\0" + b"x" * 5000]
)
def test_a_damaged_file_is_named_and_replaced_on_the_next_use(path, content):
    path.write_bytes(content)
    with Database(path, SCHEMA) as database:
        with pytest.raises(StorageError, match="damaged") as caught:
            database.rows("SELECT 1")
        assert "Move it away" in caught.value.hint
        assert not caught.value.retryable
        path.unlink()
        assert database.change("INSERT INTO note VALUES ('a', '')") == 1


def test_a_file_that_is_damaged_while_it_is_open(path):
    with Database(path, SCHEMA) as database:
        for number in range(500):
            database.change("INSERT INTO note VALUES (?, ?)", (number, "x" * 500))
        database.rows("PRAGMA wal_checkpoint(TRUNCATE)")
        with path.open("r+b") as file:
            file.seek(4096)
            file.write(b"\xff" * (path.stat().st_size - 4096))
    with Database(path, SCHEMA) as database, pytest.raises(StorageError, match="damaged"):
        database.rows("SELECT sum(length(text)) FROM note")


def test_a_folder_that_is_missing(tmp_path):
    database = Database(tmp_path / "no" / "a.sqlite", SCHEMA)
    with pytest.raises(StorageError, match="No such file") as caught:
        database.rows("SELECT 1")
    assert "RAGQA_HOME" in caught.value.hint


def test_a_folder_in_place_of_the_file(path):
    path.mkdir()
    with Database(path, SCHEMA) as database, pytest.raises(StorageError, match="opened"):
        database.rows("SELECT 1")


@pytest.mark.skipif(os.geteuid() == 0, reason="this user may write everywhere")
def test_a_folder_that_is_read_only(tmp_path):
    tmp_path.chmod(0o500)
    with Database(tmp_path / "a.sqlite", SCHEMA) as database, pytest.raises(StorageError):
        database.rows("SELECT 1")
    tmp_path.chmod(0o700)


def test_a_file_that_another_keeps_busy(path):
    with Database(path, SCHEMA) as one, Database(path, SCHEMA, busy_timeout_s=0.05) as other:
        with one.transaction(), pytest.raises(StorageBusyError) as caught:
            other.change("INSERT INTO note VALUES ('a', '')")
        assert caught.value.retryable
        assert other.change("INSERT INTO note VALUES ('a', '')") == 1


def test_a_thread_that_keeps_the_file_busy(path):
    database = Database(path, SCHEMA, busy_timeout_s=0.05)
    held, done = threading.Event(), threading.Event()

    def hold():
        with database.transaction():
            held.set()
            done.wait(10)

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait(10)
    with pytest.raises(StorageBusyError):
        database.rows("SELECT 1")
    done.set()
    thread.join()
    database.close()


FULL = """
import resource, sys
from pathlib import Path
from ragqa.errors import StorageError
from ragqa.storage import Database
database = Database(Path(sys.argv[1]), ("CREATE TABLE note (text TEXT NOT NULL)",))
database.change("INSERT INTO note VALUES ('before')")
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
try:
    for _ in range(100):
        database.change("INSERT INTO note VALUES (?)", ("x" * 20_000,))
except StorageError as exc:
    print(exc)
    print(len(database.rows("SELECT * FROM note")) > 1)
"""


def test_a_disk_that_is_full(path):
    done = subprocess.run(
        [sys.executable, "-c", FULL, path], capture_output=True, text=True, timeout=60, check=True
    )
    assert "disk is full" in done.stdout
    assert done.stdout.endswith("True\n")  # what was kept before is still there


def test_eight_threads_lose_nothing(path):
    database = Database(path, COUNTER)
    threads = [
        threading.Thread(target=lambda: [add_one(database) for _ in range(50)]) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert database.row("SELECT n FROM counter") == (400,)
    database.close()


PROCESS = """
import sys
from pathlib import Path
from ragqa.storage import Database
database = Database(Path(sys.argv[1]), (sys.argv[2],))
for _ in range(int(sys.argv[3])):
    with database.transaction():
        (n,) = database.row("SELECT n FROM counter")
        database.change("UPDATE counter SET n = ?", (n + 1,))
print("done", flush=True)
"""


def process(path, count):
    args = [sys.executable, "-c", PROCESS, path, *COUNTER, str(count)]
    return subprocess.Popen(args, stdout=subprocess.PIPE, text=True)


def test_processes_that_open_a_new_file_at_once_lose_nothing(path):
    processes = [process(path, 100) for _ in range(4)]
    for each in processes:
        assert each.communicate(timeout=60)[0] == "done\n"
    with Database(path, COUNTER) as database:
        assert database.row("SELECT n FROM counter") == (400,)


def test_a_killed_process_leaves_a_sound_file(path):
    for delay_s in (0.05, 0.1, 0.2):
        each = process(path, 1_000_000)
        while not path.exists():
            time.sleep(0.01)
        time.sleep(delay_s)
        each.send_signal(signal.SIGKILL)
        each.communicate()
        with Database(path, COUNTER) as database:
            assert database.row("PRAGMA integrity_check") == ("ok",)
            before = database.row("SELECT n FROM counter")[0]
            add_one(database)
            assert database.row("SELECT n FROM counter") == (before + 1,)


def test_a_forked_child_has_a_connection_of_its_own(path):
    database = Database(path, COUNTER)
    add_one(database)
    context = multiprocessing.get_context("fork")
    children = [context.Process(target=add_one, args=(database,)) for _ in range(3)]
    for child in children:
        child.start()
        add_one(database)
    for child in children:
        child.join(30)
    assert [child.exitcode for child in children] == [0, 0, 0]
    assert database.row("SELECT n FROM counter") == (7,)
    database.close()


def test_a_child_forked_beside_a_busy_thread_is_not_stuck(path):
    database = Database(path, COUNTER)
    stop = threading.Event()

    def work():
        while not stop.is_set():
            add_one(database)

    thread = threading.Thread(target=work)
    thread.start()
    pids = []
    for _ in range(5):
        pid = os.fork()
        if pid == 0:
            try:
                add_one(database)
                os._exit(0)
            finally:
                os._exit(1)
        pids.append(pid)
    assert [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in pids] == [0] * 5
    stop.set()
    thread.join()
    database.close()


def test_a_fork_inside_a_transaction_leaves_it_to_the_parent(path):
    database = Database(path, COUNTER)
    with database.transaction():
        database.change("UPDATE counter SET n = 5")
        pid = os.fork()
        if pid == 0:
            try:
                os._exit(0 if database.row("SELECT n FROM counter") == (0,) else 1)
            finally:
                os._exit(2)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    assert database.row("SELECT n FROM counter") == (5,)
    database.close()


def test_it_opens_again_after_it_was_closed(path):
    database = Database(path, COUNTER)
    add_one(database)
    database.close()
    database.close()
    add_one(database)
    assert database.row("SELECT n FROM counter") == (2,)
    database.close()


def test_a_file_that_was_deleted_is_begun_anew(path):
    database = Database(path, COUNTER)
    add_one(database)
    for file in path.parent.iterdir():
        file.unlink()
    add_one(database)
    assert path.exists()
    assert database.row("SELECT n FROM counter") == (1,)
    database.close()


def test_what_is_deleted_is_overwritten(path):
    with Database(path, SCHEMA) as database:
        database.change("INSERT INTO note VALUES ('a', ?)", ("a telltale text",))
        database.change("DELETE FROM note")
        database.rows("PRAGMA wal_checkpoint(TRUNCATE)")
        everything = b"".join(file.read_bytes() for file in path.parent.iterdir())
    assert b"telltale" not in everything


def test_importing_it_loads_no_sqlite():
    code = "import sys, ragqa.storage; sys.exit('sqlite3' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=60).returncode == 0
