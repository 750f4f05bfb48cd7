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
    BoundaryTriggerDetail,
    Constraint,
    ConstraintState,
    GlrmaskError,
    Grammar,
    GrammarSyntaxError,
    LimitError,
    Optimization,
    PreparedGrammar,
    SchemaError,
    Token,
    Vocab,
)

SLOT = 'start s; extern grammar inner; nt s = "a" inner;'
ABC = 'start ::= "a" "b" | "a" "c" "c"*'


MEMBERS = {
    "boundary_trigger_detail": ["NONE", "TOKENS", "EXACT"],
    "constraint": ["load", "marker_ids", "mask_len", "save", "start"],
    "state": ["clone", "commit_bytes", "commit_token", "fill_mask", "forced_tokens", "is_accepting", "is_rejected"]
    + ["marker_events", "mask"],
    "exact_tokens": ["ids", "ranges"],
    "grammar": [
        "bind",
        "clone",
        "compile",
        "exact",
        "from_ebnf",
        "from_glrm",
        "from_json_schema",
        "from_lark",
        "prepare",
    ]
    + ["requirements"],
    "optimization": ["AUTO", "BALANCED", "FAST_BUILD", "FAST_RUNTIME"],
    "prepared_grammar": ["bind", "clone", "link", "load", "requirements", "save"],
    "requirement": ["kind", "name", "path", "source_span"],
    "token": ["id"],
    "vocab": ["from_dict", "from_id_to_bytes", "from_llama_cpp", "llama_cpp_end_token_ids", "token_ranges", "tokens"],
}
"""The members on the page; those of `state` are of `ConstraintState`."""


def test_every_member_is_used_in_a_test_of_its_class():
    module = sys.modules[__name__]
    tests = [(name, inspect.getsource(value)) for name, value in vars(module).items() if name.startswith("test_")]
    for owner, members in MEMBERS.items():
        about = "\n".join(source for name, source in tests if owner in name)
        for member in members:
            assert f".{member}" in about, f"{owner}.{member}"


def ids(state, **options):
    return state.mask(**options).nonzero()[0].tolist()


def after(constraint, text):
    """The state after these bytes."""
    state = constraint.start()
    state.commit_bytes(text)
    return state


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
    assert default.stats[:9] == auto.stats[:9]
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
    schema = {"anyOf": [{"uniqueItems": True, "items": {"type": "string"}}, {"items": {"type": "null"}}]}
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


# --- BoundaryTriggerDetail


def test_boundary_trigger_detail_is_metadata_that_changes_no_mask(vocab):
    details = [BoundaryTriggerDetail.NONE, BoundaryTriggerDetail.TOKENS, BoundaryTriggerDetail.EXACT]
    assert len(set(details)) == 3
    grammar = Grammar.from_glrm(SLOT)
    grammar.bind("inner", Grammar.from_regex("b|c"))
    masks = []
    for asked in (None, *details):
        constraint = grammar.compile(vocab, boundary_trigger=asked)
        masks.append([ids(constraint.start()), ids(after(constraint, b"a"))])
        prepared = Grammar.from_glrm(SLOT).prepare(vocab, boundary_trigger=asked)
        prepared.bind("inner", Grammar.from_regex("b|c").prepare(vocab))
        for at_last in (None, *details):
            masks.append([ids(prepared.link(boundary_trigger=at_last).start()), ids(after(prepared.link(), b"a"))])
    assert masks == [masks[0]] * len(masks) == [[[3, 40], [10, 31, 32]]] * len(masks)
    with pytest.raises(TypeError):
        grammar.compile(vocab, boundary_trigger="TOKENS")


def test_boundary_trigger_detail_at_the_final_link_overrides_that_of_preparing(vocab):
    none, tokens = BoundaryTriggerDetail.NONE, BoundaryTriggerDetail.TOKENS
    for prepared_with, linked_with, is_told in [
        (None, None, False),
        (tokens, None, True),
        (tokens, none, False),
        (none, tokens, True),
    ]:
        prepared = Grammar.from_glrm(SLOT).prepare(vocab, boundary_trigger=prepared_with)
        prepared.bind("inner", Grammar.from_regex("b").prepare(vocab))
        assert bool(prepared.link(boundary_trigger=linked_with).boundary_triggers()) == is_told


def test_boundary_trigger_detail_tokens_is_a_conservative_set_of_tokens(vocab):
    grammar = Grammar.from_glrm(SLOT)
    grammar.bind("inner", Grammar.from_regex("b"))
    ((path, candidates),) = grammar.compile(vocab, boundary_trigger=BoundaryTriggerDetail.TOKENS).boundary_triggers()
    assert path == "inner"
    assert {10, 40}.issubset(candidates.ids)  # b, and ab from before the boundary
    assert 63 not in candidates


# --- ExactTokens


def test_exact_tokens_ids_are_sorted_and_ranges_are_disjoint_with_exclusive_stops(vocab):
    tokens = vocab.tokens([32, 3, 31])
    assert tokens.ids == [3, 31, 32]
    assert tokens.ranges == [range(3, 4), range(31, 33)]


def test_exact_tokens_belong_to_vocabularies_with_the_same_mapping_even_a_single_one(vocab):
    grammar = Grammar.from_glrm("start s; extern token t; nt s = t;")
    grammar.bind("t", vocab.tokens([63]))
    same = Vocab.from_id_to_bytes({i: vocab.token_bytes(i) for i in (3, 10, 31, 32, 40, 63, 70)})
    assert ids(grammar.compile(same).start()) == [63]
    without_exact_only = Vocab.from_id_to_bytes({i: vocab.token_bytes(i) for i in (3, 10, 31, 32, 40, 63)})
    other_bytes = Vocab.from_id_to_bytes({3: b"a", 10: b"b", 31: b"c", 32: b"c", 40: b"ab", 63: b"y", 70: b""})
    for other in (without_exact_only, other_bytes):
        with pytest.raises(GlrmaskError):
            grammar.compile(other)


def test_an_empty_set_of_exact_tokens_matches_nothing(vocab):
    grammar = Grammar.from_glrm('start s; extern token t; nt s = "a" | "b" t;')
    grammar.bind("t", vocab.tokens([]))
    assert ids(grammar.compile(vocab).start()) == [3]


# --- Grammar: composition


def test_grammar_bind_fills_a_declared_slot_once_and_a_failed_bind_changes_nothing(vocab):
    grammar = Grammar.from_glrm(SLOT)
    with pytest.raises(GlrmaskError):
        grammar.bind("other", Grammar.from_regex("b"))
    assert [requirement.name for requirement in grammar.requirements] == ["inner"]
    grammar.bind("inner", Grammar.from_regex("b"))
    with pytest.raises(GlrmaskError):
        grammar.bind("inner", Grammar.from_regex("c"))
    assert ids(after(grammar.compile(vocab), b"a")) == [10]


def test_grammar_bind_addresses_nested_slots_after_the_parent_is_attached(vocab):
    grammar = Grammar.from_glrm(SLOT)
    with pytest.raises(GlrmaskError):
        grammar.bind("inner::inner", Grammar.from_regex("c"))
    grammar.bind("inner", Grammar.from_glrm(SLOT))
    grammar.bind("inner::inner", Grammar.from_regex("c"))
    state = grammar.compile(vocab).start()
    state.commit_bytes(b"aac")
    assert state.is_accepting()


def test_grammar_bind_token_slots_require_token_events(vocab):
    grammar = Grammar.from_glrm("start s; extern token t; nt s = t;")
    with pytest.raises(GlrmaskError):
        grammar.bind("t", Grammar.from_regex("b"))
    for value in (Token(63), vocab.tokens([63])):
        bound = grammar.clone()
        bound.bind("t", value)
        assert ids(bound.compile(vocab).start()) == [63]
    with pytest.raises(TypeError):
        grammar.bind("t", 63)


def test_grammar_clones_and_attached_children_keep_their_bindings(vocab):
    child = Grammar.from_glrm(SLOT)
    grammar = Grammar.from_glrm(SLOT)
    copy = grammar.clone()
    grammar.bind("inner", child)
    child.bind("inner", Grammar.from_regex("b"))
    assert [requirement.path for requirement in grammar.requirements] == [["inner", "inner"]]
    assert [requirement.path for requirement in copy.requirements] == [["inner"]]
    copy.bind("inner", Grammar.from_regex("c"))
    assert ids(after(copy.compile(vocab), b"a")) == [31, 32]


def test_grammar_compile_requires_every_slot_to_be_bound(vocab):
    with pytest.raises(GlrmaskError, match="inner"):
        Grammar.from_glrm(SLOT).compile(vocab)


def test_grammar_compile_end_tokens_are_not_inherited_by_a_child(vocab):
    grammar = Grammar.from_glrm('start s; extern grammar inner; nt s = "a" inner "x";')
    grammar.bind("inner", Grammar.from_regex("b"))
    constraint = grammar.compile(vocab, end_tokens=[100])
    assert ids(after(constraint, b"ab")) == [63]
    assert ids(after(constraint, b"abx")) == [100]


def test_grammar_exact_is_one_event_without_bytes_ignored_text_or_end_tokens(vocab):
    grammar = Grammar.from_glrm('start s; ignore "x"; extern grammar inner; nt s = "a" inner;')
    grammar.bind("inner", Grammar.exact(vocab.tokens([10, 70])))
    state = grammar.compile(vocab).start()
    state.commit_token(3)
    assert ids(state) == [10, 63, 70]
    branch = state.clone()
    with pytest.raises(GlrmaskError):
        branch.commit_bytes(b"b")
    state.commit_token(70)
    assert state.is_accepting()
    with pytest.raises(TypeError):
        Grammar.exact([10])


def test_grammar_from_glrm_has_typed_slots():
    grammar = Grammar.from_glrm("start s; extern token t; extern grammar g; nt s = t g;")
    assert [(requirement.kind, requirement.name) for requirement in grammar.requirements] == [
        ("token", "t"),
        ("grammar", "g"),
    ]
    with pytest.raises(GrammarSyntaxError):
        Grammar.from_glrm("start s; extern thing t; nt s = t;")


def test_grammar_prepare_keeps_open_slots_for_link(vocab):
    prepared = Grammar.from_glrm(SLOT).prepare(vocab)
    assert isinstance(prepared, PreparedGrammar)
    for pattern, expected in (("b", [10]), ("c", [31, 32])):
        bound = prepared.clone()
        bound.bind("inner", Grammar.from_regex(pattern).prepare(vocab))
        assert ids(after(bound.link(), b"a")) == expected
    with pytest.raises(TypeError):
        Grammar.from_glrm(SLOT).prepare("vocab")


def test_grammar_requirements_include_attached_open_children_and_are_bounded(vocab):
    grammar = Grammar.from_glrm(SLOT)
    grammar.bind("inner", Grammar.from_glrm(SLOT))
    assert [requirement.name for requirement in grammar.requirements] == ["inner::inner"]
    double = Grammar.from_glrm("start s; extern grammar l; extern grammar r; nt s = l r;")
    wide = double
    for _ in range(20):
        wider = double.clone()
        wider.bind("l", wide)
        wider.bind("r", wide)
        wide = wider
    with pytest.raises(LimitError):
        _ = wide.requirements


# --- PreparedGrammar


def test_prepared_grammar_bind_wants_children_of_the_same_vocabulary(vocab):
    prepared = Grammar.from_glrm(SLOT).prepare(vocab)
    other = Vocab.from_dict({"a": 3, "b": 10})
    for value in (Grammar.from_regex("b").prepare(other), other.tokens([3]), Token(99)):
        with pytest.raises(GlrmaskError):
            prepared.bind("inner", value)
    assert [requirement.name for requirement in prepared.requirements] == ["inner"]
    with pytest.raises(TypeError):
        prepared.bind("inner", Grammar.from_regex("b"))
    prepared.bind("inner", vocab.tokens([70]))
    with pytest.raises(GlrmaskError):
        prepared.bind("inner", vocab.tokens([70]))
    assert ids(after(prepared.link(), b"a")) == [70]


def test_prepared_grammar_binds_nested_slots_after_the_parent_and_children_are_snapshots(vocab):
    prepared, child = (Grammar.from_glrm(SLOT).prepare(vocab) for _ in range(2))
    prepared.bind("inner", child)
    child.bind("inner", Grammar.from_regex("b").prepare(vocab))
    assert [requirement.name for requirement in prepared.requirements] == ["inner::inner"]
    prepared.bind("inner::inner", Grammar.from_regex("c").prepare(vocab))
    assert prepared.requirements == []
    assert ids(after(prepared.link(), b"aa")) == [31, 32]


def test_prepared_grammar_clone_is_independent(vocab):
    prepared = Grammar.from_glrm(SLOT).prepare(vocab)
    copy = prepared.clone()
    prepared.bind("inner", Grammar.from_regex("b").prepare(vocab))
    assert ([r.name for r in prepared.requirements], [r.name for r in copy.requirements]) == ([], ["inner"])


def test_prepared_grammar_link_gives_the_masks_of_compiling_the_bound_grammar(vocab):
    prepared, grammar = Grammar.from_glrm(SLOT).prepare(vocab), Grammar.from_glrm(SLOT)
    prepared.bind("inner", Grammar.from_regex("b|c+").prepare(vocab))
    grammar.bind("inner", Grammar.from_regex("b|c+"))
    one, other = prepared.link(end_tokens=[100]).start(), grammar.compile(vocab, end_tokens=[100]).start()
    for token_id in (3, 31, 32, 100):
        assert ids(one) == ids(other)
        one.commit_token(token_id)
        other.commit_token(token_id)
    assert one.is_terminated() and other.is_terminated()
    with pytest.raises(GlrmaskError):
        Grammar.from_glrm(SLOT).prepare(vocab).link()


# --- Requirement


def test_requirement_tells_kind_name_path_and_place(vocab):
    source = "start s;\n  extern grammar inner;\nextern token t; nt s = inner t;"
    grammar = Grammar.from_glrm(source)
    inner, token = grammar.requirements
    assert (inner.kind, inner.name, inner.path) == ("grammar", "inner", ["inner"])
    assert (token.kind, token.name, token.path) == ("token", "t", ["t"])
    start, end, line, column = inner.source_span
    assert (source.encode()[start:end], line, column) == (b"inner", 2, 18)
    grammar.bind("inner", Grammar.from_glrm(SLOT))
    assert [(r.name, r.path) for r in grammar.requirements if r.kind == "grammar"] == [
        ("inner::inner", ["inner", "inner"])
    ]


# --- Token


def test_token_is_an_id_without_vocabulary():
    assert Token(5).id == Token(id=5).id == 5
    grammar = Grammar.from_glrm("start s; extern token t; nt s = t;")
    grammar.bind("t", Token(1))
    for spelled in (b"a", b"b"):
        assert ids(grammar.compile(Vocab.from_id_to_bytes({1: spelled, 2: b"c"})).start()) == [1]
    with pytest.raises(GlrmaskError):
        grammar.compile(Vocab.from_id_to_bytes({2: b"c"}))
    for wrong in ("1", 1.0, None):
        with pytest.raises(TypeError):
            Token(wrong)


# --- Vocab: sets of tokens


def test_vocab_tokens_refuses_unknown_and_duplicate_ids(vocab):
    for bad in ([4], [3, 3], [-1], [2**40]):
        with pytest.raises(GlrmaskError):
            vocab.tokens(bad)
    with pytest.raises(TypeError):
        vocab.tokens(["3"])


def test_vocab_tokens_takes_any_iterable_and_keeps_ranges_compact(vocab):
    assert vocab.tokens(iter([40, 3])).ids == [3, 40]
    assert vocab.tokens(range(31, 33)).ranges == [range(31, 33)]
    assert vocab.tokens(range(3, 11, 7)).ids == [3, 10]
    assert vocab.tokens([]).ids == []


def test_vocab_token_ranges_unites_ranges_of_step_1(vocab):
    dense = Vocab.from_id_to_bytes(dict.fromkeys(range(20), b"a"))
    assert dense.token_ranges([range(4), range(2, 6), range(6, 8), range(12, 9, -1)]).ranges == [
        range(8),
        range(10, 13),
    ]
    assert dense.token_ranges([]).ranges == []
    for bad in ([range(0, 6, 2)], [range(3, 3)], [range(15, 25)]):
        with pytest.raises(GlrmaskError):
            dense.token_ranges(bad)
    with pytest.raises(TypeError):
        vocab.token_ranges([3])


# --- PreparedGrammar: artifacts


def test_prepared_grammar_save_keeps_slots_and_vocabulary_and_shares_definitions(vocab):
    prepared = Grammar.from_glrm(SLOT).prepare(vocab)
    prepared.bind("inner", Grammar.from_glrm(SLOT).prepare(vocab))
    data = prepared.save()
    assert isinstance(data, bytes)
    for loaded in (PreparedGrammar.load(data), PreparedGrammar.load(data, vocab)):
        assert [requirement.name for requirement in loaded.requirements] == ["inner::inner"]
        loaded.bind("inner::inner", Grammar.from_regex("b").prepare(vocab))
        assert ids(after(loaded.link(), b"aa")) == [10]
    assert prepared.requirements

    pair = Grammar.from_glrm("start s; extern grammar l; extern grammar r; nt s = l r;").prepare(vocab)
    large = Grammar.from_choices([f"{i:x}abc{i:x}" for i in range(3000)]).prepare(vocab)
    pair.bind("l", large)
    once = len(pair.save())
    pair.bind("r", large)
    assert len(pair.save()) < once * 1.2


def test_prepared_grammar_load_rejects_what_is_malformed_or_of_another_vocabulary(vocab):
    data = Grammar.from_glrm(SLOT).prepare(vocab).save()
    for bad in (b"", b"nonsense", data[:-1], data[:-1] + bytes([data[-1] ^ 1])):
        with pytest.raises(ArtifactError):
            PreparedGrammar.load(bad)
    with pytest.raises(ArtifactError):
        PreparedGrammar.load(data, Vocab.from_dict({"a": 3}))
    constraint = Grammar.from_ebnf(ABC).compile(vocab).save()
    with pytest.raises(ArtifactError):
        PreparedGrammar.load(constraint)
    with pytest.raises(ArtifactError):
        Constraint.load(data)
