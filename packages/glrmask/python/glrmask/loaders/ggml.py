"""GGUF files of llama.cpp: of a model's file only the metadata at its start is read, and of that the tokenizer.

A file is a header (magic, version, number of tensors, number of entries), then the entries: key, type, value. Strings
and arrays have their lengths in front; nothing is allocated for a length before that many bytes have been read.
"""

import os
import struct
from typing import Any, BinaryIO

from glrmask.errors import GlrmaskError, LimitError
from glrmask.loaders.content import Loaded, Special, check_count, loaded, path_of
from glrmask.loaders.spelling import SINGLE_BYTES, SPACE, Spelling, seen_in

__all__ = ["gguf"]

MAX_METADATA = 64 << 20
MAX_ENTRIES = 1 << 16
"""Entries of the metadata; models have some dozens."""
MAX_STRINGS = 1 << 21
"""Strings in arrays that are passed over, such as merges; the largest models have half a million."""
CHUNK = 1 << 20

PREFIX = "tokenizer.ggml."
END_KEYS = ("eos_token_id", "eot_token_id", "eom_token_id")
WANTED = {PREFIX + key for key in ("model", "tokens", "token_type", *END_KEYS)}

SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
"""Types of values and how `struct` calls them."""
STRING, ARRAY = 8, 9

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)
"""Types of tokens. Those without text: unknown, control, unused; that of user-defined ones is literal."""
SPACES = Spelling(replaced=((SPACE, " "),))
SPELLINGS = {"llama": SPACES, "t5": SPACES, "gemma4": SPACES, "gpt2": Spelling(byte_level=True)}
"""By `tokenizer.ggml.model`."""


def gguf(path: str | os.PathLike[str], special_tokens: Special = None) -> Loaded:
    """From a model's file, or one with a vocabulary only."""
    with path_of(path, "path").open("rb") as file:
        entries = _Metadata(file, str(path)).entries()
    try:
        return _content(entries, str(path), special_tokens)
    except UnicodeDecodeError as error:
        raise GlrmaskError(f"{path}: a token is not Unicode text: {error}") from None


def _content(entries: dict[str, Any], where: str, given: Special) -> Loaded:
    model, listed = entries.get(PREFIX + "model"), entries.get(PREFIX + "tokens")
    if not isinstance(model, bytes) or not isinstance(listed, list) or not all(isinstance(p, bytes) for p in listed):
        raise GlrmaskError(f"{where} has no tokenizer")
    pieces = [piece.decode() for piece in listed]
    types = entries.get(PREFIX + "token_type") or [NORMAL] * len(pieces)
    if not isinstance(types, list) or len(types) != len(pieces):
        raise GlrmaskError(f"{where}: {PREFIX}token_type has not as many entries as {PREFIX}tokens")
    spelling = _spelling(model.decode(), pieces, PREFIX + "token_type" in entries, where)
    special: dict[str, int] = {}
    tokens: dict[int, bytes] = {}
    for token_id, (piece, kind) in enumerate(zip(pieces, types, strict=True)):
        if kind in (UNKNOWN, CONTROL):
            special.setdefault(piece, token_id)
        tokens[token_id] = _bytes(piece, kind, spelling, where)
    ends = (entries.get(PREFIX + key) for key in END_KEYS)
    return loaded(tokens, special, [end for end in ends if type(end) is int and 0 <= end < len(pieces)], given)


def _spelling(model: str, pieces: list[str], is_typed: bool, where: str) -> Spelling:
    spelling = SPELLINGS.get(model)
    if spelling is None:
        known = ", ".join(SPELLINGS)
        raise GlrmaskError(f"{where} has a tokenizer of the model {model!r}, which is not supported; known: {known}")
    seen = seen_in(set(pieces))
    if model == "gpt2" and seen is not None:
        spelling = seen
    return spelling._replace(byte_fallback=not is_typed)


def _bytes(piece: str, kind: int, spelling: Spelling, where: str) -> bytes:
    if kind == NORMAL:
        return spelling.token(piece)
    if kind == USER_DEFINED:
        return piece.encode()
    if kind != BYTE:
        return b""
    byte = SINGLE_BYTES.get(piece)
    if byte is None:
        raise GlrmaskError(f"{where}: the token {piece!r} is not a byte")
    return byte


class _Metadata:
    """Reads the start of a file piece by piece."""

    def __init__(self, file: BinaryIO, where: str) -> None:
        self.file, self.where = file, where
        self.data, self.at = bytearray(), 0
        self.passed_over = 0
        if self.take(4) != b"GGUF":
            raise self.error("it does not begin with GGUF")
        version = self.take(4)
        self.order = "<" if version[1:] == bytes(3) else ">"
        if int.from_bytes(version, "little" if self.order == "<" else "big") not in (2, 3):
            raise self.error(f"its version {version.hex()} is not 2 or 3")
        self.length = struct.Struct(self.order + "Q")

    def entries(self) -> dict[str, Any]:
        """The entries that are wanted; strings as bytes."""
        self.number("Q")  # of tensors
        found: dict[str, Any] = {}
        count = self.number("Q")
        if count > MAX_ENTRIES:
            message = f"{self.where}: its metadata has {count} entries, the limit is {MAX_ENTRIES}"
            raise LimitError(message, given=count, limit=MAX_ENTRIES)
        for _ in range(count):
            key = self.take(self.number("Q")).decode(errors="replace")
            value = self.value(self.number("I"), key in WANTED)
            if key in WANTED:
                if key in found:
                    raise self.error(f"{key} is there twice")
                found[key] = value
        return found

    def error(self, message: str) -> GlrmaskError:
        return GlrmaskError(f"{self.where} is not a GGUF file that can be read: {message}")

    def value(self, kind: int, is_wanted: bool) -> Any:
        if kind == STRING:
            return self.take(self.number("Q"))
        if kind == ARRAY:
            return self.array(self.number("I"), self.number("Q"), is_wanted)
        if kind in SCALARS:
            return self.number(SCALARS[kind])
        raise self.error(f"type {kind} before byte {self.at} is unknown")

    def array(self, kind: int, count: int, is_wanted: bool) -> list[Any] | None:
        if is_wanted:
            check_count(count, self.where)
        if kind == STRING:
            return self.strings(count, is_wanted)
        if kind not in SCALARS:
            raise self.error(f"an array of type {kind} before byte {self.at}")
        data = self.take(count * struct.calcsize(self.order + SCALARS[kind]))
        return list(struct.unpack(f"{self.order}{count}{SCALARS[kind]}", data)) if is_wanted else None

    def strings(self, count: int, is_wanted: bool) -> list[bytes] | None:
        """Strings, or where they end: one loop without calls, for there may be half a million."""
        if not is_wanted:
            self.passed_over += count
            if self.passed_over > MAX_STRINGS:
                message = f"{self.where}: its metadata has {self.passed_over} other strings, the limit is {MAX_STRINGS}"
                raise LimitError(message, given=self.passed_over, limit=MAX_STRINGS)
        found: list[bytes] = []
        unpack, data, at = self.length.unpack_from, self.data, self.at
        for _ in range(count):
            if at + 8 > len(data):
                self.read(at + 8)
            start = at + 8
            at = start + unpack(data, at)[0]
            if at > len(data):
                self.read(at)
            if is_wanted:
                found.append(bytes(data[start:at]))
        self.at = at
        return found if is_wanted else None

    def number(self, code: str) -> Any:
        return struct.unpack(self.order + code, self.take(struct.calcsize(self.order + code)))[0]

    def take(self, count: int) -> bytes:
        self.read(self.at + count)
        self.at += count
        return bytes(self.data[self.at - count : self.at])

    def read(self, end: int) -> None:
        """Makes sure that the bytes up to `end` are there."""
        if end > MAX_METADATA:
            raise LimitError(
                f"{self.where}: its metadata goes beyond byte {end}, the limit is {MAX_METADATA}",
                given=end,
                limit=MAX_METADATA,
            )
        while len(self.data) < end:
            chunk = self.file.read(CHUNK)
            if not chunk:
                raise self.error(f"it ends at byte {len(self.data)}, where byte {end} is needed")
            self.data += chunk
