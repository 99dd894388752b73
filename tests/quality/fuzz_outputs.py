"""Mutate model outputs and check what the gates make of them.

    python -m tests.quality.fuzz_outputs [--runs 200000] [--seed 1] [--show]

A run writes a random response in one of many ways, mutates the text a few times and has it
judged. It is a violation if anything is raised, if an accepted response is one that strict
validation of its JSON refuses, if it holds a text or a number that the raw output does not, or if
an output that was only cut off is accepted. ``--show`` prints accepted outputs that say something
else than what was written before the mutation, for people to look at.
"""

from __future__ import annotations

import argparse
import html
import json
import random
import re
import sys
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from ragqa.contract import QAResponse, QAResponseWithEntities
from ragqa.validation.gate import CheckContext
from ragqa.validation.gates import Gates
from ragqa.validation.schema import SchemaGate
from ragqa.validation.stream import PartialAnswer
from ragqa.validation.syntax import SyntaxGate
from ragqa.validation.text import TextGate

GATES = Gates((TextGate(), SyntaxGate(), SchemaGate()))

TEXTS = (
    "Unopened items can be returned within 30 days of delivery.",
    "The K2 kettle holds 1.7 litres; it's off by default.",
    "签收后30天内可退货，需保留包装：“原样”退回。",
    'Press "Reset", then wait.',
    "Run ```lumosync --reset``` now, or <think> about {order_id}.",
    "Enter SAVE10,} or [x], with no spaces // really # yes /* no */",
    "First unplug it.\nThen rinse it twice.\tDone \\ \\n.",
    "Set 'True Tone' to None, null or false.",
    "🙂 café – naïve … \u00a0 \u2028 end",
    'He said: "a", "b": c}.',
    "C:\\temp\\new and \\u00e9",
    "x",
)
TITLES = ("returns-policy.md", "价格表.csv", 'a b\'s "c".pdf', "kettle-k2-manual.pdf")
PIECES = (
    *"{}[]\"'“”‘’:,，：｛｝［］（）()\\`~#/*<>|=.-+0159eEtfnTFNu \n\r\t",
    *("true", "False", "null", "None", "NaN", "Infinity", "1e400", "0x1F", "\\u", "\\ud83d", "\\'"),
    *(
        '\\"',
        '"""',
        "```",
        "```json\n",
        "<think>",
        "</think>",
        "<tool_call>",
        "//",
        "/*",
        "*/",
        "\ufeff",
    ),
    *(
        "\u200b",
        "\u2028",
        "\x00",
        "\x1b",
        "\ud800",
        "&quot;",
        "{}",
        "[]",
        '""',
        "''",
        ",,",
        "::",
        "}}",
    ),
    *(
        ' "answer": ',
        '"confidence": 0.5, ',
        '{"answer": "',
        "{'a': 1}",
        "Thought: ",
        "Action Input: ",
    ),
    *(
        '"needs_human": true',
        "assistantfinal",
        "<|channel|>final<|message|>",
        "{{",
        "@search.score",
    ),
)


@dataclass(frozen=True)
class Output:
    """A raw output, and what it was made from."""

    raw: str
    written: dict[str, Any]
    mutations: int
    schema: type[QAResponse]
    is_cut: bool = False


def outputs(seed: int, runs: int) -> Iterator[Output]:
    """Yield random outputs; the same for the same seed."""
    rng = random.Random(seed)
    for _ in range(runs):
        schema = QAResponseWithEntities if rng.random() < 0.2 else QAResponse
        written = response(rng, schema)
        raw = written_out(written, rng)
        if rng.random() < 0.1 and "}" in raw:
            end = raw.rindex("}")
            yield Output(raw[: rng.randrange(end)], written, 0, schema, is_cut=True)
            continue
        mutations = rng.choice((0, 1, 1, 1, 2, 2, 3, 5, 8))
        for _ in range(mutations):
            raw = mutated(raw, rng)
        yield Output(raw, written, mutations, schema)


def response(rng: random.Random, schema: type[QAResponse]) -> dict[str, Any]:
    """Return a valid response as plain values."""
    fields: dict[str, Any] = {
        "answer": rng.choice(TEXTS),
        "confidence": rng.choice((0, 1, 0.5, 0.92, 1e-3, 0.333)),
        "category": rng.choice(schema.categories),
        "sources": rng.sample(TITLES, rng.randrange(3)),
        "follow_up": rng.sample(TEXTS, rng.randrange(3)),
        "needs_human": rng.random() < 0.5,
    }
    if schema is QAResponseWithEntities:
        fields["entities"] = [
            {
                "name": "K2",
                "entity_id": rng.choice(("k-2", None)),
                "price": rng.choice((19.9, None)),
            }
            for _ in range(rng.randrange(3))
        ]
    return fields


def _json(value: Any, rng: random.Random) -> str:
    return json.dumps(
        value, ensure_ascii=rng.random() < 0.3, indent=rng.choice((None, None, 2, "\t"))
    )


def _full_width(value: Any, rng: random.Random) -> str:
    if isinstance(value, str):
        return (
            f"“{_escaped(value)}”" if '"' not in value and "“" not in value else _json(value, rng)
        )
    if isinstance(value, list):
        return f"[{'，'.join(_full_width(item, rng) for item in value)}]"
    if isinstance(value, dict):
        members = (f"“{key}”：{_full_width(item, rng)}" for key, item in value.items())
        return f"{{{'，'.join(members)}}}"
    return json.dumps(value)


def _escaped(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]


def _loose(value: dict[str, Any], rng: random.Random) -> str:
    """Write with comments, bare keys, trailing commas and raw line breaks."""
    members = []
    for key, item in value.items():
        comment = rng.choice(("", "", " // sure, quite\n", " # yes\n", " /* {no} */ "))
        name = rng.choice((key, f'"{key}"', f"'{key}'"))
        text = _json(item, rng)
        if isinstance(item, str) and rng.random() < 0.5:
            text = text.replace("\\n", "\n").replace("\\t", "\t") if "\\\\" not in text else text
        members.append(f"{name}: {text}")
        members[-1] += "," + comment
    return "{" + rng.choice((" ", "\n")).join(members) + "}"


def _call(text: str, rng: random.Random) -> str:
    inner = rng.choice((text, json.dumps(text)))
    call = f'{{"name": "QAResponse", "arguments": {inner}}}'
    return rng.choice((f"<tool_call>\n{call}\n</tool_call>", call, f"[TOOL_CALLS][{call}]"))


def _prose(text: str, rng: random.Random) -> str:
    fence = rng.choice(("```", "~~~", "````"))
    return f'Sure, {{name}}, e.g. {{"id": 1}}:\n{fence}\n{text}\n{fence}\nBye.'


def _reasoned(text: str, rng: random.Random) -> str:
    tag = rng.choice(("think", "thinking", "reasoning"))
    return f"<{tag}>\nPerhaps {DRAFT}? No.\n</{tag}>\n{text}"


DRAFT = json.dumps(
    {
        "answer": "A draft that must never be taken.",
        "confidence": 0.9,
        "category": "policy",
        "sources": [],
        "follow_up": ["Use <think> here?"],
        "needs_human": False,
    }
)

Write = Callable[[dict[str, Any], random.Random], str]
WRITINGS: tuple[Write, ...] = (
    _json,
    _json,
    _json,
    lambda value, rng: repr(value),
    _full_width,
    _loose,
)
Wrap = Callable[[str, random.Random], str]
WRAPPINGS: tuple[Wrap, ...] = (
    lambda text, rng: f"[{text}]",
    lambda text, rng: f'{{"QAResponse": {text}}}',
    _call,
)
ENCODINGS: tuple[Wrap, ...] = (
    lambda text, rng: json.dumps(text, ensure_ascii=rng.random() < 0.5),
    lambda text, rng: html.escape(text) if text[:2] in {'{"', "{'"} and "“" not in text else text,
)
SURROUNDINGS: tuple[Wrap, ...] = (
    lambda text, rng: f"```json\n{text}\n```",
    _prose,
    _reasoned,
    lambda text, rng: f"\ufeff{text}\n\u200b",
    lambda text, rng: f"<answer>\n{text}\n</answer>",
)


def written_out(value: dict[str, Any], rng: random.Random) -> str:
    """Write a response in one of many ways: written, wrapped, encoded, with something around."""
    text = rng.choice(WRITINGS)(value, rng)
    for wraps, share in ((WRAPPINGS, 0.25), (ENCODINGS, 0.15), (SURROUNDINGS, 0.5)):
        if rng.random() < share:
            text = rng.choice(wraps)(text, rng)
    return text


def mutated(raw: str, rng: random.Random) -> str:
    """Change a text in one place."""
    at = rng.randrange(len(raw) + 1)
    to = min(len(raw), at + rng.choice((1, 1, 1, 2, 5, 20)))
    kind = rng.randrange(6)
    if kind == 0:
        return raw[:at] + raw[to:]
    if kind == 1:
        return raw[:at] + rng.choice(PIECES) + raw[at:]
    if kind == 2:
        return raw[:at] + rng.choice(PIECES) + raw[to:]
    if kind == 3:
        return raw[:at] + raw[at:to] * 2 + raw[to:]
    if kind == 4:
        other = rng.randrange(len(raw) + 1)
        return raw[:at] + raw[other : other + rng.randrange(1, 60)] + raw[at:]
    return raw[: max(at, 1)] if rng.random() < 0.3 else raw[at:] + raw[:at]


def violation(output: Output, rng: random.Random) -> tuple[str, Any]:
    """Judge an output; return what is wrong with the judgement (or ``""``) and the verdict."""
    verdict = GATES.judge(output.raw, CheckContext(schema=output.schema))
    shown = _streamed(output.raw, rng)
    if not verdict.accepted:
        return _wrongly_rejected(output, verdict), verdict
    wrong = _wrongly_accepted(output, verdict.response)
    if not wrong and not output.mutations and not _follows(shown, verdict.response, output.raw):
        wrong = f"the stream showed {shown!r}"
    return wrong, verdict


def _wrongly_rejected(output: Output, verdict: Any) -> str:
    if not (verdict.code != "ok" and verdict.feedback and verdict.faults):
        return "rejected without code or feedback"
    is_readable = not output.mutations and not output.is_cut
    return f"a readable output is rejected: {verdict.code}" if is_readable else ""


def _wrongly_accepted(output: Output, response: Any) -> str:
    if output.is_cut:
        return "an output that was cut off is accepted"
    if not isinstance(response, output.schema):
        return "the response is no instance of the schema"
    if output.schema.model_validate_json(response.model_dump_json(), strict=True) != response:
        return "strict validation refuses the response"
    if (missing := invented(response, output.raw)) is not None:
        return f"invented: {missing!r}"
    if not output.mutations and json.loads(response.model_dump_json()) != output.written:
        return "the response is not what was written"
    return ""


def _streamed(raw: str, rng: random.Random) -> str:
    reveal = PartialAnswer()
    shown, at = [], 0
    while at < len(raw):
        to = at + rng.choice((1, 3, 7, 50))
        shown.append(reveal.feed(raw[at:to]))
        at = to
    return "".join(shown)


def _follows(shown: str, response: Any, raw: str) -> bool:
    """Tell whether the stream showed the answer; HTML entities are not followed."""
    return shown == response.answer or (not shown and ("&quot;" in raw or "&#x27;" in raw))


_UNESCAPED = re.compile(
    r"\\u[dD]([89abAB][0-9a-fA-F]{2})\\u[dD]([c-fC-F][0-9a-fA-F]{2})|\\u([0-9a-fA-F]{4})"
    r"|\\u\{([0-9a-fA-F]{1,6})\}|\\x([0-9a-fA-F]{2})|\\(.)",
    re.DOTALL,
)
_CHARS = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v"}


def unescaped(text: str) -> str:
    """Take one level of escapes off a text, however it came there."""
    return _UNESCAPED.sub(_char, text)


def _char(match: re.Match[str]) -> str:
    high, low, code, braces, byte, char = match.groups()
    if high:
        return chr(0x10000 + (int(high, 16) << 10) + int(low, 16) - 0x800 * 0x400 - 0xC00)
    if code or braces or byte:
        number = int(code or braces or byte, 16)
        return chr(number) if number <= 0x10FFFF else match[0]
    return _CHARS.get(char, char)


def invented(response: BaseModel, raw: str) -> Any:
    """Return a text or number of a response that its raw output does not hold."""
    readings = [raw]
    for _ in range(3):
        readings.append(unescaped(readings[-1]))
    readings += [html.unescape(reading) for reading in readings]
    for leaf in _leaves(response.model_dump()):
        if isinstance(leaf, str) and not any(leaf in reading for reading in readings):
            return leaf
        if isinstance(leaf, float) and not any(leaf in _numbers(reading) for reading in readings):
            return leaf
    return None


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from _leaves(item)
    elif not isinstance(value, bool):
        yield value


_NUMBER = re.compile(r"0[xX][0-9a-fA-F]+|[0-9０-９_.．]+(?:[eE][+-]?[0-9]+)?")


def _numbers(text: str) -> set[float]:
    found = set()
    for match in _NUMBER.finditer(text):
        word = match[0].translate(str.maketrans("０１２３４５６７８９．", "0123456789."))
        try:
            number = float(int(word, 16)) if "x" in word.lower() else float(word.strip("_"))
        except ValueError:
            continue
        found |= {number, -number}
    return found


def run(runs: int, seed: int, *, show: bool = False) -> tuple[Counter[str], list[str]]:
    """Fuzz; return how the outputs were judged, and all violations."""
    codes: Counter[str] = Counter()
    violations = []
    rng = random.Random(seed)
    for number, output in enumerate(outputs(seed, runs)):
        try:
            wrong, verdict = violation(output, rng)
        except Exception:
            wrong, verdict = traceback.format_exc(), None
        codes[verdict.code if verdict else "raised"] += 1
        if wrong:
            violations.append(f"{number}: {wrong}\n  raw: {output.raw!r}")
        if show and verdict and verdict.accepted:
            _show(number, output, verdict)
        if number % 20_000 == 19_999:
            print(f"{number + 1} outputs, {len(violations)} violations", file=sys.stderr)
    return codes, violations


def _show(number: int, output: Output, verdict: Any) -> None:
    said = json.loads(verdict.response.model_dump_json())
    if said != output.written:
        differing = {key: said[key] for key in said if said[key] != output.written[key]}
        print(f"{number} {verdict.repairs}\n  {output.raw!r}\n  {differing}")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--runs", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    codes, violations = run(options.runs, options.seed, show=options.show)
    for code, count in codes.most_common():
        print(f"{count:8} {code}")
    print(f"{len(violations)} violations in {options.runs} outputs (seed {options.seed})")
    for line in violations[:20]:
        print(line)
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
