"""Vocabularies and helpers that the tests share."""

import glrmask
import pytest


@pytest.fixture(scope="session")
def letters():
    """One token for each byte; the id is the byte."""
    return glrmask.Vocab.from_id_to_bytes({i: bytes([i]) for i in range(256)})


@pytest.fixture(scope="session")
def words():
    """A few tokens that cross terminals; ids with gaps."""
    return glrmask.Vocab.from_dict({"a": 0, "b": 3, "ab": 40, "ba": 41, "aba": 100, "": 7})


@pytest.fixture(scope="session")
def hello():
    """The vocabulary of the first example."""
    return glrmask.Vocab.from_id_to_bytes({0: b"hello", 1: b" ", 2: b"world"})


@pytest.fixture(scope="session")
def accepts():
    """Whether a text is complete: `accepts(constraint, text)`, or `accepts(grammar, vocab, text)`."""

    def accepts(language, *given):
        *vocab, text = given
        constraint = language.compile(*vocab) if isinstance(language, glrmask.Grammar) else language
        state = constraint.start()
        try:
            state.commit_bytes(text.encode())
        except glrmask.GlrmaskError:
            return False
        return state.is_accepting()

    return accepts
