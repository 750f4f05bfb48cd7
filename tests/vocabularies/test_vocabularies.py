"""Real vocabularies: what their own tokenizers encode has, by our bytes of the tokens, the bytes of the text.

Besides, every single token is compared where the original can decode one, and one vocabulary read from two formats is
the same. Run by `make test-vocab`.
"""

import functools
import importlib.util
import json
import os
import random
import time
import unicodedata
from collections.abc import Iterable
from pathlib import Path

import pytest
import tiktoken
import tokenizers
from glrmask import GlrmaskError, Vocab
from mistral_common.tokens.tokenizers.tekken import Tekkenizer
from sentencepiece import SentencePieceProcessor

os.environ["HF_HUB_OFFLINE"] = "1"

WORDS = [
    *("the", "of", "return", "function", "naïve", "Straße", "Ελληνικά", "кот", "日本語", "中文", "한국어", "עברית"),
    *("العربية", "हिन्दी", "🙂", "👩\u200d🚀", "🇩🇪", "é", "e\u0301", "﷽", "▁", "Ġ", "<s>", "</s>", "<0x0A>"),
    *("<|endoftext|>", "{", "}", "[]", "//", "/*", "0", "12345", "3.14e-9", "==", "=>"),
]
RARE = ["\u00a0", "\u2028", "\ufeff", "\u200b", "\\n", "\0", "\x1f", "\x7f", "\x85"]


def random_texts(count: int = 300) -> list[str]:
    """Words of many scripts and special spellings, white space of every kind, and characters at random."""
    rng = random.Random(1)
    texts = []
    for _ in range(count):
        parts = [
            rng.choice(
                (
                    rng.choice(WORDS),
                    rng.choice(RARE),
                    rng.choice((" ", "  ", "\n", "\t", "\r\n", "    ")),
                    character(rng),
                )
            )
            for _ in range(rng.randrange(1, 40))
        ]
        texts.append("".join(parts))
    return ["", " ", "Hello world", " leading", "trailing ", *texts]


def character(rng: random.Random) -> str:
    """Any assigned character but surrogates."""
    while True:
        found = chr(rng.choice((rng.randrange(0x300), rng.randrange(0x3000), rng.randrange(0x20000))))
        if unicodedata.category(found) not in ("Cs", "Cn"):
            return found


TEXTS = random_texts()


def joined(vocab: Vocab, ids: Iterable[int]) -> bytes:
    return b"".join(vocab.token_bytes(token_id) for token_id in ids)


# --- tiktoken

CL100K = r"(?i:'s|'t|'re)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"


@pytest.mark.parametrize("name", ["llama-3", "llama-4", "qwen", "qwen-3.6", "cl100k"])
def test_tiktoken(folder: Path, name: str) -> None:
    path = folder / f"{name}.tiktoken"
    vocab = Vocab.from_tiktoken(path)
    ranks = {vocab.token_bytes(token_id): token_id for token_id in range(len(vocab))}
    encoding = tiktoken.Encoding(
        name, pat_str=CL100K, mergeable_ranks=ranks, special_tokens={"<|endoftext|>": len(ranks)}
    )
    assert all(encoding.decode_single_token_bytes(token_id) == token for token, token_id in ranks.items())
    for text in TEXTS:
        assert joined(vocab, encoding.encode_ordinary(text)) == text.encode()
    assert Vocab.from_tiktoken(encoding).end_token_ids == [encoding.eot_token]


# --- tekken


@pytest.mark.parametrize("name", ["tekken-240718", "tekken-240911"])
def test_tekken(folder: Path, name: str) -> None:
    original = Tekkenizer.from_file(folder / f"{name}.json")
    vocab = Vocab.from_tekken(folder / f"{name}.json")
    assert len(vocab) == original.n_words == 131_072
    assert vocab.end_token_ids == [original.eos_id]
    for text in TEXTS:
        assert joined(vocab, original.encode(text, bos=False, eos=False)) == text.encode()
    for token_id in range(original.num_special_tokens, original.n_words):
        assert vocab.token_bytes(token_id) == original.id_to_byte_piece(token_id)


# --- SentencePiece


@pytest.mark.parametrize("name", ["mistral-v1", "mistral-v2", "mistral-v3", "mistral-v7"])
def test_sentencepiece(folder: Path, name: str) -> None:
    path = folder / f"{name}.model"
    original = SentencePieceProcessor(model_file=str(path))
    vocab = Vocab.from_sentencepiece(path)
    assert Vocab.from_sentencepiece(original) == vocab
    assert len(vocab) == original.get_piece_size()
    assert vocab.end_token_ids == [original.eos_id()]
    for text in TEXTS:
        text = text.replace("\0", "").replace("▁", "")  # One ends the text there, the other is read as a space.
        if text:
            assert joined(vocab, original.encode(text)) == b" " + text.encode()
    for token_id in range(len(vocab)):
        if original.is_control(token_id) or original.is_unknown(token_id) or original.is_unused(token_id):
            assert vocab.token_bytes(token_id) == b""
        else:  # The first is there to keep a leading space.
            expected = original.decode([original.piece_to_id("a"), token_id])[1:]
            assert vocab.token_bytes(token_id).decode(errors="replace") == expected


def test_a_sentencepiece_model_converted_by_transformers(folder: Path, tmp_path: Path) -> None:
    import transformers

    (tmp_path / "tokenizer.model").write_bytes((folder / "mistral-v1.model").read_bytes())
    (tmp_path / "tokenizer_config.json").write_text('{"eos_token": "</s>", "bos_token": "<s>", "unk_token": "<unk>"}')
    fast = transformers.LlamaTokenizerFast.from_pretrained(tmp_path)
    vocab = Vocab.from_huggingface(fast)
    assert vocab == Vocab.from_sentencepiece(folder / "mistral-v1.model")
    assert vocab.end_token_ids == [fast.eos_token_id] == [2]
    assert vocab.special_tokens == {"<unk>": 0, "<s>": 1, "</s>": 2}
    for text in TEXTS:
        if text and "▁" not in text and "<" not in text:
            expected = text if text.startswith(" ") else " " + text
            assert joined(vocab, fast.encode(text, add_special_tokens=False)) == expected.encode()


# --- tokenizer.json


def test_tokenizer_json(folder: Path) -> None:
    path = folder / "deepseek" / "tokenizer.json"
    original = tokenizers.Tokenizer.from_file(str(path))
    started = time.process_time()
    vocab = Vocab.from_tokenizer_json(path)
    assert time.process_time() - started < 1
    assert len(vocab) == original.get_vocab_size() == 129_280
    assert vocab.end_token_ids == [original.token_to_id("<\uff5cend\u2581of\u2581sentence\uff5c>")]
    for text in TEXTS:
        assert joined(vocab, original.encode(text, add_special_tokens=False).ids) == text.encode()
    special = set(vocab.special_tokens.values())
    for token_id in range(len(vocab)):
        assert original.id_to_token(token_id) is not None
        expected = original.decode([token_id], skip_special_tokens=True)
        assert vocab.token_bytes(token_id).decode(errors="replace") == expected
        assert (token_id in special) == (not expected)
    assert vocab.special_tokens == {
        entry["content"]: entry["id"]
        for entry in json.loads(path.read_text(encoding="utf-8"))["added_tokens"]
        if entry["special"]
    }


def test_huggingface(folder: Path) -> None:
    import transformers

    vocab = Vocab.from_tokenizer_json(folder / "deepseek")
    fast = transformers.PreTrainedTokenizerFast.from_pretrained(folder / "deepseek")
    assert Vocab.from_huggingface(fast) == vocab
    assert Vocab.from_huggingface(fast).end_token_ids == [fast.eos_token_id]
    assert Vocab.from_huggingface(fast.backend_tokenizer) == vocab


@pytest.mark.parametrize(
    ("name", "file"), [("tekken-240911.json", "tekken.json"), ("mistral-v3.model", "tokenizer.model.v3")]
)
def test_tokenizers_of_mistral_common(folder: Path, tmp_path: Path, name: str, file: str) -> None:
    import transformers

    (tmp_path / file).write_bytes((folder / name).read_bytes())
    tokenizer = transformers.MistralCommonBackend.from_pretrained(tmp_path)
    direct = Vocab.from_tekken if name.endswith(".json") else Vocab.from_sentencepiece
    for source in (tokenizer, tokenizer.tokenizer):
        assert Vocab.from_huggingface(source) == direct(folder / name)
        assert Vocab.from_huggingface(source).end_token_ids == [tokenizer.eos_token_id]


# --- GGUF

FIXTURES = [
    "command-r",
    "deepseek-coder",
    "deepseek-llm",
    "falcon",
    "gemma-4",
    "gpt-2",
    "llama-bpe",
    "llama-spm",
    "mpt",
    "phi-3",
    "qwen2",
    "qwen35",
    "refact",
    "starcoder",
]
SPACE_FIRST = ("llama-spm", "phi-3")
"""These models put a space before a text."""


@functools.cache
def gguf(path: Path) -> Vocab:
    return Vocab.from_gguf(path)


@pytest.mark.parametrize("name", FIXTURES)
def test_gguf_against_what_llama_cpp_encodes(folder: Path, name: str) -> None:
    vocab = gguf(folder / f"{name}.gguf")
    texts = (folder / f"{name}.gguf.inp").read_bytes().split(b"\n__ggml_vocab_test__\n")
    lines = (folder / f"{name}.gguf.out").read_text().split("\n")
    pairs = [(text, [int(token_id) for token_id in line.split()]) for text, line in zip(texts, lines)]
    assert len(pairs) > 40
    for text, ids in pairs:
        assert joined(vocab, ids) == (b" " + text if name in SPACE_FIRST and text else text)


@pytest.mark.parametrize("name", ["aquila", "baichuan", "gpt-neox"])
def test_gguf_without_encoded_texts(folder: Path, name: str) -> None:
    vocab = gguf(folder / f"{name}.gguf")
    singles = {vocab.token_bytes(token_id) for token_id in range(len(vocab))}
    assert vocab.end_token_ids
    assert all(bytes([byte]) in singles for byte in range(0x20, 0x7F))


@pytest.mark.parametrize("name", ["bert-bge"])
def test_gguf_models_that_are_refused(folder: Path, name: str) -> None:
    with pytest.raises(GlrmaskError, match="not supported"):
        gguf(folder / f"{name}.gguf")


@pytest.mark.parametrize(("name", "ranks"), [("llama-bpe", "llama-3"), ("qwen2", "qwen")])
def test_one_vocabulary_in_two_formats(folder: Path, name: str, ranks: str) -> None:
    one, other = gguf(folder / f"{name}.gguf"), Vocab.from_tiktoken(folder / f"{ranks}.tiktoken")
    assert [one.token_bytes(i) for i in range(len(other))] == [other.token_bytes(i) for i in range(len(other))]


# --- llama-cpp-python, where it is installed


@pytest.mark.skipif(importlib.util.find_spec("llama_cpp") is None, reason="llama-cpp-python is not installed")
@pytest.mark.parametrize("name", [*FIXTURES, "aquila", "baichuan", "gpt-neox"])
def test_llama_cpp(folder: Path, name: str) -> None:
    import llama_cpp

    llm = llama_cpp.Llama(str(folder / f"{name}.gguf"), vocab_only=True, verbose=False)
    vocab, other = Vocab.from_llama_cpp(llm), gguf(folder / f"{name}.gguf")
    assert len(vocab) == len(other)
    ends, handle = set(vocab.llama_cpp_end_token_ids), llm._model.vocab
    assert ends.issuperset(other.end_token_ids)
    for token_id in range(len(vocab)):
        # llama.cpp takes some names for control tokens, whatever the file says.
        is_silent = token_id in ends or llama_cpp.llama_vocab_is_control(handle, token_id)
        token = vocab.token_bytes(token_id)
        if not token.startswith(b"[UNK_BYTE_0x"):  # So it shows pieces outside of the alphabet of bytes.
            assert token == (b"" if is_silent else other.token_bytes(token_id))
    for text in TEXTS:
        text = text.replace("\0", "").replace("▁", "")
        if name == "falcon":  # It lacks some control characters.
            text = "".join(c for c in text if c in "\t\n\r" or unicodedata.category(c) != "Cc")
        ids = llm.tokenize(text.encode(), add_bos=False, special=False)
        assert joined(vocab, ids) in (text.encode(), b" " + text.encode())
