"""What all loaders share: bounded reading, JSON of bounded size, and the form of their result."""

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from glrmask.errors import GlrmaskError, LimitError

__all__ = ["END_NAMES", "MAX_TOKENS", "Loaded", "Special", "check_count", "loaded", "path_of", "read", "read_json"]

Loaded = tuple[dict[int, bytes], dict[str, int], list[int]]
"""Bytes by id, special tokens by name, ids that end a sequence."""
Special = Mapping[str, int] | None
"""Special tokens that the caller names besides."""

MAX_TOKENS = 1 << 21
"""Tokens of one vocabulary; the largest in use have a few hundred thousand."""
MAX_COMMAS = 1 << 22
"""Commas of a JSON text, which bound the number of its values: a list takes 30 times the bytes of its text."""

END_NAMES = frozenset(
    {
        "</s>",
        "<EOT>",
        "<end_of_turn>",
        "<end_of_utterance>",
        "<eos>",
        "<turn|>",
        "<|call|>",
        "<|end_of_text|>",
        "<|end|>",
        "<|endoftext|>",
        "<|eom_id|>",
        "<|eot_id|>",
        "<|eot|>",
        "<|im_end|>",
        "<|return|>",
        "<\uff5cend\u2581of\u2581sentence\uff5c>",
        "[EOS]",
        "[EOT]",
    }
)
"""Names under which models know special tokens that end a text, a turn or a message."""


def loaded(
    tokens: dict[int, bytes],
    special: Mapping[str, int],
    ends: Iterable[int],
    given: Special,
    *,
    ends_by_name: bool = True,
) -> Loaded:
    """The result of a loader: special tokens have no bytes, not even where the source spells them.

    The ids that end a sequence are those the source says (`ends`), and special tokens with a name in `END_NAMES`.
    """
    if not isinstance(given, Mapping | None):
        raise TypeError(f"special_tokens must be a dict from str to int, not {type(given).__name__}")
    special = {**special, **(given or {})}
    named = (token_id for name, token_id in special.items() if ends_by_name and name in END_NAMES)
    return tokens | dict.fromkeys(special.values(), b""), special, list(dict.fromkeys([*ends, *named]))


def path_of(source: Any, name: str) -> Path:
    """A path. Raises `TypeError`, which calls the argument `name`."""
    if not isinstance(source, (str, os.PathLike)):
        raise TypeError(f"{name} must be str or os.PathLike, not {type(source).__name__}")
    return Path(source)


def read(path: Path, limit: int) -> bytes:
    """All bytes of a file that has no more than `limit`."""
    with path.open("rb") as file:
        data = file.read(limit + 1)
    if len(data) > limit:
        raise LimitError(f"{path} has more than {limit} bytes, which is the limit for its format", limit=limit)
    return data


def read_json(data: bytes | str, where: str, limit: int) -> Any:
    """The value of a JSON text; `where` names it in errors."""
    size, commas = len(data), data.count(b"," if isinstance(data, bytes) else ",")  # type: ignore[arg-type]
    if size > limit:
        raise LimitError(f"{where} has {size} bytes or characters, the limit is {limit}", given=size, limit=limit)
    if commas > MAX_COMMAS:
        raise LimitError(f"{where} has {commas} commas, the limit is {MAX_COMMAS}", given=commas, limit=MAX_COMMAS)
    try:
        return json.loads(data)
    except (ValueError, RecursionError) as error:
        raise GlrmaskError(f"{where} is not JSON: {error}") from None


def check_count(count: int, where: str) -> None:
    """Raises `LimitError` for too many tokens."""
    if count > MAX_TOKENS:
        raise LimitError(f"{where} has {count} tokens, the limit is {MAX_TOKENS}", given=count, limit=MAX_TOKENS)
