"""Walks at random under the mask: every document must end, be JSON, and satisfy its schema.

    python scripts/random_walks.py corpus.jsonl[.gz] [--schemas 500] [--documents 20] [--ranks FILE] [--order any]

Each line of the corpus is `{"id": …, "schema": …}`. A walk commits tokens drawn from the mask, at first any of them,
after a while those that close something, until the text is complete. `jsonschema` judges the value; numbers are
compared as decimals. Without `--ranks` (a tiktoken rank file) the vocabulary is the 256 bytes and a few longer tokens.

Prints each failure and a summary. Ends with status 1 if a walk got stuck or a document is not valid.
"""

import argparse
import base64
import gzip
import json
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

import glrmask
import jsonschema
import numpy as np

CLOSERS = [b'"', b"}", b"]", b'"}', b'"]', b"}}", b"]}", b"}]", b"]]", b'"}}', b'"]}']
"""What ends strings, objects and arrays."""
LONGEST_EXPONENT = 400
"""Numbers beyond are not turned into integers to be judged."""


def main() -> int:
    arguments = parse_arguments()
    sys.set_int_max_str_digits(0)
    chosen = sample(arguments.corpus, arguments.schemas, arguments.seed)
    vocab = ranks(arguments.ranks) if arguments.ranks else small_vocab()
    walker = Walker(vocab, random.Random(arguments.seed), arguments.free, arguments.longest)
    options = {"property_order": arguments.order, "whitespace": arguments.whitespace}
    counts: Counter[str] = Counter()
    for case in chosen:
        try:
            constraint = glrmask.Constraint.from_json_schema(case["schema"], vocab, **options)
        except glrmask.GlrmaskError:
            counts["schemas refused"] += 1
            continue
        counts["schemas"] += 1
        judge = Judge(case["schema"])
        for _ in range(arguments.documents):
            verdict, text = walker.walk(constraint)
            verdict = judge.verdict(text) if verdict == "complete" else verdict
            counts[verdict] += 1
            if verdict.startswith(("stuck", "invalid")):
                print(f"{verdict}: {case['id']}: {text[:500]!r}")
    print(", ".join(f"{name}: {count}" for name, count in sorted(counts.items())))
    return any(name.startswith(("stuck", "invalid")) for name in counts)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--schemas", type=int, default=500, help="at most so many, drawn at random")
    parser.add_argument("--documents", type=int, default=20, help="per schema")
    parser.add_argument("--ranks", type=Path, help="rank file of a tokenizer")
    parser.add_argument("--order", default="schema", choices=["schema", "any"])
    parser.add_argument("--whitespace", default="spaced", choices=["spaced", "compact", "flexible"])
    parser.add_argument("--free", type=int, default=60, help="tokens before a walk tries to end")
    parser.add_argument("--longest", type=int, default=3000, help="tokens after which it is given up")
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def sample(corpus: Path, count: int, seed: int) -> list[dict[str, Any]]:
    """Some lines of the corpus, in its order."""
    with gzip.open(corpus, "rt") if corpus.suffix == ".gz" else corpus.open() as lines:
        cases = [json.loads(line) for line in lines if line.strip()]
    chosen = sorted(random.Random(seed).sample(range(len(cases)), min(count, len(cases))))
    return [cases[i] for i in chosen]


def small_vocab() -> glrmask.Vocab:
    longer = [b'": ', b'", "', b", ", b"true", b"false", b"null", b"12", b"ab", b"\\u00", *CLOSERS]
    tokens = {i: bytes([i]) for i in range(256)} | {256 + i: token for i, token in enumerate(longer)}
    return glrmask.Vocab.from_id_to_bytes(tokens)


def ranks(path: Path) -> glrmask.Vocab:
    pairs = (line.split() for line in path.read_bytes().splitlines() if line.strip())
    return glrmask.Vocab.from_id_to_bytes({int(rank): base64.b64decode(token) for token, rank in pairs})


class Walker:
    """Draws documents. `free` tokens are drawn without bias; after `longest` the walk is given up."""

    def __init__(self, vocab: glrmask.Vocab, source: random.Random, free: int, longest: int) -> None:
        self.vocab, self.random, self.free, self.longest = vocab, source, free, longest
        self.closers = [i for i in range((vocab.max_id or 0) + 1) if i in vocab and vocab.token_bytes(i) in CLOSERS]

    def walk(self, constraint: glrmask.Constraint) -> tuple[str, bytes]:
        """What became of it (`complete`, `stuck`, `given up`), and the text."""
        state, text = constraint.start(), b""
        for step in range(self.longest):
            allowed = np.flatnonzero(state.mask())
            if state.is_accepting() and (len(allowed) == 0 or step > self.free or self.random.random() < 0.3):
                return "complete", text
            if len(allowed) == 0:
                return "stuck", text
            token = self.choose(allowed, closing=step > self.free)
            state.commit_token(token)
            text += self.vocab.token_bytes(token)
        return "given up", text

    def choose(self, allowed: np.ndarray[Any, Any], closing: bool) -> int:
        if closing and self.random.random() < 0.9:
            permitted = set(allowed.tolist())
            closers = [token for token in self.closers if token in permitted]
            if closers:
                return self.random.choice(closers)
        return int(allowed[self.random.randrange(len(allowed))])


class Judge:
    """Whether documents satisfy a schema."""

    def __init__(self, schema: Any) -> None:
        exact = json.loads(json.dumps(schema), parse_float=number)
        validator = jsonschema.validators.validator_for(exact, default=jsonschema.Draft202012Validator)
        # ECMA-262 knows `\\d` and `\\w` as ASCII.
        ascii_patterns = jsonschema.validators.extend(validator, {"pattern": pattern})  # type: ignore[no-untyped-call]
        self.validator = ascii_patterns(exact, format_checker=validator.FORMAT_CHECKER)

    def verdict(self, text: bytes) -> str:
        try:
            value = json.loads(text, parse_float=number)
        except InvalidOperation:  # An exponent that `decimal` does not have.
            return "not judged (number)"
        except ValueError as error:
            return f"invalid JSON ({error})"
        try:
            found = next(iter(self.validator.iter_errors(value)), None)
        except Exception as failure:  # A pattern that Python does not read, a reference that is not there.
            return f"not judged ({type(failure).__name__})"
        return "valid" if found is None else f"invalid ({found.validator})"


def number(text: str) -> int | Decimal:
    value = Decimal(text)
    return int(value) if abs(value.adjusted()) < LONGEST_EXPONENT and value == value.to_integral_value() else value


def pattern(_: Any, expression: str, instance: Any, __: Any) -> Iterator[jsonschema.ValidationError]:
    if isinstance(instance, str) and not re.search(expression, instance, re.ASCII):
        yield jsonschema.ValidationError(f"{instance!r} does not match {expression!r}", validator="pattern")


if __name__ == "__main__":
    sys.exit(main())
