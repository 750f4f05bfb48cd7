"""llama-cpp-python: the vocabulary of a loaded model, asked through llama.cpp's C interface.

A piece is written into a buffer without a final zero; a negative result is the size that it takes. Control tokens are
empty unless asked for as special ones.
"""

import ctypes
import importlib
from typing import Any

from glrmask.errors import GlrmaskError
from glrmask.loaders.content import Loaded, Special, check_count, loaded

__all__ = ["llama_cpp"]

UNKNOWN, UNUSED, CONTROL = 1, 2, 8
"""Bits of a token's attributes; tokens with one of these have no text."""
FIRST_SIZE = 256
LARGEST_SIZE = 1 << 20
"""Bytes of a piece. llama.cpp itself has no limit."""


def llama_cpp(llm: Any, special_tokens: Special = None) -> Loaded:
    """From a `llama_cpp.Llama`; those that llama.cpp takes for ends of generation are the end tokens."""
    try:
        vocab = llm._model.vocab
    except AttributeError:
        raise TypeError(f"llm must be a llama_cpp.Llama, not {type(llm).__name__}") from None
    asked = _Vocabulary(vocab)
    tokens: dict[int, bytes] = {}
    special: dict[str, int] = {}
    ends: list[int] = []
    for token_id in range(asked.count):
        kind, is_end = asked.attributes(vocab, token_id), asked.is_end(vocab, token_id)
        tokens[token_id] = b"" if is_end or kind & (UNKNOWN | UNUSED | CONTROL) else asked.piece(token_id, False)
        if is_end:
            ends.append(token_id)
        if is_end or kind & (UNKNOWN | CONTROL):
            special.setdefault(asked.piece(token_id, True).decode(errors="replace"), token_id)
    return loaded(tokens, special, ends, special_tokens, ends_by_name=False)


class _Vocabulary:
    """The functions of `llama_cpp` that are needed, and a buffer for pieces."""

    def __init__(self, vocab: Any) -> None:
        library = _library()
        try:
            self.attributes, self.is_end = library.llama_vocab_get_attr, library.llama_vocab_is_eog
            self.to_piece = library.llama_token_to_piece
            self.count = int(library.llama_vocab_n_tokens(vocab))
        except AttributeError as error:
            raise GlrmaskError(f"this version of llama-cpp-python is too old: {error}") from None
        check_count(self.count, "the model")
        self.vocab = vocab
        self.buffer = ctypes.create_string_buffer(FIRST_SIZE)

    def piece(self, token_id: int, is_special: bool) -> bytes:
        size = self.to_piece(self.vocab, token_id, self.buffer, len(self.buffer), 0, is_special)
        if -LARGEST_SIZE <= size < -len(self.buffer):
            self.buffer = ctypes.create_string_buffer(-size)
            size = self.to_piece(self.vocab, token_id, self.buffer, len(self.buffer), 0, is_special)
        if not 0 <= size <= len(self.buffer):
            raise GlrmaskError(f"llama.cpp gives no piece for token {token_id}: {size}", token_id=token_id)
        return self.buffer.raw[:size]


def _library() -> Any:
    try:
        return importlib.import_module("llama_cpp")
    except ImportError:
        raise GlrmaskError("from_llama_cpp needs the package llama-cpp-python, which is not installed") from None
