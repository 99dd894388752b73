"""What every store of buckets, budgets and kept answers does: SQLite and a real Redis."""

from __future__ import annotations

import multiprocessing
import threading
import time
import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest

from ragqa.cache.shared import RedisAnswers
from ragqa.cache.sqlite import SCHEMA as ANSWERS
from ragqa.cache.sqlite import SqliteAnswers
from ragqa.errors import StorageError
from ragqa.limits.buckets import SCHEMA, SqliteBuckets
from ragqa.limits.pace import Bucket
from ragqa.limits.shared import RedisBuckets, RedisSpent
from ragqa.limits.spending import SqliteSpent
from ragqa.ports.limits import Purse
from ragqa.ports.reuse import KeptQuestion
from ragqa.storage import Database
from ragqa.storage.redis import RedisStore
from tests.contract.redis_server import RedisServer, is_there

KINDS = ("sqlite", "redis")


@pytest.fixture(params=KINDS)
def place(request, tmp_path):
    """Where a store is: ``(kind, folder or address)``, which a process can be told."""
    if request.param == "sqlite":
        return "sqlite", str(tmp_path)
    return "redis", request.getfixturevalue("redis_server").url


def buckets_at(place):
    kind, where = place
    if kind == "redis":
        return RedisBuckets(RedisStore(where))
    return SqliteBuckets(Database(_file(where, "limits"), SCHEMA))


def spent_at(place):
    kind, where = place
    if kind == "redis":
        return RedisSpent(RedisStore(where))
    return SqliteSpent(Database(_file(where, "limits"), SCHEMA))


def answers_at(place):
    kind, where = place
    if kind == "redis":
        return RedisAnswers(RedisStore(where))
    return SqliteAnswers(Database(_file(where, "answers"), ANSWERS))


def _file(folder, name):
    from pathlib import Path

    return Path(folder) / f"{name}.sqlite"


@pytest.fixture
def name():
    return uuid.uuid4().hex


class TestBuckets:
    def test_places_are_handed_out_one_after_another(self, place, name):
        store, bucket = buckets_at(place), Bucket(name, per_s=10.0, size=2)
        outcomes = [store.take([(bucket, 1)], 60.0) for _ in range(5)]
        assert all(taken for taken, _ in outcomes)
        waits = [wait_s for _, wait_s in outcomes]
        assert waits[:2] == [0.0, 0.0]
        assert waits[2:] == pytest.approx([0.1, 0.2, 0.3], abs=0.05)

    def test_a_place_that_is_refused_is_not_taken(self, place, name):
        store, bucket = buckets_at(place), Bucket(name, per_s=1.0, size=1)
        assert store.take([(bucket, 1)], 0.0) == (True, 0.0)
        for _ in range(5):
            taken, wait_s = store.take([(bucket, 1)], 0.2)
            assert not taken
            assert wait_s == pytest.approx(1.0, abs=0.3)

    def test_two_buckets_are_taken_from_together_or_not_at_all(self, place, name):
        store = buckets_at(place)
        fast, slow = Bucket(f"{name}f", 10.0, 1), Bucket(f"{name}s", 0.5, 1)
        assert store.take([(fast, 1), (slow, 1)], 0.0) == (True, 0.0)
        time.sleep(0.15)
        assert not store.take([(fast, 1), (slow, 1)], 0.5)[0]
        assert store.take([(fast, 1)], 0.0) == (True, 0.0)

    def test_it_fills_up_again(self, place, name):
        store, bucket = buckets_at(place), Bucket(name, per_s=20.0, size=1)
        store.take([(bucket, 1)], 0.0)
        time.sleep(0.1)
        assert store.take([(bucket, 1)], 0.0) == (True, 0.0)

    def test_debt_of_a_large_request_is_waited_out(self, place, name):
        store, bucket = buckets_at(place), Bucket(name, per_s=100.0, size=50)
        assert store.take([(bucket, 500)], 0.0) == (True, 0.0)
        assert store.take([(bucket, 1)], 60.0)[1] == pytest.approx(4.5, abs=0.1)

    def test_processes_and_threads_share_it(self, place, name):
        context = multiprocessing.get_context("spawn")
        with context.Pool(2) as pool:
            taken = pool.starmap(_take_many, [(place, name)] * 2)
        waits = [wait_s for each in taken for wait_s in each]
        assert len(waits) == 200
        # 100 a second: whoever counts twice would be done in one second
        assert max(waits) == pytest.approx(2.0, abs=0.9)
        assert max(waits) > 1.1


def _take_many(place, name):
    store, bucket = buckets_at(place), Bucket(name, per_s=100.0, size=1)
    with ThreadPoolExecutor(8) as pool:
        outcomes = list(pool.map(lambda _: store.take([(bucket, 1)], 600.0), range(100)))
    return [wait_s for _, wait_s in outcomes]


class TestBudgets:
    @pytest.fixture
    def purse(self, name):
        return Purse("day", name, tokens=1000, cost=1.0, until_s=time.time() + 3600)

    def test_what_fits_is_taken_and_what_does_not_is_refused(self, place, purse):
        store = spent_at(place)
        assert store.take([purse], 600, 0.2) == [(600, pytest.approx(0.2))]
        assert store.take([purse], 600, 0.2) is None
        assert store.spent(purse) == (600, pytest.approx(0.2))
        assert store.take([purse], 400, 0.8) == [(1000, pytest.approx(1.0))]

    def test_money_is_a_bound_of_its_own(self, place, purse):
        store = spent_at(place)
        assert store.take([purse], 1, 1.1) is None
        for _ in range(10):
            assert store.take([purse], 1, 0.1) is not None  # ten times a tenth is one
        assert store.take([purse], 1, 0.1) is None

    def test_several_purses_are_taken_from_together(self, place, name, purse):
        store, small = spent_at(place), Purse("session", name, tokens=10)
        assert store.take([purse, small], 20, 0.0) is None
        assert store.spent(purse) == (0, 0.0)
        assert store.take([purse, small], 10, 0.0) is not None
        assert (store.spent(purse)[0], store.spent(small)[0]) == (10, 10)

    def test_corrections_go_both_ways_and_beyond_the_bound(self, place, purse):
        store = spent_at(place)
        store.take([purse], 500, 0.5)
        store.add([purse], -400, -0.4)
        assert store.spent(purse) == (100, pytest.approx(0.1))
        store.add([purse], 2000, 2.0)
        assert store.spent(purse) == (2100, pytest.approx(2.1))
        store.add([purse], -9000, -9.0)
        assert store.spent(purse) == (0, 0.0)

    def test_a_purse_without_bounds_counts_only(self, place, name):
        store, purse = spent_at(place), Purse("session", name)
        assert store.take([purse], 10**9, 10.0) is not None

    def test_many_at_once_never_spend_more_than_there_is(self, place, purse):
        store = spent_at(place)
        with ThreadPoolExecutor(8) as pool:
            taken = list(pool.map(lambda _: store.take([purse], 10, 0.0), range(300)))
        assert sum(outcome is not None for outcome in taken) == 100
        assert store.spent(purse)[0] == 1000

    def test_it_is_still_known_to_the_next_process(self, place, purse):
        spent_at(place).take([purse], 700, 0.0)
        assert spent_at(place).spent(purse)[0] == 700


class TestAnswers:
    def test_what_is_kept_is_found_until_it_expires(self, place, name):
        store = answers_at(place)
        assert store.get(name) is None
        store.put(name, '{"回答": "两年"}', 60.0)
        assert store.get(name) == '{"回答": "两年"}'
        assert answers_at(place).get(name) == '{"回答": "两年"}'
        store.put(name, "newer", 0.05)
        assert store.get(name) == "newer"
        time.sleep(0.1)
        assert store.get(name) is None

    def test_questions_are_found_by_scope_newest_first(self, place, name):
        store = answers_at(place)
        store.put("k1", "1", 60.0)
        store.put("k2", "2", 60.0)
        store.note(name, KeptQuestion("one", [1.0, 0.0], "k1"), 50.0)
        store.note(name, KeptQuestion("two", [0.0, 0.5], "k2"), 60.0)
        store.note(f"{name}x", KeptQuestion("other", [1.0, 1.0], "k1"), 60.0)
        found = store.noted(name)
        assert [(q.text, list(q.vector), q.key) for q in found] == [
            ("two", [0.0, 0.5], "k2"),
            ("one", [1.0, 0.0], "k1"),
        ]

    def test_a_question_goes_when_its_time_is_over(self, place, name):
        store = answers_at(place)
        store.put(f"{name}k", "1", 0.05)
        store.note(name, KeptQuestion("one", [1.0], f"{name}k"), 0.05)
        time.sleep(0.1)
        assert not store.noted(name)

    def test_many_threads_may_write_at_once(self, place, name):
        store = answers_at(place)
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda n: store.put(f"{name}{n}", str(n), 60.0), range(100)))
        assert [store.get(f"{name}{n}") for n in range(100)] == [str(n) for n in range(100)]


@pytest.mark.skipif(not is_there(), reason="there is no redis-server")
class TestRedisAway:
    def test_it_says_where_but_not_with_which_password(self, tmp_path):
        with RedisServer(tmp_path, password="pw-9d1f") as server:
            wrong = RedisStore(server.url.replace("pw-9d1f", "pw-wrong"))
            with pytest.raises(StorageError) as refused:
                RedisAnswers(wrong).get("k")
            kept = RedisAnswers(RedisStore(server.url))
            kept.put("k", "v", 60)
            assert kept.get("k") == "v"
        with pytest.raises(StorageError) as away:
            kept.get("k")
        for error in (refused.value, away.value):
            assert "pw-" not in str(error)
            assert str(server.port) in str(error)

    @pytest.mark.parametrize(
        ("setting", "said"),
        [
            (("CONFIG", "SET", "maxmemory", "1"), "memory is full"),
            (("REPLICAOF", "127.0.0.1", "1"), "replica"),
        ],
    )
    def test_what_it_refuses_says_what_to_do(self, tmp_path, setting, said):
        with RedisServer(tmp_path) as server:
            store = RedisStore(server.url)
            store.do(lambda redis: redis.execute_command(*setting))
            with pytest.raises(StorageError, match=said):
                RedisAnswers(store).put("k", "v", 60)

    def test_one_that_hangs_is_given_up_soon_and_left_alone_for_a_while(self, tmp_path):
        with RedisServer(tmp_path) as server:
            store = RedisAnswers(RedisStore(server.url))
            assert store.get("k") is None
            server.pause()
            try:
                began_s = time.monotonic()
                for _ in range(5):
                    with pytest.raises(StorageError):
                        store.get("k")
                assert time.monotonic() - began_s < 3.5, "it was waited for a second time"
            finally:
                server.go_on()

    def test_threads_that_wait_meanwhile_are_not_held_up_one_after_another(self, tmp_path):
        with RedisServer(tmp_path) as server:
            url = server.url
        store = RedisAnswers(RedisStore(url))
        failures = []

        def ask():
            try:
                store.get("k")
            except StorageError as exc:
                failures.append(exc)

        threads = [threading.Thread(target=ask) for _ in range(8)]
        began_s = time.monotonic()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(failures) == 8
        assert time.monotonic() - began_s < 3
