"""This package beside another author's of the same name (glrmask 0.3.0 of PyPI): the same calls, the same answers?

    python scripts/compare_peer.py --ours .venv/bin/python --peer .cache/peers/glrmask-0.3.0/bin/python

Every case of `compare_peer_cases.toml`, and random grammars from a seed, are compiled in both environments over a small
vocabulary. Both states then walk the same tokens in lock-step, and after each commit everything that a state can be
asked is compared: mask, packed mask, `is_accepting`, `is_rejected`, `forced_tokens`, `marker_events`, what was raised.
Tokens are drawn from those that both allow, and at the end of a walk from those that only one, or neither, allows.

Some reasons are found here (a number may be written with a fraction; for random EBNF Earley's algorithm says who is
right), for other cases the case file has one. A difference without a reason is an error, so is a reason without a
difference, and so is an answer of ours that the judge does not agree with.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import select
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from compare_peer_judge import Judge
from compare_peer_random import random_cases

HERE = Path(__file__).parent
PIECES = [
    *(b'{"', b'": ', b'": "', b'", "', b'"}', b"{}", b"[]", b"[1", b", ", b"]]", b"}}", b"},", b": ", b'""', b'":'),
    *(b"true", b"false", b"null", b"if", b"ifx", b"return", b"end", b"friend", b" if", b"for", b"in", b"let", b"not"),
    *(b"12", b"00", b"1.", b".5", b"e+", b"-1", b"0.", b"2024-", b"ab", b"abc", b"aa", b"bb", b"ba", b"foo", b"bar"),
    *(b"  ", b" a", b"a ", b"\n\n", b"()", b"((", b"))", b"+1", b"==", b">>", b">=", b"=>", b"a", b"b", b" ", b"1"),
    *(
        "é".encode(),
        "é".encode(),
        "€".encode(),
        "😀".encode(),
        b"\xe2\x82",
        b"\xf0\x9f",
        b"\x98\x80",
        b"\xa9x",
        b"\xac,",
    ),
    *(b"\\u00", b"\\n", b'\\"', b"/*", b"*/", b"//", b"a,b", b"a+b", b"x=1", b"(a", b"a)"),
]
BYTELESS, END = [400, 401, 402], 410
TOKENS = {i: bytes([i]) for i in range(256)} | {256 + i: piece for i, piece in enumerate(PIECES)}
STRUCTURE = set(b'"{}[]():, =+-\n')
SECONDS = 5.0
LOOKS = 4
"""Differences of one kind in a case, the shortest first, whose reason is looked for: more would take long."""
INTEGRAL = re.compile(rb"-?\d+(\.\d*)?([eE][-+]?\d*)?[\]}, )]*$")
"""A number may go on with a fraction or an exponent."""


@dataclass
class Difference:
    """What differed after these tokens (a compile error or the start: none)."""

    what: str
    tokens: list[int]
    ours: Any
    peer: Any

    def shown(self) -> str:
        ours, peer = (shown(value) for value in (self.ours, self.peer))
        if self.what == "mask":
            ours, peer = (f"also {spellings(tokens)}" if tokens else "no more" for tokens in (self.ours, self.peer))
        return f"{self.what} after {spelled(self.tokens)!r}: ours {ours}, peer {peer}"


def spelled(tokens: list[int]) -> bytes:
    return b"".join(TOKENS.get(token, b"<%d>" % token) for token in tokens)


def spellings(tokens: list[int]) -> str:
    single = bytes(token for token in tokens if token < 256)
    return f"{single!r} {[spelled([token]) for token in tokens if token >= 256][:6]}"


def shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) < 160 else text[:157] + "..."


@dataclass
class Result:
    """A case, what differed, and how many states were compared."""

    case: dict[str, Any]
    differences: list[Difference] = field(default_factory=list)
    states: int = 0
    looked: int = 0
    """How often the reason for a difference in forced tokens was looked for."""
    refused: bool = False


class EngineFailure(Exception):
    """The process ended, or did not answer in time."""


class Engine:
    """A worker process in an environment; started again after a crash or a hang."""

    def __init__(self, python: Path) -> None:
        self.python = python
        self.process: subprocess.Popen[str] | None = None

    def ask(self, do: str, **arguments: Any) -> dict[str, Any]:
        if self.process is None:
            self.start()
        assert self.process is not None and self.process.stdin is not None and self.process.stdout is not None
        try:
            print(json.dumps({"do": do, **arguments}), file=self.process.stdin, flush=True)
            ready, _, _ = select.select([self.process.stdout], [], [], SECONDS)
            line = self.process.stdout.readline() if ready else "hang"
        except BrokenPipeError:
            line = ""
        if not line.startswith("{"):
            self.stop()
            raise EngineFailure("no answer in time" if line else "crash")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def start(self) -> None:
        command = [str(self.python), str(HERE / "compare_peer_worker.py")]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True)
        spelled = {str(token): text.hex() for token, text in TOKENS.items()} | dict.fromkeys(map(str, BYTELESS), "")
        if self.ask("vocab", tokens=spelled):
            raise EngineFailure("the vocabulary was refused")

    def stop(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None


class Pair:
    """Both engines, the same requests."""

    def __init__(self, ours: Path, peer: Path) -> None:
        self.engines = [Engine(ours), Engine(peer)]

    def ask(self, do: str, **arguments: Any) -> list[dict[str, Any]]:
        return [self.ask_one(engine, do, arguments) for engine in self.engines]

    @staticmethod
    def ask_one(engine: Engine, do: str, arguments: dict[str, Any]) -> dict[str, Any]:
        try:
            return engine.ask(do, **arguments)
        except EngineFailure as failure:
            return {"raised": str(failure), "message": ""}

    def stop(self) -> None:
        for engine in self.engines:
            engine.stop()


def compare(pair: Pair, case: dict[str, Any], walks: int, steps: int, seed: int) -> Result:
    result = Result(case)
    ours, peer = pair.ask("compile", case=case)
    if ours.get("raised") or peer.get("raised"):
        result.refused = True
        if ours.get("raised") != peer.get("raised"):
            messages = [answer.get("message") or answer.get("raised") or "compiles" for answer in (ours, peer)]
            result.differences.append(Difference("compile", [], *messages))
        return result
    if ours != peer:
        result.differences.append(Difference("marker_ids", [], ours, peer))
    for text in case.get("texts", []):
        Walk(pair, result, random.Random()).spell(text.encode())
    for number in range(walks):
        walk = Walk(pair, result, random.Random(f"{seed} {case['name']} {number}"))
        if not walk.run(steps):
            break
    return result


class Walk:
    """Tokens drawn and committed in lock-step."""

    def __init__(self, pair: Pair, result: Result, source: random.Random) -> None:
        self.pair, self.result, self.random = pair, result, source
        self.tokens: list[int] = []

    def spell(self, text: bytes) -> None:
        """Commits a text byte by byte, and then at once."""
        answers = self.pair.ask("start")
        for byte in text:
            answers = self.commit(byte, answers)
        self.pair.ask("start")
        self.note(self.pair.ask("bytes", data=text.hex()))

    def run(self, steps: int) -> bool:
        """Whether both engines are still there."""
        answers = self.pair.ask("start")
        going = self.note(answers)
        for step in range(steps if going else 0):
            masks = [set(answer["mask"]) for answer in answers]
            token = self.draw(masks[0], masks[1], last=step + 1 == steps)
            answers = self.commit(token, answers)
            if any("mask" not in answer for answer in answers):
                return False
            if not all(token in mask for mask in masks) or not any(answer["mask"] for answer in answers):
                break
        return going or bool(answers[0].get("mask") == answers[1].get("mask"))

    def commit(self, token: int, before: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """After a token that only one allows there is nothing left to compare, but the other has to refuse it."""
        self.tokens.append(token)
        answers = self.pair.ask("token", token=token)
        allowed = [token in answer["mask"] for answer in before]
        raised = [bool(answer["raised"]) for answer in answers]
        if allowed == [not r for r in raised] and allowed[0] != allowed[1]:
            return answers
        self.note(answers)
        if raised[0] == raised[1] == allowed[0]:
            self.keep("mask beside commit", allowed, raised)
        return answers

    def note(self, answers: list[dict[str, Any]]) -> bool:
        """Keeps what differs; whether both states are there."""
        ours, peer = answers
        self.result.states += 1
        if "mask" not in ours or "mask" not in peer:
            self.keep("answer", *(answer.get("raised") for answer in answers))
            return False
        masks = [set(answer.pop("mask")) for answer in ({**ours}, {**peer})]
        if masks[0] != masks[1]:
            self.keep("mask", sorted(masks[0] - masks[1]), sorted(masks[1] - masks[0]))
        for key in (ours.keys() | peer.keys()) - {"mask", "forced_tokens"}:
            if ours.get(key) != peer.get(key):
                self.keep(key, ours.get(key), peer.get(key))
        if masks[0] == masks[1] and ours["forced_tokens"] != peer["forced_tokens"] and self.result.looked < LOOKS:
            self.result.looked += 1
            self.forced(ours["forced_tokens"], peer["forced_tokens"])
        return True

    def forced(self, ours: list[int], peer: list[int]) -> None:
        """Forced tokens that end at different places: because the masks there differ?"""
        common = next(
            (i for i, (a, b) in enumerate(zip(ours, peer, strict=False)) if a != b), min(len(ours), len(peer))
        )
        self.pair.ask("start")
        answers: list[dict[str, Any]] = []
        for token in [*self.tokens, *ours[:common]]:
            answers = self.pair.ask("token", token=token)
        there = [set(answer.get("mask", ())) for answer in answers]
        if common and there[0] != there[1]:
            place = Walk(self.pair, self.result, self.random)
            place.tokens = [*self.tokens, *ours[:common]]
            place.keep("mask", sorted(there[0] - there[1]), sorted(there[1] - there[0]))
        else:
            self.keep("forced_tokens", ours, peer)
        self.pair.ask("start")
        for token in self.tokens:
            self.pair.ask("token", token=token)

    def keep(self, what: str, ours: Any, peer: Any) -> None:
        self.result.differences.append(Difference(what, list(self.tokens), ours, peer))

    def draw(self, ours: set[int], peer: set[int], last: bool) -> int:
        both, either = ours & peer, ours | peer
        if last or not both or self.random.random() < 0.04:
            one, neither = either - both, set(TOKENS) - either
            return self.random.choice(sorted(one or neither or both))
        structure = [token for token in both if STRUCTURE & set(TOKENS.get(token, b""))]
        longer = [token for token in both if len(TOKENS.get(token, b"")) != 1]
        draw = self.random.random()
        if draw < 0.35 and structure:
            return self.random.choice(sorted(structure))
        return self.random.choice(sorted(longer if draw < 0.7 and longer else both))


def cases(path: Path, count: int, seed: int) -> Iterator[dict[str, Any]]:
    """Those of the file, then random ones."""
    table = tomllib.loads(path.read_text())
    for form in ("ebnf", "glrm", "lark", "json_schema"):
        for name, source in table[form].items():
            yield {"name": f"{form}/{name}", "format": form, "source": source}
    for case in table["case"]:
        yield {**case, "name": f"calls/{case['name']}"}
    yield from random_cases(count, seed)


def main() -> int:
    arguments = parse_arguments()
    table = tomllib.loads(arguments.cases.read_text())
    known = [(case, reason) for reason, names in table["reasons"].items() for case in names]
    pair = Pair(arguments.ours, arguments.peer)
    verdicts: list[tuple[Result, set[str]]] = []
    try:
        for case in cases(arguments.cases, arguments.random, arguments.seed):
            if re.search(arguments.only, case["name"]):
                result = compare(pair, case, arguments.walks, arguments.steps, arguments.seed)
                found = reasons(result, {reason for name, reason in known if name == case["name"]})
                verdicts.append((result, found))
                tell(result, found, arguments.verbose)
    finally:
        pair.stop()
    report(verdicts)
    return int(any(reason.isupper() for _, found in verdicts for reason in found))


def reasons(result: Result, known: set[str]) -> set[str]:
    """Why the case differs: what can be told from a difference, and for what is left, what the case file says."""
    judging = result.case["name"].startswith("random/ebnf")
    told = [automatic(result.case, d) for d in (shortest(result.differences) if judging else result.differences)]
    found = {reason for reason in told if reason}
    if None in told:
        return found | (known or {"UNEXPLAINED"})
    return found | ({"STALE REASON"} if known - found else set())


def automatic(case: dict[str, Any], found: Difference) -> str | None:
    if "no answer in time" in (found.ours, found.peer) or "crash" in (found.ours, found.peer):
        ours = found.ours in ("no answer in time", "crash")
        return "OURS DOES NOT ANSWER" if ours else "no-answer"
    if case["name"].startswith("random/ebnf") and found.what in ("mask", "is_accepting"):
        return judged(case["source"], found)
    if found.what == "mask" and not found.peer and "json_schema" in (case["name"] + str(case.get("bind"))):
        return spelling(spelled(found.tokens), [TOKENS[token] for token in found.ours])
    return None


def spelling(text: bytes, tokens: list[bytes]) -> str | None:
    """What only we allow: DEL in strings, a fraction or an exponent after a number's digits?"""
    in_string = text.replace(b'\\"', b"").count(b'"') % 2 == 1
    if all(b"\x7f" in token for token in tokens) and in_string:
        return "delete-character"
    numbers = not in_string and all(INTEGRAL.search(text + token) for token in tokens)
    return "number-spelling" if numbers else None


def judged(source: str, found: Difference) -> str:
    """Which of the two is right, by Earley's algorithm."""
    judge, text = Judge(source), spelled(found.tokens)
    if found.what == "is_accepting":
        right = judge.verdict(text)[1] == found.ours
    else:
        allowed = {token: judge.verdict(text + TOKENS[token])[0] for token in [*found.ours, *found.peer]}
        right = all(allowed[token] for token in found.ours) and not any(allowed[token] for token in found.peer)
    return "inexact-cfg" if right else "OURS IS WRONG"


def tell(result: Result, found: set[str], verbose: bool) -> None:
    if found and (verbose or any(reason.isupper() for reason in found)):
        print(f"{result.case['name']} ({', '.join(sorted(found))}): {result.case['source']!r}", flush=True)
        for difference in shortest(result.differences, 1):
            print("   ", difference.shown(), flush=True)


def report(verdicts: list[tuple[Result, set[str]]]) -> None:
    counts: dict[str, Counter[str]] = {}
    for result, found in verdicts:
        counts.setdefault(result.case["name"].split("/")[0], Counter()).update(found or {"equal"})
    for kind, counter in counts.items():
        cases = sum(result.case["name"].split("/")[0] == kind for result, _ in verdicts)
        print(f"{kind}: {cases} cases: {dict(counter.most_common())}")
    results = [result for result, _ in verdicts]
    refused = sum(result.refused for result in results if not result.differences)
    print(
        f"{len(results)} cases, {sum(not r.differences for r in results)} equal ({refused} refused by both), "
        f"{sum(r.states for r in results)} states compared"
    )


def shortest(differences: list[Difference], count: int = LOOKS) -> list[Difference]:
    """Of each kind, those after the shortest texts."""
    kinds: dict[str, list[Difference]] = {}
    for found in sorted(differences, key=lambda found: len(found.tokens)):
        kinds.setdefault(found.what, []).append(found)
    return [found for kind in kinds.values() for found in kind[:count]]


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ours", type=Path, required=True, help="interpreter of the environment with this package")
    parser.add_argument("--peer", type=Path, required=True, help="interpreter of the environment with the other one")
    parser.add_argument("--cases", type=Path, default=HERE / "compare_peer_cases.toml")
    parser.add_argument("--random", type=int, default=90, help="random grammars besides")
    parser.add_argument("--walks", type=int, default=5, help="per case")
    parser.add_argument("--steps", type=int, default=24, help="tokens per walk, at most")
    parser.add_argument("--only", default="", help="only cases whose name has a match")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--verbose", action="store_true", help="show known differences too")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
