"""The engines that are measured, behind one small interface; each needs its own package in its own environment.

`glrmask` is the import name of this project's package and of a package by another author, so the two never share an
environment. Every engine fills the same int32 words: bit `id % 32` of word `id // 32`.
"""

# What is imported here is there in one environment and missing in another.
# mypy: disable-error-code="import-not-found, import-untyped, attr-defined"

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from vocabulary import Vocabulary

FORMATS = ("json_schema", "ebnf", "glrm", "lark")


class Engine(Protocol):
    """Compile, then any number of texts: start, and mask and commit for every token."""

    def compile(self, kind: str, source: str) -> None:
        """`kind` is one of `FORMATS`. Raises whatever the engine raises when it cannot."""

    def start(self) -> None:
        """A new text."""

    def mask(self) -> NDArray[np.int32]:
        """The mask, in a buffer that the next call overwrites."""

    def commit(self, token: int) -> None:
        """Advances by a token that the mask allows."""

    def accepting(self) -> bool:
        """Whether the text is complete."""


class Glrmask:
    """This project's package, or the one of the same name by another author."""

    def __init__(self, vocabulary: Vocabulary, options: dict[str, Any], schema_options: dict[str, Any]) -> None:
        import glrmask

        self.grammars = {kind: getattr(glrmask.Grammar, f"from_{kind}", None) for kind in FORMATS}
        self.vocab = glrmask.Vocab.from_id_to_bytes(vocabulary.tokens)
        self.options = options
        self.schema_options = schema_options

    def compile(self, kind: str, source: str) -> None:
        read = self.grammars[kind]
        if read is None:
            raise NotImplementedError(f"no {kind}")
        grammar = read(source, **self.schema_options) if kind == "json_schema" else read(source)
        self.constraint = grammar.compile(self.vocab, **self.options)
        self.words = np.zeros(self.constraint.mask_len(), dtype=np.int32)

    def start(self) -> None:
        self.state = self.constraint.start()

    def mask(self) -> NDArray[np.int32]:
        self.state.fill_mask(self.words)
        return self.words

    def commit(self, token: int) -> None:
        self.state.commit_token(token)

    def accepting(self) -> bool:
        return bool(self.state.is_accepting())


class Llguidance:
    """llguidance, with its defaults; limits are raised for Lark grammars, which exceed them."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        import llguidance
        import llguidance.tiktoken

        self.package = llguidance
        self.tokenizer = llguidance.tiktoken.lltokenizer_from_encoding(
            vocabulary.encoding, n_vocab=vocabulary.size, eos_token=vocabulary.end
        )
        self.words = np.zeros((vocabulary.size + 31) // 32, dtype=np.int32)

    def compile(self, kind: str, source: str) -> None:
        matcher = self.package.LLMatcher
        options: dict[str, Any] = {}
        if kind == "json_schema":
            grammar = matcher.grammar_from_json_schema(source)
        elif kind == "lark":
            grammar = matcher.grammar_from_lark(source)
            options["limits"] = self.package.LLParserLimits(
                max_items_in_row=100_000, initial_lexer_fuel=10**8, step_lexer_fuel=10**8, step_max_items=10**7,
                max_lexer_states=10**7, max_grammar_size=10**7,
            )  # fmt: skip
        else:
            raise NotImplementedError(f"no {kind}")
        self.compiled = matcher(self.tokenizer, grammar, **options)
        if self.compiled.get_error():
            raise ValueError(self.compiled.get_error())

    def start(self) -> None:
        self.matcher = self.compiled.deep_copy()

    def mask(self) -> NDArray[np.int32]:
        self.matcher.unsafe_compute_mask_ptr(self.words.ctypes.data, self.words.nbytes)
        return self.words

    def commit(self, token: int) -> None:
        self.matcher.consume_token(token)

    def accepting(self) -> bool:
        return bool(self.matcher.is_accepting())


MODES = {
    "ours": "AUTO",
    "ours-fast-build": "FAST_BUILD",
    "ours-balanced": "BALANCED",
    "ours-fast-runtime": "FAST_RUNTIME",
    "ours-flexible": "AUTO",
    "ours-flexible-fast-build": "FAST_BUILD",
    "ours-flexible-fast-runtime": "FAST_RUNTIME",
}
"""Names of this project's engines and the optimization each stands for; `flexible` is any white space between atoms."""
PEERS = ("glrmask", "llguidance")


def engine(name: str, vocabulary: Vocabulary) -> Engine:
    """The engine of this name, warmed up by a trivial schema, so that one-off work is not charged to the first case."""
    if name in MODES:
        import glrmask

        mode = getattr(glrmask.Optimization, MODES[name])
        spacing = {"whitespace": "flexible", "max_whitespace": None} if "flexible" in name else {}
        made: Engine = Glrmask(vocabulary, {"optimization": mode, "threads": 2}, spacing)
    elif name == "llguidance":
        made = Llguidance(vocabulary)
    else:
        made = Glrmask(vocabulary, {}, {})
    made.compile("json_schema", '{"type": "string"}')
    made.start()
    made.mask()
    return made
