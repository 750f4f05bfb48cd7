"""Random cases for `compare_peer.py`: EBNF over three letters, GLRM with longer terminals, JSON Schemas."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any


def random_cases(count: int, seed: int) -> Iterator[dict[str, Any]]:
    """A third of each kind; the same for the same seed."""
    for number in range(count):
        source = random.Random(f"{seed} case {number}")
        form, make = (("ebnf", ebnf), ("glrm", glrm), ("json_schema", json_schema))[number % 3]
        yield {"name": f"random/{form}-{seed}-{number}", "format": form, "source": make(source)}


def ebnf(source: random.Random) -> str:
    """Rules that may be recursive, ambiguous, cyclic or nullable, every one with a literal as a way out."""
    names = ["start", "x", "y", "z"][: source.randint(2, 4)]
    literals = ['"a"', '"b"', '"aa"', '"("']
    return "\n".join(f"{name} ::= {source.choice(literals)} | {expression(source, names, 3)}" for name in names)


def expression(source: random.Random, names: list[str], depth: int) -> str:
    draw = source.random()
    if depth == 0 or draw < 0.35:
        return source.choice(['"a"', '"b"', '"ab"', '","', "[ab]", *names])
    inner = [expression(source, names, depth - 1) for _ in range(2)]
    if draw < 0.65:
        return " ".join(inner)
    return f"({inner[0]} | {inner[1]})" if draw < 0.85 else f"({inner[0]}){source.choice('?*+')}"


def glrm(source: random.Random) -> str:
    """Terminals that do not overlap, with or without ignored spaces."""
    terminals = {"NUM": "/[0-9]+/", "WORD": "/[a-z]+/", "STR": '/"[^"]*"/', "OP": '"+" | "*" | "=="'}
    ignore = "ignore WS;\nt WS = / +/;\n" if source.random() < 0.5 else ""

    def atom() -> str:
        return source.choice(["NUM", "WORD", "STR", '"("', '")"', '","'])

    def part(depth: int) -> str:
        draw = source.random()
        if depth == 0 or draw < 0.4:
            return atom() + source.choice(["", "", "?", " OP"])
        if draw < 0.7:
            return f"({part(depth - 1)} | {part(depth - 1)})"
        if draw < 0.85:
            return f'("[" s "]" | {atom()})'
        return f'"," ~ ({atom()} ({atom()} | {atom()} OP)? {atom()}*)'

    rules = "".join(f"t {name} = {text};\n" for name, text in terminals.items())
    return f"start s;\n{ignore}nt s = {part(2)} {part(2)};\n{rules}"


def json_schema(source: random.Random) -> str:
    def value(depth: int) -> dict[str, Any]:
        kinds = ["enum", "boolean", "null", "const", *(["object", "array", "anyOf"] if depth else [])]
        kind = source.choice(kinds)
        if kind == "enum":
            return {"enum": source.sample(["a", "b", "foo", True, None, 1, 12], source.randint(1, 4))}
        if kind == "const":
            return {"const": source.choice(["bar", 0, False])}
        if kind == "anyOf":
            return {"anyOf": [value(depth - 1) for _ in range(2)]}
        if kind == "array":
            low = source.randint(0, 2)
            return {"type": "array", "items": value(depth - 1), "minItems": low, "maxItems": low + source.randint(0, 2)}
        if kind == "object":
            names = source.sample(["a", "b", "foo", "bar"], source.randint(1, 3))
            required = [name for name in names if source.random() < 0.5]
            properties = {name: value(depth - 1) for name in names}
            return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
        return {"type": kind}

    return json.dumps(value(2))
