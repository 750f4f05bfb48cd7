"""Files and objects with plain byte strings, in order of rank: tiktoken, and tekken of Mistral."""

import base64
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from glrmask.errors import GlrmaskError
from glrmask.loaders.content import Loaded, Special, check_count, loaded, path_of, read, read_json

__all__ = ["tekken", "tiktoken"]

T = TypeVar("T")

MAX_RANK_FILE = 64 << 20
MAX_TEKKEN_FILE = 128 << 20
TEKKEN_SPECIAL_TOKENS = {"<unk>": 0, "<s>": 1, "</s>": 2}
"""The first special tokens of tekken files that do not list theirs."""


def tiktoken(source: Any, special_tokens: Special = None) -> Loaded:
    """From a `tiktoken.Encoding`, or from the path of a rank file (a line for each token: base64, space, id)."""
    if isinstance(source, (str, os.PathLike)):
        return loaded(_ranks(Path(source)), {}, [], special_tokens)
    try:
        ranks, special = source._mergeable_ranks, dict(source._special_tokens)
    except AttributeError:
        expected = "a tiktoken.Encoding or the path of a rank file"
        raise TypeError(f"encoding must be {expected}, not {type(source).__name__}") from None
    return loaded(_inverted(ranks), special, [], special_tokens)


def tekken(path: str | os.PathLike[str], special_tokens: Special = None) -> Loaded:
    """From a tekken JSON file: special ids first, then the byte strings in order of rank."""
    data = read_json(read(path_of(path, "path"), MAX_TEKKEN_FILE), str(path), MAX_TEKKEN_FILE)
    try:
        first, size = (_whole(data["config"][f"default_{name}"]) for name in ("num_special_tokens", "vocab_size"))
        check_count(size, str(path))
        if not 0 <= first <= size:
            raise ValueError(f"{first} special tokens of {size} tokens")
        ranked = _distinct(
            (_whole(e["rank"]), base64.b64decode(e["token_bytes"], validate=True)) for e in data["vocab"]
        )
        named = _distinct((_whole(e["rank"]), str(e["token_str"])) for e in data.get("special_tokens") or ())
        listed = {name: rank for rank, name in named.items()}
    except (ValueError, KeyError, TypeError, OverflowError, AttributeError) as error:
        if isinstance(error, GlrmaskError):
            raise
        raise GlrmaskError(f"{path} is not a tekken file: {type(error).__name__}: {error}") from error
    tokens = {rank + first: token for rank, token in ranked.items() if 0 <= rank < size - first}
    tokens |= dict.fromkeys(range(first), b"")
    return loaded(tokens, listed or TEKKEN_SPECIAL_TOKENS, [], special_tokens)


def _whole(number: Any) -> int:
    if type(number) is not int:
        raise ValueError(f"{number!r} is not a whole number")
    return number


def _distinct(ranked: Iterable[tuple[int, T]]) -> dict[int, T]:
    found: dict[int, T] = {}
    for rank, token in ranked:
        if rank in found:
            raise ValueError(f"rank {rank} again")
        found[rank] = token
    return found


def _ranks(path: Path) -> dict[int, bytes]:
    lines = read(path, MAX_RANK_FILE).split(b"\n")
    check_count(len(lines) - 1, str(path))
    tokens: dict[int, bytes] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            text, rank = line.split()
            token_id, token = int(rank), base64.b64decode(text, validate=True)
        except ValueError as error:
            raise GlrmaskError(f"{path} is not a rank file: line {number}: {error}", line=number) from error
        if token_id in tokens:
            raise GlrmaskError(f"{path}, line {number}: id {token_id} again", line=number, token_id=token_id)
        tokens[token_id] = token
    return tokens


def _inverted(ranks: Mapping[bytes, int]) -> dict[int, bytes]:
    tokens = {rank: token for token, rank in ranks.items()}
    if len(tokens) != len(ranks):
        raise GlrmaskError("the encoding gives one id to several tokens")
    return tokens
