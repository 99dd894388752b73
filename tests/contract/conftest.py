"""A Redis that the tests of one process share."""

from __future__ import annotations

import pytest

from tests.contract.redis_server import RedisServer, is_there


@pytest.fixture(scope="session")
def redis_server(tmp_path_factory):
    if not is_there():
        pytest.skip("there is no redis-server")
    with RedisServer(tmp_path_factory.mktemp("redis")) as server:
        yield server
