"""SentencePiece models: a small protobuf message with a text, a score and a type for each token.

Of the message only what names tokens is read: the pieces, and which of them ends a text. A processor of the Python
package gives the same message.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from glrmask.errors import GlrmaskError, LimitError
from glrmask.loaders.content import Loaded, Special, check_count, loaded, read
from glrmask.loaders.spelling import SINGLE_BYTES, SPACE, Spelling

__all__ = ["sentencepiece"]

MAX_MODEL_FILE = 32 << 20
MAX_FIELDS = 1 << 22
"""Fields of the whole message; a piece takes four."""

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)
"""Types of pieces. Those without text: unknown, control, unused."""
TEXT = Spelling(replaced=((SPACE, " "),))

# Fields of ModelProto, of SentencePiece and of TrainerSpec.
PIECES, TRAINER = 1, 2
PIECE_TEXT, PIECE_TYPE = 1, 3
END_PIECE = 47
VARINT, FIXED_64, DELIMITED, FIXED_32 = 0, 1, 2, 5
"""Wire types of protobuf."""


def sentencepiece(source: Any, special_tokens: Special = None) -> Loaded:
    """From a model file, its bytes, or a `sentencepiece.SentencePieceProcessor`."""
    if isinstance(source, (str, os.PathLike)):
        data, where = read(Path(source), MAX_MODEL_FILE), str(source)
    elif isinstance(source, bytes):
        data, where = source, "the SentencePiece model"
    elif hasattr(source, "serialized_model_proto"):
        data, where = source.serialized_model_proto(), "the model of the processor"
    else:
        expected = "a path, bytes or a SentencePieceProcessor"
        raise TypeError(f"model must be {expected}, not {type(source).__name__}")
    try:
        return _content(data, where, special_tokens)
    except (IndexError, UnicodeDecodeError) as error:
        raise GlrmaskError(f"{where} is not a SentencePiece model: {error}") from None


def _content(data: bytes, where: str, given: Special) -> Loaded:
    tokens: dict[int, bytes] = {}
    special: dict[str, int] = {}
    control: dict[str, int] = {}
    end = "</s>"
    message = _Message(data, where)
    for field in message.fields(0, len(data)):
        if field.number == PIECES and field.wire == DELIMITED:
            token_id = len(tokens)
            check_count(token_id + 1, where)
            text, kind = message.piece(field)
            tokens[token_id] = _bytes(text, kind, where)
            if kind in (UNKNOWN, CONTROL):
                special.setdefault(text, token_id)
            if kind == CONTROL:
                control.setdefault(text, token_id)
        elif field.number == TRAINER and field.wire == DELIMITED:
            end = message.end_piece(field) or end
    if not tokens:
        raise GlrmaskError(f"{where} is not a SentencePiece model: it has no pieces")
    return loaded(tokens, special, [control[end]] if end in control else [], given)


def _bytes(text: str, kind: int, where: str) -> bytes:
    if kind in (NORMAL, USER_DEFINED):
        return TEXT.token(text)
    if kind != BYTE:
        return b""
    byte = SINGLE_BYTES.get(text)
    if byte is None:
        raise GlrmaskError(f"{where}: the piece {text!r} is not a byte")
    return byte


class _Field(NamedTuple):
    number: int
    wire: int
    value: int
    """The number of a varint; where a delimited field begins."""
    end: int
    """Where a delimited field ends."""


class _Message:
    """Reads messages without copying them; counts what it reads."""

    def __init__(self, data: bytes, where: str) -> None:
        self.data, self.where, self.left = data, where, MAX_FIELDS

    def piece(self, message: _Field) -> tuple[str, int]:
        """Text and type of a piece."""
        text, kind = "", NORMAL
        for field in self.fields(message.value, message.end):
            if field.number == PIECE_TEXT and field.wire == DELIMITED:
                text = self.data[field.value : field.end].decode()
            elif field.number == PIECE_TYPE and field.wire == VARINT:
                kind = field.value
        return text, kind

    def end_piece(self, message: _Field) -> str:
        """What the settings of the training call the end of a text; empty if they do not."""
        end = ""
        for field in self.fields(message.value, message.end):
            if field.number == END_PIECE and field.wire == DELIMITED:
                end = self.data[field.value : field.end].decode()
        return end

    def fields(self, at: int, end: int) -> Iterator[_Field]:
        """The fields of the message in these bytes. Raises `IndexError` where it is malformed."""
        while at < end:
            self.left -= 1
            if self.left < 0:
                raise LimitError(
                    f"{self.where} has more than {MAX_FIELDS} fields, which is the limit", limit=MAX_FIELDS
                )
            tag, at = _varint(self.data, at)
            number, wire = tag >> 3, tag & 7
            value, stop = at, at
            if wire == VARINT:
                value, at = _varint(self.data, at)
            elif wire == DELIMITED:
                length, value = _varint(self.data, at)
                at = stop = value + length
            elif wire in (FIXED_32, FIXED_64):
                at += 4 if wire == FIXED_32 else 8
            else:
                raise IndexError(f"wire type {wire} before byte {at}")
            if at > end:
                raise IndexError(f"a field ends at byte {at}, what it is part of at byte {end}")
            yield _Field(number, wire, value, stop)


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = data[at]
    if value < 0x80:
        return value, at + 1
    value &= 0x7F
    for shift in range(7, 70, 7):
        at += 1
        byte = data[at]
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at + 1
    raise IndexError(f"a number of more than 10 bytes before byte {at}")
