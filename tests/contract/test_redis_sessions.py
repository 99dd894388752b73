"""What only Redis does to sessions: it goes away, comes back, hangs, and asks for a password."""

from __future__ import annotations

import time

import pytest

from ragqa.errors import ConfigError, SessionError
from ragqa.ports import PastTurn
from ragqa.sessions.shared import SharedSessions, shared_sessions
from ragqa.storage.redis import connected
from tests.contract.redis_server import RedisServer, free_port, is_there

pytestmark = pytest.mark.skipif(not is_there(), reason="there is no redis-server")

PASSWORD = "p4ss-of-the-shop"


def sessions(url: str, **options) -> SharedSessions:
    return shared_sessions(url, lifetime_s=3600, **options)


def test_a_restart_keeps_what_was_said(tmp_path):
    with RedisServer(tmp_path, durable=True) as server:
        store = sessions(server.url)
        for number in range(5):
            store.remember("s", "ann", PastTurn(f"r{number}", "q"))
        server.stop(kill=True)
        server.start()
        kept = store.recall("s", "ann")
        assert [past.run_id for past in kept.turns] == [f"r{number}" for number in range(5)]
        store.close()


def test_a_redis_that_is_away_is_said_soon_and_used_again_when_it_is_back(tmp_path):
    with RedisServer(tmp_path) as server:
        store = sessions(server.url)
        store.remember("s", "ann", PastTurn("r1", "q"))
        server.stop()
        begun_s = time.monotonic()
        with pytest.raises(SessionError, match=r"cannot be reached") as error:
            store.recall("s", "ann")
        assert time.monotonic() - begun_s < 3
        assert error.value.exit_code == 7
        assert "RAGQA_REDIS_URL" in error.value.hint
        with pytest.raises(SessionError):
            store.hold("s", "ann", "r2", 0)
        server.start()
        store.remember("s", "ann", PastTurn("r2", "q"))
        assert [past.run_id for past in store.recall("s", "ann").turns] == ["r2"]
        store.close()


def test_a_redis_that_hangs_is_given_up(tmp_path, monkeypatch):
    monkeypatch.setattr("ragqa.sessions.shared.REPLY_TIMEOUT_S", 0.3)
    with RedisServer(tmp_path) as server:
        store = sessions(server.url)
        assert store.recall("s", "ann").turns == ()
        server.pause()
        begun_s = time.monotonic()
        with pytest.raises(SessionError, match="TimeoutError"):
            store.recall("s", "ann")
        assert time.monotonic() - begun_s < 0.6, "it was waited for a second time"
        server.go_on()
        assert store.recall("s", "ann").turns == ()
        store.close()


@pytest.mark.parametrize("given", ["wrong-secret", ""])
def test_the_password_stands_in_no_message(tmp_path, given):
    with RedisServer(tmp_path, password=PASSWORD) as server:
        login = f":{given}@" if given else ""
        store = sessions(f"redis://{login}127.0.0.1:{server.port}/0")
        with pytest.raises(SessionError) as error:
            store.recall("s", "ann")
        chain = repr(error.value) + repr(error.value.__cause__) + str(error.value)
        assert "password" in error.value.hint
        assert PASSWORD not in chain
        assert "wrong-secret" not in chain
        good = sessions(server.url)
        assert good.recall("s", "ann").turns == ()
        store.close()
        good.close()


def test_an_unreachable_address_hides_its_password():
    store = sessions(f"redis://user:{PASSWORD}@127.0.0.1:{free_port()}/0")
    with pytest.raises(SessionError) as error:
        store.recall("s", "ann")
    assert PASSWORD not in str(error.value) + repr(error.value.__cause__)
    assert "127.0.0.1" in error.value.message


def test_an_address_that_cannot_be_read():
    with pytest.raises(ConfigError, match="RAGQA_REDIS_URL") as error:
        sessions(f"redis://:{PASSWORD}@host:port/0")
    assert PASSWORD not in str(error.value)
    assert error.value.__cause__ is None


def test_a_memory_that_is_full_is_said(tmp_path):
    with RedisServer(tmp_path) as server:
        store = sessions(server.url)
        store.remember("s", "ann", PastTurn("r1", "q"))
        store._redis.config_set("maxmemory", "1")
        with pytest.raises(SessionError, match="memory is full") as error:
            store.remember("s", "ann", PastTurn("r2", "q"))
        assert "maxmemory" in error.value.hint
        store._redis.config_set("maxmemory", "0")
        assert [past.run_id for past in store.recall("s", "ann").turns] == ["r1"]
        store.close()


def test_a_lease_is_renewed_while_its_holder_works_and_ends_after_it(redis_server):
    redis, place = connected(redis_server.url)
    store = SharedSessions(redis, place, lifetime_s=3600, lease_s=0.3)
    with store.hold("leased", "ann", "r1", 0):
        time.sleep(0.7)
        assert store.try_hold("leased", "ann", "r2") is None
    with store.hold("leased", "ann", "r2", 0):
        pass
    store.close()


def test_a_holder_that_lost_its_lease_does_not_free_the_next_one(redis_server):
    store = sessions(redis_server.url)
    first = store.hold("lost", "ann", "r1", 0)
    store._redis.delete(*store._redis.keys("*:hold"))
    with store.hold("lost", "ann", "r2", 0):
        first.__exit__(None, None, None)
        assert store.try_hold("lost", "ann", "r3") is None
    store.close()


def test_keys_of_a_session_lie_on_one_node_of_a_cluster_and_do_not_show_its_name(redis_server):
    store = sessions(redis_server.url)
    before = set(store._redis.keys("ragqa:*"))  # the server is not ours alone
    store.remember("My name is Ann", "ann", PastTurn("r1", "q"))
    keys = set(store._redis.keys("ragqa:*")) - before
    assert keys
    assert not any("Ann" in key for key in keys)
    assert all(key.startswith("ragqa:{") for key in keys)
    assert all(store._redis.pttl(key) > 0 for key in keys if not key.endswith(":hold"))
    store.close()
