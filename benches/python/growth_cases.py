"""Families of schemas and grammars that grow in one direction each."""

import json
import random
from collections.abc import Callable
from typing import Any, NamedTuple

TEXT = "The quick brown fox jumps over the lazy dog; 12 wizards judge my vow. "
SIZES = (10, 30, 100, 300, 1_000, 2_000)


class Case(NamedTuple):
    """What to compile, and a text of the language to replay."""

    kind: str
    source: str
    text: str


class Family(NamedTuple):
    """A case for every size."""

    what: str
    """The axis of a plot."""
    sizes: tuple[int, ...]
    case: Callable[[int], Case]


def schema(source: dict[str, Any], value: Any) -> Case:
    return Case("json_schema", json.dumps(source), json.dumps(value))


def words(count: int) -> list[str]:
    """Different words of one to four syllables, the same in every run."""
    dice, found = random.Random(1), dict[str, None]()
    while len(found) < count:
        word = "".join(dice.choices(SYLLABLES, k=dice.randint(1, 4)))
        found[f"{word}{len(found)}" if len(found) > 50 else word] = None
    return list(found)


SYLLABLES = [
    "a",
    "be",
    "con",
    "de",
    "er",
    "for",
    "gra",
    "he",
    "ing",
    "ly",
    "ment",
    "no",
    "or",
    "pre",
    "qu",
    "re",
    "tion",
]
VALUES: tuple[tuple[dict[str, Any], Any], ...] = (
    ({"type": "string"}, "some text, with punctuation"),
    ({"type": "integer"}, 1234),
    ({"type": "boolean"}, True),
    ({"type": "number"}, 3.25),
    ({"type": "array", "items": {"type": "string"}}, ["one", "two"]),
)


def an_object(names: list[str], required: list[str], shown: int) -> Case:
    typed = {name: VALUES[i % len(VALUES)] for i, name in enumerate(names)}
    source = {
        "type": "object",
        "properties": {name: kind for name, (kind, _) in typed.items()},
        "required": required,
        "additionalProperties": False,
    }
    every = max(1, len(names) // shown)
    return schema(source, {name: typed[name][1] for i, name in enumerate(names) if name in required or i % every == 0})


def optional_properties(size: int) -> Case:
    return an_object(words(size), [], 20)


def required_properties(size: int) -> Case:
    return an_object(words(size), words(size), 20)


def open_properties(size: int) -> Case:
    """Declared properties beside any others: a key is a string that is not one of the names."""
    names = words(size)
    source = {"type": "object", "properties": {name: VALUES[i % len(VALUES)][0] for i, name in enumerate(names)}}
    return schema(source, {names[0]: VALUES[0][1], names[-1]: VALUES[(size - 1) % len(VALUES)][1], "another": [1, "x"]})


def enum(size: int) -> Case:
    return schema({"enum": words(size)}, words(size)[size // 2])


def max_length(size: int) -> Case:
    return schema({"type": "string", "maxLength": size}, (TEXT * 2_000)[: min(size, 4_000)])


def bounded_pattern(size: int) -> Case:
    return schema({"type": "string", "pattern": f"^([a-z]+ ){{0,{size}}}$"}, "some words " * min(size // 2, 300))


def max_items(size: int) -> Case:
    return schema({"type": "array", "items": {"type": "integer"}, "maxItems": size}, [*range(min(size, 1_000))])


def nested_objects(size: int) -> Case:
    """Objects in objects, each with a property of its own besides."""
    source, value = VALUES[0]
    for level in range(size):
        properties = {f"before_{level}": {"type": "integer"}, "inner": source}
        source = {"type": "object", "properties": properties, "required": ["inner"], "additionalProperties": False}
        value = {f"before_{level}": level, "inner": value}
    return schema(source, value)


def alternatives(size: int) -> Case:
    """`anyOf` of objects told apart by a constant that comes first."""
    branches = [
        {
            "type": "object",
            "properties": {"kind": {"const": name}, name: {"type": "integer"}, "note": {"type": "string"}},
            "required": ["kind", name],
            "additionalProperties": False,
        }
        for name in words(size)
    ]
    name = words(size)[size // 2]
    return schema({"anyOf": branches}, {"kind": name, name: 1, "note": "one of many"})


def late_alternatives(size: int) -> Case:
    """`anyOf` of objects that share their properties and differ in what the last one may be: all stay possible."""
    branches = [
        {
            "type": "object",
            "properties": {"id": {"type": "integer"}, "note": {"type": "string"}, "kind": {"const": name}},
            "required": ["id", "note", "kind"],
            "additionalProperties": False,
        }
        for name in words(size)
    ]
    return schema({"anyOf": branches}, {"id": 1, "note": "one of many", "kind": words(size)[size // 2]})


LIST = {"$defs": {"list": {"type": "array", "items": {"anyOf": [{"$ref": "#/$defs/list"}, {"type": "integer"}]}}}}


def deep_text(size: int) -> Case:
    """One recursive schema, texts nested ever deeper."""
    return Case("json_schema", json.dumps({**LIST, "$ref": "#/$defs/list"}), "[" * size + "1" + "]" * size)


def long_text(size: int) -> Case:
    """One recursive schema, texts ever longer."""
    return Case("json_schema", json.dumps({**LIST, "$ref": "#/$defs/list"}), json.dumps([[i, i] for i in range(size)]))


def nested_brackets(size: int) -> Case:
    """A grammar with right recursion and brackets."""
    grammar = 'start ::= "(" start ")" | word " " start | word\nword ::= [a-z]+\n'
    return Case("ebnf", grammar, "(" * size + "deep in here" + ")" * size)


def right_recursion(size: int) -> Case:
    return Case("ebnf", 'start ::= word " " start | word\nword ::= [a-z]+\n', "word after word " * (size // 3) + "word")


def many_rules(size: int) -> Case:
    """A chain of rules with a keyword and an alternative each."""
    names = words(size)
    rules = [f'r{i} ::= "{name}" " " ([0-9]+ " ")? r{(i + 1) % size} | "end"' for i, name in enumerate(names)]
    text = " ".join(f"{name} {i}" for i, name in enumerate(names[:200])) + " end"
    return Case("ebnf", "start ::= r0\n" + "\n".join(rules), text)


ORDER: dict[str, Any] = {
    "type": "object",
    "properties": {
        "id": {"type": "string", "pattern": "^[A-Z]{2}-[0-9]{4}$"},
        "date": {"type": "string", "format": "date"},
        "status": {"enum": ["open", "paid", "sent", "returned"]},
        "items": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "name": {"type": "string", "minLength": 1, "maxLength": 80},
                    "count": {"type": "integer", "minimum": 1, "maximum": 999},
                    "price": {"type": "number", "minimum": 0},
                    "tags": {"type": "array", "items": {"type": "string"}},
                },
                "required": ["name", "count", "price"],
                "additionalProperties": False,
            },
        },
        "notes": {"type": "object", "additionalProperties": {"type": ["string", "null"]}},
    },
    "required": ["id", "items"],
}


def order(_: int) -> Case:
    """An everyday schema, for growing vocabularies."""
    item = {"name": "A box of pencils", "count": 12, "price": 3.75, "tags": ["office", "wood"]}
    value = {"id": "AB-1234", "date": "2024-02-29", "status": "paid", "items": [item] * 5, "notes": {"to": "the door"}}
    return schema(ORDER, value)


FAMILIES: dict[str, Family] = {
    "optional-properties": Family("optional properties", SIZES, optional_properties),
    "required-properties": Family("required properties", SIZES, required_properties),
    "open-properties": Family("properties, others allowed", SIZES, open_properties),
    "enum": Family("words in an enum", (10, 100, 1_000, 5_000, 20_000), enum),
    "max-length": Family("maxLength of a string", (10, 100, 1_000, 10_000, 100_000), max_length),
    "bounded-pattern": Family("bound of a repetition in a pattern", (10, 100, 1_000, 10_000), bounded_pattern),
    "max-items": Family("maxItems of an array", (10, 100, 1_000, 10_000), max_items),
    "nested-objects": Family("objects nested in the schema", (5, 20, 50, 100, 200), nested_objects),
    "alternatives": Family("objects in anyOf, told apart early", (2, 10, 50, 200, 500), alternatives),
    "late-alternatives": Family("objects in anyOf, told apart late", (2, 10, 50, 200, 500), late_alternatives),
    "deep-text": Family("nesting of the text", (10, 100, 1_000, 10_000), deep_text),
    "long-text": Family("items in the text", (10, 100, 1_000, 10_000), long_text),
    "nested-brackets": Family("nesting of brackets in the text", (10, 100, 1_000, 10_000), nested_brackets),
    "right-recursion": Family("words in a right-recursive list", (10, 100, 1_000, 10_000), right_recursion),
    "many-rules": Family("rules of a grammar", (10, 100, 1_000, 5_000), many_rules),
    "vocabulary": Family("tokens in the vocabulary", (32_000, 64_000, 128_000, 256_000), order),
}
