"""`Vocab.from_llama_cpp`, over a library in place of llama.cpp: C functions with its signatures and its buffers."""

import ctypes
import sys
from types import SimpleNamespace

import pytest
from glrmask import GlrmaskError, LimitError, Vocab

UNKNOWN, UNUSED, NORMAL, CONTROL, USER_DEFINED, BYTE = (1 << bit for bit in range(6))

TOKENS = [
    (b"<unk>", UNKNOWN, b""),
    (b"<s>", CONTROL, b""),
    (b"</s>", CONTROL, b""),
    ("▁the".encode(), NORMAL, b" the"),
    (b"<0x00>", BYTE, b"\0"),
    (b"<0xFF>", BYTE, b"\xff"),
    (b"<tool>", USER_DEFINED, b"<tool>"),
    (b"unused", UNUSED, b"unused"),
    (b"long", NORMAL, b"0123456789" * 100),
    (b"<|im_end|>", NORMAL, b"<|im_end|>"),
    (b"empty", NORMAL, b""),
    (b"odd\xff", CONTROL, b""),
]
ENDS = [2, 9]
BYTES = [b"", b"", b"", b" the", b"\0", b"\xff", b"<tool>", b"", b"0123456789" * 100, b"", b"", b""]

Pointer, Token, Int32, Char = ctypes.c_void_p, ctypes.c_int32, ctypes.c_int32, ctypes.c_char_p


class Library:
    """llama_vocab_n_tokens, llama_vocab_get_attr, llama_vocab_is_eog, llama_token_to_piece, as C functions."""

    def __init__(self, tokens=TOKENS, needed=None):
        self.tokens, self.needed, self.handle = tokens, needed, 0x5EED
        self.llama_vocab_n_tokens = ctypes.CFUNCTYPE(Int32, Pointer)(lambda vocab: len(self.of(vocab)))
        self.llama_vocab_get_attr = ctypes.CFUNCTYPE(ctypes.c_int, Pointer, Token)(
            lambda vocab, i: self.of(vocab)[i][1]
        )
        self.llama_vocab_is_eog = ctypes.CFUNCTYPE(ctypes.c_bool, Pointer, Token)(lambda _, i: i in ENDS)
        # A `char *` that is written to has to be declared as a bare pointer in a callback.
        piece = ctypes.CFUNCTYPE(Int32, Pointer, Token, Pointer, Int32, Int32, ctypes.c_bool)(self.piece)
        raw = ctypes.cast(piece, Pointer).value
        self.keep = piece
        self.llama_token_to_piece = ctypes.CFUNCTYPE(Int32, Pointer, Token, Char, Int32, Int32, ctypes.c_bool)(raw)

    def of(self, vocab):
        assert vocab == self.handle
        return self.tokens

    def piece(self, vocab, token_id, buffer, length, lstrip, special):
        assert lstrip == 0
        text, kind, data = self.of(vocab)[token_id]
        if kind & (UNKNOWN | CONTROL):
            data = text if special else b""
        if self.needed is not None:
            return self.needed
        if length < len(data):
            return -len(data)
        ctypes.memmove(buffer, data, len(data))
        return len(data)


@pytest.fixture
def install(monkeypatch):
    def installer(library):
        monkeypatch.setitem(sys.modules, "llama_cpp", library)
        return SimpleNamespace(_model=SimpleNamespace(vocab=0x5EED))

    return installer


def test_pieces_attributes_and_ends(install):
    vocab = Vocab.from_llama_cpp(install(Library()))
    assert [vocab.token_bytes(i) for i in range(len(vocab))] == BYTES
    assert vocab.end_token_ids == vocab.llama_cpp_end_token_ids == ENDS
    names = {"<unk>": 0, "<s>": 1, "</s>": 2, "<|im_end|>": 9, "odd\N{REPLACEMENT CHARACTER}": 11}
    assert vocab.special_tokens == names


def test_options(install):
    vocab = Vocab.from_llama_cpp(install(Library()), special_tokens={"<tool>": 6}, end_token_ids=[1])
    assert vocab.token_bytes(6) == b""
    assert (vocab.special_tokens["<tool>"], vocab.llama_cpp_end_token_ids) == (6, [1])


def test_vocabularies_from_elsewhere_have_the_ends_they_were_given():
    assert Vocab.from_dict({"a": 0}).llama_cpp_end_token_ids == []
    assert Vocab.from_dict({"a": 0}, end_token_ids=[0]).llama_cpp_end_token_ids == [0]


@pytest.mark.parametrize("needed", [-(1 << 20) - 1, -300, 257, -(2**31)])
def test_sizes_that_make_no_sense(install, needed):
    with pytest.raises(GlrmaskError, match="no piece for token 0"):
        Vocab.from_llama_cpp(install(Library(needed=needed)))


def test_refusals(install, monkeypatch):
    with pytest.raises(TypeError, match="must be a llama_cpp.Llama, not int"):
        Vocab.from_llama_cpp(3)
    llm = install(SimpleNamespace())
    with pytest.raises(GlrmaskError, match="too old"):
        Vocab.from_llama_cpp(llm)
    monkeypatch.setattr("glrmask.loaders.content.MAX_TOKENS", 3)
    with pytest.raises(LimitError, match="12 tokens"):
        Vocab.from_llama_cpp(install(Library()))
    monkeypatch.setitem(sys.modules, "llama_cpp", None)
    with pytest.raises(GlrmaskError, match="not installed"):
        Vocab.from_llama_cpp(llm)
