"""One engine for `compare_peer.py`, run in that engine's own environment: both packages are called `glrmask`.

A request is a line of JSON on standard input, the answer a line of JSON on standard output. Only calls that both
packages have are used, so that the same line means the same call. Whatever a call raises is part of the answer.
"""

from __future__ import annotations

import contextlib
import json
import sys
from typing import Any

import glrmask
import numpy as np

MASK_SIZE = 512


class Worker:
    """The vocabulary, the constraint of the case at hand, and the state of its walk."""

    def __init__(self) -> None:
        self.vocab: Any = None
        self.constraint: Any = None
        self.state: Any = None

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        operation = getattr(self, "do_" + request.pop("do"))
        try:
            result: dict[str, Any] = operation(**request)
        except BaseException as error:  # A panic of an extension module is no `Exception`.
            if isinstance(error, KeyboardInterrupt):
                raise
            return {"raised": family(error), "message": str(error)}
        return result

    def do_vocab(self, tokens: dict[str, str]) -> dict[str, Any]:
        self.vocab = glrmask.Vocab.from_id_to_bytes({int(i): bytes.fromhex(token) for i, token in tokens.items()})
        return {}

    def do_compile(self, case: dict[str, Any]) -> dict[str, Any]:
        """A case has `format`, `source` and perhaps `bind`, `end_tokens`, `prepare`, `saved`, `arguments`."""
        self.state = self.constraint = None
        self.constraint = self.compiled(case)
        if case.get("saved"):
            self.constraint = glrmask.Constraint.load(self.constraint.save())
        return {"markers": self.constraint.marker_ids()}

    def compiled(self, case: dict[str, Any]) -> Any:
        grammar = self.grammar(case)
        ends = {"end_tokens": case["end_tokens"]} if "end_tokens" in case else {}
        if not case.get("prepare"):
            for slot, value in case.get("bind", {}).items():
                grammar.bind(slot, self.bound(value, prepare=False))
            return grammar.compile(self.vocab, **ends)
        prepared = grammar.prepare(self.vocab)
        for slot, value in case.get("bind", {}).items():
            prepared.bind(slot, self.bound(value, prepare=True))
        return prepared.link(**ends)

    def grammar(self, case: dict[str, Any]) -> Any:
        arguments = case.get("arguments", {})
        return getattr(glrmask.Grammar, "from_" + case["format"])(case["source"], **arguments)

    def bound(self, value: dict[str, Any], prepare: bool) -> Any:
        if "token" in value:
            return glrmask.Token(value["token"])
        if "tokens" in value:
            return self.vocab.tokens(value["tokens"])
        grammar = self.grammar(value)
        return grammar.prepare(self.vocab) if prepare else grammar

    def do_start(self) -> dict[str, Any]:
        self.state = self.constraint.start()
        return self.observed()

    def do_token(self, token: int) -> dict[str, Any]:
        return self.committed(lambda: self.state.commit_token(token))

    def do_bytes(self, data: str) -> dict[str, Any]:
        return self.committed(lambda: self.state.commit_bytes(bytes.fromhex(data)))

    def committed(self, commit: Any) -> dict[str, Any]:
        raised = None
        try:
            commit()
        except Exception as error:
            raised = family(error)
        return self.observed() | {"raised": raised}

    def observed(self) -> dict[str, Any]:
        """Everything that can be asked of a state."""
        state = self.state
        mask = state.mask(MASK_SIZE)
        packed = np.zeros(max(MASK_SIZE // 32, self.constraint.mask_len()), dtype=np.int32)
        state.fill_mask(packed)
        bits = np.unpackbits(packed.view(np.uint8), bitorder="little")
        return {
            "mask": np.flatnonzero(mask).tolist(),
            "fill_mask": bool((bits == mask[: len(bits)]).all()),
            "is_accepting": bool(state.is_accepting()),
            "is_rejected": bool(state.is_rejected()),
            "forced_tokens": forced(state),
            "marker_events": [list(event) for event in state.marker_events()],
        }


def forced(state: Any) -> Any:
    try:
        return state.forced_tokens()
    except Exception as error:
        return family(error)


def family(error: BaseException) -> str:
    """Our errors are `ValueError`s of their own classes."""
    return "ValueError" if isinstance(error, ValueError) else type(error).__name__


def main() -> None:
    worker = Worker()
    replies = sys.stdout
    with contextlib.redirect_stdout(sys.stderr):
        for line in sys.stdin:
            print(json.dumps(worker.answer(json.loads(line))), file=replies, flush=True)


if __name__ == "__main__":
    main()
