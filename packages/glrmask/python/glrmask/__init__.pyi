"""Grammar-constrained decoding for LLMs: exact next-token masks for JSON Schema and any context-free grammar.

A `Vocab` holds the model's token ids and their bytes, a `Grammar` says which texts are wanted. Compiling the one for
the other gives a `Constraint`, and `Constraint.start` a `ConstraintState` for each sequence to generate: ask for the
mask, sample an allowed token, commit it.

```python
import glrmask

vocab = glrmask.Vocab.from_id_to_bytes({0: b"hello", 1: b" ", 2: b"world"})
grammar = glrmask.Grammar.from_ebnf('start ::= "hello" " " "world"')
constraint = grammar.compile(vocab)
state = constraint.start()
assert state.mask().tolist() == [True, False, False]
state.commit_token(0)
```

Constraints may be shared by any number of threads. A state may be used from any thread too; its calls then take turns.
"""

# Tools that make documentation from this file run it.
from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, Literal, Unpack, final

import numpy as np
from numpy.typing import NDArray
from typing_extensions import disjoint_base

from glrmask.errors import (
    ArtifactError,
    CancelledError,
    GlrmaskError,
    GrammarSyntaxError,
    LimitError,
    SchemaError,
)
from glrmask.graphviz import to_svg
from glrmask.types import (
    Diagnostic,
    Explanation,
    FilledStats,
    JsonSchemaLimits,
    JsonSchemaOptions,
    Limits,
    Reading,
    Requirement,
    SchemaWarning,
    Stats,
    TokenCompletion,
)

__all__ = [
    "ArtifactError",
    "BoundaryTriggerDetail",
    "CancelledError",
    "Constraint",
    "ConstraintState",
    "Diagnostic",
    "DynamicConstraint",
    "ExactTokens",
    "Explanation",
    "FilledStats",
    "GlrmaskError",
    "Grammar",
    "GrammarSyntaxError",
    "JsonSchemaLimits",
    "JsonSchemaOptions",
    "LimitError",
    "Limits",
    "Optimization",
    "PreparedGrammar",
    "Reading",
    "Requirement",
    "SchemaError",
    "SchemaWarning",
    "Stats",
    "Token",
    "TokenCompletion",
    "Vocab",
    "commit_tokens_batch",
    "fill_masks",
    "to_svg",
]

__version__: str

@final
class Optimization:
    """Build time against time per token. The language is the same in every mode.

    A mode says how much of the tables is filled before decoding; the rest is filled while decoding.
    """

    AUTO: ClassVar[Optimization]
    """The default: decide by predicted size."""
    BALANCED: ClassVar[Optimization]
    """Fill what is cheap, leave the rest to decoding."""
    FAST_BUILD: ClassVar[Optimization]
    """Shortest compilation: fill everything while decoding."""
    FAST_RUNTIME: ClassVar[Optimization]
    """Lowest latency while decoding, at the price of compilation."""

    def __hash__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...

@final
class BoundaryTriggerDetail:
    """How much is found out about the boundaries of bound grammars. Never of influence on masks."""

    EXACT: ClassVar[BoundaryTriggerDetail]
    """What `TOKENS` gives, and the same for each state of a sequence, where supported."""
    NONE: ClassVar[BoundaryTriggerDetail]
    """Nothing; the default."""
    TOKENS: ClassVar[BoundaryTriggerDetail]
    """Per boundary, a set of tokens outside of which none enters the bound grammar, whatever was generated before."""

    def __hash__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...

@final
class Token:
    """A token id without a vocabulary: the grammar it is bound in may be compiled for any that has the id.

    The id may stand for different bytes in each. `Vocab.tokens` gives sets that belong to one vocabulary.
    """

    def __new__(cls, id: int) -> Token: ...
    @property
    def id(self) -> int:
        """The id."""

    def __hash__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __getnewargs__(self) -> tuple[int]: ...

@final
class ExactTokens:
    """Token ids of one vocabulary, of which one event chooses; made by `Vocab.tokens` and `Vocab.token_ranges`.

    They may be used with any vocabulary that maps the same ids to the same bytes, ids without bytes included, and with
    no other, be it a single id. An empty set matches nothing. Kept as ranges, however many ids there are.
    """

    @property
    def ids(self) -> list[int]:
        """The ids, rising; made when asked for. `ranges` is better for large sets."""

    @property
    def ranges(self) -> list[range]:
        """The ids as rising ranges of step 1 that neither overlap nor touch."""

    def __len__(self) -> int: ...
    def __contains__(self, token_id: int, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...

@final
class Vocab:
    """The model's token ids and their exact bytes. Immutable; make one per tokenizer and share it.

    Ids may have gaps, several ids may have the same bytes, and a token may end inside a UTF-8 character. An id with no
    bytes (`b""`) matches no text. Masks keep the positions of the original ids. Vocabularies are equal if they map the
    same ids to the same bytes.

    Every constructor also takes `special_tokens` (name → id) and `end_token_ids` for the properties of the same names;
    they have no influence on matching, but special tokens get no bytes in what reads the files and objects of
    tokenizers. Ids above `max_id` (16 777 215 unless given) are refused, since a mask has a bit for every id up to the
    largest. Building takes some tens of milliseconds for 128 000 tokens and lets other threads run.
    """

    @staticmethod
    def from_dict(
        token_to_id: dict[str, int] | dict[bytes, int] | dict[str | bytes, int],
        *,
        special_tokens: dict[str, int] | None = None,
        end_token_ids: Iterable[int] | None = None,
        max_id: int | None = None,
    ) -> Vocab:
        """From tokens to ids; `str` is encoded as UTF-8, `bytes` are taken verbatim.

        Raises `GlrmaskError` if an id occurs twice, is negative or too large.
        """

    @staticmethod
    def from_id_to_bytes(
        id_to_bytes: dict[int, bytes],
        *,
        special_tokens: dict[str, int] | None = None,
        end_token_ids: Iterable[int] | None = None,
        max_id: int | None = None,
    ) -> Vocab:
        """From ids to the tokenizer's exact bytes, partial UTF-8 sequences included, not to display spellings.

        Raises `GlrmaskError` if an id is negative or too large.
        """

    @staticmethod
    def from_tiktoken(
        encoding: Any,
        *,
        special_tokens: dict[str, int] | None = None,
        end_token_ids: Iterable[int] | None = None,
        max_id: int | None = None,
    ) -> Vocab:
        """From a `tiktoken.Encoding`, or from the path of a rank file (lines of base64, space, id).

        Special tokens of the encoding and of `special_tokens` (which goes first) get no bytes.

        Raises `GlrmaskError` for a malformed file, `LimitError` for one too large, `OSError` for one that cannot be
        read.
        """

    @staticmethod
    def from_tekken(
        path: str | os.PathLike[str],
        *,
        special_tokens: dict[str, int] | None = None,
        end_token_ids: Iterable[int] | None = None,
        max_id: int | None = None,
    ) -> Vocab:
        """From a tekken JSON file, as Mistral models have them.

        The first ids (1000, as a rule) are special and get no bytes. Raises as `from_tiktoken` does.
        """

    @staticmethod
    def from_huggingface(
        tokenizer: Any,
        *,
        special_tokens: dict[str, int] | None = None,
        end_token_ids: Iterable[int] | None = None,
        max_id: int | None = None,
    ) -> Vocab:
        """From a tokenizer of transformers, a `tokenizers.Tokenizer`, or a tokenizer of mistral-common: byte-level, or
        text with or without byte fallback.

        Added tokens that are marked as special get no bytes, other ones are literal text. `end_token_ids` has
        `tokenizer.eos_token_id`. A tokenizer without a fast backend is understood if its vocabulary shows how it spells
        bytes.

        Raises `GlrmaskError` for a tokenizer whose tokens have no bytes of their own (WordPiece), `LimitError`.
        """

    @staticmethod
    def from_tokenizer_json(
        source: str | bytes | os.PathLike[str],
        *,
        special_tokens: dict[str, int] | None = None,
        end_token_ids: Iterable[int] | None = None,
        max_id: int | None = None,
    ) -> Vocab:
        """From a `tokenizer.json` of Hugging Face, without its libraries: the path, that of its folder, or the JSON
        text (`bytes`, or a `str` that begins with a brace).

        As `from_huggingface`; `generation_config.json` and `tokenizer_config.json` beside the file, if they are there,
        tell which ids end a sequence.

        Raises `GlrmaskError`, `LimitError`, `OSError` for a file that cannot be read.
        """

    @staticmethod
    def from_sentencepiece(
        model: Any,
        *,
        special_tokens: dict[str, int] | None = None,
        end_token_ids: Iterable[int] | None = None,
        max_id: int | None = None,
    ) -> Vocab:
        """From a SentencePiece model: its path, its bytes, or a `sentencepiece.SentencePieceProcessor`.

        Control, unknown and unused pieces get no bytes. Raises as `from_tiktoken` does.
        """

    @staticmethod
    def from_gguf(
        path: str | os.PathLike[str],
        *,
        special_tokens: dict[str, int] | None = None,
        end_token_ids: Iterable[int] | None = None,
        max_id: int | None = None,
    ) -> Vocab:
        """From the metadata of a GGUF file of llama.cpp, versions 2 and 3; the tensors are not read.

        Control, unknown and unused tokens get no bytes. Raises as `from_tiktoken` does; WordPiece is not supported.
        """

    @staticmethod
    def from_llama_cpp(
        llm: Any,
        *,
        special_tokens: dict[str, int] | None = None,
        end_token_ids: Iterable[int] | None = None,
        max_id: int | None = None,
    ) -> Vocab:
        """From a `llama_cpp.Llama` of llama-cpp-python.

        Tokens that end generation (EOG), control, unknown, unused and empty ones get no bytes, so they match no text;
        `llama_cpp_end_token_ids` has those that end generation.

        Raises `TypeError` for another object; `GlrmaskError` if the package is missing or too old.
        """

    def __len__(self) -> int:
        """Number of ids, those without bytes included."""

    def __contains__(self, token_id: int, /) -> bool:
        """Whether the id is declared, with or without bytes."""

    @property
    def max_id(self) -> int | None:
        """The largest id; `None` if there is no token."""

    def token_bytes(self, token_id: int) -> bytes:
        """The bytes of an id, `b""` for one without. Raises `GlrmaskError` for an unknown id."""

    def tokens(self, ids: Iterable[int]) -> ExactTokens:
        """The set of these ids, for one token event. No ids at all match nothing.

        A `range` of step 1 or −1 costs nothing however long it is; other iterables are gone through once.

        Raises `GlrmaskError` for an unknown id and for an id given twice.
        """

    def token_ranges(self, ranges: Iterable[range]) -> ExactTokens:
        """The union of ranges of ids, for one token event. No ranges at all match nothing.

        Each is a `range` that is not empty, with step 1 or −1; they may overlap. Use `tokens` for other steps.

        Raises `GlrmaskError` for an unknown id, an empty range and other steps; `TypeError` for what is no `range`.
        """

    @property
    def special_tokens(self) -> dict[str, int]:
        """Names of special tokens, where the source knows them."""

    @property
    def end_token_ids(self) -> list[int]:
        """Ids that end a sequence; pass them on when compiling.

        Those that were given; otherwise those that the source says, and special tokens with a name that is known to end
        a text or a turn (`glrmask.loaders.END_NAMES`).
        """

    @property
    def llama_cpp_end_token_ids(self) -> list[int]:
        """`end_token_ids`, by the name that goes with `from_llama_cpp`."""

    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Grammar:
    """Which texts are wanted, independent of any vocabulary, and what is bound to its slots.

    `bind` changes this handle only: clones, and grammars that it was bound to earlier, keep what they had.
    """

    @staticmethod
    def from_json_schema(schema: Any, **options: Unpack[JsonSchemaOptions]) -> Grammar:
        """From a JSON Schema: JSON text (`str` or UTF-8 `bytes`), any value that `json.dumps` writes, or a Python type.

        Types are Pydantic models, dataclasses, `TypedDict` and whatever else `pydantic.TypeAdapter` knows (adapters
        themselves too); they take Pydantic, `pip install glrmask[pydantic]`.

        The grammar is exact: it has no text with an invalid value and at least one text of every valid value. What
        cannot be enforced is an error, unless `unsupported="weaken"` is given, see `JsonSchemaOptions`.

        Raises `SchemaError` with `pointer` and `keyword`, `LimitError`; `TypeError` for a value that is not JSON.
        """

    @staticmethod
    def from_glrm(source: str) -> Grammar:
        """From GLRM text, the own format. Raises `GrammarSyntaxError`, `LimitError`."""

    @staticmethod
    def from_ebnf(source: str) -> Grammar:
        """From W3C-style EBNF text; the root is `start`, else `root`, else the first rule.

        Raises `GrammarSyntaxError`, `LimitError`.
        """

    @staticmethod
    def from_lark(
        source: str,
        *,
        profile: Literal["recognition", "llm"] = "recognition",
        token_names: dict[str, int | Sequence[int]] | None = None,
    ) -> Grammar:
        """From a Lark grammar whose start symbol is the rule `start`.

        `recognition` is Lark's own syntax, with regular expressions as in Python; `llm` adds `%json`, `%regex`,
        `<token>` atoms, `&`, `~` and rule options, with regular expressions as in Rust. Token atoms and names that
        `%declare` declares stand for the ids that `token_names` gives them; they are never inferred from spellings.

        Raises `GrammarSyntaxError`, `LimitError`; `TypeError`, `ValueError` for bad arguments.
        """

    @staticmethod
    def from_gbnf(source: str, *, token_names: dict[str, int | Sequence[int]] | None = None) -> Grammar:
        """From GBNF text, the format of llama.cpp; the root is the rule `root`.

        `<name>` atoms stand for the ids that `token_names` gives them, `<[id]>` for the id itself.

        Raises `GrammarSyntaxError`, `LimitError`; `TypeError` for bad arguments.
        """

    @staticmethod
    def from_regex(pattern: str, *, flavor: Literal["rust", "ecma"] = "rust") -> Grammar:
        """From a regular expression that the text matches from end to end.

        `rust` is the syntax of Rust's `regex` crate, `ecma` that of ECMA-262 and JSON Schema. What is not regular, or
        not supported, is an error.

        Raises `GrammarSyntaxError`, `LimitError`; `TypeError`, `ValueError` for bad arguments.
        """

    @staticmethod
    def from_choices(choices: Iterable[str | bytes]) -> Grammar:
        """The texts that are exactly one of these; `str` is encoded as UTF-8.

        Raises `GlrmaskError` if there are none, `TypeError` for anything else, a single text included.
        """

    @staticmethod
    def from_structural_tag(
        spec: str | bytes | dict[str, Any], *, token_names: dict[str, int | Sequence[int]] | None = None
    ) -> Grammar:
        """From a structural tag, the tree of formats that serving engines use for tool calls and reasoning.

        `spec` is JSON text or a JSON-serializable object: `{"type": "structural_tag", "format": …}`, a bare format, or
        the older shape with `structures` and `triggers`. Names of tokens stand for the ids that `token_names` gives.

        Raises `GlrmaskError` for malformed formats, with a JSON Pointer in the message, and for what is not supported.
        """

    @staticmethod
    def builtin(name: str) -> Grammar:
        """A grammar that comes with the package: `arithmetic`, `c`, `javascript`, `json`, `json5`, `python`, `sql`.

        Raises `GlrmaskError` for any other name.
        """

    def to_glrm(self) -> str:
        """The grammar as GLRM text, whatever it was made from. `from_glrm` reads it back as the same language.

        Raises `LimitError` for a token event of more than 1 048 576 ids, `GlrmaskError` for a JSON Schema with unique
        items or counted keys without bound, or many keys in any order, which no grammar can say.
        """

    @property
    def warnings(self) -> list[SchemaWarning]:
        """What a schema says without effect: assertions that are not enforced (if weakening was asked for), keywords of
        another draft, keys that may be repeated. Those of bound grammars too, with the path of the slot."""

    @staticmethod
    def exact(tokens: ExactTokens) -> Grammar:
        """The grammar of one token event out of a set: it has no bytes, ignores nothing and has no end tokens."""

    def bind(self, name: str, value: Grammar | Token | ExactTokens) -> None:
        """Fills a slot that the source declares (`extern grammar NAME;`, `extern token NAME;` in GLRM), once.

        A path joined with `::` leads to slots of what is bound already. Slots of both kinds take `Token` and
        `ExactTokens`, which is one token event; only grammar slots take a `Grammar`. That is a snapshot: it keeps its
        names, ignored text, keyword rule and start, and nothing that happens to the other handle later changes it.

        Raises `GlrmaskError` if there is no such slot, if it is filled already or takes no grammar, `LimitError` for
        more than 128 levels; `TypeError` for another type of value. The grammar is as before then.
        """

    @property
    def requirements(self) -> list[Requirement]:
        """The slots that are not filled, those of bound grammars included, each as often as there are paths to it.

        Raises `LimitError` if there are more than 10 000.
        """

    def prepare(
        self,
        vocab: Vocab,
        *,
        boundary_trigger: BoundaryTriggerDetail | None = None,
        optimization: Optimization | None = None,
        limits: Limits | None = None,
        threads: int | None = None,
        cancel: threading.Event | None = None,
    ) -> PreparedGrammar:
        """Compiles for a vocabulary what does not depend on the slots that are open; other threads run meanwhile.

        `boundary_trigger` is kept for `PreparedGrammar.link`. `optimization` says whether to make masks here already,
        which linking then finds: `AUTO`, the default, those of a grammar without slots if that is predicted to be
        quick; `FAST_BUILD` none; `FAST_RUNTIME` all, which linking in that mode would do the first time. `limits`,
        `threads` (one unless given) and `cancel` are as for `compile`, but that running out of seconds is an error.
        That no text satisfies the grammar shows when linking.

        Raises `GlrmaskError`, `LimitError`, `CancelledError`.
        """

    def compile(
        self,
        vocab: Vocab,
        *,
        end_tokens: Iterable[int] | None = None,
        optimization: Optimization | None = None,
        boundary_trigger: BoundaryTriggerDetail | None = None,
        background: bool = False,
        limits: Limits | None = None,
        threads: int | None = None,
        cancel: threading.Event | None = None,
        strict: bool = False,
    ) -> Constraint:
        """Compiles for a vocabulary; other threads run meanwhile.

        `end_tokens` are allowed exactly when the text is complete, and committing one ends the sequence; they need not
        be in the vocabulary, but ids beyond 16 777 215 and its largest id are refused. Without any, the sequence is
        complete when `ConstraintState.is_accepting` says so.
        `optimization` is `Optimization.AUTO` unless given: how much is computed now, and how much when it is needed.

        With `background` the constraint is returned as soon as `FAST_BUILD` would return it, and completes itself on
        another thread: see `Constraint.is_complete` and `Constraint.wait`. `limits` bounds what is computed now; the
        rest is left to decoding, or is a `LimitError` if `strict`. `cancel` is an event that ends the compilation once
        it is set, as Ctrl-C does. `threads` is how many threads compile: up to four unless given, as the machine has
        them; one in the background. With more than one the bytes of `Constraint.save` may differ from run to run; what
        they allow does not.

        `boundary_trigger` asks for metadata about boundaries, see `BoundaryTriggerDetail`; none unless given.

        Raises `GlrmaskError` if no text satisfies the grammar, if a slot is open, or if token events are of another
        vocabulary; `LimitError`, `CancelledError`.
        """

    def clone(self) -> Grammar:
        """An independent handle with the same bindings; cheap."""

    def __copy__(self) -> Grammar: ...
    def __deepcopy__(self, memo: Any, /) -> Grammar: ...

@final
class PreparedGrammar:
    """A grammar prepared for one vocabulary, possibly with open slots: bind it, then link it into a constraint.

    Made by `Grammar.prepare`. `bind` changes this handle only: clones, and grammars that it was bound to earlier, keep
    what they had. What is compiled is shared by all of them.
    """

    def bind(self, name: str, value: PreparedGrammar | Token | ExactTokens) -> None:
        """Fills a slot, once, as `Grammar.bind` does.

        Raises as `Grammar.bind`; `GlrmaskError` if the value belongs to a vocabulary with other ids or bytes, or is a
        token that the vocabulary does not have.
        """

    @property
    def requirements(self) -> list[Requirement]:
        """The slots that are not filled, as `Grammar.requirements`."""

    @property
    def vocab(self) -> Vocab:
        """The vocabulary it was prepared for."""

    def link(
        self,
        *,
        end_tokens: Iterable[int] | None = None,
        optimization: Optimization | None = None,
        boundary_trigger: BoundaryTriggerDetail | None = None,
        background: bool = False,
        limits: Limits | None = None,
        threads: int | None = None,
        cancel: threading.Event | None = None,
        strict: bool = False,
    ) -> Constraint:
        """A constraint with the same masks as compiling the bound grammar; other threads run meanwhile.

        The arguments are those of `Grammar.compile`. `boundary_trigger` overrides what was asked for when preparing.

        Raises as `Grammar.compile`.
        """

    def save(self) -> bytes:
        """The prepared grammar as bytes: what is bound, what is open, what is compiled, and the vocabulary.

        Components that are bound in several places are written once.
        """

    @staticmethod
    def load(data: bytes, vocab: Vocab | None = None) -> PreparedGrammar:
        """Reads what `save` wrote.

        A vocabulary that is given must map the same ids to the same bytes; the grammar then shares its caches.

        Raises `ArtifactError` for bytes that are cut short, damaged, of another version or of another vocabulary.
        """

    def clone(self) -> PreparedGrammar:
        """An independent handle with the same bindings, sharing what is compiled; cheap."""

    def __copy__(self) -> PreparedGrammar: ...
    def __deepcopy__(self, memo: Any, /) -> PreparedGrammar: ...

@disjoint_base
class Constraint:
    """A grammar compiled for a vocabulary. Immutable, for any number of sequences and threads.

    Tables that are filled while decoding are shared by all states.
    """

    @staticmethod
    def from_json_schema(
        schema: Any,
        vocab: Vocab,
        *,
        end_token_ids: Iterable[int] | None = None,
        optimization: Optimization | None = None,
        **options: Unpack[JsonSchemaOptions],
    ) -> Constraint:
        """`Grammar.from_json_schema` and `Grammar.compile` in one."""

    @staticmethod
    def from_glrm(
        source: str,
        vocab: Vocab,
        *,
        end_token_ids: Iterable[int] | None = None,
        optimization: Optimization | None = None,
    ) -> Constraint:
        """`Grammar.from_glrm` and `Grammar.compile` in one."""

    @staticmethod
    def from_ebnf(
        source: str,
        vocab: Vocab,
        *,
        end_token_ids: Iterable[int] | None = None,
        optimization: Optimization | None = None,
    ) -> Constraint:
        """`Grammar.from_ebnf` and `Grammar.compile` in one."""

    @staticmethod
    def from_lark(
        source: str,
        vocab: Vocab,
        *,
        profile: Literal["recognition", "llm"] = "recognition",
        token_names: dict[str, int | Sequence[int]] | None = None,
        end_token_ids: Iterable[int] | None = None,
        optimization: Optimization | None = None,
    ) -> Constraint:
        """`Grammar.from_lark` and `Grammar.compile` in one."""

    def start(self) -> ConstraintState:
        """A new state at the start of the text."""

    def mask_len(self) -> int:
        """Number of 32-bit words that `ConstraintState.fill_mask` needs (not the length of Boolean masks)."""

    def marker_ids(self) -> list[int]:
        """The numbers of all markers (`@mark(n)`) that some text has, sorted, each once. They are no token ids."""

    @property
    def vocab(self) -> Vocab:
        """The vocabulary it was compiled for."""

    @property
    def end_token_ids(self) -> list[int]:
        """The end tokens it was compiled with."""

    def boundary_triggers(self) -> list[tuple[str, ExactTokens]]:
        """Per boundary (a slot that was bound, by path), tokens outside of which none enters what is bound there.

        To enter is to hold the first byte of the first lexeme of what is bound, or to be its first token event. The
        sets do not depend on what was generated. None unless `BoundaryTriggerDetail.TOKENS` or `EXACT` was asked for.
        """

    def dump(self, view: Literal["lexer", "classes", "tables", "rows", "rules"]) -> str:
        """A part of the constraint as text, tables as far as they are filled.

        `"lexer"`: automata and terminals; `"classes"`: classes of tokens; `"tables"`: the LR automaton; `"rows"`: the
        automaton that reads parser stacks; `"rules"`: what is asked beside the grammar. Raises
        `ValueError` for another name.
        """

    def to_dot(self, view: Literal["lexer", "classes", "tables", "rows", "rules"]) -> str:
        """The same as a graph in Graphviz's language; see `to_svg`."""

    @property
    def is_complete(self) -> bool:
        """Whether everything was computed before decoding, so that no mask waits.

        Masks under pending longest-match conditions are left to decoding all the same. After `load` as it was when
        saving; but false for grammars in which many keywords and operators compete (most programming languages): what
        `save` leaves out of theirs is computed again while decoding.
        """

    def wait(self, timeout: float | None = None) -> bool:
        """Waits for a completion in the background, for at most `timeout` seconds; whether none is under way any more.

        Raises, every time, what the compilation would have raised in the foreground: `LimitError` (if `strict`),
        `CancelledError`, what `cancel` raised, `GlrmaskError`. The constraint goes on computing while decoding then.
        """

    def save(self, *, external_vocab: bool = False) -> bytes:
        """The constraint as bytes, with whatever has been computed so far.

        With `external_vocab` the vocabulary is left out, and `load` needs it: smaller by megabytes, and loaded within a
        millisecond or so.
        """

    @staticmethod
    def load(data: bytes, vocab: Vocab | None = None) -> Constraint:
        """Reads what `save` wrote.

        `vocab` must be the vocabulary it was saved with (same ids, same bytes); it is needed if that was left out, and
        shares its caches if it was not.

        Raises `ArtifactError` for bytes that are cut short, damaged, of another version or of another vocabulary.
        """

    @property
    def stats(self) -> Stats:
        """How long compiling took, and sizes of the tables filled so far."""

@final
class DynamicConstraint(Constraint):
    """A constraint that fills everything while decoding: ready at once, slower masks at first.

    Meant for the time until a constraint that was compiled for low latency is there.
    """

    @staticmethod
    def load(data: bytes, vocab: Vocab | None = None) -> DynamicConstraint:
        """`Constraint.load`."""

    @staticmethod
    def from_json_schema(  # type: ignore[override]  # How much is filled beforehand is no choice here.
        schema: Any,
        vocab: Vocab,
        *,
        end_token_ids: Iterable[int] | None = None,
        **options: Unpack[JsonSchemaOptions],
    ) -> DynamicConstraint:
        """As `Constraint.from_json_schema`."""

    @staticmethod
    def from_glrm(  # type: ignore[override]
        source: str, vocab: Vocab, *, end_token_ids: Iterable[int] | None = None
    ) -> DynamicConstraint:
        """As `Constraint.from_glrm`."""

    @staticmethod
    def from_ebnf(  # type: ignore[override]
        source: str, vocab: Vocab, *, end_token_ids: Iterable[int] | None = None
    ) -> DynamicConstraint:
        """As `Constraint.from_ebnf`."""

    @staticmethod
    def from_lark(  # type: ignore[override]
        source: str,
        vocab: Vocab,
        *,
        profile: Literal["recognition", "llm"] = "recognition",
        token_names: dict[str, int | Sequence[int]] | None = None,
        end_token_ids: Iterable[int] | None = None,
    ) -> DynamicConstraint:
        """As `Constraint.from_lark`."""

@final
class ConstraintState:
    """The state of one generated sequence: ask for a mask, sample an allowed token, commit it.

    May be used from any thread; calls on one state take turns. Copies are independent and cheap.
    """

    def mask(self, size: int | None = None) -> NDArray[np.bool]:
        """A new Boolean array by token id: what may come next, end tokens included.

        Its length is `size`, or else one more than the largest id of vocabulary and end tokens; positions beyond that
        are false. All false once the sequence has ended.

        Raises `ValueError` if `size` does not cover every id, `LimitError`.
        """

    def fill_mask(self, bitmask: NDArray[np.int32]) -> None:
        """Writes the mask into a contiguous, writable, one-dimensional array of at least `Constraint.mask_len` words.

        Bit `id % 32` of word `id // 32` says whether the id may come next; all 32 bits are used, words beyond the mask
        are set to zero. Nothing is allocated unless tables have to be filled first, which lets other threads run.

        Raises `TypeError` if it is not an array of `int32`; `ValueError` if it is too short, of another shape, not
        contiguous or read-only (nothing is written); `LimitError` (all words are zero).
        """

    def commit_token(self, token_id: int) -> None:
        """Advances by one token.

        Raises `GlrmaskError`: for an unknown id or after the end nothing changes; a token that is not allowed rejects
        the state. `token_id` is an attribute of the exception.
        """

    def commit_bytes(self, data: bytes) -> None:
        """Advances by bytes, however they might be split into tokens. No bytes change nothing.

        Raises `GlrmaskError`: after the end nothing changes; bytes that are not allowed reject the state, and the
        attribute `allowed_bytes` says how many of them were.
        """

    def commit_tokens(self, token_ids: Iterable[int]) -> None:
        """Advances by tokens, one after the other; stops at the first that is not allowed, which rejects the state.

        Raises `GlrmaskError` with `token_id` and, as `committed_tokens`, how many were committed before. If one of them
        is an unknown id, wherever it stands, nothing changes. A token after an end token is an error too; the state
        stays ended.
        """

    def validate_tokens(self, token_ids: Iterable[int]) -> int:
        """How many of these tokens could be committed, one after the other; changes nothing.

        Unknown ids cannot, nor can any token after an end token. Raises `LimitError`.
        """

    def boundary_triggers(self) -> list[tuple[str, ExactTokens]]:
        """The sets of `Constraint.boundary_triggers` as far as they matter here: tokens that are allowed and, under
        `BoundaryTriggerDetail.EXACT`, within which the parser can stand at the boundary. Changes nothing.

        Takes milliseconds for each thousand tokens: for planning, not for every step. Raises `LimitError`.
        """

    def forced_tokens(self) -> list[int]:
        """The tokens that must come next, at most 10 000; changes nothing.

        They end where the text may end, and where there is a choice, be it one between two ids with the same bytes.
        Raises `LimitError`.
        """

    def marker_events(self) -> list[tuple[int, int]]:
        """The markers that the last commit made possible: pairs of number and offset, sorted by offset, then number.

        At the start, those that may stand there. A marker is possible at a place if some text that goes on from here
        has a reading with the marker there; it is told once, by the commit that gets there, and promises nothing about
        what the text will be. Offsets count bytes from the start; a token counts its bytes in the vocabulary, also
        where it stands for itself. Beside ignored text a marker may stand on either side. After `commit_tokens` it is
        about the last token; more than 512 bytes committed at once count as several commits.

        A commit that fails clears them, and so does an end token; what changes nothing (an unknown id, no bytes, masks
        and all other questions) leaves them. `rollback` brings back those of the place it goes to.
        """

    def shortest_completion(self) -> bytes | None:
        """The fewest bytes that complete the text; of several texts of that length, always the same. Changes nothing.

        Empty if the text is complete; `None` if the state is rejected, or if only a token event completes it. Raises
        `LimitError` if it has more than 16 777 216 bytes, or if the search for one ends without a result where unique
        items or distinct keys are remembered. Where many of those must differ, it has few bytes, not always the fewest.
        """

    def shortest_completion_len(self) -> int | None:
        """How many bytes `shortest_completion` has, however many they are.

        Where unique items or distinct keys are remembered, raises `LimitError` as `shortest_completion` does.
        """

    def shortest_completion_tokens(self) -> TokenCompletion | None:
        """Few tokens that complete the text; end tokens are not used. Changes nothing.

        They are the fewest if a search of some tens of milliseconds can tell, see `TokenCompletion.is_minimal`; it is
        tried where the shortest bytes take at most 8 tokens. Otherwise they are those bytes in the fewest tokens.
        `None` if no tokens complete the text: the state is rejected, or the vocabulary lacks what it takes. Raises
        `LimitError` also if the search ends without a result.
        """

    def explain(self, token_id: int) -> Explanation:
        """Why a token is allowed here, or is not: how its bytes can be read, and where each reading ends.

        For people, not for the decoding loop. Changes nothing. Raises `LimitError`; `GlrmaskError` for a number that
        can be no id.
        """

    def dump(self) -> str:
        """Where lexer and parser stand, as text."""

    def to_dot(self) -> str:
        """The parser stacks as a graph in Graphviz's language; see `to_svg`."""

    def rollback(self, count: int) -> None:
        """Undoes the last `count` commits: each token (those of `commit_tokens` one by one, an end token, and one that
        was not allowed) and each `commit_bytes` of at least one byte.

        Commits that changed nothing (an unknown id, or after the end) do not count; `reset` forgets all.

        Raises `GlrmaskError` if there are fewer than `count` to undo (`given` and `limit` are the numbers); nothing
        changes then.
        """

    @property
    def history_len(self) -> int:
        """How many commits `rollback` can undo now."""

    @property
    def history_limit(self) -> int:
        """How many commits are kept for `rollback` at most: the last 256 unless set.

        A commit costs about a hundred bytes while it is kept. A clone has the same limit.
        """

    @history_limit.setter
    def history_limit(self, limit: int) -> None: ...
    def is_accepting(self) -> bool:
        """Whether the text so far is complete; more may still be allowed."""

    def is_rejected(self) -> bool:
        """Whether the text so far cannot be completed."""

    def is_terminated(self) -> bool:
        """Whether an end token was committed, or the state is rejected."""

    def reset(self) -> None:
        """Back to the start of the text; there is nothing to roll back to then."""

    def clone(self) -> ConstraintState:
        """An independent state at the same place, with the same history; cheap."""

    def __copy__(self) -> ConstraintState: ...
    def __deepcopy__(self, memo: Any, /) -> ConstraintState: ...

def fill_masks(states: Iterable[ConstraintState], bitmask: Any, rows: Iterable[int] | None = None) -> None:
    """Fills a row for each state, on the threads of a pool; other Python threads run meanwhile.

    `bitmask` is a contiguous, writable array of `int32` with two dimensions, or anything that NumPy can look at as one
    without a copy, such as a PyTorch tensor on the CPU. Row `rows[i]` (row `i` unless given) gets the mask of state
    `i` as `ConstraintState.fill_mask` writes it; rows that are not named are left alone. The states may belong to
    different constraints, and a state may fill several rows. `bitmask` must not be used elsewhere meanwhile.

    Raises `TypeError` and `ValueError` for arguments that do not fit (nothing is written); `LimitError` if a mask could
    not be computed (its words are zero, all other rows are filled).
    """

def commit_tokens_batch(
    states: Iterable[ConstraintState], token_ids: Iterable[int | Iterable[int]]
) -> list[GlrmaskError | None]:
    """Commits a token, or several, to each state, on the threads of a pool; other Python threads run meanwhile.

    The result has for each state what `ConstraintState.commit_tokens` would have raised, or `None`: a token that one
    sequence refuses holds up no other. A state that is given several times commits in the order of the list.

    Raises `TypeError` and `ValueError` for arguments that do not fit; nothing has changed then.
    """
