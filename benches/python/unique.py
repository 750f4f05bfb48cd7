"""What unique items and counted keys cost while decoding: masks and commits inside arrays of many items.

    python benches/python/unique.py RANKS

For each kind of item, an array of so many distinct items is committed token by token, and then a few items more, of
which every mask and commit is timed, a mask three times, of which the best counts: on a busy machine others take the
processor in between. The same schema without `uniqueItems` is beside it; and the document by itself, and in a slot of
another text.
"""

import json
import random
import sys
import time
from typing import Any

import glrmask
import numpy as np
from vocabulary import Vocabulary, load

KINDS: dict[str, Any] = {
    "strings": {"type": "string"},
    "numbers": {"type": "number"},
    "objects": {
        "type": "object",
        "properties": {"id": {"type": "integer"}, "name": {"type": "string"}},
        "required": ["id", "name"],
        "additionalProperties": False,
    },
}
SIZES = [10, 100, 1000]
MEASURED = 40
"""Items that are timed."""


def main() -> None:
    tokens = load(sys.argv[1])
    vocab = glrmask.Vocab.from_id_to_bytes(tokens.tokens)
    print("| items | before | unique | where | mask p50, µs | p99 | commit p50 | p99 |")
    print("|---|---|---|---|---|---|---|---|")
    for kind, items in KINDS.items():
        for unique in (False, True):
            schema = {"type": "array", "items": items, "uniqueItems": unique}
            constraint = glrmask.Constraint.from_json_schema(schema, vocab)
            for size in SIZES:
                run(constraint, tokens, (kind, size, unique), "")
        outer = glrmask.Grammar.from_glrm('start s; extern grammar x; nt s = "<tool>" x "</tool>";')
        outer.bind("x", glrmask.Grammar.from_json_schema(schema))
        for size in SIZES:
            run(outer.compile(vocab), tokens, (kind, size, True), "<tool>")


def run(constraint: glrmask.Constraint, tokens: Vocabulary, what: tuple[str, int, bool], before: str) -> None:
    kind, size, unique = what
    chance = random.Random(5)
    values = [value(kind, i, chance) for i in range(size + MEASURED)]
    text = before + json.dumps(values)
    start = len(before) + len(json.dumps(values[:size])) - 1
    words = np.zeros(constraint.mask_len(), dtype=np.int32)
    # Once to fill the tables, once to measure.
    for _ in range(2):
        state, at, masks, commits = constraint.start(), 0, [], []
        for token in tokens.encode_greedily(text.encode()):
            if at >= start:
                masks.append(min(time_mask(state, words) for _ in range(3)))
            begin = time.perf_counter_ns()
            state.commit_token(token)
            end = time.perf_counter_ns()
            if at >= start:
                commits.append(end - begin)
            at += len(tokens.tokens[token])
    figures = [f"{np.percentile(list_, q) / 1000:.1f}" for list_ in (masks, commits) for q in (50, 99)]
    where = "slot" if before else "alone"
    print(f"| {kind} | {size} | {'yes' if unique else 'no'} | {where} | {' | '.join(figures)} |", flush=True)


def time_mask(state: glrmask.ConstraintState, words: np.ndarray[Any, Any]) -> int:
    begin = time.perf_counter_ns()
    state.fill_mask(words)
    return time.perf_counter_ns() - begin


def value(kind: str, i: int, chance: random.Random) -> Any:
    word = "".join(chance.choices("abcdefghij klmnop", k=chance.randrange(3, 16))) + str(i)
    match kind:
        case "strings":
            return word
        case "numbers":
            return i * 3 + chance.choice([0, 0.25, 0.5])
        case _:
            return {"id": i % 50, "name": word}


if __name__ == "__main__":
    main()
