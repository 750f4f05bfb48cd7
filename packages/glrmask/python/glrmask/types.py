"""Plain values that the classes of this package take and give."""

from typing import Any, Literal, NamedTuple, TypedDict

__all__ = [
    "Diagnostic",
    "Explanation",
    "FilledStats",
    "JsonSchemaLimits",
    "JsonSchemaOptions",
    "Limits",
    "Reading",
    "Requirement",
    "SchemaWarning",
    "Stats",
    "TokenCompletion",
]


class JsonSchemaLimits(TypedDict, total=False):
    """Bounds on work and size while a schema is read. Reaching one raises `LimitError`, which names it."""

    schema_bytes: int
    """Bytes of schema text."""
    depth: int
    """Nesting of the JSON text of the schema. Very deep schemas take deep recursion: raise it with care."""
    productions: int
    """Productions of the grammar."""
    branches: int
    """Alternatives that one schema may multiply out to."""
    regex_states: int
    """States of one automaton."""
    facts: int
    """Sets of keys of one object (in any order), or of unique items of one array, that are told apart: 2ⁿ for n."""
    watched: int
    """Counts of items of one array that are told apart for `contains` and `uniqueItems`."""
    places: int
    """Places of a text that are told apart where items or keys are remembered while decoding."""
    digits: int
    """Digits of a number that takes part in a bound or a value."""
    steps: int
    """Steps of checks: values against schemas, schemas against each other."""


class JsonSchemaOptions(TypedDict, total=False):
    """Keyword arguments of `Grammar.from_json_schema` and of `from_json_schema` of the constraint classes."""

    whitespace: Literal["spaced", "compact", "flexible"]
    """White space between the atoms of the JSON text: `"spaced"` (default) is what `json.dumps` writes, `"compact"` is
    none, `"flexible"` is any, in runs of at most `max_whitespace` bytes. There is none before or after the value."""
    max_whitespace: int | None
    """Longest run of white space in bytes for `"flexible"`, 16 by default; `None` is without bound."""
    property_order: Literal["schema", "any"]
    """Order of object members: `"schema"` (default) is the order of declaration, then other required keys, then free
    ones. `"any"` is every order, never twice the same named key; an object of n named keys then takes 2ⁿ sets of keys,
    see `JsonSchemaLimits.facts`. In larger objects optional keys may be repeated, and `warnings` says so."""
    ensure_ascii: bool
    """Whether only ASCII characters may be written, others as escapes; false by default."""
    escapes: Literal["natural", "canonical", "any"]
    """Spelling of characters in strings: `"canonical"` is what `json.dumps` writes with the same `ensure_ascii`;
    `"natural"` (default) also allows every JSON escape in strings that nothing but their type constrains; `"any"`
    allows every escape everywhere, in keys too. Whatever the spelling, keys are compared after unescaping."""
    format_assertion: bool
    """Whether the formats that the specification names are asserted; true by default."""
    registry: dict[str, Any]
    """Documents that `$ref` may lead to, by absolute URI: each a schema as a value or as JSON text. Nothing is ever
    fetched; the metaschemas of the five drafts are built in."""
    unsupported: Literal["error", "weaken"]
    """What to do with an assertion that cannot be enforced: `"error"` (default) refuses the schema, `"weaken"` leaves
    the assertion out and lists it in `Grammar.warnings`."""
    limits: JsonSchemaLimits
    """Bounds on work and size; what is not given has its default."""


class Requirement(NamedTuple):
    """An open slot of a `Grammar` or `PreparedGrammar`."""

    kind: Literal["token", "grammar"]
    """A token slot takes `Token` and `ExactTokens`; a grammar slot also takes a grammar."""
    name: str
    """The path joined with `::`, as `bind` takes it."""
    path: list[str]
    """The names that lead to the slot from the root; the last one is its own."""
    source_span: tuple[int, int, int, int] | None
    """Where the slot is declared in its source: first byte, one past the last byte, line, column; the latter two
    count from 1, columns in Unicode scalars."""


class SchemaWarning(NamedTuple):
    """Something in a schema that has no effect although it looks as if it should."""

    pointer: str
    """JSON Pointer of the schema it stands in."""
    keyword: str
    """The keyword."""
    message: str
    """What happened to it."""
    slot: str = ""
    """The path of the slot that the schema is bound to, joined with `::`; empty for the grammar itself."""


class Diagnostic(NamedTuple):
    """One error of a grammar text."""

    kind: Literal["syntax", "unsupported", "invalid", "limit"]
    """Bad syntax; known but not supported; without meaning, such as an undefined name; over a limit."""
    message: str
    """What is wrong, in one line, without the place."""
    line: int | None
    """Line, from 1."""
    column: int | None
    """Column in Unicode characters, from 1."""
    span: tuple[int, int] | None
    """First byte and one past the last byte of the UTF-8 text."""


class Limits(NamedTuple):
    """What compiling may compute before decoding; the rest is computed while decoding. `None`: what the mode wants."""

    states: int | None = None
    """Units of work: profiles, states and transitions of the automaton that reads parser stacks, masks."""
    memory: int | None = None
    """Bytes of tables while they are filled."""
    seconds: float | None = None
    """Wall-clock time from the start. What cannot be left to decoding ends with `LimitError` when the time is up."""


class FilledStats(NamedTuple):
    """Sizes of what was computed before decoding."""

    profiles: int
    """Partitions of the vocabulary."""
    rows: int
    """States of the automaton that reads parser stacks."""
    transitions: int
    """Its transitions."""
    masks: int
    """Finished masks."""
    bytes: int
    """Rough memory use in bytes, without what is shared through the vocabulary."""


class Stats(NamedTuple):
    """How long compiling took, and how much of the tables of a constraint has been filled."""

    scans: int
    """States of the scan automaton, filled while decoding, as the next eight."""
    classes: int
    """Classes of tokens."""
    profiles: int
    """Partitions of the vocabulary."""
    rows: int
    """States of the automaton that reads parser stacks."""
    masks: int
    """Finished masks."""
    bytes: int
    """Rough memory use in bytes."""
    clears: int
    """How often the tables were emptied because they took too much memory, scans left out."""
    scan_clears: int
    """How often only the scans were forgotten because the tables took too much memory: what was known stays known, and
    what is new takes a little longer."""
    mask_clears: int
    """How often finished masks were forgotten along with the scans."""
    filled: FilledStats | None
    """What was computed before decoding, if anything was."""
    stages: dict[str, float]
    """Seconds that each stage of compiling took, in order; empty for a loaded constraint."""


class TokenCompletion(NamedTuple):
    """Tokens that complete a text."""

    token_ids: list[int]
    """The tokens, without an end token."""
    is_minimal: bool
    """Whether it is certain that no fewer tokens complete the text."""


class Reading(NamedTuple):
    """One way to read the bytes of a token. Terminals are described: by their text if they have only one, otherwise by
    number and a short text that they match."""

    outcome: Literal["allowed", "no lexeme", "refused", "longer match", "nothing completes"]
    """How it ends: all bytes are read and some text completes them; no lexeme goes on or begins with a byte; the parser
    takes none of `terminals`; a lexeme that ended would have had to be longer; all bytes are read, but longest match
    forbids everything that could follow."""
    at: int | None
    """Offset in the token where that happens."""
    terminals: list[str]
    """What it is about: what the open lexeme can become, was, or is refused as; the terminal that matches longer."""
    expected: list[str]
    """Some of the terminals that the parser would take instead of refusing."""
    lexemes: list[tuple[str, int | None, int]]
    """Lexemes read to their end: terminal, first byte in the token (`None` if before it), one past the last byte."""


class Explanation(NamedTuple):
    """Why a token is allowed, or is not. `str` gives it in words."""

    token_id: int
    """The token."""
    token_bytes: bytes
    """Its bytes; empty for an id without any."""
    allowed: bool
    """Whether the mask has it."""
    verdict: Literal["unknown", "over", "end", "no bytes", "text"]
    """What decides: there is no such id; the sequence is over; it is an end token; it has no bytes; or its bytes do,
    see `readings`."""
    readings: list[Reading]
    """The ways to read its bytes, those that succeed first."""
    is_cut: bool
    """Whether there are more readings than the 64 that are told."""
    rule: str | None
    """The rule beside the grammar that forbids it, if the grammar does not: an item is there twice, say."""
    text: str
    """All of it in words, in lines."""

    def __str__(self) -> str:
        """The text."""
        return self.text
