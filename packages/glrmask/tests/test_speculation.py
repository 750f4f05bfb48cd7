"""Going back, trying out, forcing."""

import threading

import glrmask
import pytest

OBJECT = {
    "type": "object",
    "properties": {"id": {"type": "integer"}, "kind": {"enum": ["a", "b"]}},
    "required": ["id", "kind"],
    "additionalProperties": False,
}


@pytest.fixture(scope="module")
def constraint(letters):
    return glrmask.Constraint.from_json_schema(OBJECT, letters, end_token_ids=[300])


def seen(state):
    return state.mask().tolist(), state.is_accepting(), state.is_rejected(), state.is_terminated()


def test_rollback_undoes_tokens_bytes_ends_and_refusals(constraint):
    state = constraint.start()
    faces = [seen(state)]
    for step in [b'{"id": ', ord("7"), b', "kind": "a"}', 300]:
        if isinstance(step, bytes):
            state.commit_bytes(step)
        else:
            state.commit_token(step)
        faces.append(seen(state))
    assert state.is_terminated() and state.is_accepting()
    state.rollback(0)
    assert seen(state) == faces[4]
    state.rollback(1)
    assert seen(state) == faces[3]
    with pytest.raises(glrmask.GlrmaskError):
        state.commit_token(ord("x"))
    assert state.is_rejected()
    state.rollback(1)
    assert seen(state) == faces[3] and state.history_len == 3
    state.rollback(3)
    assert seen(state) == faces[0] and state.history_len == 0


def test_what_changes_nothing_does_not_count(constraint):
    state = constraint.start()
    state.commit_bytes(b"")
    with pytest.raises(glrmask.GlrmaskError):
        state.commit_token(999)
    assert state.history_len == 0
    state.commit_bytes(b"{")
    state.reset()
    assert state.history_len == 0


def test_rollback_beyond_the_history_changes_nothing(constraint):
    state = constraint.start()
    assert state.history_limit == 256
    state.history_limit = 3
    state.commit_tokens(b'{"id"')
    before = seen(state)
    with pytest.raises(glrmask.GlrmaskError, match="4 commits cannot be undone: the last 3 are kept") as error:
        state.rollback(4)
    assert (error.value.given, error.value.limit) == (4, 3)
    assert seen(state) == before and state.history_len == 3
    with pytest.raises(glrmask.GlrmaskError):
        state.rollback(1 << 70)
    for wrong, kind in [(-1, ValueError), ("1", TypeError), (1.5, TypeError)]:
        with pytest.raises(kind):
            state.rollback(wrong)
        with pytest.raises(kind):
            state.history_limit = wrong
    state.history_limit = 0
    assert state.history_len == 0
    state.commit_bytes(b":")
    assert state.history_len == 0


def test_a_clone_has_the_history_for_itself(constraint):
    state = constraint.start()
    start = seen(state)
    state.commit_tokens(b'{"id": 1')
    branch = state.clone()
    branch.commit_tokens(b"23")
    assert (state.history_len, branch.history_len) == (8, 10)
    branch.rollback(10)
    assert seen(branch) == start and state.history_len == 8


def test_commit_tokens_stops_at_the_first_that_is_not_allowed(constraint):
    state = constraint.start()
    state.commit_tokens([])
    state.commit_tokens(list(b'{"id": 1'))
    with pytest.raises(glrmask.GlrmaskError, match="token 120 is not allowed here") as error:
        state.commit_tokens([ord("2"), ord("x"), ord("3")])
    assert (error.value.token_id, error.value.committed_tokens) == (ord("x"), 1)
    assert state.is_rejected() and state.history_len == 10
    state.rollback(1)
    state.commit_tokens(b', "kind": "b"}')
    with pytest.raises(glrmask.GlrmaskError, match="ended") as error:
        state.commit_tokens([300, 300])
    assert error.value.committed_tokens == 1
    assert state.is_accepting() and state.is_terminated()
    with pytest.raises(glrmask.GlrmaskError, match="ended"):
        state.commit_tokens([-1])


@pytest.mark.parametrize("unknown", [999, -1, 1 << 40])
def test_an_unknown_id_among_them_changes_nothing(constraint, unknown):
    state = constraint.start()
    with pytest.raises(glrmask.GlrmaskError, match=f"unknown token id {unknown}") as error:
        state.commit_tokens([ord("{"), unknown])
    assert error.value.token_id == unknown
    assert seen(state) == seen(constraint.start())
    assert state.validate_tokens([ord("{"), unknown, ord('"')]) == 1


def test_validate_tokens_counts_and_changes_nothing(constraint):
    state = constraint.start()
    before = seen(state)
    text = list(b'{"id": 1, "kind": "a"}')
    assert state.validate_tokens([*text, 300]) == len(text) + 1
    assert state.validate_tokens([*text, 300, 300]) == len(text) + 1
    assert state.validate_tokens(list(b'{"id": x')) == 7
    assert state.validate_tokens([]) == 0
    assert seen(state) == before and state.history_len == 0
    for wrong in [5, ["a"], [1.5]]:
        with pytest.raises(TypeError):
            state.validate_tokens(wrong)
        with pytest.raises(TypeError):
            state.commit_tokens(wrong)


def test_forced_tokens_end_where_there_is_a_choice_or_an_end(constraint, letters):
    state = constraint.start()
    assert bytes(state.forced_tokens()) == b'{"id": '
    assert state.history_len == 0
    state.commit_tokens(b'{"id": 1,')
    assert bytes(state.forced_tokens()) == b' "kind": "'
    state.commit_tokens(b' "kind": "a')
    assert bytes(state.forced_tokens()) == b'"}'
    state.commit_tokens(b'"}')
    assert state.forced_tokens() == []
    state.commit_token(300)
    assert state.forced_tokens() == []
    # Nothing is forced beyond a place where the text may end, whether or not there are end tokens.
    optional = glrmask.Constraint.from_ebnf('start ::= "ab" "cd"?', letters).start()
    assert bytes(optional.forced_tokens()) == b"ab"


def test_aliases_are_a_choice():
    vocab = glrmask.Vocab.from_id_to_bytes({0: b"a", 1: b"b", 2: b"b", 3: b"c"})
    state = glrmask.Constraint.from_ebnf('start ::= "abc"', vocab).start()
    assert state.forced_tokens() == [0]
    state.commit_tokens([0, 2])
    assert state.forced_tokens() == [3]


def test_forcing_ends_after_ten_thousand_tokens(letters):
    state = glrmask.Constraint.from_glrm('start s; nt s = "a"{20000};', letters).start()
    assert len(state.forced_tokens()) == 10_000


def test_threads_take_turns_on_one_state(constraint):
    state = constraint.start()
    state.commit_tokens(b'{"id": 1')
    before = seen(state)
    failures = []

    def work():
        for _ in range(300):
            # Whatever the turns, each thread undoes as much as it commits.
            state.commit_tokens([ord("2"), ord("3")])
            if state.validate_tokens([ord(","), ord(" ")]) != 2:
                failures.append("validate")
            state.rollback(2)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures and seen(state) == before and state.history_len == 8
