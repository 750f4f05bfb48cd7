"""Closing a text."""

import json
import threading

import glrmask
import pytest

PERSON = {
    "type": "object",
    "properties": {"name": {"type": "string", "minLength": 2}, "tags": {"type": "array", "items": {"type": "integer"}}},
    "required": ["name", "tags"],
    "additionalProperties": False,
}


@pytest.fixture(scope="module")
def constraint():
    tokens = [bytes([byte]) for byte in range(256)] + [b'"tags": [', b"]}", b'xx", "tags": []}', b'", "']
    vocab = glrmask.Vocab.from_id_to_bytes(dict(enumerate(tokens)))
    return glrmask.Constraint.from_json_schema(PERSON, vocab, end_token_ids=[300])


@pytest.mark.parametrize(
    ("text", "length"),
    [
        (b"", 26),
        (b'{"name": "', 16),
        (b'{"name": "Ann', 14),
        (b'{"name": "Ann", "tags": [1', 2),
        (b'{"name": "Ann", "tags": [1, ', 3),
        (b'{"name": "Ann", "tags": []}', 0),
    ],
)
def test_the_shortest_bytes_complete_the_text(constraint, text, length):
    state = constraint.start()
    state.commit_bytes(text)
    rest = state.shortest_completion()
    assert len(rest) == length == state.shortest_completion_len()
    assert set(json.loads(text + rest)) == {"name", "tags"}
    state.commit_bytes(rest)
    assert state.is_accepting() and state.shortest_completion() == b""


def test_few_tokens_may_have_more_bytes_than_the_shortest_text(constraint):
    state = constraint.start()
    state.commit_bytes(b'{"name": "Ann')
    assert len(state.shortest_completion()) == 14
    completion = state.shortest_completion_tokens()
    assert completion == glrmask.TokenCompletion([258], True)
    state.commit_tokens(completion.token_ids)
    assert state.is_accepting()


def test_a_state_that_is_over_has_nothing_to_complete(constraint):
    state = constraint.start()
    state.commit_bytes(b'{"name": "Ann", "tags": []}')
    assert state.shortest_completion_tokens() == ([], True)
    state.commit_token(300)
    assert state.shortest_completion() == b"" and state.shortest_completion_tokens() == ([], True)
    state.rollback(1)
    with pytest.raises(glrmask.GlrmaskError):
        state.commit_bytes(b"x")
    assert (state.shortest_completion(), state.shortest_completion_len(), state.shortest_completion_tokens()) == (
        None,
    ) * 3


def test_a_vocabulary_may_lack_the_end():
    vocab = glrmask.Vocab.from_id_to_bytes({0: b"a"})
    state = glrmask.Constraint.from_ebnf('start ::= "a" "b"', vocab).start()
    assert state.shortest_completion() == b"ab" and state.shortest_completion_tokens() is None


def test_lengths_beyond_any_text_are_known():
    doubled = "".join(f"nt a{i} = a{i + 1} a{i + 1}; " for i in range(50))
    vocab = glrmask.Vocab.from_id_to_bytes({0: b"x"})
    state = glrmask.Constraint.from_glrm(f'start a0; {doubled} nt a50 = "x";', vocab).start()
    assert state.shortest_completion_len() == 1 << 50
    for complete in [state.shortest_completion, state.shortest_completion_tokens]:
        with pytest.raises(glrmask.LimitError, match="bytes of a completion") as error:
            complete()
        assert (error.value.given, error.value.limit) == (1 << 50, 1 << 24)


def test_threads_complete_at_the_same_time(constraint):
    results = []

    def work(number):
        state = constraint.start()
        state.commit_bytes(b'{"name": "' + b"x" * number)
        results.append((number, len(state.shortest_completion())))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == [(number, max(14, 16 - number)) for number in range(8)]
