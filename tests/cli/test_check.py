import json

import pytest

GOOD = {
    "answer": "A kettle can be returned within 30 days.",
    "confidence": 0.9,
    "category": "policy",
    "sources": ["returns.md"],
    "follow_up": [],
    "needs_human": False,
}
VERDICT = {"accepted", "response", "code", "handling", "repairs", "feedback", "gates"}


def test_a_valid_output_is_accepted(shell):
    done = shell("check", "--json", stdin=json.dumps(GOOD).encode())
    assert done.code == 0
    assert set(done.json) >= VERDICT
    assert (done.json["accepted"], done.json["code"]) == (True, "ok")
    assert done.json["response"] == GOOD


@pytest.mark.parametrize(
    ("args", "change", "code"),
    [
        ([], {"confidence": "92.5%"}, "schema."),
        (["--titles", "returns.md"], {"sources": ["invented.md"]}, "context."),
        (["--titles", ""], {"confidence": 0.4}, "context."),
        (["--categories", "x,y"], {}, "schema."),
        (["--finish-reason", "length"], {}, "text.truncated"),
        (["--finish-reason", "content_filter"], {}, "text.content_filter"),
    ],
)
def test_what_is_not_accepted_exits_with_5(shell, args, change, code):
    done = shell("check", "--json", *args, stdin=json.dumps(GOOD | change).encode())
    assert done.code == 5
    assert done.json["accepted"] is False
    assert done.json["response"] is None
    assert done.json["code"].startswith(code)
    assert done.json["feedback"] or done.json["handling"] == "fallback"


def test_titles_with_commas_are_given_as_a_list(shell):
    raw = json.dumps(GOOD | {"sources": ["one, two.md"]}).encode()
    assert shell("check", "--titles", '["one, two.md"]', stdin=raw).code == 0
    assert shell("check", "--titles", "one, 2.md", stdin=raw).code == 5


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig"])
def test_what_powershell_saves_is_read(shell, encoding):
    raw = json.dumps(GOOD | {"answer": "30天内可退货。"}, ensure_ascii=False).encode(encoding)
    done = shell("check", "--json", stdin=raw)
    assert (done.code, done.json["response"]["answer"]) == (0, "30天内可退货。")


@pytest.mark.parametrize("raw", [b"", b"\xff\xfe\x00", b'{"answer": "\xff"}', b"[" * 100_000])
def test_any_bytes_get_a_verdict(shell, raw):
    done = shell("check", "--json", stdin=raw)
    assert done.code == 5
    assert done.json["accepted"] is False


def test_an_output_that_powershell_has_redirected(shell):
    reply = GOOD | {"answer": "签收后30天内可退货。"}
    raw = json.dumps(reply, ensure_ascii=False).encode("utf-16")
    assert shell("check", "--json", stdin=raw).json["response"] == reply
    assert shell("check", "--json", stdin=raw[:-1]).code == 5
