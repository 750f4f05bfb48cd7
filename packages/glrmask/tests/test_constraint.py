"""Constraints and states: masks, commits, end tokens, copies, buffers, threads."""

import copy
import random
import threading
from concurrent.futures import ThreadPoolExecutor

import glrmask
import numpy as np
import pytest
from glrmask import Constraint, ConstraintState, DynamicConstraint, GlrmaskError, Grammar, LimitError, Stats, Vocab

AB = 'start ::= ("a" "b")+'


def ids(state: ConstraintState) -> list[int]:
    return state.mask().nonzero()[0].tolist()


def test_first_steps_of_the_api_reference(hello):
    grammar = glrmask.Grammar.from_ebnf('start ::= "hello" " " "world"')
    constraint = grammar.compile(hello)
    state = constraint.start()
    for token_id, expected in [(0, [True, False, False]), (1, [False, True, False]), (2, [False, False, True])]:
        assert state.mask().tolist() == expected
        state.commit_token(token_id)
    assert state.is_accepting()


def test_tokens_cross_terminals_and_ids_have_gaps(words):
    state = Grammar.from_ebnf(AB).compile(words).start()
    assert ids(state) == [0, 40, 100]
    state.commit_token(100)
    assert ids(state) == [3, 41]
    assert len(state.mask()) == 101
    assert not state.is_accepting()
    state.commit_token(3)
    assert state.is_accepting()


def test_constraint_classes_build_from_every_source(words):
    for cls in (Constraint, DynamicConstraint):
        for constraint in (
            cls.from_ebnf(AB, words, end_token_ids=[7]),
            cls.from_glrm('start s; nt s = ("a" "b")+;', words, end_token_ids=[7]),
            cls.from_json_schema({"type": "string"}, words, end_token_ids=[7], whitespace="compact"),
        ):
            assert type(constraint) is cls
            assert isinstance(constraint, Constraint)
            assert constraint.vocab is words
            assert constraint.end_token_ids == [7]
            assert isinstance(constraint.start(), ConstraintState)
    with pytest.raises(TypeError):
        DynamicConstraint.from_ebnf(AB, words, optimization=glrmask.Optimization.AUTO)


def test_mask_len_counts_words_end_tokens_included(words):
    assert Grammar.from_ebnf(AB).compile(words).mask_len() == 4
    assert Grammar.from_ebnf(AB).compile(words, end_tokens=[128]).mask_len() == 5


def test_end_tokens_that_would_make_masks_huge_are_refused(words):
    grammar, limit = Grammar.from_ebnf(AB), 2**24 - 1
    assert grammar.compile(words, end_tokens=[limit]).mask_len() == 2**19
    for use in (grammar.compile, lambda vocab, end_tokens: grammar.prepare(vocab).link(end_tokens=end_tokens)):
        for far in (limit + 1, 2**31, 2**32 - 1):
            with pytest.raises(LimitError, match=f"end token: {far}, the limit is {limit}") as caught:
                use(words, end_tokens=[3, far])
            assert (caught.value.given, caught.value.limit) == (far, limit)
    # Not more than the largest id of the vocabulary, where that is allowed to be larger.
    wide = Vocab.from_id_to_bytes({0: b"a", 1: b"b", 2**25: b"ab"}, max_id=2**25)
    assert grammar.compile(wide, end_tokens=[2**25]).end_token_ids == [2**25]


def test_token_events_are_tokens_of_the_vocabulary(words):
    for far in (2**24, 2**31, 2**32 - 1):
        with pytest.raises(GlrmaskError, match=f"token {far}"):
            Grammar.from_glrm(f"start s; nt s = @token({far});").compile(words)


def test_sizes_of_boolean_masks(words):
    state = Grammar.from_ebnf(AB).compile(words, end_tokens=[120]).start()
    assert state.mask().shape == (121,)
    assert state.mask().dtype == np.bool
    wide = state.mask(size=200)
    assert wide.shape == (200,)
    assert wide.nonzero()[0].tolist() == [0, 40, 100]
    for bad in (120, 0):
        with pytest.raises(ValueError, match="size is"):
            state.mask(bad)
    for huge in (2**60, 2**63, 2**64):
        with pytest.raises((MemoryError, OverflowError, ValueError)):
            state.mask(huge)
    for negative in (-1, -(2**64)):
        with pytest.raises(ValueError, match="size must not be negative"):
            state.mask(negative)
    with pytest.raises(TypeError):
        state.mask("wide")


def test_words_and_booleans_agree(letters):
    state = Constraint.from_json_schema({}, letters, end_token_ids=[300]).start()
    buffer = np.full(20, -1, dtype=np.int32)
    for byte in b'{"key": [1, "\xc3\xa9"]}':
        state.fill_mask(buffer)
        bits = np.unpackbits(buffer.view(np.uint8), bitorder="little").astype(bool)
        assert bits[:301].tolist() == state.mask().tolist()
        assert not bits[301:].any()
        assert bits[byte]
        state.commit_token(byte)
    assert state.mask()[300]


def test_the_sign_bit_is_a_bit(letters):
    state = Constraint.from_ebnf("start ::= [#x20-#x7E]", letters).start()
    buffer = np.zeros(8, dtype=np.int32)
    state.fill_mask(buffer)
    assert buffer.tolist() == [0, -1, -1, 2**31 - 1, 0, 0, 0, 0]


@pytest.mark.parametrize(
    ("make", "error", "match"),
    [
        (lambda: [0] * 8, TypeError, "NumPy array of int32, not list"),
        (lambda: np.zeros(8, dtype=np.uint32), TypeError, "int32, not of uint32"),
        (lambda: np.zeros(8, dtype=np.int64), TypeError, "int32, not of int64"),
        (lambda: np.zeros(8, dtype=np.dtype(np.int32).newbyteorder()), TypeError, "int32"),
        (lambda: np.zeros((1, 8), dtype=np.int32), ValueError, "one dimension, not 2"),
        (lambda: np.zeros(7, dtype=np.int32), ValueError, "7 words of 32 bits, at least 8"),
        (lambda: np.zeros(16, dtype=np.int32)[::2], ValueError, "contiguous"),
        (lambda: np.zeros(33, dtype=np.uint8)[1:].view(np.int32), ValueError, "aligned"),
        (lambda: np.frombuffer(bytes(32), dtype=np.int32), ValueError, "writable"),
    ],
)
def test_buffers_that_do_not_fit(letters, make, error, match):
    state = Constraint.from_ebnf(AB, letters).start()
    buffer = make()
    before = np.array(buffer, copy=True)
    with pytest.raises(error, match=match):
        state.fill_mask(buffer)
    assert np.array_equal(np.array(buffer), before)


def test_an_empty_vocabulary_has_empty_masks():
    state = Constraint.from_ebnf(AB, Vocab.from_dict({})).start()
    assert state.mask().shape == (0,)
    state.fill_mask(np.zeros(0, dtype=np.int32))


def test_rows_of_a_batch_are_buffers(letters):
    state = Constraint.from_ebnf(AB, letters).start()
    batch = np.full((3, 9), -1, dtype=np.int32)
    state.fill_mask(batch[1])
    assert batch.tolist() == [[-1] * 9, [0, 0, 0, 2, 0, 0, 0, 0, 0], [-1] * 9]


def test_forbidden_tokens_reject(words):
    state = Grammar.from_ebnf(AB).compile(words).start()
    with pytest.raises(GlrmaskError, match="not allowed") as caught:
        state.commit_token(3)
    assert caught.value.token_id == 3
    assert (state.is_rejected(), state.is_terminated(), state.is_accepting()) == (True, True, False)
    assert not state.mask().any()
    buffer = np.full(5, -1, dtype=np.int32)
    state.fill_mask(buffer)
    assert not buffer.any()
    with pytest.raises(GlrmaskError, match="ended"):
        state.commit_token(0)
    with pytest.raises(GlrmaskError, match="ended"):
        state.commit_bytes(b"a")
    state.reset()
    assert ids(state) == [0, 40, 100]


def test_tokens_without_bytes_match_no_text(words):
    state = Grammar.from_ebnf(AB).compile(words).start()
    with pytest.raises(GlrmaskError, match="not allowed"):
        state.commit_token(7)
    assert state.is_rejected()


@pytest.mark.parametrize("unknown", [1, 5000, -1, 2**32, 2**80])
def test_unknown_ids_change_nothing(words, unknown):
    state = Grammar.from_ebnf(AB).compile(words).start()
    state.commit_token(0)
    with pytest.raises(GlrmaskError, match=f"unknown token id {unknown}") as caught:
        state.commit_token(unknown)
    assert caught.value.token_id == unknown
    assert not state.is_rejected()
    assert ids(state) == [3, 41]


@pytest.mark.parametrize("bad", ["a", 1.0, None, b"a"])
def test_ids_are_integers(words, bad):
    state = Grammar.from_ebnf(AB).compile(words).start()
    with pytest.raises(TypeError, match="token_id must be int"):
        state.commit_token(bad)
    assert ids(state) == [0, 40, 100]


def test_integers_of_numpy_are_ids(words):
    state = Grammar.from_ebnf(AB).compile(words).start()
    state.commit_token(np.int64(0))
    state.commit_token(token_id=np.uint8(3))
    assert state.is_accepting()


def test_bytes_advance_whatever_the_tokens(words):
    state = Grammar.from_ebnf(AB).compile(words).start()
    state.commit_bytes(b"aba")
    state.commit_bytes(b"")
    assert ids(state) == [3, 41]
    with pytest.raises(GlrmaskError, match="not allowed") as caught:
        state.commit_bytes(b"baa")
    assert caught.value.allowed_bytes == 2
    assert state.is_rejected()
    with pytest.raises(TypeError, match="data must be bytes, not str"):
        state.commit_bytes("ab")


def test_end_tokens_are_allowed_exactly_when_accepting(words):
    state = Grammar.from_ebnf(AB).compile(words, end_tokens=[7, 500]).start()
    assert ids(state) == [0, 40, 100]
    state.commit_token(40)
    assert ids(state) == [0, 7, 40, 100, 500]
    state.commit_token(500)
    assert (state.is_accepting(), state.is_terminated(), state.is_rejected()) == (True, True, False)
    assert ids(state) == []
    with pytest.raises(GlrmaskError, match="ended"):
        state.commit_token(0)
    with pytest.raises(GlrmaskError, match="ended"):
        state.commit_token(-5)
    assert state.is_accepting()


def test_an_early_end_token_rejects(words):
    state = Grammar.from_ebnf(AB).compile(words, end_tokens=[500]).start()
    with pytest.raises(GlrmaskError, match="not allowed"):
        state.commit_token(500)
    assert state.is_rejected()


def test_copies_are_independent(words):
    state = Grammar.from_ebnf(AB).compile(words).start()
    state.commit_token(0)
    for other in (state.clone(), copy.copy(state), copy.deepcopy(state)):
        other.commit_token(3)
        assert other.is_accepting()
        assert not state.is_accepting()
    state.reset()
    assert ids(state) == [0, 40, 100]


def test_representations(words):
    state = Grammar.from_ebnf(AB).compile(words, end_tokens=[7]).start()
    seen = [repr(state)]
    for token in (0, 3, 7):
        state.commit_token(token)
        seen.append(repr(state))
    state.reset()
    with pytest.raises(GlrmaskError):
        state.commit_token(3)
    seen.append(repr(state))
    names = ["incomplete", "incomplete", "accepting", "ended", "rejected"]
    assert seen == [f"<glrmask.ConstraintState: {name}>" for name in names]


def test_stats_count_what_was_filled(letters):
    constraint = DynamicConstraint.from_json_schema({"type": "string"}, letters)
    state = constraint.start()
    before = constraint.stats
    state.mask()
    after = constraint.stats
    assert isinstance(after, Stats)
    assert after.masks > before.masks
    assert after.bytes > 0


def test_states_outlive_their_constraint(letters):
    state = Constraint.from_ebnf(AB, Vocab.from_dict({"a": 0, "b": 1})).start()
    assert ids(state) == [0]


def test_no_constructors():
    for cls in (Constraint, DynamicConstraint, ConstraintState, Grammar):
        with pytest.raises(TypeError):
            cls()


# --- Threads. A race that is there shows up as an exception, a hang or a wrong mask.

NESTED = {
    "$defs": {
        "v": {"anyOf": [{"type": "integer"}, {"type": "array", "items": {"$ref": "#/$defs/v"}}, {"enum": ["x"]}]}
    },
    "$ref": "#/$defs/v",
}


def walk(constraint: Constraint, seed: int, steps: int = 40) -> list[tuple[int, bytes]]:
    rng, state, trace = random.Random(seed), constraint.start(), []
    buffer = np.zeros(constraint.mask_len(), dtype=np.int32)
    for _ in range(steps):
        state.fill_mask(buffer)
        allowed = np.flatnonzero(np.unpackbits(buffer.view(np.uint8), bitorder="little"))
        if not len(allowed):
            break
        token = int(rng.choice(allowed))
        trace.append((token, buffer.tobytes()))
        state.commit_token(token)
    return trace


def test_threads_that_fill_one_constraint_agree_with_one_alone(letters):
    alone = Constraint.from_json_schema(NESTED, letters)
    expected = [walk(alone, seed) for seed in range(16)]
    for _ in range(3):
        shared = Constraint.from_json_schema(NESTED, letters)
        with ThreadPoolExecutor(8) as pool:
            assert list(pool.map(lambda seed: walk(shared, seed), range(16))) == expected  # noqa: B023


def test_threads_hammer_one_state(letters):
    state = Constraint.from_json_schema(NESTED, letters).start()
    start = threading.Barrier(8)

    def hammer(seed: int) -> int:
        rng, done = random.Random(seed), 0
        buffer = np.zeros(8, dtype=np.int32)
        start.wait()
        for _ in range(400):
            try:
                match rng.randrange(8):
                    case 0:
                        state.commit_token(rng.randrange(300))
                    case 1:
                        state.commit_bytes(b"[")
                    case 2:
                        state.fill_mask(buffer)
                    case 3:
                        assert state.mask().shape == (256,)
                    case 4:
                        state.reset()
                    case 5:
                        state.clone().commit_bytes(b"[1")
                    case 6:
                        state.is_accepting()
                        state.is_rejected()
                    case _:
                        copy.deepcopy(state).is_terminated()
            except GlrmaskError:
                pass
            done += 1
        return done

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(hammer, range(8))) == 3200
    state.reset()
    assert state.mask().tolist() == Constraint.from_json_schema(NESTED, letters).start().mask().tolist()
