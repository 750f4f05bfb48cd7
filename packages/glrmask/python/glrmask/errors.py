"""The exceptions of this package: one family, `GlrmaskError`, with what is known as attributes.

A wrong type is a `TypeError`, a wrong option, size or shape a plain `ValueError`.
"""

from typing import Any

from glrmask.types import Diagnostic

__all__ = ["ArtifactError", "CancelledError", "GlrmaskError", "GrammarSyntaxError", "LimitError", "SchemaError"]


class GlrmaskError(ValueError):
    """A vocabulary, a grammar, a token or an artifact is unusable. Attributes that do not apply are `None`."""

    token_id: int | None = None
    """The token id that is unknown or not allowed."""
    allowed_bytes: int | None = None
    """How many of the bytes given to `commit_bytes` were allowed."""
    committed_tokens: int | None = None
    """How many of the tokens given to `commit_tokens` were committed."""
    line: int | None = None
    """Line in the source text, from 1."""
    column: int | None = None
    """Column in Unicode characters, from 1."""
    span: tuple[int, int] | None = None
    """First byte and one past the last byte of the place in the UTF-8 source text."""
    excerpt: str | None = None
    """The source line with a caret under the place, two lines."""
    diagnostics: list[Diagnostic] | None = None
    """All errors of a grammar text, in order; the other attributes are about the first."""
    pointer: str | None = None
    """JSON Pointer of the schema to blame; `""` is the root."""
    keyword: str | None = None
    """The keyword to blame."""
    category: str | None = None
    """Of a schema: `"syntax"`, `"invalid"`, `"unsupported"`, `"reference"`, `"empty"` or `"limit"`."""
    given: int | None = None
    """What was asked for or needed, where a limit was reached or `rollback` asked for too much."""
    limit: int | None = None
    """The limit; of `rollback`, how many commits are kept."""

    def __init__(self, message: str = "", **attributes: Any) -> None:
        """Keyword arguments become attributes; only those listed here are known."""
        super().__init__(message)
        for name, value in attributes.items():
            if name not in GlrmaskError.__annotations__:
                raise TypeError(f"{type(self).__name__} has no attribute {name!r}")
            setattr(self, name, value)


class GrammarSyntaxError(GlrmaskError):
    """A grammar text is malformed, has no meaning or asks for something unsupported; has a place and an excerpt."""


class SchemaError(GlrmaskError):
    """A JSON Schema is malformed, invalid, unsupported or satisfied by nothing; has `pointer` and `keyword`."""


class LimitError(GlrmaskError):
    """A limit on work or size was reached; the message names it, `given` and `limit` are the numbers where known."""


class ArtifactError(GlrmaskError):
    """Stored data is truncated, corrupt, of another version or of another vocabulary."""


class CancelledError(GlrmaskError):
    """The caller gave up waiting."""
