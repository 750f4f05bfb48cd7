"""Sentences of the guide, of the README and of the API page that no example runs, one test for each."""

import threading

import numpy as np
import pytest
from glrmask import (
    ArtifactError,
    CancelledError,
    Constraint,
    DynamicConstraint,
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

CITY = {"type": "object", "properties": {"city": {"type": "string"}, "days": {"enum": [1, 2]}}}
CITY |= {"required": ["city", "days"], "additionalProperties": False}
END = 300


def ids(state):
    return state.mask().nonzero()[0].tolist()


# --- Ends


def test_without_end_tokens_the_mask_is_empty_at_the_end_and_the_state_is_not_terminated(letters):
    state = Grammar.from_choices(["yes"]).compile(letters).start()
    state.commit_bytes(b"yes")
    assert ids(state) == []
    assert (state.is_accepting(), state.is_rejected(), state.is_terminated()) == (True, False, False)


def test_an_end_token_is_what_terminates(letters):
    state = Grammar.from_choices(["yes"]).compile(letters, end_tokens=[END]).start()
    state.commit_bytes(b"yes")
    assert (ids(state), state.is_terminated()) == ([END], False)
    state.commit_token(END)
    assert (ids(state), state.is_terminated()) == ([], True)


def test_end_tokens_are_never_forced(letters):
    state = Grammar.from_choices(["yes"]).compile(letters, end_tokens=[END]).start()
    assert state.forced_tokens() == [*b"yes"]


# --- Failed commits


def test_bytes_that_are_not_allowed_leave_empty_masks_and_no_marker_events(letters):
    state = Grammar.from_glrm('start s; nt s = "n" @mark(1) "x";').compile(letters).start()
    state.commit_bytes(b"n")
    assert state.marker_events() == [(1, 1)]
    with pytest.raises(GlrmaskError):
        state.commit_bytes(b"q")
    assert (ids(state), state.marker_events(), state.is_terminated()) == ([], [], True)


def test_an_unknown_id_leaves_even_the_marker_events(letters):
    state = Grammar.from_glrm('start s; nt s = "n" @mark(1) "x";').compile(letters).start()
    state.commit_bytes(b"n")
    with pytest.raises(GlrmaskError) as caught:
        state.commit_token(999)
    assert caught.value.token_id == 999
    assert (ids(state), state.marker_events()) == ([ord("x")], [(1, 1)])


# --- Ids


def test_ids_go_up_to_32_bits_if_the_caller_allows_it():
    with pytest.raises(LimitError, match="max_id"):
        Vocab.from_dict({"a": 2**32 - 1})
    vocab = Vocab.from_dict({"a": 2**32 - 1}, max_id=2**32 - 1)
    assert vocab.token_bytes(2**32 - 1) == b"a"
    assert Grammar.from_choices(["a"]).compile(vocab).mask_len() == 2**27


# --- Both kinds of constraint


def test_the_lazy_type_has_the_same_members():
    lazy, full = ({name for name in dir(kind) if name[0] != "_"} for kind in (DynamicConstraint, Constraint))
    assert lazy == full


@pytest.mark.parametrize("kind", [Constraint, DynamicConstraint])
def test_both_types_load_what_they_save(kind, letters):
    constraint = kind.from_json_schema({"enum": ["positive", "neutral"]}, letters, end_token_ids=[END])
    loaded = [kind.load(constraint.save()), kind.load(constraint.save(external_vocab=True), letters)]
    for again in loaded:
        assert type(again) is kind
        state = again.start()
        state.commit_bytes(b'"ne')
        assert ids(state) == [ord("u")]
        state.commit_bytes(b'utral"')
        assert ids(state) == [END]


def test_fast_build_gives_a_lazy_constraint(letters):
    constraint = Grammar.from_json_schema(CITY).compile(letters, optimization=Optimization.FAST_BUILD)
    assert type(constraint) is Constraint and not constraint.is_complete


def test_every_mode_and_the_lazy_type_have_the_same_masks_for_json(letters):
    modes = [Optimization.AUTO, Optimization.BALANCED, Optimization.FAST_BUILD, Optimization.FAST_RUNTIME]
    states = [Grammar.from_json_schema(CITY).compile(letters, optimization=mode).start() for mode in modes]
    states.append(DynamicConstraint.from_json_schema(CITY, letters).start())
    for token_id in '{"city": "Zürich", "days": 2}'.encode():
        assert len({state.mask().tobytes() for state in states}) == 1
        for state in states:
            state.commit_token(token_id)
    assert all(state.is_accepting() for state in states)


# --- Grammars


def test_terminals_of_lark_take_the_longest_match_and_text_of_ebnf_and_gbnf_does_not(letters, accepts):
    with pytest.raises(GlrmaskError, match="language is empty"):
        Grammar.from_lark("start: NUMBER NUMBER\nNUMBER: /[0-9]+/").compile(letters)
    assert accepts(Grammar.from_ebnf("start ::= num num\nnum ::= [0-9]+"), letters, "12")
    assert accepts(Grammar.from_gbnf("root ::= num num\nnum ::= [0-9]+"), letters, "12")


def test_a_keyword_does_not_end_inside_of_a_name(letters, accepts):
    grammar = Grammar.from_lark('start: "return" NAME | NAME\nNAME: /[a-z]+/\n%ignore " "')
    assert accepts(grammar, letters, "returnx") and accepts(grammar, letters, "return x")
    assert not accepts(grammar, letters, "returnx y")


def test_token_events_of_gbnf_and_slots_named_by_their_path(letters):
    assert ids(Grammar.from_gbnf('root ::= <[4]> "a"').compile(letters).start()) == [4]
    grammar = Grammar.from_glrm("start s; extern grammar part; nt s = part;")
    grammar.bind("part", Grammar.from_glrm("start s; extern token slot; nt s = slot;"))
    grammar.bind("part::slot", Token(5))
    assert ids(grammar.compile(letters).start()) == [5]


@pytest.mark.parametrize(
    ("options", "text", "strict"),
    [
        ({"whitespace": "compact"}, '{"city":"R","days":1}', '{"city": "R", "days": 1}'),
        ({"whitespace": "flexible"}, '{ "city" :"R",\n"days":1 }', '{"city": "R", "days": 3}'),
        ({"property_order": "any"}, '{"days": 1, "city": "R"}', '{"days":1,"city":"R"}'),
    ],
)
def test_spacing_and_order_are_those_of_json_dumps_unless_asked(options, text, strict, letters, accepts):
    plain, other = Grammar.from_json_schema(CITY), Grammar.from_json_schema(CITY, **options)
    assert accepts(plain, letters, '{"city": "R", "days": 1}') and not accepts(plain, letters, text)
    assert accepts(other, letters, text) and not accepts(other, letters, strict)


def test_references_lead_to_the_registry_only(letters, accepts):
    schema = {"$ref": "http://x.test/a"}
    with pytest.raises(SchemaError) as caught:
        Grammar.from_json_schema(schema)
    assert caught.value.keyword == "$ref"
    assert accepts(Grammar.from_json_schema(schema, registry={"http://x.test/a": {"const": "b"}}), letters, '"b"')


# --- Errors


@pytest.mark.parametrize("kind", [GrammarSyntaxError, SchemaError, LimitError, ArtifactError, CancelledError])
def test_one_root_for_all_errors(kind):
    assert issubclass(kind, GlrmaskError) and issubclass(GlrmaskError, ValueError)


def test_a_syntax_error_lists_all_that_is_wrong():
    with pytest.raises(GrammarSyntaxError) as caught:
        Grammar.from_lark('start: "a" b c\n')
    assert [(found.line, found.column) for found in caught.value.diagnostics] == [(1, 12), (1, 14)]


def test_limits_and_cancelling_say_what_is_known(letters):
    with pytest.raises(LimitError) as caught:
        Grammar.from_regex("(a{1000}){1000}{1000}").compile(letters)
    assert caught.value.given > caught.value.limit > 0
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(CancelledError):
        Grammar.from_json_schema(CITY).compile(letters, cancel=cancel)


# --- Speculation


def test_256_commits_can_be_rolled_back_and_more_if_asked(letters):
    constraint = Grammar.from_regex("a*").compile(letters)
    few, many = constraint.start(), constraint.start()
    many.history_limit = 300
    for state in (few, many):
        state.commit_tokens([ord("a")] * 300)
    few.clone().rollback(256)
    with pytest.raises(GlrmaskError):
        few.rollback(257)
    many.rollback(300)
    assert np.array_equal(many.mask(), constraint.start().mask())


# --- Composition


def test_places_of_slots_count_bytes_in_spans_and_characters_in_columns():
    source = 'start s; nt s = "é𝄞" inner; extern grammar inner;'
    (slot,) = Grammar.from_glrm(source).requirements
    start, end, line, column = slot.source_span
    assert source.encode()[start:end] == b"inner"
    assert (line, column) == (1, source.rindex("inner") + 1)


def test_a_grammar_slot_takes_exact_tokens_too(letters):
    for event in (Token(98), letters.tokens([98])):
        grammar = Grammar.from_glrm('start s; extern grammar g; nt s = "a" g;')
        grammar.bind("g", event)
        state = grammar.compile(letters).start()
        state.commit_bytes(b"a")
        assert ids(state) == [98]


@pytest.mark.parametrize("bad", [-1, 2**32])
def test_a_token_is_an_unsigned_32_bit_integer(bad):
    with pytest.raises(GlrmaskError, match="4294967295"):
        Token(bad)


def test_what_is_loaded_with_a_vocabulary_shares_it(letters):
    prepared = Grammar.from_choices(["a"]).prepare(letters)
    constraint = PreparedGrammar.load(prepared.save(), letters).link()
    assert constraint.vocab is letters
    assert Constraint.load(constraint.save(), letters).vocab is letters
