"""`Vocab.from_gguf`, over files that are written here byte by byte."""

import random
import struct

import pytest
from glrmask import GlrmaskError, LimitError, Vocab

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)
U8, U32, I32, F32, BOOL, STRING, ARRAY, U64 = 0, 4, 5, 6, 7, 8, 9, 10
CODES = {U8: "B", U32: "I", I32: "i", F32: "f", BOOL: "?", U64: "Q"}


def string(text, order="<"):
    data = text.encode() if isinstance(text, str) else text
    return struct.pack(order + "Q", len(data)) + data


def value(kind, content, order="<"):
    if kind == STRING:
        return string(content, order)
    return struct.pack(order + CODES[kind], content)


def array(kind, items, order="<"):
    return struct.pack(order + "IQ", kind, len(items)) + b"".join(value(kind, item, order) for item in items)


def gguf(entries, version=3, order="<", magic=b"GGUF"):
    """A file with these entries: key → (type, value), arrays as (ARRAY, type, values)."""
    data = magic + struct.pack(order + "IQQ", version, 0, len(entries))
    for key, (kind, *content) in entries.items():
        body = array(*content, order) if kind == ARRAY else value(kind, *content, order)
        data += string(key, order) + struct.pack(order + "I", kind) + body
    return data


def model(name, tokens, types=None, **others):
    entries = {
        "general.architecture": (STRING, "llama"),
        "general.alignment": (U32, 32),
        "tokenizer.ggml.model": (STRING, name),
        "tokenizer.ggml.tokens": (ARRAY, STRING, tokens),
        "tokenizer.ggml.scores": (ARRAY, F32, [0.5] * len(tokens)),
        "tokenizer.ggml.merges": (ARRAY, STRING, ["a b", "c d"]),
        "tokenizer.ggml.add_bos_token": (BOOL, True),
    }
    if types:
        entries["tokenizer.ggml.token_type"] = (ARRAY, I32, types)
    return entries | {f"tokenizer.ggml.{key}": (U32, token_id) for key, token_id in others.items()}


@pytest.fixture
def load(tmp_path):
    def loader(data, **options):
        path = tmp_path / "model.gguf"
        path.write_bytes(data)
        return Vocab.from_gguf(path, **options)

    return loader


def tokens(vocab):
    return [vocab.token_bytes(i) for i in range(len(vocab))]


SPM_TOKENS = ["<unk>", "<s>", "</s>", "<0x0A>", "▁the", "▁<x>", "<0x0A>", "unused", "<|eot|>"]
SPM_TYPES = [UNKNOWN, CONTROL, CONTROL, BYTE, NORMAL, USER_DEFINED, NORMAL, UNUSED, CONTROL]
SPM_BYTES = [b"", b"", b"", b"\n", b" the", "▁<x>".encode(), b"<0x0A>", b"", b""]


def test_a_sentencepiece_model(load):
    vocab = load(gguf(model("llama", SPM_TOKENS, SPM_TYPES, eos_token_id=2, eot_token_id=1)))
    assert tokens(vocab) == SPM_BYTES
    assert vocab.special_tokens == {"<unk>": 0, "<s>": 1, "</s>": 2, "<|eot|>": 8}
    assert vocab.end_token_ids == [2, 1, 8]


def test_versions_and_byte_orders(load):
    entries = model("llama", SPM_TOKENS, SPM_TYPES, eos_token_id=2)
    for version, order in [(2, "<"), (3, "<"), (3, ">")]:
        assert tokens(load(gguf(entries, version, order))) == SPM_BYTES


def test_byte_level_models(load):
    vocab = load(gguf(model("gpt2", ["Ġa", "é", "Ġé <x>", "<|x|>"], [NORMAL, NORMAL, USER_DEFINED, CONTROL])))
    assert tokens(vocab) == [b" a", b"\xe9", "Ġé <x>".encode(), b""]
    assert tokens(load(gguf(model("gpt2", ["Ġa"])))) == [b" a"]


def test_other_models(load):
    for name in ("t5", "gemma4"):
        assert tokens(load(gguf(model(name, ["▁a", "<0x41>"], [NORMAL, BYTE])))) == [b" a", b"A"]
    assert tokens(load(gguf(model("llama", ["▁a", "<0x41>"])))) == [b" a", b"A"]
    pieces = [f"<0x{byte:02X}>" for byte in range(256)]
    assert tokens(load(gguf(model("gpt2", [*pieces, "▁a"], [BYTE] * 256 + [NORMAL]))))[255:] == [b"\xff", b" a"]


@pytest.mark.parametrize("name", ["bert", "rwkv", "plamo2", "none"])
def test_unsupported_models(load, name):
    with pytest.raises(GlrmaskError, match=f"'{name}', which is not supported"):
        load(gguf(model(name, ["a"])))


def with_entry(key, *entry):
    return gguf(model("llama", ["a", "b"]) | {f"tokenizer.ggml.{key}": entry})


HEADER = b"GGUF" + struct.pack("<IQQ", 3, 0, 1)


@pytest.mark.parametrize(
    ("data", "match"),
    [
        (b"", "ends at byte 0"),
        (b"GGU", "ends at byte 3"),
        (gguf({}, magic=b"GGML"), "begin with GGUF"),
        (gguf({}, version=1), "version"),
        (gguf({}, version=4), "version"),
        (gguf({}), "has no tokenizer"),
        (gguf({"tokenizer.ggml.model": (STRING, "llama")}), "has no tokenizer"),
        (with_entry("tokens", STRING, "a"), "has no tokenizer"),
        (with_entry("tokens", ARRAY, I32, [1, 2]), "has no tokenizer"),
        (with_entry("model", U32, 1), "has no tokenizer"),
        (with_entry("token_type", ARRAY, I32, [1]), "not as many"),
        (with_entry("token_type", U32, 1), "not as many"),
        (with_entry("token_type", ARRAY, I32, [1, BYTE]), "'b' is not a byte"),
        (with_entry("tokens", ARRAY, STRING, [b"\xff", b"b"]), "not Unicode"),
        (HEADER + string("k") + struct.pack("<I", 13), "type 13 .* is unknown"),
        (HEADER + string("k") + struct.pack("<IIQ", ARRAY, ARRAY, 1), "array of type 9"),
        (HEADER + string("k") + struct.pack("<I", STRING) + b"\4\0\0\0\0\0\0\0abc", "it ends at byte"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 2**64 - 1), "entries, the limit is"),
    ],
)
def test_malformed_files(load, data, match):
    with pytest.raises(GlrmaskError, match=match):
        load(data)


def test_a_key_twice(load):
    entry = string("tokenizer.ggml.model") + struct.pack("<I", STRING) + string("llama")
    with pytest.raises(GlrmaskError, match="twice"):
        load(b"GGUF" + struct.pack("<IQQ", 3, 0, 2) + entry * 2)


@pytest.mark.parametrize("length", [2**40, 2**64 - 1])
@pytest.mark.parametrize("kind", [struct.pack("<I", STRING), struct.pack("<II", ARRAY, U64)])
def test_lengths_beyond_the_file_allocate_nothing(load, kind, length):
    with pytest.raises(LimitError, match="the limit is"):
        load(HEADER + string("k") + kind + struct.pack("<Q", length))


def test_too_many_tokens(load):
    tokens = struct.pack("<IIQ", ARRAY, STRING, 2**21 + 1)
    with pytest.raises(LimitError, match="2097153 tokens, the limit is 2097152"):
        load(HEADER + string("tokenizer.ggml.tokens") + tokens)


def test_too_many_strings_of_other_keys(load):
    with pytest.raises(LimitError, match="8000000 other strings, the limit is 2097152"):
        load(
            HEADER + string("tokenizer.ggml.merges") + struct.pack("<IIQ", ARRAY, STRING, 8_000_000) + bytes(64_000_000)
        )
    some = struct.pack("<IIQ", ARRAY, STRING, 2**21 - 1) + bytes(8 * (2**21 - 1))
    two = struct.pack("<IIQ", ARRAY, STRING, 2) + bytes(16)
    with pytest.raises(LimitError, match="2097153 other strings"):
        load(b"GGUF" + struct.pack("<IQQ", 3, 0, 2) + string("a") + some + string("b") + two)


def test_too_many_entries(load):
    data = b"GGUF" + struct.pack("<IQQ", 3, 0, 2**16 + 1)
    with pytest.raises(LimitError, match="65537 entries, the limit is 65536"):
        load(data)


def test_files_that_are_cut_or_damaged_are_errors_or_vocabularies(load):
    data, rng = gguf(model("llama", SPM_TOKENS, SPM_TYPES, eos_token_id=2)), random.Random(1)
    for _ in range(1000):
        damaged = bytearray(data[: rng.randrange(len(data) + 1)])
        for _ in range(rng.randrange(3) if damaged else 0):
            damaged[rng.randrange(len(damaged))] = rng.randrange(256)
        try:
            load(bytes(damaged))
        except GlrmaskError:
            continue


def test_arguments(tmp_path):
    with pytest.raises(FileNotFoundError):
        Vocab.from_gguf(tmp_path / "nothing")
    with pytest.raises(TypeError, match="path must be str or os.PathLike, not bytes"):
        Vocab.from_gguf(b"GGUF")
