"""How a piece, the text by which a tokenizer calls a token, spells the token's bytes.

Two spellings are in use. *Byte-level*: each byte is one character of an alphabet of 256; bytes that print stand for
themselves, the other 68 follow from U+0100 on (so a space is U+0120). *Text*: the piece is the text, a space is written
as a stand-in (U+2581 as a rule), and with *byte fallback* the pieces `<0x00>` to `<0xFF>` are single bytes.
"""

from collections.abc import Collection
from typing import NamedTuple

__all__ = ["SINGLE_BYTES", "SPACE", "Spelling", "seen_in"]

SPACE = "\u2581"
"""The usual stand-in for a space."""

_PRINTED = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
_OTHERS = sorted(set(range(256)).difference(_PRINTED))
_ALPHABET = {chr(byte): byte for byte in _PRINTED} | {chr(0x100 + i): byte for i, byte in enumerate(_OTHERS)}
# Characters below U+0100 outside the alphabet go to one that Latin-1 lacks, as all others are.
_TO_LATIN_1 = dict.fromkeys(_OTHERS, 0x100) | {ord(character): byte for character, byte in _ALPHABET.items()}
_WITHOUT_ALPHABET = dict.fromkeys(map(ord, _ALPHABET))

_DIGITS = "0123456789abcdefABCDEF"
SINGLE_BYTES = {f"<0x{high}{low}>": bytes([int(high + low, 16)]) for high in _DIGITS for low in _DIGITS}
"""The pieces of byte fallback."""

ENOUGH = 128
"""Of the 256 single bytes, how many a vocabulary has to have for its spelling to show."""


class Spelling(NamedTuple):
    """How the pieces of a vocabulary spell bytes."""

    byte_level: bool = False
    """Whether pieces are in the alphabet of bytes; then nothing else counts."""
    byte_fallback: bool = False
    """Whether `<0xHH>` is a byte."""
    replaced: tuple[tuple[str, str], ...] = ()
    """Texts and what they stand for, replaced one after the other."""

    def token(self, piece: str) -> bytes:
        """The bytes of a piece. Raises `UnicodeEncodeError` if it is not Unicode text."""
        if self.byte_level:
            try:
                return piece.translate(_TO_LATIN_1).encode("latin-1")
            except UnicodeEncodeError:  # As decoders do, take a piece outside of the alphabet for plain text.
                return piece.encode()
        if self.byte_fallback and (byte := SINGLE_BYTES.get(piece)) is not None:
            return byte
        for stand_in, text in self.replaced:
            piece = piece.replace(stand_in, text)
        return piece.encode()


def seen_in(pieces: Collection[str]) -> Spelling | None:
    """The spelling that a vocabulary shows by itself, if it does: by its single bytes and the characters it uses."""
    if sum(f"<0x{byte:02X}>" in pieces for byte in range(256)) >= ENOUGH:
        return Spelling(byte_fallback=True, replaced=((SPACE, " "),))
    if sum(character in pieces for character in _ALPHABET) < ENOUGH:
        return None
    foreign = sum(bool(piece.translate(_WITHOUT_ALPHABET)) for piece in pieces)
    return Spelling(byte_level=True) if foreign <= len(pieces) // 100 else None
