"""Answering without a model opens no socket, whatever the shell holds."""

import json
import os
import subprocess
import sys

import pytest

from tests.cli.conftest import ROOT, environment

TRACING = {
    "LANGSMITH_TRACING": "true",
    "LANGSMITH_API_KEY": "lsv2_test",
    "LANGSMITH_ENDPOINT": "http://127.0.0.1:9",
    "LANGCHAIN_TRACING_V2": "true",
    "LANGCHAIN_API_KEY": "x",
    "LANGCHAIN_ENDPOINT": "http://127.0.0.1:9",
    "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9",
}
WATCHED = """
import json, os, sys
opened = []
def watch(event, args):
    if event.startswith("socket.") and event != "socket.gethostname":
        opened.append(event)
sys.addaudithook(watch)
"""
BY_COMMAND = """
from ragqa.__main__ import main
code = main(json.loads(os.environ["ARGV"]))
sys.stderr.write(json.dumps([code, opened]))
"""
BY_PYTHON = """
import asyncio, time
import ragqa
question = "How long do I have to return a kettle?"
answers = [ragqa.ask(question)]
by_ask = list(opened)
chain = ragqa.chain("extractive")
answers += [chain.invoke(question), *chain.batch([question]), list(chain.stream(question))[-1]]
async def awaited():
    return [await chain.ainvoke(question), [event async for event in chain.astream(question)][-1]]
answers += asyncio.run(awaited())
time.sleep(0.5)  # tracers send from a thread of their own
# Importing urllib3 binds a socket to find out about IPv6, and an event loop has a pair of its own.
reached = [event for event in opened if event in ("socket.connect", "socket.getaddrinfo")]
status = sorted({answer.status for answer in answers})
sys.stderr.write(json.dumps([status, by_ask, reached]))
"""


def watched(shop, code, **env):
    done = subprocess.run(
        [sys.executable, "-c", WATCHED + code],
        cwd=shop.folder,
        env=environment(**TRACING, **env),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return json.loads(done.stderr.splitlines()[-1])


@pytest.mark.parametrize(
    "argv",
    [
        ["ask", "How long do I have to return a kettle?"],
        ["ask", "多少天内可以退货？", "--stream"],
        ["ask", "How long is delivery?", "--docs", "docs"],
        ["search", "kettle"],
        ["index", "docs"],
        ["doctor"],
    ],
)
def test_no_command_opens_a_socket(shop, argv):
    assert watched(shop, BY_COMMAND, ARGV=json.dumps(argv)) == [0, []]


def test_the_python_interface_opens_none_either(shop):
    assert watched(shop, BY_PYTHON) == [["answered"], [], []]


def test_without_any_network(shop):
    if os.geteuid() != 0:
        pytest.skip("only root may take the network away")
    probe = subprocess.run(["unshare", "-n", "true"], capture_output=True, check=False)
    if probe.returncode:
        pytest.skip("unshare is not permitted here")
    done = subprocess.run(
        ["unshare", "-n", sys.executable, "-m", "ragqa", "ask", "How long is express delivery?"],
        cwd=shop.folder,
        env=environment(**TRACING, PYTHONPATH=str(ROOT)),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert "1 day" in json.loads(done.stdout)["response"]["answer"]
