import os
import signal
import stat
import subprocess
import sys
import time

import pytest

from ragqa.storage import Holder

CHILD = """
import sys, time
from pathlib import Path
from ragqa.storage import Holder
holder = Holder(Path(sys.argv[1]))
print(holder.name(), flush=True)
time.sleep(60)
"""


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "holders"


def test_a_process_is_alive_until_it_lets_go(folder):
    one, other = Holder(folder), Holder(folder)
    name = one.name()
    assert one.name() == name
    assert one.is_alive(name)
    assert other.is_alive(name)
    one.close()
    assert not other.is_alive(name)
    assert not other.is_alive("1-never")


def test_the_folder_is_for_its_owner_alone(folder):
    holder = Holder(folder)
    holder.name()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_killed_process_is_dead_and_tidied_up(folder):
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, folder], stdout=subprocess.PIPE, text=True
    )
    name = child.stdout.readline().strip()
    holder = Holder(folder)
    assert holder.is_alive(name)
    child.send_signal(signal.SIGKILL)
    child.communicate(timeout=30)
    assert not holder.is_alive(name)
    assert list(folder.iterdir()) == []


def test_a_forked_child_does_not_keep_its_parent_alive(folder):
    parent = Holder(folder)
    child = os.fork()
    if child == 0:  # becomes the holder, forks, and dies before its own child does
        name = parent.name()
        if os.fork() == 0:
            time.sleep(3)
            os._exit(0)
        (folder / "name").write_text(name)
        os._exit(0)
    os.waitpid(child, 0)
    assert not parent.is_alive((folder / "name").read_text())


def test_a_forked_child_has_a_name_of_its_own(folder):
    parent = Holder(folder)
    name = parent.name()
    child = os.fork()
    if child == 0:
        ok = parent.name() != name and parent.is_alive(name)
        os._exit(0 if ok else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert Holder(folder).is_alive(name)
