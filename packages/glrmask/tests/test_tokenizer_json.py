"""`Vocab.from_tokenizer_json` and `Vocab.from_huggingface`: spellings, added tokens, ends, refusals."""

import json
import random
from types import SimpleNamespace

import pytest
from glrmask import GlrmaskError, LimitError, Vocab
from glrmask.loaders import content

OTHERS = [*range(0x21), *range(0x7F, 0xA1), 0xAD]
ALPHABET = {byte: chr(0x100 + OTHERS.index(byte)) if byte in OTHERS else chr(byte) for byte in range(256)}


def byte_level(text: bytes) -> str:
    """The bytes in the alphabet of bytes, written down here from its definition alone."""
    return "".join(ALPHABET[byte] for byte in text)


def tokenizer(vocab, decoder, added=(), **model):
    added = [{"id": i, "content": text, "special": special} for i, text, special in added]
    return {"added_tokens": added, "decoder": decoder, "model": {"type": "BPE", "vocab": vocab} | model}


def load(data, **options):
    return Vocab.from_tokenizer_json(json.dumps(data), **options)


def tokens(vocab):
    return [vocab.token_bytes(i) for i in range((vocab.max_id or 0) + 1) if i in vocab]


BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": True}
LLAMA = {
    "type": "Sequence",
    "decoders": [
        {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
        {"type": "ByteFallback"},
        {"type": "Fuse"},
        {"type": "Strip", "content": " ", "start": 1, "stop": 0},
    ],
}


def test_the_alphabet_of_bytes():
    assert (ALPHABET[0x20], ALPHABET[0x0A], ALPHABET[0x09], ALPHABET[0]) == ("\u0120", "\u010a", "\u0109", "\u0100")
    vocab = load(tokenizer({ALPHABET[byte]: byte for byte in range(256)}, BYTE_LEVEL))
    assert tokens(vocab) == [bytes([byte]) for byte in range(256)]


def test_byte_level_pieces_and_pieces_outside_of_the_alphabet():
    words = [" the", "naïve", "\n\t", " 中"]
    pieces = [byte_level(word.encode()) for word in words]
    vocab = load(tokenizer({piece: i for i, piece in enumerate([*pieces, byte_level(b"\xe4\xb8"), "a b"])}, BYTE_LEVEL))
    assert tokens(vocab) == [*(word.encode() for word in words), b"\xe4\xb8", b"a b"]


def test_byte_fallback_and_stand_ins():
    pieces = ["<unk>", "<s>", "</s>", "<0x0A>", "<0xff>", "▁", "▁the", "a▁b", "é", "<0x0A>x", "<0xZZ>"]
    added = [(0, "<unk>", True), (1, "<s>", True), (2, "</s>", True)]
    vocab = load(tokenizer({piece: i for i, piece in enumerate(pieces)}, LLAMA, added, unk_token="<unk>"))
    assert tokens(vocab) == [b"", b"", b"", b"\n", b"\xff", b" ", b" the", b"a b", "é".encode(), b"<0x0A>x", b"<0xZZ>"]
    assert (vocab.special_tokens, vocab.end_token_ids) == ({"<unk>": 0, "<s>": 1, "</s>": 2}, [2])


def test_unigram_lists_with_metaspace():
    listed = [["<unk>", 0.0], ["▁a", -1.5], ["b", -2], ["<0x41>", -3]]
    metaspace = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always"}
    vocab = load(tokenizer(listed, metaspace, type="Unigram", unk_id=0))
    assert tokens(vocab) == [b"", b" a", b"b", b"<0x41>"]
    assert vocab.special_tokens == {"<unk>": 0}
    assert tokens(load(tokenizer(listed, metaspace, type="Unigram", unk_id=None, byte_fallback=True)))[3] == b"A"
    other = load(tokenizer([["_a", 0.0]], {"type": "Metaspace", "replacement": "_"}))
    assert tokens(other) == [b" a"]


def test_added_tokens_are_literal_unless_special():
    added = [(1, "Ġé <tool>", False), (3, "<|im_end|>", True), (9, "<|user|>", True)]
    vocab = load(tokenizer({"a": 0, "b": 1}, BYTE_LEVEL, added))
    assert tokens(vocab) == [b"a", "Ġé <tool>".encode(), b"", b""]
    assert vocab.special_tokens == {"<|im_end|>": 3, "<|user|>": 9}
    assert vocab.end_token_ids == [3]
    assert load(tokenizer({"a": 0}, BYTE_LEVEL, added), end_token_ids=[7]).end_token_ids == [7]
    named = load(tokenizer({"a": 0, "b": 1}, BYTE_LEVEL), special_tokens={"stop": 1})
    assert (tokens(named), named.special_tokens) == ([b"a", b""], {"stop": 1})


def test_the_spelling_without_a_decoder():
    vocab = {"Ġa": 0}
    before = {"type": "Sequence", "pretokenizers": [{"type": "Split"}, {"type": "ByteLevel"}]}
    assert tokens(load(tokenizer(vocab, None) | {"pre_tokenizer": before})) == [b" a"]
    assert tokens(load(tokenizer({"▁a": 0}, None) | {"pre_tokenizer": {"type": "Metaspace"}})) == [b" a"]
    assert tokens(load(tokenizer(vocab, None) | {"normalizer": {"type": "ByteLevel"}})) == [b" a"]
    with pytest.raises(GlrmaskError, match="no decoder"):
        load(tokenizer(vocab, None))


def test_a_vocabulary_that_shows_its_spelling_is_believed():
    letters = {ALPHABET[byte]: byte for byte in range(256)}
    assert tokens(load(tokenizer(letters | {"Ġa": 256}, LLAMA)))[256] == b" a"
    assert tokens(load(tokenizer(letters | {"Ġa": 256}, None)))[256] == b" a"
    fallback = {f"<0x{byte:02X}>": byte for byte in range(256)}
    assert tokens(load(tokenizer(fallback | {"▁Ġ": 256}, BYTE_LEVEL)))[10::246] == [b"\n", " Ġ".encode()]
    assert tokens(load(tokenizer(fallback | {"▁Ġ": 256}, {"type": "Metaspace"})))[10::246] == [b"\n", " Ġ".encode()]


@pytest.mark.parametrize(
    ("data", "match"),
    [
        ([], "the whole must be dict, not list"),
        ({}, "model must be dict"),
        ({"model": {}}, "model.vocab must be a dict or list"),
        (tokenizer({"a": 0, "b": 0}, BYTE_LEVEL), "one id to several"),
        (tokenizer({"a": "0"}, BYTE_LEVEL), "no integer"),
        (tokenizer({"a": 0.5}, BYTE_LEVEL), "no integer"),
        (tokenizer({"a": True}, BYTE_LEVEL), "no integer"),
        (tokenizer({"a": -1}, BYTE_LEVEL), "not from 0"),
        (tokenizer({"a": 1 << 24}, BYTE_LEVEL), "max_id"),
        (tokenizer([["a"]], BYTE_LEVEL), "pair"),
        (tokenizer([3], BYTE_LEVEL), "pair"),
        (tokenizer([[3, 0.5]], BYTE_LEVEL), "no text"),
        (tokenizer({"\ud800": 0}, LLAMA), "not Unicode"),
        (tokenizer({}, BYTE_LEVEL) | {"added_tokens": 3}, "added_tokens must be list"),
        (tokenizer({}, BYTE_LEVEL) | {"added_tokens": [3]}, "an added token must be dict"),
        (tokenizer({}, BYTE_LEVEL) | {"added_tokens": [{"id": "1", "content": "a"}]}, "integer id"),
        (tokenizer({}, "ByteLevel"), "decoder must be dict"),
        (tokenizer({}, {"type": "Sequence", "decoders": {}}), "decoder.decoders must be list"),
        (tokenizer({}, {"type": "WordPiece", "prefix": "##"}), "WordPiece.*not supported"),
        (tokenizer({}, {"type": "BPEDecoder", "suffix": "</w>"}), "BPEDecoder.*not supported"),
        (tokenizer({}, {"type": "Strip", "content": " ", "start": 1}), "Strip.*not supported"),
        (tokenizer({}, {"type": "Replace", "pattern": {"Regex": "a"}, "content": ""}), "Replace.*not supported"),
        (tokenizer({}, {"type": "Replace", "pattern": {"String": "a"}}), "content of Replace"),
        (tokenizer({}, {"type": "Replace", "pattern": {"String": ""}, "content": ""}), "across tokens"),
        (tokenizer({}, BYTE_LEVEL, end_of_word_suffix="</w>"), "end_of_word_suffix is not supported"),
    ],
)
def test_malformed_and_unsupported_tokenizers(data, match):
    with pytest.raises(GlrmaskError, match=match):
        Vocab.from_tokenizer_json(json.dumps(data).encode())


def test_texts_that_are_no_json():
    for text in (b"", b"{", b"\xff", b'{"a":' * 100_000):
        with pytest.raises(GlrmaskError, match="not JSON"):
            Vocab.from_tokenizer_json(text)


def test_files_with_other_values_anywhere_are_errors_or_vocabularies():
    rng = random.Random(1)
    added = [(1, "<s>", True), (9, "<tool>", False)]
    whole = tokenizer({"▁a": 0, "b": 2}, LLAMA, added, unk_token="b", byte_fallback=True)
    listed = tokenizer([["a", 0.5], ["▁b", -1]], {"type": "Metaspace", "replacement": "▁"}, added, unk_id=1)
    for _ in range(2000):
        data = json.loads(json.dumps(rng.choice((whole, listed))))
        for _ in range(rng.randrange(1, 3)):
            change(data, rng)
        try:
            load(data)
        except GlrmaskError:
            continue


VALUES = [None, True, 0, -1, 1.5, 2**70, "", "a", "Sequence", [], {}, [[]], {"type": "Replace"}, {"type": "Sequence"}]


def change(node, rng):
    """Puts another value somewhere into a JSON value, or takes one out."""
    while True:
        keys = list(node) if isinstance(node, dict) else range(len(node))
        if not keys:
            return
        key = rng.choice(keys)
        if not isinstance(node[key], dict | list) or rng.random() < 0.3:
            break
        node = node[key]
    if rng.random() < 0.2:
        del node[key]
    else:
        node[key] = rng.choice(VALUES)


def test_long_replacements_do_not_reach_across_tokens():
    step = {"type": "Replace", "pattern": {"String": "ab"}, "content": "c"}
    assert tokens(load(tokenizer({"xaby": 0}, step))) == [b"xcy"]
    with pytest.raises(GlrmaskError, match="across tokens"):
        load(tokenizer({"xaby": 0}, {"type": "Sequence", "decoders": [{"type": "Fuse"}, step]}))


def test_limits(tmp_path, monkeypatch):
    with pytest.raises(LimitError, match="commas") as caught:
        Vocab.from_tokenizer_json(b"{" + b"," * (content.MAX_COMMAS + 1))
    assert (caught.value.given, caught.value.limit) == (content.MAX_COMMAS + 1, content.MAX_COMMAS)
    monkeypatch.setattr("glrmask.loaders.tokenizers.MAX_JSON", 10)
    path = tmp_path / "tokenizer.json"
    path.write_bytes(b" " * 11)
    for source in (path, b" " * 11, "{" * 11):
        with pytest.raises(LimitError, match="limit") as caught:
            Vocab.from_tokenizer_json(source)
        assert caught.value.limit == 10


def test_paths_folders_and_what_files_beside_tell(tmp_path):
    path = tmp_path / "tokenizer.json"
    added = [(1, "<bye>", True), (2, "<ciao>", True)]
    path.write_text(json.dumps(tokenizer({"Ġa": 0, "b": 3}, BYTE_LEVEL, added)), encoding="utf-8")
    for source in (path, str(path), tmp_path):
        vocab = Vocab.from_tokenizer_json(source)
        assert (tokens(vocab), vocab.end_token_ids) == ([b" a", b"", b"", b"b"], [])
    config = tmp_path / "tokenizer_config.json"
    config.write_text('{"eos_token": {"content": "<bye>"}}', encoding="utf-8")
    assert Vocab.from_tokenizer_json(path).end_token_ids == [1]
    config.write_text('{"eos_token": "b"}', encoding="utf-8")
    assert Vocab.from_tokenizer_json(path).end_token_ids == [3]
    generation = tmp_path / "generation_config.json"
    generation.write_text('{"eos_token_id": [2, 3, "x"]}', encoding="utf-8")
    assert Vocab.from_tokenizer_json(tmp_path).end_token_ids == [2, 3]
    generation.write_text('{"eos_token_id": 2}', encoding="utf-8")
    assert Vocab.from_tokenizer_json(tmp_path).end_token_ids == [2, 3]
    generation.write_text("{", encoding="utf-8")
    with pytest.raises(GlrmaskError, match=r"generation_config.json is not JSON"):
        Vocab.from_tokenizer_json(path)
    with pytest.raises(FileNotFoundError):
        Vocab.from_tokenizer_json(tmp_path / "nothing")
    with pytest.raises(TypeError, match="must be"):
        Vocab.from_tokenizer_json(3)


class Backend:
    """Has what a `tokenizers.Tokenizer` has, as far as the loader looks."""

    def __init__(self, data):
        self.text = json.dumps(data)

    def to_str(self):
        return self.text


class Fast:
    """Has what a fast tokenizer of transformers has."""

    def __init__(self, data, end):
        self.backend_tokenizer = Backend(data)
        self.eos_token_id = end


def test_huggingface_tokenizers():
    data = tokenizer({"Ġa": 0, "b": 1}, BYTE_LEVEL, [(2, "<|im_end|>", True)])
    vocab = Vocab.from_huggingface(Fast(data, 1))
    assert (tokens(vocab), vocab.end_token_ids) == ([b" a", b"b", b""], [1, 2])
    assert Vocab.from_huggingface(Fast(data, [2, 1])).end_token_ids == [2, 1]
    assert Vocab.from_huggingface(Fast(data, None)).end_token_ids == [2]
    assert Vocab.from_huggingface(Backend(data)) == vocab
    assert Vocab.from_huggingface(Fast(data, 1), end_token_ids=[0]).end_token_ids == [0]
    with pytest.raises(TypeError, match="must be one of transformers or tokenizers, not int"):
        Vocab.from_huggingface(3)
    with pytest.raises(TypeError, match="special_tokens must be a dict"):
        Vocab.from_huggingface(Fast(data, 1), special_tokens=["a"])


class Slow:
    """Has what a tokenizer of transformers in Python has."""

    eos_token_id = 1

    def __init__(self, vocab, special=(), added=()):
        self.vocab, self.added_tokens_decoder = vocab, dict(added)
        self.all_special_tokens, self.all_special_ids = [name for name, _ in special], [i for _, i in special]

    def get_vocab(self):
        return self.vocab


def test_tokenizers_that_list_their_vocabulary():
    letters = {ALPHABET[byte]: byte for byte in range(256)}
    special = [("<end>", 257)]
    vocab = Vocab.from_huggingface(Slow(letters | {"Ġa": 256, "<end>": 257, "<é>": 258}, special, {258: "<é>"}))
    assert tokens(vocab)[255:] == [b"\xff", b" a", b"", "<é>".encode()]
    assert (vocab.special_tokens, vocab.end_token_ids) == ({"<end>": 257}, [1])
    assert tokens(Vocab.from_huggingface(Slow({"▁a": 0, "b": 1}))) == [b" a", b"b"]
    assert tokens(Vocab.from_huggingface(Slow({b"\xff": 0, b"b": 1, "<end>": 2}, [("<end>", 2)]))) == [
        b"\xff",
        b"b",
        b"",
    ]
    with pytest.raises(GlrmaskError, match="does not show"):
        Vocab.from_huggingface(Slow({"a": 0, "##b": 1}))
    with pytest.raises(GlrmaskError, match="one id to several"):
        Vocab.from_huggingface(Slow({"▁a": 0, "b": 0}))


def test_tokenizers_of_mistral_common_are_read_from_their_file(tmp_path):
    path = tmp_path / "tekken.json"
    vocab = [{"rank": 0, "token_bytes": "/w=="}, {"rank": 1, "token_bytes": "YQ=="}]
    config = {"default_num_special_tokens": 3, "default_vocab_size": 5}
    path.write_text(json.dumps({"config": config, "vocab": vocab}), encoding="utf-8")
    inner = SimpleNamespace(instruct_tokenizer=SimpleNamespace(tokenizer=SimpleNamespace(file_path=path)))
    for source in (inner, SimpleNamespace(tokenizer=inner, eos_token_id=1, get_vocab=dict)):
        loaded = Vocab.from_huggingface(source)
        assert tokens(loaded) == [b"", b"", b"", b"\xff", b"a"]
        assert loaded.end_token_ids == ([1, 2] if source is not inner else [2])


def test_a_real_tokenizer_of_tokenizers():
    tokenizers = pytest.importorskip("tokenizers")
    real = tokenizers.Tokenizer(tokenizers.models.BPE({ALPHABET[b]: b for b in range(256)} | {"Ġa": 256}, [("Ġ", "a")]))
    real.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    real.decoder = tokenizers.decoders.ByteLevel()
    real.add_special_tokens(["<|im_end|>"])
    real.add_tokens(["<tool>"])
    vocab = Vocab.from_huggingface(real)
    text = "café a <tool>\n中"
    assert b"".join(vocab.token_bytes(i) for i in real.encode(text).ids) == text.encode()
    assert (vocab.special_tokens, vocab.end_token_ids) == ({"<|im_end|>": 257}, [257])
