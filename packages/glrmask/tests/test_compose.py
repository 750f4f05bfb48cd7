"""Composition: slots, what fills them, snapshots, paths, token sets."""

import copy
import pickle
import threading

import glrmask
import pytest
from glrmask import (
    ArtifactError,
    BoundaryTriggerDetail,
    CancelledError,
    ExactTokens,
    GlrmaskError,
    Grammar,
    LimitError,
    Limits,
    Optimization,
    PreparedGrammar,
    Requirement,
    Token,
    Vocab,
)

OUTER = 'start s; extern grammar inner; nt s = "<" inner ">";'
LEAF = 'start s; nt s = "a"+;'
MODES = [Optimization.AUTO, Optimization.BALANCED, Optimization.FAST_BUILD, Optimization.FAST_RUNTIME]


def prepared(grammar: Grammar, vocab: Vocab) -> PreparedGrammar:
    return grammar.prepare(vocab)


def test_preparing_takes_limits_threads_and_cancelling(accepts, letters, outer, leaf):
    event = threading.Event()
    options = {"limits": Limits(states=1, memory=1, seconds=60), "threads": 2, "cancel": event}
    linked = outer.prepare(letters, boundary_trigger=BoundaryTriggerDetail.TOKENS, **options)
    linked.bind("inner", leaf.prepare(letters, **options))
    assert accepts(linked.link(), "<aa>")
    event.set()
    # Markers are not compiled apart, so there is nothing to do, yet nobody wants the result.
    for grammar in (outer, leaf, Grammar.from_glrm('start s; nt s = @mark(1) "a";')):
        with pytest.raises(CancelledError, match="cancelled"):
            grammar.prepare(letters, **options)
    with pytest.raises(LimitError, match="time"):
        outer.prepare(letters, limits=Limits(seconds=0))
    for bad in ({"threads": -1}, {"limits": Limits(seconds=-1.0)}, {"limits": Limits(states=-1)}):
        for use in (outer.prepare, leaf.compile):
            with pytest.raises(ValueError, match="threads|seconds|states"):
                use(letters, **bad)
    for bad in ({"threads": 1.5}, {"cancel": 3}, {"limits": Limits(states="1")}):
        with pytest.raises(TypeError):
            outer.prepare(letters, **bad)


@pytest.mark.parametrize("saved", [False, True])
@pytest.mark.parametrize("linking", MODES)
@pytest.mark.parametrize("preparing", [None, *MODES])
def test_masks_made_when_preparing_are_those_of_compiling_the_bound_grammar(preparing, linking, saved):
    tokens = [bytes([byte]) for byte in range(256)] + [b'"}</', b"}</x>", b'": ', b"1}", b", ", b'{"a']
    vocab = Vocab.from_id_to_bytes(dict(enumerate(tokens)))
    schema = {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "integer"}}}
    inner = Grammar.from_json_schema(schema | {"additionalProperties": False})
    outer = Grammar.from_glrm('start s; extern grammar inner; nt s = "<x>" inner "</x>";')
    parts = outer.prepare(vocab, optimization=preparing)
    parts.bind("inner", inner.prepare(vocab, optimization=preparing))
    if saved:
        parts = PreparedGrammar.load(parts.save(), vocab)
    for _ in range(2):  # the second finds what the first has made
        linked = parts.link(optimization=linking)
    assert linked.is_complete == (linking != Optimization.FAST_BUILD)
    outer.bind("inner", inner)
    ours, theirs = linked.start(), outer.compile(vocab, optimization=Optimization.FAST_BUILD).start()
    for byte in b'<x>{"a": "}</x>", "b": 1}</x>':
        assert (ours.mask() == theirs.mask()).all()
        ours.commit_token(byte)
        theirs.commit_token(byte)
    assert ours.is_accepting()


def test_prepare_takes_a_mode_by_name_only(letters, leaf):
    with pytest.raises(TypeError):
        leaf.prepare(letters, None, Optimization.AUTO)
    with pytest.raises(TypeError):
        leaf.prepare(letters, optimization="FAST_RUNTIME")


def test_token_events_of_very_many_ids_cannot_be_written_as_text():
    vocab = Vocab.from_id_to_bytes(dict.fromkeys(range(2**20 + 1), b""))
    for count in (2**20, 2**20 + 1):
        grammar = Grammar.from_glrm("start s; extern token t; nt s = t;")
        grammar.bind("t", vocab.tokens(range(count)))
        if count == 2**20:
            assert f"@token(0-{count - 1})" in grammar.to_glrm()
            assert Grammar.from_glrm(grammar.to_glrm()).requirements == []
        else:
            with pytest.raises(LimitError, match="1048577"):
                grammar.to_glrm()


def test_what_the_event_raises_while_preparing_is_raised(letters, outer):
    class Broken:
        def is_set(self):
            raise ZeroDivisionError("broken")

    with pytest.raises(ZeroDivisionError):
        outer.prepare(letters, cancel=Broken())


def test_other_threads_run_while_preparing(letters):
    ticks, done = 0, threading.Event()
    schema = {"type": "object", "properties": {f"key{i}": {"type": "string"} for i in range(1500)}}
    grammar = Grammar.from_json_schema(schema)

    def prepare():
        grammar.prepare(letters)
        done.set()

    worker = threading.Thread(target=prepare)
    worker.start()
    while not done.wait(0.001):
        ticks += 1
    worker.join()
    assert ticks > 1  # at most one if the interpreter was held


def test_an_empty_grammar_is_an_error_where_it_is_needed(accepts, letters, outer):
    """With ignored text and without: preparing does not tell, since what is bound may not be needed."""
    for ignore in ("", 'ignore " ";'):
        empty = Grammar.from_glrm(f'start s; {ignore} nt s = "a" s;')
        either = Grammar.from_glrm('start s; extern grammar inner; nt s = "b" | "(" inner ")";')
        bound = either.clone()
        bound.bind("inner", empty)
        linked = either.prepare(letters)
        linked.bind("inner", empty.prepare(letters))
        for constraint in (bound.compile(letters), bound.prepare(letters).link(), linked.link()):
            assert accepts(constraint, "b")
            assert constraint.start().mask().nonzero()[0].tolist() == [ord("b")]
        needed = outer.clone()
        needed.bind("inner", empty)
        linked = outer.prepare(letters)
        linked.bind("inner", empty.prepare(letters))
        links = (needed.prepare(letters).link, linked.link, empty.prepare(letters).link)
        for use in (*links, lambda: needed.compile(letters), lambda: empty.compile(letters)):
            with pytest.raises(GlrmaskError, match="derive|empty"):
                use()


@pytest.fixture
def outer():
    return Grammar.from_glrm(OUTER)


@pytest.fixture
def leaf():
    return Grammar.from_glrm(LEAF)


# ---------------------------------------------------------------- slots


def test_a_bound_grammar_compiles(accepts, letters, outer, leaf):
    outer.bind("inner", leaf)
    constraint = outer.compile(letters)
    assert accepts(constraint, "<aa>")
    assert not accepts(constraint, "<>")


def test_every_front_end_can_be_bound(accepts, letters):
    for child, text in [
        (Grammar.from_json_schema({"type": "integer"}), "-12"),
        (Grammar.from_regex("[a-c]{2}"), "cb"),
        (Grammar.from_ebnf('start ::= "x" | "y"'), "y"),
        (Grammar.from_lark('start: "z" NAME\nNAME: /[a-z]+/'), "zz"),
    ]:
        grammar = Grammar.from_glrm(OUTER)
        grammar.bind("inner", child)
        assert accepts(grammar.compile(letters), f"<{text}>")


def test_slots_are_filled_once(outer, leaf):
    outer.bind("inner", leaf)
    with pytest.raises(GlrmaskError, match="`inner` is bound already"):
        outer.bind("inner", leaf)


def test_unknown_slots_are_errors(outer, leaf):
    with pytest.raises(GlrmaskError, match="no slot `other`"):
        outer.bind("other", leaf)
    with pytest.raises(GlrmaskError, match="nothing is bound to `inner` yet"):
        outer.bind("inner::x", leaf)
    outer.bind("inner", leaf)
    with pytest.raises(GlrmaskError, match="no slot `inner::x`"):
        outer.bind("inner::x", leaf)


def test_open_slots_are_errors_when_compiling(letters, outer):
    with pytest.raises(GlrmaskError, match="nothing is bound to the slot `inner`"):
        outer.compile(letters)
    with pytest.raises(GlrmaskError, match="nothing is bound to the slot `inner`"):
        outer.prepare(letters).link()


def test_token_slots_take_no_grammar(leaf, letters):
    grammar = Grammar.from_glrm('start s; extern token end; nt s = "a" end;')
    with pytest.raises(GlrmaskError, match="takes token events, not a grammar"):
        grammar.bind("end", leaf)
    prepared = grammar.prepare(letters)
    with pytest.raises(GlrmaskError, match="takes token events, not a grammar"):
        prepared.bind("end", leaf.prepare(letters))
    for value in [Token(3), letters.tokens([1, 2])]:
        grammar.clone().bind("end", value)
        prepared.clone().bind("end", value)


@pytest.mark.parametrize("value", [1, "x", None, b"a", [1]])
def test_wrong_types_are_type_errors(outer, letters, value):
    with pytest.raises(TypeError):
        outer.bind("inner", value)
    with pytest.raises(TypeError):
        outer.prepare(letters).bind("inner", value)
    with pytest.raises(TypeError):
        outer.bind(value if value != "x" else 5, Token(1))


def test_prepared_and_source_grammars_do_not_mix(outer, leaf, letters):
    with pytest.raises(TypeError):
        outer.bind("inner", leaf.prepare(letters))
    with pytest.raises(TypeError):
        outer.prepare(letters).bind("inner", leaf)


# ---------------------------------------------------------------- snapshots


def test_a_bound_child_is_a_snapshot(accepts, letters, outer):
    middle = Grammar.from_glrm('start s; extern grammar leaf; nt s = "[" leaf "]";')
    outer.bind("inner", middle)
    middle.bind("leaf", Grammar.from_regex("x"))
    assert [r.name for r in outer.requirements] == ["inner::leaf"]
    assert middle.requirements == []
    outer.bind("inner::leaf", Grammar.from_regex("y"))
    assert accepts(outer.compile(letters), "<[y]>")
    assert accepts(middle.compile(letters), "[x]")


@pytest.mark.parametrize("duplicate", [Grammar.clone, copy.copy, copy.deepcopy])
def test_clones_are_independent(accepts, letters, outer, leaf, duplicate):
    other = duplicate(outer)
    outer.bind("inner", leaf)
    assert [r.name for r in other.requirements] == ["inner"]
    other.bind("inner", Grammar.from_regex("b"))
    assert accepts(outer.compile(letters), "<a>") and not accepts(outer.compile(letters), "<b>")
    assert accepts(other.compile(letters), "<b>") and not accepts(other.compile(letters), "<a>")


@pytest.mark.parametrize("duplicate", [PreparedGrammar.clone, copy.copy, copy.deepcopy])
def test_prepared_clones_are_independent(accepts, letters, outer, leaf, duplicate):
    one = outer.prepare(letters)
    other = duplicate(one)
    one.bind("inner", leaf.prepare(letters))
    assert [r.name for r in other.requirements] == ["inner"]
    assert accepts(one.link(), "<a>")


def test_a_failed_bind_leaves_no_trace(accepts, letters, outer, leaf):
    before = outer.to_glrm()
    for name, value in [("other", leaf), ("inner::x", leaf)]:
        with pytest.raises(GlrmaskError):
            outer.bind(name, value)
    assert outer.to_glrm() == before
    assert [r.name for r in outer.requirements] == ["inner"]
    outer.bind("inner", leaf)
    assert accepts(outer.compile(letters), "<a>")


def test_a_grammar_bound_to_itself_is_its_own_child(accepts, letters, leaf):
    grammar = Grammar.from_glrm(OUTER)
    grammar.bind("inner", grammar)
    assert [r.name for r in grammar.requirements] == ["inner::inner"]
    grammar.bind("inner::inner", leaf)
    assert accepts(grammar.compile(letters), "<<a>>")


# ---------------------------------------------------------------- requirements


def test_requirements_have_kind_path_and_place():
    source = "start s;\nextern token tök;\n  extern grammar inner;\nnt s = tök inner;"
    grammar = Grammar.from_glrm(source.replace("ö", "o"))
    assert grammar.requirements == [
        Requirement("token", "tok", ["tok"], (22, 25, 2, 14)),
        Requirement("grammar", "inner", ["inner"], (44, 49, 3, 18)),
    ]
    assert source.encode()[9:15] == b"extern"


def test_slots_of_inline_grammars_have_their_path(accepts, letters):
    grammar = Grammar.from_glrm('start s; nt s = "<" g ">"; grammar g { start t; extern grammar x; nt t = x x; }')
    assert [r.path for r in grammar.requirements] == [["g", "x"]]
    grammar.bind("g::x", Grammar.from_regex("[ab]"))
    assert accepts(grammar.compile(letters), "<ab>")


def test_the_same_name_in_different_children_is_told_apart(accepts, letters):
    pair = Grammar.from_glrm('start s; extern grammar left; extern grammar right; nt s = left "," right;')
    child = Grammar.from_glrm('start s; extern grammar x; nt s = "(" x ")";')
    pair.bind("left", child)
    pair.bind("right", child)
    assert [r.name for r in pair.requirements] == ["left::x", "right::x"]
    pair.bind("right::x", Grammar.from_regex("r"))
    assert [r.name for r in pair.requirements] == ["left::x"]
    pair.bind("left::x", Grammar.from_regex("l"))
    constraint = pair.compile(letters)
    assert accepts(constraint, "(l),(r)") and not accepts(constraint, "(r),(r)")


def test_shared_graphs_stay_small_and_their_diagnosis_is_bounded(accepts, letters):
    double = Grammar.from_glrm("start s; extern grammar a; extern grammar b; nt s = a b | a;")
    leaf = Grammar.from_glrm('start s; extern grammar x; nt s = "(" x ")";')
    closed = leaf.clone()
    closed.bind("x", Grammar.from_regex("y"))
    for _ in range(40):
        wider, wider_closed = double.clone(), double.clone()
        wider.bind("a", leaf)
        wider.bind("b", leaf)
        wider_closed.bind("a", closed)
        wider_closed.bind("b", closed)
        leaf, closed = wider, wider_closed
    with pytest.raises(LimitError) as caught:
        _ = leaf.requirements
    assert caught.value.limit == 10_000
    assert closed.requirements == []
    assert accepts(closed.compile(letters), "(y)(y)(y)")
    assert accepts(closed.prepare(letters).link(), "(y)(y)(y)")


def test_nesting_is_bounded(leaf):
    grammar = leaf
    wrap = Grammar.from_glrm(OUTER)
    for _ in range(127):
        wider = wrap.clone()
        wider.bind("inner", grammar)
        grammar = wider
    with pytest.raises(LimitError) as caught:
        wrap.bind("inner", grammar)
    assert (caught.value.given, caught.value.limit) == (129, 128)


# ---------------------------------------------------------------- scopes


def test_nothing_is_inherited(accepts, letters):
    outer = Grammar.from_glrm('start s; ignore " "; extern grammar inner; nt s = "<" inner ">";')
    outer.bind("inner", Grammar.from_glrm('start s; nt s = "a" "b";'))
    constraint = outer.compile(letters)
    assert accepts(constraint, " < ab > ") and not accepts(constraint, "<a b>")
    outer = Grammar.from_glrm(OUTER)
    outer.bind("inner", Grammar.from_glrm('start s; ignore " "; nt s = "a" "b";'))
    constraint = outer.compile(letters)
    assert accepts(constraint, "< a b >") and not accepts(constraint, " < a b >")


def test_names_belong_to_their_grammar(accepts, letters):
    outer = Grammar.from_glrm('start s; extern grammar inner; nt s = x inner; nt x = "1";')
    outer.bind("inner", Grammar.from_glrm('start s; nt s = x x; nt x = "2";'))
    assert accepts(outer.compile(letters), "122")


def test_end_tokens_are_those_of_the_root(letters, outer, leaf):
    outer.bind("inner", leaf)
    state = outer.compile(letters, end_tokens=[300]).start()
    state.commit_bytes(b"<a")
    assert not state.mask()[300]
    state.commit_bytes(b">")
    assert state.mask()[300]


def test_tokens_cross_boundaries(outer):
    vocab = Vocab.from_id_to_bytes({0: b"<", 1: b"<a", 2: b"a>", 3: b"<a>", 4: b"a", 5: b">", 6: b"<b"})
    outer.bind("inner", Grammar.from_glrm(LEAF))
    for constraint in [outer.compile(vocab), prepared_link(vocab)]:
        state = constraint.start()
        assert state.mask().nonzero()[0].tolist() == [0, 1, 3]
        state.commit_token(1)
        assert state.mask().nonzero()[0].tolist() == [2, 4, 5]


def prepared_link(vocab):
    outer = Grammar.from_glrm(OUTER).prepare(vocab)
    outer.bind("inner", Grammar.from_glrm(LEAF).prepare(vocab))
    return outer.link()


# ---------------------------------------------------------------- tokens


def test_tokens_are_values():
    assert Token(5) == Token(5) != Token(6)
    assert Token(5).id == 5
    assert Token(id=5) in {Token(5)}
    assert repr(Token(5)) == "Token(5)"
    assert pickle.loads(pickle.dumps(Token(5))) == Token(5)
    assert Token(5) != 5
    for wrong in ["x", 1.0, None]:
        with pytest.raises(TypeError):
            Token(wrong)
    for wrong in [-1, 2**32]:
        with pytest.raises(GlrmaskError):
            Token(wrong)
    with pytest.raises(AttributeError):
        Token(5).id = 6


@pytest.fixture
def sparse():
    ids = [*range(10), *range(20, 30), 40]
    return Vocab.from_id_to_bytes({i: bytes([i]) for i in ids})


def test_sets_of_tokens_are_ranges(sparse):
    tokens = sparse.tokens([22, 3, 1, 2, 21])
    assert tokens.ids == [1, 2, 3, 21, 22]
    assert tokens.ranges == [range(1, 4), range(21, 23)]
    assert len(tokens) == 5
    assert 2 in tokens and 4 not in tokens
    assert tokens == sparse.token_ranges([range(21, 23), range(3, 0, -1)])
    assert hash(tokens) == hash(sparse.tokens(iter([1, 2, 3, 21, 22])))
    assert tokens != sparse.tokens([1])
    assert repr(tokens) == "<glrmask.ExactTokens: 5 ids: 1–3, 21–22>"
    assert pickle.loads(pickle.dumps(tokens)) == tokens


def test_ranges_merge(sparse):
    assert sparse.token_ranges([range(4), range(4, 6), range(2, 9)]).ranges == [range(9)]
    assert sparse.token_ranges([range(9, -1, -1)]).ranges == [range(10)]
    assert sparse.tokens(range(0, 10, 3)).ids == [0, 3, 6, 9]
    assert sparse.tokens(range(10)).ranges == [range(10)]
    assert sparse.tokens(range(0)) == sparse.tokens([]) == sparse.token_ranges([])
    assert sparse.tokens([]).ids == [] == sparse.tokens([]).ranges


def test_bad_ids_and_ranges_are_errors(sparse):
    for ids in [[11], [0, 11], [-1], [2**40], range(5, 12), range(2**40), [1, 1]]:
        with pytest.raises(GlrmaskError):
            sparse.tokens(ids)
    for ranges in [[range(9, 12)], [range(0)], [range(0, 4, 2)], [range(-1, 3)], [range(2**40)], [range(0, 4, -1)]]:
        with pytest.raises(GlrmaskError):
            sparse.token_ranges(ranges)
    for ids in [["a"], [1.5], 3, None]:
        with pytest.raises(TypeError):
            sparse.tokens(ids)
    for ranges in [[3], [[1, 2]], 3, range(3)]:
        with pytest.raises(TypeError):
            sparse.token_ranges(ranges)
    with pytest.raises(TypeError):
        ExactTokens()


def test_huge_ranges_cost_nothing():
    vocab = Vocab.from_id_to_bytes(dict.fromkeys(range(200000), b"x"))
    for _ in range(2_000):
        assert vocab.tokens(range(200_000)).ranges == [range(200_000)]
    with pytest.raises(GlrmaskError):
        vocab.tokens(range(2**32 - 1))


def test_token_events_belong_to_their_vocabulary(letters, sparse):
    grammar = Grammar.from_glrm('start s; extern token end; nt s = "a" end;')
    grammar.bind("end", sparse.tokens([1]))
    for use in [grammar.compile, grammar.prepare]:
        with pytest.raises(GlrmaskError, match="another vocabulary"):
            use(letters)
    with pytest.raises(GlrmaskError, match="another vocabulary"):
        Grammar.from_glrm(OUTER).prepare(letters).bind("inner", sparse.tokens([1]))
    # Ids without bytes are part of a vocabulary's identity.
    more = Vocab.from_id_to_bytes({**{i: bytes([i]) for i in range(256)}, 256: b""})
    with pytest.raises(GlrmaskError, match="another vocabulary"):
        Grammar.from_glrm(OUTER).prepare(more).bind("inner", letters.tokens([1]))
    same = Vocab.from_id_to_bytes({i: bytes([i]) for i in range(256)})
    Grammar.from_glrm(OUTER).prepare(letters).bind("inner", same.tokens([1]))


def test_tokens_need_only_be_in_the_vocabulary(letters):
    grammar = Grammar.from_glrm('start s; extern token end; nt s = "a" end;')
    grammar.bind("end", Token(300))
    for use in [grammar.compile, grammar.prepare]:
        with pytest.raises(GlrmaskError, match="300"):
            use(letters)
    with pytest.raises(GlrmaskError, match="300"):
        Grammar.from_glrm(OUTER).prepare(letters).bind("inner", Token(300))


def test_exact_adapts_events(letters, outer):
    with pytest.raises(TypeError):
        Grammar.exact(Token(1))
    exact = Grammar.exact(letters.tokens([1, 2]))
    assert exact.requirements == []
    outer.bind("inner", exact)
    assert outer.requirements == []


def test_prepared_children_are_of_the_same_vocabulary(accepts, letters, hello, outer, leaf):
    with pytest.raises(GlrmaskError, match="another vocabulary"):
        outer.prepare(letters).bind("inner", leaf.prepare(hello))
    same = Vocab.from_id_to_bytes({i: bytes([i]) for i in range(256)})
    prepared = outer.prepare(letters)
    prepared.bind("inner", leaf.prepare(same))
    assert accepts(prepared.link(), "<a>")
    assert prepared.vocab == letters


def test_binding_does_not_touch_what_is_compiled(accepts, letters, outer, leaf):
    prepared = outer.prepare(letters)
    one, other = prepared.clone(), prepared.clone()
    one.bind("inner", leaf.prepare(letters))
    other.bind("inner", Grammar.from_regex("b").prepare(letters))
    assert accepts(one.link(), "<a>") and not accepts(one.link(), "<b>")
    assert accepts(other.link(), "<b>") and not accepts(other.link(), "<a>")


# ---------------------------------------------------------------- artifacts


def test_prepared_grammars_are_saved_with_bindings_and_open_slots(accepts, letters):
    pair = Grammar.from_glrm('start s; extern grammar left; extern grammar right; nt s = left "," right;').prepare(
        letters
    )
    child = Grammar.from_glrm('start s; extern grammar x; ignore " "; nt s = "(" x ")";').prepare(letters)
    pair.bind("left", child)
    child.bind("x", Grammar.from_regex("l").prepare(letters))
    pair.bind("right", child)
    for vocab in [None, letters]:
        loaded = PreparedGrammar.load(pair.save(), vocab)
        assert loaded.vocab == letters
        assert loaded.requirements == pair.requirements
        assert [r.name for r in loaded.requirements] == ["left::x"]
        loaded.bind("left::x", Grammar.from_json_schema({"type": "boolean"}).prepare(letters))
        assert accepts(loaded.link(), "( true),(l )")
    assert [r.name for r in pair.requirements] == ["left::x"]


def test_shared_definitions_are_saved_once(letters):
    pair = Grammar.from_glrm("start s; extern grammar a; extern grammar b; nt s = a b;")
    single = Grammar.from_glrm("start s; extern grammar a; nt s = a;")
    child = Grammar.from_json_schema({"enum": [f"word {i}" for i in range(500)]})
    sizes = []
    for grammar, slots in [(single, ["a"]), (pair, ["a", "b"])]:
        prepared = grammar.prepare(letters)
        for slot in slots:
            prepared.bind(slot, child.prepare(letters))
        sizes.append(len(prepared.save()))
    assert sizes[1] < 1.05 * sizes[0]


def test_malformed_prepared_artifacts_are_refused(letters, hello, outer):
    saved = outer.prepare(letters).save()
    for wrong in [b"", saved[:20], saved[:-1], saved + b"x", b"x" + saved[1:], outer_constraint(letters).save()]:
        with pytest.raises(ArtifactError):
            PreparedGrammar.load(wrong)
    for position in range(0, len(saved), 97):
        damaged = bytearray(saved)
        damaged[position] ^= 1
        with pytest.raises(ArtifactError):
            PreparedGrammar.load(bytes(damaged))
    with pytest.raises(ArtifactError, match="another vocabulary"):
        PreparedGrammar.load(saved, hello)
    with pytest.raises(ArtifactError):
        glrmask.Constraint.load(saved)
    with pytest.raises(TypeError):
        PreparedGrammar.load("x")


def outer_constraint(vocab):
    return Grammar.from_glrm(OUTER.replace("extern grammar inner;", "").replace("inner", '"a"')).compile(vocab)


# ---------------------------------------------------------------- events


def test_bound_events_are_token_events():
    vocab = Vocab.from_id_to_bytes({0: b"<", 1: b"a", 2: b">", 3: b"", 4: b"", 5: b""})
    grammar = Grammar.from_glrm('start s; extern token end; extern grammar x; ignore "a"; nt s = "<" x end;')
    for value, ids in [(Token(4), [4]), (vocab.tokens([3, 4]), [3, 4]), (Grammar.exact(vocab.tokens([5])), [5])]:
        bound = grammar.clone()
        bound.bind("x", value)
        bound.bind("end", Token(5))
        prepared = grammar.prepare(vocab)
        prepared.bind("x", value.prepare(vocab) if isinstance(value, Grammar) else value)
        prepared.bind("end", vocab.tokens([5]))
        for constraint in [bound.compile(vocab), prepared.link(), PreparedGrammar.load(prepared.save()).link()]:
            state = constraint.start()
            state.commit_token(0)
            assert state.mask().nonzero()[0].tolist() == sorted({1, *ids})
            state.commit_token(ids[-1])
            assert state.mask().nonzero()[0].tolist() == [1, 5]
            state.commit_token(5)
            assert state.is_accepting()


def test_an_empty_set_of_tokens_matches_nothing(letters):
    grammar = Grammar.from_glrm('start s; extern token end; nt s = "a" | "b" end;')
    grammar.bind("end", letters.tokens([]))
    state = grammar.compile(letters).start()
    assert state.mask().nonzero()[0].tolist() == [ord("a")]
    nothing = Grammar.from_glrm('start s; extern token end; nt s = "b" end;')
    nothing.bind("end", letters.tokens([]))
    with pytest.raises(GlrmaskError, match="empty"):
        nothing.compile(letters)


# ---------------------------------------------------------------- boundaries


TOKENS, EXACT, NONE = BoundaryTriggerDetail.TOKENS, BoundaryTriggerDetail.EXACT, BoundaryTriggerDetail.NONE


def call(vocab, prepare=None, link=None):
    outer = Grammar.from_glrm('start s; extern grammar x; nt s = "f" | "(" x ")" | "[" x "]" s;')
    prepared = outer.prepare(vocab, boundary_trigger=prepare)
    prepared.bind("x", Grammar.from_glrm('start s; nt s = "a" "b"*;').prepare(vocab))
    return prepared.link(boundary_trigger=link)


@pytest.fixture
def pieces():
    texts = [b"", b"f", b"(", b"(a", b"a", b"ab", b"b", b"b]", b"](a", b"]f", b"[", b")", b"](", b"b](a"]
    return Vocab.from_id_to_bytes(dict(enumerate(texts)))


def shown(triggers, vocab):
    return {name: {vocab.token_bytes(i) for i in tokens.ids} for name, tokens in triggers}


def test_boundaries_are_told_only_when_asked_for(pieces):
    for prepare, link, told in [
        (None, None, False), (NONE, None, False), (TOKENS, None, True), (None, TOKENS, True), (EXACT, None, True),
        (TOKENS, NONE, False), (NONE, EXACT, True),
    ]:  # fmt: skip
        constraint = call(pieces, prepare, link)
        assert bool(constraint.boundary_triggers()) == told
        assert bool(constraint.start().boundary_triggers()) == told
    grammar = Grammar.from_glrm(OUTER)
    grammar.bind("inner", Grammar.from_regex("a"))
    assert [name for name, _ in grammar.compile(pieces, boundary_trigger=TOKENS).boundary_triggers()] == ["inner"]


def test_tokens_that_can_enter_a_boundary(pieces):
    constraint = call(pieces, link=TOKENS)
    # `a` begins the child, and stands after a bracket in the others; nothing else has it.
    assert shown(constraint.boundary_triggers(), pieces) == {"x": {b"(a", b"a", b"ab", b"](a", b"b](a"}}
    assert constraint.boundary_triggers()[0][1] == pieces.tokens([3, 4, 5, 8, 13])


def test_exact_boundaries_follow_the_parser(pieces):
    state = call(pieces, link=EXACT).start()
    assert shown(state.boundary_triggers(), pieces) == {"x": {b"(a"}}
    state.commit_bytes(b"[")
    assert shown(state.boundary_triggers(), pieces) == {"x": {b"a", b"ab"}}
    state.commit_bytes(b"a")
    assert shown(state.boundary_triggers(), pieces) == {"x": {b"](a", b"b](a"}}
    state.commit_bytes(b"](ab)")
    assert shown(state.boundary_triggers(), pieces) == {"x": set()}


def test_boundaries_have_no_influence_on_masks_and_are_saved(pieces):
    plain, told = call(pieces).start(), call(pieces, link=EXACT)
    for constraint in [told, glrmask.Constraint.load(told.save(), pieces)]:
        assert constraint.boundary_triggers() == told.boundary_triggers()
        state = constraint.start()
        for text in [b"[", b"a", b"b]", b"f"]:
            assert state.mask().tolist() == plain.mask().tolist()
            state.commit_bytes(text)
            plain.commit_bytes(text)
        plain.reset()


def test_bound_events_are_their_own_triggers(pieces):
    grammar = Grammar.from_glrm('start s; extern token end; nt s = "f" end;')
    grammar.bind("end", Token(0))
    constraint = grammar.compile(pieces, boundary_trigger=EXACT)
    assert constraint.boundary_triggers() == [("end", pieces.tokens([0]))]
    state = constraint.start()
    assert state.boundary_triggers() == [("end", pieces.tokens([]))]
    state.commit_bytes(b"f")
    assert state.boundary_triggers() == [("end", pieces.tokens([0]))]
