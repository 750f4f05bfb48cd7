"""Walks at random under the mask: every document must end, be JSON, and satisfy its schema.

    python scripts/random_walks.py corpus.jsonl[.gz] [--schemas 500] [--documents 20] [--ranks FILE] [--order any]
    python scripts/random_walks.py corpus.jsonl --untested --mutants 10

Each line of the corpus is `{"id": …, "schema": …}`. A walk commits tokens drawn from the mask, at first any of them,
after a while those that close something, until the text is complete. `jsonschema` judges the value; numbers are
compared as decimals. Without `--ranks` (a tiktoken rank file) the vocabulary is the 256 bytes and a few longer tokens.

`--mutants` makes so many variants of each document: a member, an item or a scalar changed, taken away or added, with
keys and values that the schema mentions among others. `jsonschema` says which of them are valid; the constraint must
refuse the others, and accept these, if need be in another order of keys. `--untested` takes the schemas of the corpus
that have no instances of their own.

Prints each failure and a summary. Ends with status 1 if a walk got stuck, a document is not valid, or an invalid
variant is accepted. A valid variant that is refused is printed: `jsonschema` knows some formats only roughly.
"""

import argparse
import base64
import copy
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
    chosen = sample(arguments.corpus, arguments.schemas, arguments.seed, arguments.untested)
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
        mutants = Mutants(case["schema"], walker.random)
        acceptor = Acceptor(case["schema"], vocab, constraint, options)
        for _ in range(arguments.documents):
            verdict, text = walker.walk(constraint)
            verdict = judge.verdict(text) if verdict == "complete" else verdict
            note(counts, case["id"], verdict, text)
            for _ in range(arguments.mutants if verdict == "valid" else 0):
                mutant = spelled(mutants.mutant(json.loads(text, parse_float=number))).encode()
                note(counts, case["id"], "variant " + acceptor.compare(mutant, judge.verdict(mutant)), mutant)
    print(", ".join(f"{name}: {count}" for name, count in sorted(counts.items())))
    return any(name.startswith(FAILURES) for name in counts)


FAILURES = ("stuck", "invalid", "variant accepted although")


def note(counts: Counter[str], schema: str, verdict: str, text: bytes) -> None:
    counts[verdict] += 1
    if verdict.startswith((*FAILURES, "variant refused although")):
        print(f"{verdict}: {schema}: {text[:500]!r}")


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
    parser.add_argument("--mutants", type=int, default=0, help="variants per document")
    parser.add_argument("--untested", action="store_true", help="only schemas without instances")
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def sample(corpus: Path, count: int, seed: int, untested: bool = False) -> list[dict[str, Any]]:
    """Some lines of the corpus, in its order."""
    with gzip.open(corpus, "rt") if corpus.suffix == ".gz" else corpus.open() as lines:
        cases = [json.loads(line) for line in lines if line.strip()]
    cases = [case for case in cases if not (untested and case.get("tests"))]
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
        # ECMA-262 knows `\\d` and `\\w` as ASCII, and `\\s` in its own way.
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


class Acceptor:
    """Whether a constraint accepts a text, if need be in another order of keys."""

    def __init__(self, schema: Any, vocab: glrmask.Vocab, constraint: glrmask.Constraint, options: Any) -> None:
        self.schema, self.vocab, self.constraint, self.options = schema, vocab, constraint, options
        self.any_order: glrmask.Constraint | None = None

    def compare(self, text: bytes, verdict: str) -> str:
        """What becomes of a text with this verdict."""
        accepted = accepts(self.constraint, text)
        if verdict == "valid":
            if not accepted and self.in_any_order(text):
                return "accepted in another order of keys"
            return "accepted" if accepted else "refused although valid"
        if verdict.startswith("invalid"):
            return f"accepted although {verdict}" if accepted else "refused"
        return verdict

    def in_any_order(self, text: bytes) -> bool:
        if self.any_order is None:
            options = self.options | {"property_order": "any"}
            try:
                self.any_order = glrmask.Constraint.from_json_schema(self.schema, self.vocab, **options)
            except glrmask.GlrmaskError:
                self.any_order = self.constraint
        return accepts(self.any_order, text)


def accepts(constraint: glrmask.Constraint, text: bytes) -> bool:
    state = constraint.start()
    try:
        state.commit_bytes(text)
    except ValueError:
        return False
    return bool(state.is_accepting())


class Mutants:
    """Variants of documents, with the keys and values that a schema mentions."""

    SCALARS = (None, True, False, 0, 1, -1, 7, Decimal("2.5"), 10**12, "", "a", "x-1", "2024-02-29")
    SAMPLES: tuple[Any, ...] = (*SCALARS, [], [1], {}, {"a": 1})

    def __init__(self, schema: Any, source: random.Random) -> None:
        self.random = source
        self.keys, self.values = ["extra"], list(self.SAMPLES)
        self.collect(json.loads(json.dumps(schema), parse_float=number))

    def collect(self, node: Any) -> None:
        if isinstance(node, list):
            for item in node:
                self.collect(item)
        elif isinstance(node, dict):
            for name, value in node.items():
                self.keys.append(name)
                self.values.extend(value if name == "enum" and isinstance(value, list) else [])
                self.values.extend([value] if name == "const" or isinstance(value, str | int | Decimal) else [])
                self.collect(value)

    def mutant(self, value: Any) -> Any:
        """A copy with one change or several."""
        root = [value]
        for _ in range(self.random.choice([1, 1, 1, 2, 3])):
            places = list(self.places(root))
            container, index = self.random.choice(places)
            self.change(container, index)
        return root[0]

    def places(self, container: Any) -> Iterator[tuple[Any, Any]]:
        for index in list(range(len(container)) if isinstance(container, list) else container):
            yield container, index
            if isinstance(container[index], list | dict):
                yield from self.places(container[index])

    def change(self, container: Any, index: Any) -> None:
        value, draw = container[index], self.random.random()
        if draw < 0.3:
            container[index] = copy.deepcopy(self.random.choice(self.values))
        elif isinstance(value, dict):
            key = self.random.choice(self.keys)
            if value and draw < 0.65:
                del value[self.random.choice(list(value))]
            else:
                value[key] = copy.deepcopy(self.random.choice(self.values))
        elif isinstance(value, list):
            if value and draw < 0.55:
                del value[self.random.randrange(len(value))]
            else:
                more = [*value, *self.values]
                value.insert(self.random.randint(0, len(value)), copy.deepcopy(self.random.choice(more)))
        elif isinstance(value, str):
            at = self.random.randint(0, len(value))
            container[index] = value[:at] + self.random.choice(["", "a", "Z", "0", " ", "-", "é"]) + value[at + 1 :]
        elif isinstance(value, int | Decimal) and not isinstance(value, bool) and -9 < Decimal(value).adjusted() < 20:
            near = [value + 1, value - 1, -value, value * 10, value + Decimal("0.5")]
            container[index] = number(str(self.random.choice(near)))


def spelled(value: Any) -> str:
    """As `json.dumps` writes it, decimals too."""
    if isinstance(value, dict):
        members = (f"{json.dumps(key, ensure_ascii=False)}: {spelled(item)}" for key, item in value.items())
        return "{" + ", ".join(members) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(spelled, value)) + "]"
    return str(value).lower() if isinstance(value, Decimal) else json.dumps(value, ensure_ascii=False)


def number(text: str) -> int | Decimal:
    value = Decimal(text)
    return int(value) if abs(value.adjusted()) < LONGEST_EXPONENT and value == value.to_integral_value() else value


def pattern(_: Any, expression: str, instance: Any, __: Any) -> Iterator[jsonschema.ValidationError]:
    if isinstance(instance, str) and not re.search(with_white_space(expression), instance, re.ASCII):
        yield jsonschema.ValidationError(f"{instance!r} does not match {expression!r}", validator="pattern")


WHITE_SPACE = "\\t-\\r \\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff"
"""What ECMA-262 takes `\\s` for."""


def with_white_space(expression: str) -> str:
    """The expression without `\\s`, and without `\\S` outside character classes."""

    def spelled_out(match: re.Match[str]) -> str:
        alone = {r"\s": f"[{WHITE_SPACE}]", r"\S": f"[^{WHITE_SPACE}]"}
        inside = re.sub(r"\\.", lambda part: WHITE_SPACE if part[0] == r"\s" else part[0], match[0], flags=re.DOTALL)
        return alone.get(match[0], match[0] if match[0].startswith("\\") else inside)

    return re.sub(r"\[(?:\\.|[^\]\\])*\]|\\.", spelled_out, expression, flags=re.DOTALL)


if __name__ == "__main__":
    sys.exit(main())
