"""Masks over a real vocabulary: random texts that cannot help being valid, and what each step costs.

The vocabulary is a Tekken tokenizer file of 131 072 tokens, from the PyPI package mistral-common; `make demo` installs
it. Where a model would give scores, this demo draws among the allowed tokens at random.
"""

import json
import random
import sys
import time
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import TypeVar

import glrmask
import jsonschema
import numpy as np

T = TypeVar("T")
END = 2  # </s> of this vocabulary
SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "minLength": 3, "maxLength": 12, "pattern": "^[A-Z][a-z ]*$"},
        "age": {"type": "integer", "minimum": 0, "maximum": 120},
        "mood": {"enum": ["positive", "negative", "neutral"]},
        "tags": {"type": "array", "items": {"type": "string", "pattern": "^[a-z]{1,8}$"}, "maxItems": 3},
    },
    "required": ["name", "age", "mood"],
    "additionalProperties": False,
}
ARITHMETIC = r"""
start sum;
ignore SPACE;
t SPACE = / {1,2}/;
t NUMBER = /[1-9][0-9]{0,3}|0/;
nt sum = product | sum ("+" | "-") product;
nt product = atom | product ("*" | "/") atom;
nt atom = NUMBER | "(" sum ")";
"""


def main() -> None:
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    path = files("mistral_common") / "data" / "tekken_240911.json"
    vocab = timed("vocabulary", lambda: glrmask.Vocab.from_tekken(Path(str(path))))
    print(f"            {len(vocab)} ids\n")

    constraint = timed("JSON Schema", lambda: glrmask.Constraint.from_json_schema(SCHEMA, vocab, end_token_ids=[END]))
    for i in range(5):
        text = walk(constraint, vocab, random.Random(seed + i), limit=200)
        jsonschema.validate(json.loads(text), SCHEMA)

    print()
    constraint = timed("GLRM", lambda: glrmask.Constraint.from_glrm(ARITHMETIC, vocab, end_token_ids=[END]))
    for i in range(5):
        walk(constraint, vocab, random.Random(seed + i), limit=25)


def timed(what: str, work: Callable[[], T]) -> T:
    start = time.perf_counter()
    result = work()
    print(f"{what:11} ready in {(time.perf_counter() - start) * 1e3:.1f} ms")
    return result


def walk(constraint: glrmask.Constraint, vocab: glrmask.Vocab, rng: random.Random, limit: int) -> str:
    """Draws tokens until the end token, or until `limit` and then as soon as the text may end."""
    state = constraint.start()
    text, masks, commits = b"", [], []
    bitmask = np.zeros(constraint.mask_len(), dtype=np.int32)
    while True:
        start = time.perf_counter()
        state.fill_mask(bitmask)
        masks.append(time.perf_counter() - start)
        allowed = np.flatnonzero(np.unpackbits(bitmask.view(np.uint8), bitorder="little")).tolist()
        token = END if END in allowed and (len(masks) > limit or rng.random() < 0.3) else rng.choice(allowed)
        start = time.perf_counter()
        state.commit_token(token)
        commits.append(time.perf_counter() - start)
        if token == END:
            break
        text += vocab.token_bytes(token)
    print(f"{text.decode()}\n    {len(masks)} tokens, mask {microseconds(masks)}, commit {microseconds(commits)}")
    return text.decode()


def microseconds(seconds: list[float]) -> str:
    return f"{np.median(seconds) * 1e6:.1f} µs (largest {max(seconds) * 1e6:.0f})"


if __name__ == "__main__":
    main()
