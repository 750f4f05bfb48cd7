"""Vocabularies of tokenizers that others make: their files and objects to (bytes by id, special tokens, end ids).

Special tokens have no text: they are declared with no bytes, so that only their ids can name them.
"""

import base64
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from glrmask.errors import GlrmaskError

__all__ = ["Loaded", "tekken", "tiktoken"]

Loaded = tuple[dict[int, bytes], dict[str, int], list[int]]
"""Bytes by id, special tokens by name, ids that end a sequence."""

TIKTOKEN_END = "<|endoftext|>"
"""The name under which tiktoken itself looks for the end of a text."""
TEKKEN_SPECIAL_TOKENS = {"<unk>": 0, "<s>": 1, "</s>": 2}
"""The first special tokens of tekken files that do not list theirs."""
TEKKEN_END = "</s>"


def tiktoken(source: Any, special_tokens: Mapping[str, int] | None = None) -> Loaded:
    """From a `tiktoken.Encoding`, or from the path of a rank file (a line for each token: base64, space, id)."""
    if isinstance(source, (str, os.PathLike)):
        tokens, special = _ranks(Path(source)), {}
    else:
        try:
            ranks, special = source._mergeable_ranks, dict(source._special_tokens)
        except AttributeError:
            expected = "a tiktoken.Encoding or the path of a rank file"
            raise TypeError(f"encoding must be {expected}, not {type(source).__name__}") from None
        tokens = _inverted(ranks)
    special |= special_tokens or {}
    end = [special[TIKTOKEN_END]] if TIKTOKEN_END in special else []
    return _with_special(tokens, special), special, end


def tekken(path: str | os.PathLike[str], special_tokens: Mapping[str, int] | None = None) -> Loaded:
    """From a tekken JSON file: special ids first, then the byte strings in order of rank."""
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"path must be str or os.PathLike, not {type(path).__name__}")
    try:
        data = json.loads(Path(path).read_bytes())
        first, size = int(data["config"]["default_num_special_tokens"]), int(data["config"]["default_vocab_size"])
        ranked = {int(e["rank"]): base64.b64decode(e["token_bytes"], validate=True) for e in data["vocab"]}
        listed = {str(e["token_str"]): int(e["rank"]) for e in data.get("special_tokens") or ()}
    except (ValueError, KeyError, TypeError) as error:
        raise GlrmaskError(f"{path} is not a tekken file: {type(error).__name__}: {error}") from error
    special = (listed or TEKKEN_SPECIAL_TOKENS) | dict(special_tokens or {})
    tokens = {rank + first: token for rank, token in ranked.items() if 0 <= rank < size - first}
    tokens |= dict.fromkeys(range(first), b"")
    end = [special[TEKKEN_END]] if TEKKEN_END in special else []
    return _with_special(tokens, special), special, end


def _ranks(path: Path) -> dict[int, bytes]:
    tokens: dict[int, bytes] = {}
    with path.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                token, rank = line.split()
                tokens_id, token = int(rank), base64.b64decode(token, validate=True)
            except ValueError as error:
                raise GlrmaskError(f"{path} is not a rank file: line {number}: {error}", line=number) from error
            if tokens_id in tokens:
                raise GlrmaskError(f"{path}, line {number}: id {tokens_id} again", line=number, token_id=tokens_id)
            tokens[tokens_id] = token
    return tokens


def _inverted(ranks: Mapping[bytes, int]) -> dict[int, bytes]:
    tokens = {rank: token for token, rank in ranks.items()}
    if len(tokens) != len(ranks):
        raise GlrmaskError("the encoding gives one id to several tokens")
    return tokens


def _with_special(tokens: dict[int, bytes], special: Mapping[str, int]) -> dict[int, bytes]:
    """Special tokens have no bytes, not even where the source spells them."""
    return tokens | dict.fromkeys(special.values(), b"")
