"""The API page, member by member: one test for each statement that can be tested.

The page describes what users of this interface expect; where this version promises more (nothing is weakened, errors
come early), the test says so. Thorough tests of each member are elsewhere; here is the list that shows none is missing:
the comment above a group names the member, the names of the tests are the statements.
"""

import inspect
import sys
from types import SimpleNamespace

import glrmask
import numpy as np
import pytest
from glrmask import (
    ArtifactError,
    Constraint,
    ConstraintState,
    GlrmaskError,
    Grammar,
    GrammarSyntaxError,
    Optimization,
    SchemaError,
    Vocab,
)

ABC = 'start ::= "a" "b" | "a" "c" "c"*'


def ids(state, **options):
    return state.mask(**options).nonzero()[0].tolist()


def bits(words):
    return np.unpackbits(words.view(np.uint8), bitorder="little").nonzero()[0].tolist()


@pytest.fixture
def vocab():
    """Sparse ids, an alias, an id without bytes, a token over a border."""
    return Vocab.from_id_to_bytes({3: b"a", 10: b"b", 31: b"c", 32: b"c", 40: b"ab", 63: b"x", 70: b""})


@pytest.fixture
def constraint(vocab):
    return Grammar.from_ebnf(ABC).compile(vocab, end_tokens=[100])


# --- Quickstart


def test_quickstart_masks_are_booleans_by_original_token_id():
    vocab = Vocab.from_id_to_bytes({0: b"hello", 1: b" ", 2: b"world"})
    state = Grammar.from_ebnf('start ::= "hello" " " "world"').compile(vocab).start()
    for token_id, expected in [(0, [True, False, False]), (1, [False, True, False]), (2, [False, False, True])]:
        mask = state.mask()
        assert isinstance(mask, np.ndarray) and mask.dtype == np.bool
        assert mask.tolist() == expected
        state.commit_token(token_id)
    assert state.is_accepting()


# --- Constraint


def test_constraint_is_immutable_and_each_start_is_independent(constraint):
    one, other = constraint.start(), constraint.start()
    one.commit_token(40)
    assert (ids(one), ids(other)) == ([100], [3, 40])
    assert ids(constraint.start()) == [3, 40]
    with pytest.raises(AttributeError):
        constraint.vocab = None


def test_constraint_load_rejects_malformed_artifacts(constraint):
    data = constraint.save()
    damaged = data[:-1] + bytes([data[-1] ^ 1])
    for bad in (b"", b"nonsense", data[: len(data) // 2], damaged, data + b"x"):
        with pytest.raises(ArtifactError):
            Constraint.load(bad)
    with pytest.raises(TypeError):
        Constraint.load("text")


def test_constraint_load_takes_the_vocabulary_of_external_artifacts_with_the_same_mapping(constraint, vocab):
    data = constraint.save(external_vocab=True)
    same = Vocab.from_id_to_bytes({70: b"", 63: b"x", 40: b"ab", 32: b"c", 31: b"c", 10: b"b", 3: b"a"})
    assert ids(Constraint.load(data, same).start()) == ids(Constraint.load(data, vocab=vocab).start()) == [3, 40]
    with pytest.raises(ArtifactError):
        Constraint.load(data)
    changed = {3: b"a", 10: b"b", 31: b"c", 32: b"c", 40: b"ab", 63: b"y", 70: b""}
    for other in (changed, {**changed, 63: b"x", 70: b"z"}, {i: t for i, t in changed.items() if i != 63}):
        with pytest.raises(ArtifactError):
            Constraint.load(data, Vocab.from_id_to_bytes(other))


def test_constraint_mask_len_counts_words_not_booleans(constraint, vocab):
    assert Grammar.from_ebnf(ABC).compile(vocab).mask_len() == 3
    assert constraint.mask_len() == 4  # The end token is id 100.
    assert len(constraint.start().mask()) == 101


def test_constraint_save_embeds_the_vocabulary_unless_it_is_external(constraint, vocab):
    embedded, external = constraint.save(), constraint.save(external_vocab=True)
    assert isinstance(embedded, bytes)
    loaded = Constraint.load(embedded)
    assert loaded.vocab == vocab
    assert (loaded.end_token_ids, ids(loaded.start())) == ([100], [3, 40])
    assert len(external) < len(embedded)
    with pytest.raises(ArtifactError):
        Constraint.load(external)
    with pytest.raises(TypeError):
        constraint.save(True)


def test_constraint_start_gives_a_state(constraint):
    assert isinstance(constraint.start(), ConstraintState)


# --- Constraint and ConstraintState: markers

MARKED = 'start s; nt s = @mark(9) "a" @mark(3) ("b" @mark(9) | @mark(3) "c");'


def test_constraint_marker_ids_are_sorted_distinct_and_no_token_ids(vocab, constraint):
    assert Grammar.from_glrm(MARKED).compile(vocab).marker_ids() == [3, 9]
    assert constraint.marker_ids() == []
    unknown = Grammar.from_glrm('start s; nt s = "a" @mark(5000);').compile(vocab)
    assert (unknown.marker_ids(), unknown.mask_len()) == ([5000], 3)


def test_state_marker_events_are_those_of_the_last_commit_by_offset_then_id(vocab):
    state = Grammar.from_glrm(MARKED).compile(vocab).start()
    assert state.marker_events() == [(9, 0)]
    state.commit_token(3)
    assert state.marker_events() == [(3, 1)]  # Possible by two alternatives, told once.
    state.commit_token(10)
    assert state.marker_events() == [(9, 2)]
    state.reset()
    state.commit_token(40)
    assert state.marker_events() == [(3, 1), (9, 2)]


def test_state_marker_events_stay_over_queries_and_go_with_a_failed_commit(vocab):
    state = Grammar.from_glrm(MARKED).compile(vocab).start()
    state.commit_token(3)
    state.mask()
    state.forced_tokens()
    state.fill_mask(np.zeros(3, dtype=np.int32))
    assert state.marker_events() == [(3, 1)]
    with pytest.raises(GlrmaskError):
        state.commit_token(63)
    assert state.marker_events() == []


# --- ConstraintState


def test_state_clone_is_an_independent_snapshot(constraint):
    state = constraint.start()
    state.commit_token(3)
    branch = state.clone()
    branch.commit_token(10)
    assert (state.is_accepting(), branch.is_accepting()) == (False, True)
    assert (ids(state), ids(branch)) == ([10, 31, 32], [100])
    state.commit_token(31)
    assert (ids(state), ids(branch)) == ([31, 32, 100], [100])


def test_state_commit_bytes_advances_whatever_the_tokens_and_is_no_end_token(constraint):
    state = constraint.start()
    state.commit_bytes(b"ab")
    assert state.is_accepting() and not state.is_terminated()
    with pytest.raises(GlrmaskError):
        state.commit_bytes(b"b")
    assert state.is_rejected()
    with pytest.raises(TypeError):
        constraint.start().commit_bytes("ab")


def test_state_commit_bytes_never_matches_exact_tokens():
    vocab = Vocab.from_id_to_bytes({0: b"a", 5: b"<tool>", 6: b""})
    state = Grammar.from_glrm('start s; nt s = "a" @token(5);').compile(vocab).start()
    state.commit_bytes(b"a")
    assert ids(state) == [5]
    branch = state.clone()
    with pytest.raises(GlrmaskError):
        branch.commit_bytes(b"<tool>")
    state.commit_token(5)
    assert state.is_accepting()


@pytest.mark.parametrize("unknown", [0, 71, 101, -1, 2**32])
def test_state_commit_token_raises_for_unknown_ids(constraint, unknown):
    state = constraint.start()
    with pytest.raises(GlrmaskError, match="unknown token id"):
        state.commit_token(unknown)
    assert ids(state) == [3, 40]


def test_state_commit_token_rejects_forbidden_ids_and_masks_are_zero_then(constraint):
    state = constraint.start()
    with pytest.raises(GlrmaskError):
        state.commit_token(63)
    assert state.is_rejected()
    assert not state.mask().any()
    words = np.full(4, -1, dtype=np.int32)
    state.fill_mask(words)
    assert not words.any()


def test_state_commit_token_ends_the_sequence_at_an_allowed_end_token(constraint):
    state = constraint.start()
    state.commit_token(40)
    state.commit_token(100)
    assert (state.is_terminated(), state.is_accepting(), state.is_rejected()) == (True, True, False)
    for later in (3, 100):
        with pytest.raises(GlrmaskError):
            state.commit_token(later)
    assert not state.mask().any()


def test_state_fill_mask_sets_bits_of_original_ids_and_zeroes_extra_words(constraint):
    state = constraint.start()
    words = np.full(7, -1, dtype=np.int32)
    state.fill_mask(words)
    assert bits(words) == [3, 40]
    assert words[0] >> 3 & 1 and words[40 // 32] >> 40 % 32 & 1
    state.commit_token(3)
    state.fill_mask(words)
    assert bits(words) == [10, 31, 32]


def test_state_fill_mask_keeps_all_bits_of_signed_words(constraint):
    state = constraint.start()
    state.commit_token(3)
    words = np.zeros(4, dtype=np.int32)
    state.fill_mask(words)
    assert words[0] == np.int32(-(2**31)) | np.int32(1 << 10)


def test_state_fill_mask_wants_a_contiguous_writable_array_of_int32_that_is_long_enough(constraint):
    state = constraint.start()
    locked = np.zeros(4, dtype=np.int32)
    locked.flags.writeable = False
    for bad in (
        locked,
        np.zeros(3, dtype=np.int32),
        np.zeros(8, dtype=np.int32)[::2],
        np.zeros((1, 4), dtype=np.int32),
    ):
        with pytest.raises(ValueError):
            state.fill_mask(bad)
    for bad in (np.zeros(4, dtype=np.uint32), np.zeros(4, dtype=np.int64), [0] * 4, bytearray(16)):
        with pytest.raises(TypeError):
            state.fill_mask(bad)


def test_state_forced_tokens_are_read_only_and_stop_where_ids_or_acceptance_leave_a_choice():
    vocab = Vocab.from_id_to_bytes({0: b"a", 1: b"b", 2: b"c", 3: b"c", 4: b"d"})
    state = Grammar.from_ebnf('start ::= "a" "b" "a" "c" "d"').compile(vocab).start()
    assert state.forced_tokens() == [0, 1, 0]  # Then ids 2 and 3 both spell c.
    assert ids(state) == [0]
    state.commit_bytes(b"abac")
    assert state.forced_tokens() == [4]
    accepting = Grammar.from_ebnf('start ::= "a" ("b" "a")?').compile(vocab).start()
    assert accepting.forced_tokens() == [0]


def test_state_forced_tokens_looks_at_most_10_000_tokens_ahead():
    vocab = Vocab.from_dict({"a": 0})
    state = Grammar.from_glrm("start s; t s = [a]{10050};").compile(vocab).start()
    assert state.forced_tokens() == [0] * 10_000


def test_state_is_accepting_tells_a_complete_match_that_may_go_on(constraint):
    state = constraint.start()
    assert not state.is_accepting()
    state.commit_bytes(b"ac")
    assert state.is_accepting() and not state.is_terminated()
    assert ids(state) == [31, 32, 100]
    state.commit_token(31)
    assert state.is_accepting()


def test_state_is_rejected_tells_that_nothing_completes_the_prefix(constraint):
    state = constraint.start()
    assert not state.is_rejected()
    with pytest.raises(GlrmaskError):
        state.commit_bytes(b"b")
    assert state.is_rejected() and not state.is_accepting()


def test_state_mask_covers_the_whole_range_of_ids_and_end_tokens(constraint):
    state = constraint.start()
    state.commit_token(40)
    assert ids(state) == [100]
    assert ids(state, size=500) == [100]
    assert len(state.mask(500)) == 500
    assert state.mask() is not state.mask()
    for small in (0, 100):
        with pytest.raises(ValueError):
            state.mask(small)


# --- Grammar


def test_grammar_clone_is_independent_and_equal_in_language(vocab):
    grammar = Grammar.from_ebnf(ABC)
    copy = grammar.clone()
    assert copy is not grammar
    assert ids(copy.compile(vocab).start()) == ids(grammar.compile(vocab).start()) == [3, 40]


def test_grammar_compile_end_tokens_are_allowed_only_at_acceptance(vocab):
    constraint = Grammar.from_ebnf(ABC).compile(vocab, end_tokens=[70, 200])
    state = constraint.start()
    assert ids(state) == [3, 40]
    with pytest.raises(GlrmaskError):
        state.clone().commit_token(70)
    state.commit_token(40)
    assert ids(state) == [70, 200]
    state.commit_token(70)
    assert state.is_terminated()


def test_grammar_compile_optimization_defaults_to_auto(vocab):
    signature = inspect.signature(Grammar.compile)
    assert signature.parameters["optimization"].default is None
    default = Grammar.from_ebnf(ABC).compile(vocab)
    auto = Grammar.from_ebnf(ABC).compile(vocab, optimization=Optimization.AUTO)
    assert default.is_complete == auto.is_complete
    assert default.stats[:8] == auto.stats[:8]
    for wrong in ("AUTO", 1):
        with pytest.raises(TypeError):
            Grammar.from_ebnf(ABC).compile(vocab, optimization=wrong)
    with pytest.raises(TypeError):
        Grammar.from_ebnf(ABC).compile({3: b"a"})


def test_grammar_compile_takes_options_by_name_only(vocab):
    with pytest.raises(TypeError):
        Grammar.from_ebnf(ABC).compile(vocab, [100])


def test_grammar_from_ebnf_reports_errors_at_once():
    with pytest.raises(GrammarSyntaxError) as caught:
        Grammar.from_ebnf('start ::= "a" missing')
    assert (caught.value.line, caught.value.column) == (1, 15)
    with pytest.raises(TypeError):
        Grammar.from_ebnf(3)


def test_grammar_from_json_schema_takes_text_or_an_object(vocab):
    expected = None
    for schema in ('{"enum": ["a"]}', b'{"enum": ["a"]}', {"enum": ["a"]}):
        text = Grammar.from_json_schema(schema).to_glrm()
        assert expected in (None, text)
        expected = text
    for wrong in (object(), {"enum": {1, 2}}):
        with pytest.raises(TypeError):
            Grammar.from_json_schema(wrong)


def test_grammar_from_json_schema_never_weakens_silently():
    schema = {"type": "array", "uniqueItems": True, "items": {"type": "string"}}
    with pytest.raises(SchemaError) as caught:
        Grammar.from_json_schema(schema)
    assert caught.value.keyword == "uniqueItems"
    weakened = Grammar.from_json_schema(schema, unsupported="weaken")
    assert [warning.keyword for warning in weakened.warnings] == ["uniqueItems"]


def test_grammar_from_lark_profiles_differ_in_syntax():
    extension = "start: T\nT: /[ab]+/ & /[bc]+/\n"
    with pytest.raises(GrammarSyntaxError):
        Grammar.from_lark(extension)
    letters = Vocab.from_dict({letter: i for i, letter in enumerate("abc")})
    assert ids(Grammar.from_lark(extension, profile="llm").compile(letters).start()) == [1]
    with pytest.raises(ValueError):
        Grammar.from_lark("start: A\nA: /a/", profile="other")


def test_grammar_from_lark_token_names_are_never_inferred():
    vocab = Vocab.from_id_to_bytes({0: b"a", 1: b"", 2: b"<end>"}, special_tokens={"<end>": 1})
    source = 'start: "a" <end>\n'
    with pytest.raises(GlrmaskError):
        Grammar.from_lark(source, profile="llm")
    for names in ({"<end>": 1}, {"end": 1}, {"end": [1]}):
        state = Grammar.from_lark(source, profile="llm", token_names=names).compile(vocab).start()
        state.commit_token(0)
        assert ids(state) == [1]


# --- Optimization


def test_optimization_modes_preserve_the_language(vocab):
    modes = [Optimization.AUTO, Optimization.BALANCED, Optimization.FAST_BUILD, Optimization.FAST_RUNTIME]
    assert len(set(modes)) == 4
    constraints = [Grammar.from_ebnf(ABC).compile(vocab, optimization=mode) for mode in modes]
    states = [constraint.start() for constraint in constraints]
    for token_id in (3, 31, 32, 31):
        assert all(ids(state) == ids(states[0]) for state in states)
        for state in states:
            state.commit_token(token_id)
    assert all(state.is_accepting() for state in states)
    with pytest.raises(TypeError):
        Optimization()


def test_optimization_fast_build_computes_less_beforehand(vocab):
    grammar = Grammar.from_ebnf(ABC)
    assert not grammar.compile(vocab, optimization=Optimization.FAST_BUILD).is_complete
    assert grammar.compile(vocab, optimization=Optimization.FAST_RUNTIME).is_complete


# --- Vocab


def test_vocab_ids_are_sparse_and_keep_their_positions_in_masks(vocab):
    state = Grammar.from_ebnf(ABC).compile(vocab).start()
    assert len(state.mask()) == 71
    assert ids(state) == [3, 40]


def test_vocab_from_dict_encodes_text_as_utf_8_and_takes_bytes_verbatim():
    vocab = Vocab.from_dict({"é": 0, b"\xff": 2**24 - 1})
    assert (vocab.token_bytes(0), vocab.token_bytes(2**24 - 1)) == ("é".encode(), b"\xff")


@pytest.mark.parametrize("bad", [-1, 2**32, 2**64])
def test_vocab_from_dict_ids_fit_an_unsigned_32_bit_integer(bad):
    with pytest.raises(GlrmaskError):
        Vocab.from_dict({"a": bad})


def test_vocab_from_id_to_bytes_takes_partial_utf_8():
    vocab = Vocab.from_id_to_bytes({0: b"\xc3", 1: b"\xa9", 2: b"\xa8"})
    state = Grammar.from_choices(["é"]).compile(vocab).start()
    assert ids(state) == [0]
    state.commit_token(0)
    assert ids(state) == [1]
    with pytest.raises(TypeError):
        Vocab.from_id_to_bytes({0: "é"})


def test_vocab_from_llama_cpp_leaves_control_tokens_out_and_knows_the_ends(monkeypatch):
    pieces, kinds = [b"<s>", b"a", b"unused", b"", b"</s>"], [8, 4, 2, 4, 4]

    def to_piece(vocab, token_id, buffer, length, lstrip, special):
        piece = pieces[token_id] if special or kinds[token_id] != 8 else b""
        buffer[: len(piece)] = piece
        return len(piece)

    library = SimpleNamespace(
        llama_vocab_n_tokens=lambda vocab: 5,
        llama_vocab_get_attr=lambda vocab, token_id: kinds[token_id],
        llama_vocab_is_eog=lambda vocab, token_id: token_id == 4,
        llama_token_to_piece=to_piece,
    )
    monkeypatch.setitem(sys.modules, "llama_cpp", library)
    vocab = Vocab.from_llama_cpp(SimpleNamespace(_model=SimpleNamespace(vocab=1)))
    assert [vocab.token_bytes(i) for i in range(5)] == [b"", b"a", b"", b"", b""]
    assert vocab.llama_cpp_end_token_ids == [4]
    state = Grammar.from_regex("[a-z</>]*").compile(vocab, end_tokens=vocab.llama_cpp_end_token_ids).start()
    assert ids(state) == [1, 4]


def test_vocab_is_shared_by_constraints(vocab):
    one, other = (Grammar.from_ebnf(ABC).compile(vocab) for _ in range(2))
    assert one.vocab is other.vocab is vocab
    assert glrmask.Vocab is Vocab
