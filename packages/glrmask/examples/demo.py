"""Writes random JSON documents that cannot help being valid, and tells what each step costs.

The vocabulary is that of a Mistral model: 131 072 tokens, read from a file inside the PyPI package mistral-common,
which needs to be installed but is not imported. In place of a model, `Dice` gives random scores to all tokens, and
glrmask says which of them may be sampled. Every document is checked with jsonschema.

    python demo.py --documents 20 --seed 1
"""

import argparse
import json
import sys
import time
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

import glrmask
import jsonschema
import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

SCHEMA = {
    "$defs": {
        "person": {
            "type": "object",
            "properties": {
                "name": {"type": "string", "pattern": "^[A-Z][a-z]{1,11}( [A-Z][a-z]{1,11})?$"},
                "email": {"type": "string", "pattern": "^[a-z]{1,9}@[a-z]{1,9}[.](net|org)$"},
                "level": {"enum": ["novice", "adept", "master"]},
                "mentor": {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/person"}]},
            },
            "required": ["name", "level", "mentor"],
            "additionalProperties": False,
        },
        "task": {
            "type": "object",
            "properties": {
                "id": {"type": "string", "pattern": "^[A-Z]{2,4}-[0-9]{1,5}$"},
                "title": {"type": "string", "minLength": 3, "maxLength": 60},
                "hours": {"type": "number", "minimum": 0, "exclusiveMaximum": 1000},
                "done": {"type": "boolean"},
                "parts": {"type": "array", "items": {"$ref": "#/$defs/task"}, "maxItems": 4},
            },
            "required": ["id", "title", "parts"],
            "additionalProperties": False,
        },
    },
    "type": "object",
    "properties": {
        "project": {"type": "string", "minLength": 1},
        "owner": {"$ref": "#/$defs/person"},
        "due": {"type": "string", "format": "date", "pattern": "^20"},
        "tags": {"type": "array", "items": {"enum": ["urgent", "research", "docs", 1, 2, 3]}, "minItems": 1},
        "tasks": {"type": "array", "items": {"$ref": "#/$defs/task"}, "minItems": 1},
        "notes": {"type": "object", "additionalProperties": {"type": ["string", "integer", "null"]}},
    },
    "required": ["project", "owner", "tags", "tasks"],
    "additionalProperties": False,
}


class Document(NamedTuple):
    """What one run wrote, and the seconds that each step took."""

    text: bytes
    masks: list[float]
    commits: list[float]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=20, help="how many to write")
    parser.add_argument("--seed", type=int, default=1, help="of the first document; the next has the next")
    parser.add_argument("--budget", type=int, default=150, help="tokens of a document before it is brought to its end")
    arguments = parser.parse_args()

    start = time.perf_counter()
    vocab = glrmask.Vocab.from_tekken(vocabulary_file())
    loaded = time.perf_counter()
    constraint = glrmask.Constraint.from_json_schema(SCHEMA, vocab, end_token_ids=vocab.end_token_ids)
    compiled = time.perf_counter()
    constraint.start().fill_mask(np.zeros(constraint.mask_len(), dtype=np.int32))
    ready = time.perf_counter()

    dice = Dice(vocab)
    validator = jsonschema.Draft202012Validator(SCHEMA, format_checker=jsonschema.FormatChecker(["date"]))
    documents = []
    for seed in tqdm(range(arguments.seed, arguments.seed + arguments.documents), unit=" documents"):
        document = write(constraint, vocab, dice, np.random.default_rng(seed), arguments.budget)
        validator.validate(json.loads(document.text))
        documents.append(document)

    print(f"\n{documents[-1].text.decode()}\n\nall {len(documents)} documents are valid\n")
    print(f"vocabulary of {len(vocab)} tokens  {1e3 * (loaded - start):10.1f} ms")
    print(f"schema to constraint          {1e3 * (compiled - loaded):10.1f} ms")
    print(f"first state and mask          {1e3 * (ready - compiled):10.1f} ms\n")
    table(documents)


def vocabulary_file() -> Path:
    """The tokenizer file of the installed package mistral-common."""
    try:
        package = metadata.distribution("mistral-common")
    except metadata.PackageNotFoundError:
        sys.exit("pip install --no-deps mistral-common==1.13.1")
    return Path(str(package.locate_file("mistral_common/data/tekken_240911.json")))


class Dice:
    """In place of a model: random scores, with a liking for words in small letters and for punctuation."""

    def __init__(self, vocab: glrmask.Vocab) -> None:
        texts = [vocab.token_bytes(token) for token in range(len(vocab))]
        words = np.array([t.isascii() and t.strip().isalpha() and t == t.lower() for t in texts])
        ends = np.array([t in (b'"', b'",', b"}", b"]", b",") for t in texts])
        self.liking = (2.0 * words + 9.0 * ends).astype(np.float32)

    def scores(self, rng: np.random.Generator) -> NDArray[np.float32]:
        """One score for each token. The highest is a fair sample: Gumbel noise on logits makes it one."""
        noise = rng.standard_exponential(len(self.liking), dtype=np.float32)
        return self.liking - np.log(np.maximum(noise, np.finfo(np.float32).tiny))


def write(
    constraint: glrmask.Constraint,
    vocab: glrmask.Vocab,
    dice: Dice,
    rng: np.random.Generator,
    budget: int,
) -> Document:
    """Samples tokens until the budget is spent, then closes the document with as few as possible."""
    state = constraint.start()
    ids: list[int] = []
    closing: list[int] = []
    document = Document(b"", [], [])
    words = np.zeros(constraint.mask_len(), dtype=np.int32)
    while not state.is_terminated():
        start = time.perf_counter()
        state.fill_mask(words)
        masked = time.perf_counter()
        if len(ids) == budget:
            completion = state.shortest_completion_tokens()
            assert completion is not None
            closing = [*completion.token_ids, *vocab.end_token_ids[:1]]
        if len(ids) < budget:
            scores = dice.scores(rng)
            allowed = np.unpackbits(words.view(np.uint8), count=len(scores), bitorder="little")
            token = int(np.where(allowed, scores, -np.inf).argmax())
        else:
            token = closing[len(ids) - budget]
        chosen = time.perf_counter()
        state.commit_token(token)
        document.commits.append(time.perf_counter() - chosen)
        document.masks.append(masked - start)
        ids.append(token)
    return document._replace(text=b"".join(map(vocab.token_bytes, ids)))


def table(documents: list[Document]) -> None:
    """Microseconds per step, and steps per second."""
    masks = np.array([seconds for document in documents for seconds in document.masks]) * 1e6
    commits = np.array([seconds for document in documents for seconds in document.commits]) * 1e6
    print(f"{len(masks)} tokens         p50       p99       max  microseconds")
    for name, times in [("mask", masks), ("commit", commits), ("mask and commit", masks + commits)]:
        print(f"{name:15} {np.percentile(times, 50):9.1f} {np.percentile(times, 99):9.1f} {times.max():9.1f}")
    print(f"\n{1e6 / (masks + commits).mean():.0f} tokens per second")


if __name__ == "__main__":
    main()
