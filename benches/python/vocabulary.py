"""Vocabularies to measure with: from a rank file or a tekken file, cut or extended to any size.

Nothing here needs glrmask, so that the same file serves the environments of its peers.
"""

# tiktoken is there when a corpus is replayed only.
# mypy: disable-error-code="import-not-found"

import base64
import json
from dataclasses import dataclass
from functools import cached_property
from importlib import metadata
from pathlib import Path
from typing import Any

LLAMA_3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
"""How Llama 3, whose rank file does not tell it, splits a text before it joins bytes to tokens."""
SPECIAL_TOKENS = 256
"""Ids without bytes after the last rank of a rank file; the first of them ends a text."""
TEKKEN_END = 2


@dataclass
class Vocabulary:
    """Ids with their bytes (special tokens have none), and how a text is split."""

    tokens: dict[int, bytes]
    end: int
    pattern: str

    @cached_property
    def size(self) -> int:
        """One more than the largest id."""
        return max(self.tokens) + 1

    @cached_property
    def ids(self) -> dict[bytes, int]:
        """Ids of the tokens that have bytes."""
        return {token: id for id, token in self.tokens.items() if token}

    @cached_property
    def encoding(self) -> Any:
        """A `tiktoken.Encoding`. Ids stand for ranks: all that matters of ranks is their order."""
        import tiktoken

        special = {f"<|special_{id}|>": id for id, token in self.tokens.items() if not token}
        return tiktoken.Encoding("measured", pat_str=self.pattern, mergeable_ranks=self.ids, special_tokens=special)

    def encode(self, text: str) -> list[int]:
        """The tokens of a text as the model's own tokenizer splits it."""
        tokens: list[int] = self.encoding.encode_ordinary(text)
        return tokens

    def encode_greedily(self, text: bytes) -> list[int]:
        """The longest token at each place, for vocabularies that no tokenizer goes with."""
        ids, longest = self.ids, max(map(len, self.ids))
        tokens, start = [], 0
        while start < len(text):
            end = next(end for end in range(min(start + longest, len(text)), start, -1) if text[start:end] in ids)
            tokens.append(ids[text[start:end]])
            start = end
        return tokens

    def resized(self, size: int) -> "Vocabulary":
        """The first `size` tokens with bytes, or all and more made by joining two of them. Single bytes stay."""
        tokens = list(self.ids)[:size]
        tokens.extend({bytes([byte]) for byte in range(256)} - set(tokens))
        seen = set(tokens)
        for step in range(1, len(tokens)):
            for left, right in zip(tokens[:: 7 * step], tokens[step :: 7 * step], strict=False):
                if len(seen) >= size:
                    break
                if len(left) + len(right) <= 24:
                    seen.add(left + right)
            if len(seen) >= size:
                break
        tokens.extend(sorted(seen - set(tokens)))
        return Vocabulary({**dict(enumerate(tokens)), len(tokens): b""}, len(tokens), self.pattern)


def load(path: str) -> Vocabulary:
    """From a tekken file (`.json`) or a rank file."""
    return tekken(Path(path)) if path.endswith(".json") else ranks(Path(path))


def usual() -> str:
    """The tekken file inside mistral-common, where that is installed: for want of another."""
    package = metadata.distribution("mistral-common")
    return str(package.locate_file("mistral_common/data/tekken_240911.json"))


def ranks(path: Path) -> Vocabulary:
    """Lines of base64, space, rank."""
    lines = (line.split() for line in path.read_bytes().splitlines() if line.strip())
    tokens = {int(rank): base64.b64decode(token) for token, rank in lines}
    end = max(tokens) + 1
    tokens.update(dict.fromkeys(range(end, end + SPECIAL_TOKENS), b""))
    return Vocabulary(tokens, end, LLAMA_3)


def tekken(path: Path) -> Vocabulary:
    """Special ids first, then byte strings in order of rank."""
    data = json.loads(path.read_bytes())
    first, size = data["config"]["default_num_special_tokens"], data["config"]["default_vocab_size"]
    tokens = dict.fromkeys(range(first), b"")
    tokens.update((first + e["rank"], base64.b64decode(e["token_bytes"])) for e in data["vocab"][: size - first])
    return Vocabulary(tokens, TEKKEN_END, data["config"]["pattern"])
