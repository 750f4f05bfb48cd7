"""Tokenizers of Hugging Face: `tokenizer.json`, and tokenizer objects that can write one or list their vocabulary.

The file says how pieces become text in its `decoder`. What matters here is what a decoder does to each token by
itself; that it strips a space at the start of a whole text changes no token. Decoders under which the bytes of a token
depend on its neighbours are refused. Some files lie, so a vocabulary whose spelling shows by itself is believed more.
"""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from glrmask.errors import GlrmaskError
from glrmask.loaders.content import Loaded, Special, check_count, loaded, read, read_json
from glrmask.loaders.ranked import tekken
from glrmask.loaders.spelling import SPACE, Spelling, seen_in
from glrmask.loaders.spm import sentencepiece

__all__ = ["huggingface", "tokenizer_json"]

MAX_JSON = 128 << 20
MAX_SETTINGS = 16 << 20


def tokenizer_json(source: str | bytes | os.PathLike[str], special_tokens: Special = None) -> Loaded:
    """From a `tokenizer.json`: its path, that of its folder, or its text.

    Files beside it, `generation_config.json` and `tokenizer_config.json`, tell which ids end a sequence.
    """
    if isinstance(source, bytes) or (isinstance(source, str) and source.lstrip()[:1] == "{"):
        where = "the tokenizer"
        return _Tokenizer(read_json(source, where, MAX_JSON), where).loaded([], special_tokens)
    if not isinstance(source, (str, os.PathLike)):
        raise TypeError(f"source must be a path or JSON text, not {type(source).__name__}")
    path = Path(source) / "tokenizer.json" if Path(source).is_dir() else Path(source)
    tokenizer = _Tokenizer(read_json(read(path, MAX_JSON), str(path), MAX_JSON), str(path))
    return tokenizer.loaded(_ends_beside(path, tokenizer), special_tokens)


def huggingface(tokenizer: Any, special_tokens: Special = None) -> Loaded:
    """From a tokenizer of transformers, of tokenizers or of mistral-common.

    One without a fast backend is understood if its vocabulary shows how it is spelled.
    """
    backend = getattr(tokenizer, "backend_tokenizer", tokenizer)
    end = getattr(tokenizer, "eos_token_id", None)
    ends = [end] if isinstance(end, int) else list(end or ())
    if hasattr(backend, "to_str"):
        where = "the tokenizer"
        return _Tokenizer(read_json(backend.to_str(), where, MAX_JSON), where).loaded(ends, special_tokens)
    if (path := _mistral_file(tokenizer)) is not None:
        tokens, special, found = (tekken if path.suffix == ".json" else sentencepiece)(path, special_tokens)
        return tokens, special, list(dict.fromkeys([*ends, *found]))
    if hasattr(tokenizer, "get_vocab"):
        return _listed(tokenizer, ends, special_tokens)
    raise TypeError(f"tokenizer must be one of transformers or tokenizers, not {type(tokenizer).__name__}")


class _Tokenizer:
    """What a `tokenizer.json` says about tokens."""

    def __init__(self, data: Any, where: str) -> None:
        self.where = where
        self.data = self.of_type(data, dict, "the whole")
        self.model = self.of_type(self.data.get("model"), dict, "model")
        self.pieces = self._pieces()
        added = self.of_type(self.data.get("added_tokens") or [], list, "added_tokens")
        self.added = [self._added(entry) for entry in added]
        check_count(len(self.pieces) + len(self.added), where)

    def loaded(self, ends: list[int], given: Special) -> Loaded:
        """The bytes of all tokens."""
        spelling = self._spelling()
        try:
            tokens = {token_id: spelling.token(piece) for token_id, piece in self.pieces.items()}
            tokens |= {token_id: text.encode() for token_id, text, _ in self.added}
        except UnicodeEncodeError as error:
            raise self.error(f"a token is not Unicode text: {error}") from None
        return loaded(tokens, self.special(), ends, given)

    def special(self) -> dict[str, int]:
        """Added tokens that are marked as special, and the one for what cannot be spelled."""
        names = {text: token_id for token_id, text, is_special in self.added if is_special}
        unknown = self.model.get("unk_token")
        number = self.model.get("unk_id")
        for token_id, piece in self.pieces.items() if unknown is not None else ():
            if piece == unknown:
                names.setdefault(piece, token_id)
        if type(number) is int and number in self.pieces:
            names.setdefault(self.pieces[number], number)
        return names

    def named(self, text: Any) -> int | None:
        """The id of a token by its text, an added one first."""
        ids = [token_id for token_id, added, _ in self.added if added == text]
        ids += [token_id for token_id, piece in self.pieces.items() if piece == text]
        return ids[0] if ids else None

    def error(self, message: str) -> GlrmaskError:
        return GlrmaskError(f"{self.where}: {message}")

    def of_type(self, value: Any, kind: type, what: str) -> Any:
        if not isinstance(value, kind):
            raise self.error(f"{what} must be {kind.__name__}, not {type(value).__name__}")
        return value

    def _pieces(self) -> dict[int, str]:
        vocab = self.model.get("vocab")
        if isinstance(vocab, dict):
            if not all(type(token_id) is int for token_id in vocab.values()):
                raise self.error("model.vocab has an id that is no integer")
            by_id = {token_id: piece for piece, token_id in vocab.items()}
            if len(by_id) < len(vocab):
                raise self.error("model.vocab gives one id to several tokens")
            return by_id
        if not isinstance(vocab, list):
            raise self.error(f"model.vocab must be a dict or list, not {type(vocab).__name__}")
        try:
            listed = {token_id: piece for token_id, (piece, _) in enumerate(vocab)}
        except (TypeError, ValueError):
            raise self.error("model.vocab has an entry that is not a pair of text and score") from None
        if not all(isinstance(piece, str) for piece in listed.values()):
            raise self.error("model.vocab has a token that is no text")
        return listed

    def _added(self, entry: Any) -> tuple[int, str, bool]:
        entry = self.of_type(entry, dict, "an added token")
        token_id, text = entry.get("id"), entry.get("content")
        if type(token_id) is not int or not isinstance(text, str):
            raise self.error("an added token must have an integer id and a text as content")
        return token_id, text, bool(entry.get("special"))

    def _spelling(self) -> Spelling:
        for key in ("continuing_subword_prefix", "end_of_word_suffix"):
            if self.model.get(key):
                raise self.error(f"model.{key} is not supported: the bytes of a token would depend on its place")
        said, seen = self._said(), seen_in(set(self.pieces.values()))
        if seen is not None and (said is None or seen.byte_level != said.byte_level):
            return seen
        if said is None:
            raise self.error("there is no decoder, and the vocabulary does not show how its tokens spell bytes")
        falls_back = said.byte_fallback or self.model.get("byte_fallback") is True or (seen or said).byte_fallback
        return said._replace(byte_fallback=falls_back)

    def _said(self) -> Spelling | None:
        """The spelling by the decoder; without one, by what encodes."""
        steps = list(self._steps("decoder", "decoders"))
        if not steps:
            steps = [*self._steps("normalizer", "normalizers"), *self._steps("pre_tokenizer", "pretokenizers")]
            steps = [step for step in steps if step.get("type") in ("ByteLevel", "Metaspace")]
        spelling, fused = Spelling(), False
        for step in steps:
            spelling, fused = self._step(spelling, step, fused)
        return spelling if steps else None

    def _steps(self, key: str, inner: str) -> Iterator[dict[str, Any]]:
        """The steps of a part of the tokenizer, sequences of sequences laid out flat."""
        left = [self.data.get(key)]
        while left:
            step = left.pop()
            if step is None:
                continue
            step = self.of_type(step, dict, key)
            if step.get("type") == "Sequence":
                left += reversed(self.of_type(step.get(inner), list, f"{key}.{inner}"))
            else:
                yield step

    def _step(self, spelling: Spelling, step: dict[str, Any], fused: bool) -> tuple[Spelling, bool]:
        """What one step of a decoder does to a token; `fused` once tokens have been joined."""
        match step.get("type"):
            case "ByteLevel":
                return spelling._replace(byte_level=True), fused
            case "ByteFallback":
                return spelling._replace(byte_fallback=True), fused
            case "Fuse":
                return spelling, True
            case "Strip" if fused:
                return spelling, fused
            case "Metaspace":
                stand_in = self.of_type(step.get("replacement", SPACE), str, "the replacement of Metaspace")
                return self._replacing(spelling, stand_in, " ", fused), fused
            case "Replace":
                pattern = self.of_type(step.get("pattern"), dict, "the pattern of Replace")
                if "String" in pattern:
                    text, content = pattern["String"], step.get("content")
                    return self._replacing(spelling, self.of_type(text, str, "String"), content, fused), fused
        raise self.error(f"the decoder {step.get('type')!r} is not supported here: bytes would depend on neighbours")

    def _replacing(self, spelling: Spelling, text: str, content: Any, fused: bool) -> Spelling:
        content = self.of_type(content, str, "the content of Replace")
        if not text or (fused and len(text) > 1):
            raise self.error(f"a decoder that replaces {text!r} across tokens is not supported")
        return spelling._replace(replaced=(*spelling.replaced, (text, content)))


def _ends_beside(path: Path, tokenizer: _Tokenizer) -> list[int]:
    """Ids that files beside the tokenizer say end a sequence."""
    end = _settings(path.with_name("generation_config.json")).get("eos_token_id")
    ends = [token_id for token_id in (end if isinstance(end, list) else [end]) if type(token_id) is int]
    name = _settings(path.with_name("tokenizer_config.json")).get("eos_token")
    found = tokenizer.named(name.get("content") if isinstance(name, dict) else name)
    return ends if found is None else [*ends, found]


def _settings(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    settings = read_json(read(path, MAX_SETTINGS), str(path), MAX_SETTINGS)
    return settings if isinstance(settings, dict) else {}


def _mistral_file(tokenizer: Any) -> Path | None:
    """The file that a tokenizer of mistral-common was read from; its vocabulary lists no bytes."""
    inner = getattr(getattr(tokenizer, "tokenizer", tokenizer), "instruct_tokenizer", None)
    path = getattr(getattr(inner, "tokenizer", None), "file_path", None)
    return Path(path) if isinstance(path, (str, os.PathLike)) else None


def _listed(tokenizer: Any, ends: list[int], given: Special) -> Loaded:
    """From a tokenizer in Python that lists its vocabulary: pieces, or the bytes themselves."""
    vocab: Mapping[str | bytes, int] = tokenizer.get_vocab()
    check_count(len(vocab), "the tokenizer")
    special = dict(zip(tokenizer.all_special_tokens, tokenizer.all_special_ids, strict=True))
    decoder = getattr(tokenizer, "added_tokens_decoder", None)
    added = {i: str(text) for i, text in decoder.items()} if isinstance(decoder, Mapping) else {}
    pieces = {piece for piece, token_id in vocab.items() if isinstance(piece, str) and token_id not in added}
    spelling = seen_in(pieces) or (Spelling(replaced=((SPACE, " "),)) if any(p[:1] == SPACE for p in pieces) else None)
    if spelling is None and pieces.difference(special):
        raise GlrmaskError(
            "the vocabulary of the tokenizer does not show how its tokens spell bytes; read its file instead"
        )
    plain = spelling or Spelling()
    tokens = {i: piece if isinstance(piece, bytes) else plain.token(piece) for piece, i in vocab.items()}
    if len(tokens) < len(vocab):
        raise GlrmaskError("the tokenizer gives one id to several tokens")
    tokens |= {token_id: text.encode() for token_id, text in added.items()}
    return loaded(tokens, special, ends, given)
