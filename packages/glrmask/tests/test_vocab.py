"""Vocabularies: ids and bytes both ways, loaders, refusals."""

import base64
import inspect
import json
import os
from importlib import metadata
from pathlib import Path

import glrmask
import numpy as np
import pytest
from glrmask import GlrmaskError, LimitError, Vocab


def test_ids_and_bytes():
    vocab = Vocab.from_id_to_bytes({0: b"a", 7: b"\xff", 3: b"", 9: b"a"})
    assert (len(vocab), vocab.max_id) == (4, 9)
    assert [vocab.token_bytes(i) for i in (0, 3, 7, 9)] == [b"a", b"", b"\xff", b"a"]
    assert 3 in vocab
    assert 4 not in vocab
    assert -1 not in vocab
    assert (vocab.special_tokens, vocab.end_token_ids) == ({}, [])
    assert repr(vocab) == "<glrmask.Vocab: 4 tokens, ids up to 9>"


def test_an_empty_vocabulary():
    vocab = Vocab.from_dict({})
    assert (len(vocab), vocab.max_id, repr(vocab)) == (0, None, "<glrmask.Vocab: no tokens>")


def test_text_keys_are_utf_8_and_byte_keys_verbatim():
    vocab = Vocab.from_dict({"é": 0, b"\xc3": 1, "": 2})
    assert [vocab.token_bytes(i) for i in range(3)] == [b"\xc3\xa9", b"\xc3", b""]


def test_numbers_of_other_types_are_ids():
    vocab = Vocab.from_dict({"a": np.int64(5)})
    assert vocab.token_bytes(np.uint8(5)) == b"a"


def test_an_id_twice_is_refused():
    with pytest.raises(GlrmaskError, match="id 1 is declared twice"):
        Vocab.from_dict({"a": 1, "b": 1})


@pytest.mark.parametrize("bad", [-1, 2**32, 2**70])
def test_ids_fit_32_bits(bad):
    with pytest.raises(GlrmaskError, match="not from 0 to 4294967295"):
        Vocab.from_id_to_bytes({bad: b"a"})


def test_large_ids_need_permission():
    with pytest.raises(GlrmaskError, match=r"16777216 is above the limit of 16777215; raise `max_id`"):
        Vocab.from_id_to_bytes({1 << 24: b"a"})
    assert Vocab.from_id_to_bytes({1 << 24: b"a"}, max_id=1 << 24).max_id == 1 << 24
    with pytest.raises(GlrmaskError):
        Vocab.from_dict({"a": 11}, max_id=10)
    with pytest.raises(LimitError, match="16777216 is above the limit of 16777215") as caught:
        Vocab.from_id_to_bytes({1 << 24: b"a"})
    assert (caught.value.given, caught.value.limit) == (1 << 24, (1 << 24) - 1)
    for bad in (-1, 1 << 32, 1 << 70):
        with pytest.raises(ValueError, match=f"max_id must be from 0 to 4294967295, not {bad}"):
            Vocab.from_dict({"a": 1}, max_id=bad)
    with pytest.raises(TypeError, match="max_id must be int"):
        Vocab.from_dict({"a": 1}, max_id=1.5)


@pytest.mark.parametrize(
    ("make", "argument"),
    [
        (Vocab.from_id_to_bytes, {0: "a"}),
        (Vocab.from_id_to_bytes, {"0": b"a"}),
        (Vocab.from_id_to_bytes, [(0, b"a")]),
        (Vocab.from_id_to_bytes, {1.0: b"a"}),
        (Vocab.from_dict, {0: 0}),
        (Vocab.from_dict, {"a": None}),
        (Vocab.from_dict, ["a"]),
        (Vocab.from_tiktoken, 3),
        (Vocab.from_tekken, 3),
    ],
)
def test_wrong_types_are_type_errors(make, argument):
    with pytest.raises(TypeError, match="must be"):
        make(argument)


def test_every_constructor_has_the_same_keywords(tmp_path):
    path = tmp_path / "ranks"
    path.write_text("YQ== 0\n")
    makers = [name for name in dir(Vocab) if name.startswith("from_")]
    assert len(makers) == 9
    for name in makers:
        parameters = list(inspect.signature(getattr(Vocab, name)).parameters.values())
        keywords = [p.name for p in parameters if p.kind == p.KEYWORD_ONLY and p.default is None]
        assert keywords == ["special_tokens", "end_token_ids", "max_id"] and len(parameters) == 4, name
        with pytest.raises(TypeError, match="max_ids"):
            getattr(Vocab, name)({}, max_ids=3)
    vocab = Vocab.from_tiktoken(path, special_tokens={"<x>": 3}, end_token_ids=[3], max_id=3)
    assert (vocab.special_tokens, vocab.end_token_ids, vocab.max_id) == ({"<x>": 3}, [3], 3)
    assert Vocab.from_dict({"a": 1}, special_tokens=None, end_token_ids=None, max_id=None).max_id == 1
    with pytest.raises(LimitError):
        Vocab.from_tiktoken(path, special_tokens={"<x>": 3}, max_id=2)


def test_lone_surrogates_are_not_text():
    with pytest.raises(GlrmaskError, match="not Unicode"):
        Vocab.from_dict({"\ud800": 0})


def test_names_and_end_tokens_are_kept():
    vocab = Vocab.from_dict({"a": 0}, special_tokens={"<pad>": 4, "</s>": 2}, end_token_ids=(2, 3))
    assert (vocab.special_tokens, vocab.end_token_ids) == ({"<pad>": 4, "</s>": 2}, [2, 3])
    assert len(vocab) == 1
    with pytest.raises(TypeError):
        Vocab.from_dict({}, special_tokens=[("a", 1)])
    with pytest.raises(GlrmaskError, match="not Unicode"):
        Vocab.from_dict({}, special_tokens={"\ud800": 1})
    with pytest.raises(TypeError):
        Vocab.from_dict({}, end_token_ids=3)


def test_unknown_ids_have_no_bytes():
    vocab = Vocab.from_dict({"a": 0})
    for bad in (1, -1, 2**40):
        with pytest.raises(GlrmaskError, match=f"unknown token id {bad}") as caught:
            vocab.token_bytes(bad)
        assert caught.value.token_id == bad
    with pytest.raises(TypeError):
        vocab.token_bytes("a")


def test_equality_is_that_of_the_mapping():
    vocab = Vocab.from_dict({"a": 0, "b": 1})
    same = Vocab.from_id_to_bytes({1: b"b", 0: b"a"}, end_token_ids=[0])
    assert vocab == same
    assert hash(vocab) == hash(same)
    assert vocab != Vocab.from_dict({"a": 0, "b": 2})
    assert vocab != "vocab"


def write_ranks(path: Path, tokens: dict[bytes, int]) -> Path:
    path.write_bytes(b"".join(base64.b64encode(t) + b" %d\n" % i for t, i in tokens.items()) + b"\n")
    return path


def test_tiktoken_rank_files(tmp_path):
    path = write_ranks(tmp_path / "x.tiktoken", {b"a": 0, b"\xff\x00": 1})
    vocab = Vocab.from_tiktoken(path, special_tokens={"<|endoftext|>": 5})
    assert [vocab.token_bytes(i) for i in (0, 1, 5)] == [b"a", b"\xff\x00", b""]
    assert (vocab.special_tokens, vocab.end_token_ids) == ({"<|endoftext|>": 5}, [5])
    assert Vocab.from_tiktoken(str(path)) == Vocab.from_dict({"a": 0, b"\xff\x00": 1})
    assert Vocab.from_tiktoken(os.fspath(path), end_token_ids=[9]).end_token_ids == [9]


@pytest.mark.parametrize("text", ["YQ==", "YQ== x", "Y 0", "YQ== 0 1", "YQ== 0\nYg== 0"])
def test_malformed_rank_files(tmp_path, text):
    path = tmp_path / "x.tiktoken"
    path.write_text(text, encoding="ascii")
    with pytest.raises(GlrmaskError, match="line") as caught:
        Vocab.from_tiktoken(path)
    assert caught.value.line == text.count("\n") + 1
    with pytest.raises(FileNotFoundError):
        Vocab.from_tiktoken(tmp_path / "nothing")


class FakeEncoding:
    """Has what a `tiktoken.Encoding` has, as far as the loader looks."""

    def __init__(self):
        self._mergeable_ranks = {b"a": 0, b"b": 1}
        self._special_tokens = {"<|endoftext|>": 2, "<|fim|>": 3}


def test_tiktoken_encodings():
    vocab = Vocab.from_tiktoken(FakeEncoding(), special_tokens={"<|more|>": 9})
    assert [vocab.token_bytes(i) for i in (0, 1, 2, 3, 9)] == [b"a", b"b", b"", b"", b""]
    assert (vocab.special_tokens, vocab.end_token_ids) == ({"<|endoftext|>": 2, "<|fim|>": 3, "<|more|>": 9}, [2])


def test_a_real_tiktoken_encoding():
    tiktoken = pytest.importorskip("tiktoken")
    encoding = tiktoken.Encoding(
        "tiny", pat_str=".", mergeable_ranks={bytes([i]): i for i in range(256)}, special_tokens={"<|endoftext|>": 256}
    )
    vocab = Vocab.from_tiktoken(encoding)
    assert len(vocab) == 257
    assert all(vocab.token_bytes(i) == encoding.decode_single_token_bytes(i) for i in range(256))
    assert vocab.end_token_ids == [encoding.eot_token]


def tekken(**changes):
    """A file of the tokens a to e after four special ones, cut off after c."""
    tokens = [base64.b64encode(token.encode()).decode() for token in "abcde"]
    vocab = [{"rank": rank, "token_bytes": token} for rank, token in enumerate(tokens)]
    return {"config": {"default_num_special_tokens": 4, "default_vocab_size": 7}, "vocab": vocab} | changes


def test_tekken_files(tmp_path):
    path = tmp_path / "tekken.json"
    path.write_text(json.dumps(tekken()), encoding="utf-8")
    vocab = Vocab.from_tekken(path)
    assert [vocab.token_bytes(i) for i in range(7)] == [b"", b"", b"", b"", b"a", b"b", b"c"]
    assert (vocab.max_id, vocab.special_tokens["</s>"], vocab.end_token_ids) == (6, 2, [2])


def test_tekken_files_that_list_their_special_tokens(tmp_path):
    path = tmp_path / "tekken.json"
    listed = [{"rank": 0, "token_str": "<a>", "is_control": True}, {"rank": 3, "token_str": "</s>", "is_control": True}]
    path.write_text(json.dumps(tekken(special_tokens=listed)), encoding="utf-8")
    vocab = Vocab.from_tekken(path)
    assert (vocab.special_tokens, vocab.end_token_ids) == ({"<a>": 0, "</s>": 3}, [3])


def ranked(*ranks):
    return json.dumps(tekken(vocab=[{"rank": rank, "token_bytes": "YQ=="} for rank in ranks]))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"config": {}, "vocab": []}',
        json.dumps(tekken(vocab=[{"rank": 0}])),
        ranked(1.7),
        ranked(1.0),
        ranked("1"),
        ranked(True),
        ranked(0, 1, 0),
        json.dumps(tekken(special_tokens=[{"rank": 1, "token_str": name} for name in ("<a>", "<b>")])),
        json.dumps(tekken(special_tokens=[{"rank": 0.5, "token_str": "<a>"}])),
        json.dumps(tekken(config={"default_num_special_tokens": 4.5, "default_vocab_size": 7})),
    ],
)
def test_malformed_tekken_files(tmp_path, text):
    path = tmp_path / "tekken.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(GlrmaskError, match="not a tekken file|not JSON"):
        Vocab.from_tekken(path)
    with pytest.raises(FileNotFoundError):
        Vocab.from_tekken(tmp_path / "nothing")


def test_there_is_no_public_constructor():
    with pytest.raises(TypeError):
        glrmask.Vocab()


def test_the_version_is_that_of_the_distribution():
    assert glrmask.__version__ == metadata.version("glrmask")
