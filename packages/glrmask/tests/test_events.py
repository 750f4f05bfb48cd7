"""Token events and markers."""

import glrmask
import pytest
from glrmask import Constraint, DynamicConstraint, GlrmaskError, Grammar, Optimization, Vocab


@pytest.fixture(scope="module")
def vocab() -> Vocab:
    """Ids 7 and 8 have no bytes; 9 has."""
    return Vocab.from_id_to_bytes({0: b"a", 1: b"b", 2: b"ab", 3: b"!", 7: b"", 8: b"", 9: b"<tool>"})


def ids(state: glrmask.ConstraintState) -> list[int]:
    return state.mask().nonzero()[0].tolist()


def test_a_token_event_is_its_id_and_not_its_bytes(vocab):
    constraint = Constraint.from_glrm('start s; nt s = "a" @token(7, 9) "b";', vocab)
    for _ in range(2):
        state = constraint.start()
        state.commit_token(0)
        assert ids(state) == [7, 9]
        other = state.clone()
        with pytest.raises(GlrmaskError):
            other.commit_bytes(b"<tool>")
        assert other.is_rejected()
        assert state.forced_tokens() == []
        state.commit_token(9)
        assert ids(state) == [1]
        state.commit_token(1)
        assert state.is_accepting()
        constraint = Constraint.load(constraint.save())


def test_an_id_with_bytes_acts_in_both_ways(vocab):
    state = Constraint.from_glrm('start s; nt s = @token(9) "a" | "<tool>" "b";', vocab).start()
    state.commit_token(9)
    assert ids(state) == [0, 1]
    state.commit_token(0)
    assert state.is_accepting()


@pytest.mark.parametrize("optimization", [Optimization.FAST_BUILD, Optimization.FAST_RUNTIME])
def test_lark_names_tokens(vocab, optimization):
    grammar = Grammar.from_lark('start: <tool> "a"+ <[7-8]>', profile="llm", token_names={"tool": 9})
    state = grammar.compile(vocab, optimization=optimization).start()
    assert ids(state) == [9]
    assert state.forced_tokens() == [9, 0]
    state.commit_tokens([9, 0])
    assert ids(state) == [0, 7, 8]
    assert state.validate_tokens([7]) == 1
    assert state.validate_tokens([9]) == 0
    state.commit_token(8)
    assert state.is_accepting()
    assert ids(state) == []


def test_an_id_must_be_in_the_vocabulary(vocab):
    with pytest.raises(GlrmaskError, match="names token 4, which is not in the vocabulary"):
        Constraint.from_glrm("start s; nt s = @token(4);", vocab)


def test_an_end_token_ends_where_the_text_is_complete_and_is_an_event_elsewhere(vocab):
    state = Constraint.from_glrm('start s; nt s = "a" @token(7) "b";', vocab, end_token_ids=[7]).start()
    state.commit_token(0)
    assert ids(state) == [7]
    state.commit_token(7)
    assert not state.is_terminated()
    state.commit_token(1)
    assert ids(state) == [7]
    state.commit_token(7)
    assert state.is_terminated() and state.is_accepting()


def test_completions_and_explanations_know_events(vocab):
    state = Constraint.from_glrm('start s; nt s = "a" @token(7) "ab";', vocab).start()
    assert state.shortest_completion() is None
    assert state.shortest_completion_tokens() == ([0, 7, 2], True)
    state.commit_token(0)
    assert "the token itself is read as @token(7)" in str(state.explain(7))
    assert "it has no bytes" in str(state.explain(8))
    assert "it would take @token(7)" in str(state.explain(0))


MARKED = 'start s; nt s = @mark(5) "a" @mark(2) WORD @mark(9) "!"; t WORD = "b"+;'


@pytest.mark.parametrize("cls", [Constraint, DynamicConstraint])
def test_markers_are_told_when_they_become_possible(vocab, cls):
    constraint = cls.from_glrm(MARKED, vocab)
    for _ in range(2):
        assert constraint.marker_ids() == [2, 5, 9]
        state = constraint.start()
        assert state.marker_events() == [(5, 0)]
        state.commit_token(2)
        assert state.marker_events() == [(2, 1), (9, 2)]
        state.mask()
        assert state.forced_tokens() == []
        assert state.validate_tokens([1, 3]) == 2
        assert state.marker_events() == [(2, 1), (9, 2)]
        copy = state.clone()
        state.commit_bytes(b"bb")
        assert state.marker_events() == [(9, 4)]
        assert copy.marker_events() == [(2, 1), (9, 2)]
        state.commit_token(3)
        assert state.marker_events() == []
        state.rollback(2)
        assert state.marker_events() == [(2, 1), (9, 2)]
        with pytest.raises(GlrmaskError):
            state.commit_token(0)
        assert state.marker_events() == []
        state.reset()
        assert state.marker_events() == [(5, 0)]
        with pytest.raises(GlrmaskError):
            state.commit_token(12345)
        assert state.marker_events() == [(5, 0)]
        constraint = cls.load(constraint.save(external_vocab=True), vocab)


def test_a_grammar_without_markers_has_none(vocab):
    constraint = Constraint.from_glrm('start s; nt s = "a"; nt unused = @mark(1) "b";', vocab)
    assert constraint.marker_ids() == []
    assert constraint.start().marker_events() == []
