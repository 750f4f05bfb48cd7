"""`Vocab.from_sentencepiece`, over messages that are written here byte by byte."""

import random

import pytest
from glrmask import GlrmaskError, LimitError, Vocab

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)


def varint(number):
    low = []
    while number > 0x7F:
        low.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*low, number])


def delimited(field, data):
    return varint(field << 3 | 2) + varint(len(data)) + data


def piece(text, kind=None):
    """A piece with a score; the type is left out where it is the default."""
    data = delimited(1, text.encode()) + varint(2 << 3 | 5) + b"\0\0\x80\xbf"
    return delimited(1, data + (varint(3 << 3) + varint(kind) if kind else b""))


PIECES = [
    piece("<unk>", UNKNOWN),
    piece("<s>", CONTROL),
    piece("</s>", CONTROL),
    piece("<0x0A>", BYTE),
    piece("▁the"),
    piece("▁▁", USER_DEFINED),
    piece("<0x0A>", NORMAL),
    piece("é" * 100, NORMAL),
    piece("x", UNUSED),
]
BYTES = [b"", b"", b"", b"\n", b" the", b"  ", b"<0x0A>", "é".encode() * 100, b""]
NORMALIZER = delimited(3, b"\x0a\x08identity" + varint(9 << 3 | 1) + bytes(8))


def tokens(vocab):
    return [vocab.token_bytes(i) for i in range(len(vocab))]


def test_pieces_of_every_type():
    vocab = Vocab.from_sentencepiece(b"".join(PIECES) + NORMALIZER)
    assert tokens(vocab) == BYTES
    assert (vocab.special_tokens, vocab.end_token_ids) == ({"<unk>": 0, "<s>": 1, "</s>": 2}, [2])


def test_the_trainer_names_the_end():
    pieces = [piece("<unk>", UNKNOWN), piece("fin", CONTROL), piece("<eos>", NORMAL)]
    assert Vocab.from_sentencepiece(b"".join(pieces)).end_token_ids == []
    trainer = delimited(2, varint(4 << 3) + varint(3) + delimited(47, b"fin"))
    for data in (trainer + b"".join(pieces), b"".join(pieces) + trainer):
        assert Vocab.from_sentencepiece(data).end_token_ids == [1]
    normal = delimited(2, delimited(47, b"<eos>"))
    assert Vocab.from_sentencepiece(normal + b"".join(pieces)).end_token_ids == []


class Processor:
    """Has what a `sentencepiece.SentencePieceProcessor` has, as far as the loader looks."""

    def serialized_model_proto(self):
        return b"".join(PIECES)


def test_paths_and_processors(tmp_path):
    path = tmp_path / "tokenizer.model"
    path.write_bytes(b"".join(PIECES))
    for source in (path, str(path), Processor()):
        assert tokens(Vocab.from_sentencepiece(source)) == BYTES
    with pytest.raises(FileNotFoundError):
        Vocab.from_sentencepiece(tmp_path / "nothing")
    with pytest.raises(TypeError, match="must be a path, bytes or a SentencePieceProcessor, not int"):
        Vocab.from_sentencepiece(3)


@pytest.mark.parametrize(
    ("data", "match"),
    [
        (b"", "no pieces"),
        (NORMALIZER, "no pieces"),
        (b"\x0a", "out of range"),
        (b"\x0a\x05abc", "ends at byte"),
        (b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "more than 10 bytes"),
        (b"\x0b", "wire type 3"),
        (b"\x0f", "wire type 7"),
        (delimited(1, b"\x0a\x05abc"), "ends at byte"),
        (delimited(1, delimited(1, b"\xff")), "decode"),
        (piece("<0x0>", BYTE), "not a byte"),
        (piece("ab", BYTE), "not a byte"),
    ],
)
def test_malformed_models(data, match):
    with pytest.raises(GlrmaskError, match=match):
        Vocab.from_sentencepiece(data)


def test_models_that_are_cut_or_damaged_are_errors_or_vocabularies():
    data, rng = b"".join(PIECES) + NORMALIZER, random.Random(1)
    for _ in range(2000):
        damaged = bytearray(data[: rng.randrange(len(data))])
        for _ in range(rng.randrange(3) if damaged else 0):
            damaged[rng.randrange(len(damaged))] = rng.randrange(256)
        try:
            Vocab.from_sentencepiece(bytes(damaged))
        except GlrmaskError:
            continue


def test_limits(tmp_path, monkeypatch):
    path = tmp_path / "tokenizer.model"
    path.write_bytes(b"".join(PIECES))
    monkeypatch.setattr("glrmask.loaders.spm.MAX_FIELDS", 30)
    with pytest.raises(LimitError, match="more than 30 fields"):
        Vocab.from_sentencepiece(path)
    monkeypatch.setattr("glrmask.loaders.content.MAX_TOKENS", 3)
    with pytest.raises(LimitError, match="4 tokens, the limit is 3"):
        Vocab.from_sentencepiece(path)
    monkeypatch.setattr("glrmask.loaders.spm.MAX_MODEL_FILE", 10)
    with pytest.raises(LimitError, match="more than 10 bytes"):
        Vocab.from_sentencepiece(path)


def test_a_real_processor():
    sentencepiece = pytest.importorskip("sentencepiece")
    falls_back = varint(3 << 3) + b"\2" + varint(35 << 3) + b"\1"
    named = [
        piece("<unk>", UNKNOWN),
        piece("<s>", CONTROL),
        piece("</s>", CONTROL),
        piece("▁a"),
        piece("▁"),
        piece("a"),
    ]
    data = b"".join([*named, *(piece(f"<0x{byte:02X}>", BYTE) for byte in range(256))]) + delimited(2, falls_back)
    processor = sentencepiece.SentencePieceProcessor(model_proto=data)
    vocab = Vocab.from_sentencepiece(processor)
    assert b"".join(vocab.token_bytes(i) for i in processor.encode("a aé中")) == " a aé中".encode()
    assert tokens(vocab)[6:] == [bytes([byte]) for byte in range(256)]
    assert vocab.end_token_ids == [processor.eos_id()]
