"""Grammars: sources, options, errors with their attributes, compilation."""

import copy
import json
import pickle
import threading
import time

import glrmask
import pytest
from glrmask import (
    Constraint,
    Diagnostic,
    GlrmaskError,
    Grammar,
    GrammarSyntaxError,
    LimitError,
    Optimization,
    SchemaError,
    SchemaWarning,
)

OBJECT = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"], "additionalProperties": False}


@pytest.mark.parametrize("schema", [OBJECT, json.dumps(OBJECT), json.dumps(OBJECT).encode()])
def test_schemas_as_values_text_and_bytes(accepts, letters, schema):
    grammar = Grammar.from_json_schema(schema)
    assert accepts(grammar, letters, '{"a": 1}')
    assert not accepts(grammar, letters, '{"a":1}')
    assert not accepts(grammar, letters, '{"b": 1}')
    assert grammar.warnings == []


def test_boolean_schemas_are_values(accepts, letters):
    assert accepts(Grammar.from_json_schema(True), letters, "[1, 2]")
    with pytest.raises(SchemaError) as caught:
        Grammar.from_json_schema(False).compile(letters)
    assert caught.value.category == "empty"


def test_whitespace_options(accepts, letters):
    compact = Grammar.from_json_schema(OBJECT, whitespace="compact")
    assert accepts(compact, letters, '{"a":1}')
    assert not accepts(compact, letters, '{"a": 1}')
    flexible = Grammar.from_json_schema(OBJECT, whitespace="flexible", max_whitespace=2)
    assert accepts(flexible, letters, '{ "a"\n :1}')
    assert not accepts(flexible, letters, '{   "a":1}')


def test_format_assertion_can_be_switched_off(accepts, letters):
    schema = {"type": "string", "format": "date"}
    assert not accepts(Grammar.from_json_schema(schema), letters, '"soon"')
    assert accepts(Grammar.from_json_schema(schema, format_assertion=False), letters, '"soon"')


@pytest.mark.parametrize("integer", [{"type": "integer"}, '{"type": "integer"}', b'{"type": "integer"}'])
def test_references_lead_into_the_registry(accepts, letters, integer):
    schema = {"items": {"$ref": "http://example.com/integer"}}
    with pytest.raises(SchemaError) as caught:
        Grammar.from_json_schema(schema)
    assert (caught.value.keyword, caught.value.category) == ("$ref", "reference")
    grammar = Grammar.from_json_schema(schema, registry={"http://example.com/integer": integer})
    assert accepts(grammar, letters, "[1, 2]")
    assert not accepts(grammar, letters, "[null]")


def test_weakening_is_asked_for_and_listed(accepts, letters):
    schema = {"items": {"type": "string", "format": "regex", "minLength": 1}}
    with pytest.raises(SchemaError) as caught:
        Grammar.from_json_schema(schema)
    assert (caught.value.pointer, caught.value.keyword, caught.value.category) == ("/items", "format", "unsupported")
    grammar = Grammar.from_json_schema(schema, unsupported="weaken")
    (warning,) = grammar.warnings
    assert isinstance(warning, SchemaWarning)
    assert (warning.pointer, warning.keyword, warning.slot) == ("/items", "format", "")
    assert accepts(grammar, letters, '["("]')
    # Bound, the path of the slot is told.
    outer = Grammar.from_glrm('start s; extern grammar x; nt s = "(" x ")";')
    outer.bind("x", grammar)
    assert [(w.slot, w.pointer) for w in outer.warnings] == [("x", "/items")]
    outmost = Grammar.from_glrm("start s; extern grammar a; extern grammar b; nt s = a b;")
    outmost.bind("a", outer)
    outmost.bind("b", Grammar.from_glrm("start s; extern grammar y; nt s = y;"))
    outmost.bind("b::y", grammar)
    assert [w.slot for w in outmost.warnings] == ["a::x", "b::y"]
    assert grammar.warnings == [warning]


def test_any_order_of_keys(accepts, letters):
    schema = {"type": "object", "properties": {"a": {"type": "integer"}, "b": True}, "required": ["b"]}
    grammar = Grammar.from_json_schema(schema, property_order="any")
    for text in ('{"b": 1, "a": 2}', '{"a": 2, "b": 1}', '{"c": 0, "b": 1, "d": 2}'):
        assert accepts(grammar, letters, text)
    for text in ('{"a": 1}', '{"b": 1, "b": 2}', '{"b": 1, "a": 2, "a": 3}', '{"b": 1, "\\u0061": "x"}'):
        assert not accepts(grammar, letters, text)


def test_spellings(accepts, letters):
    schema = {"enum": ["é/"]}
    assert accepts(Grammar.from_json_schema(schema), letters, '"é/"')
    ascii_only = Grammar.from_json_schema(schema, ensure_ascii=True)
    assert accepts(ascii_only, letters, '"\\u00e9/"') and not accepts(ascii_only, letters, '"é/"')
    every = Grammar.from_json_schema(schema, escapes="any")
    for text in ('"é/"', '"\\u00E9\\/"', '"\\u00e9\\u002f"'):
        assert accepts(every, letters, text)


def test_limits(accepts, letters):
    names = [f"k{i}" for i in range(5)]
    schema = {"type": "object", "properties": dict.fromkeys(names, True), "additionalProperties": False}
    counted = schema | {"minProperties": 2}
    Grammar.from_json_schema(counted, property_order="any", limits={"facts": 32})
    with pytest.raises(LimitError) as caught:
        Grammar.from_json_schema(counted, property_order="any", limits={"facts": 31})
    assert (caught.value.given, caught.value.limit, caught.value.keyword) == (32, 31, "properties")
    # Beyond the limit, that no key stands twice is seen while decoding.
    grammar = Grammar.from_json_schema(schema, property_order="any", limits={"facts": 31})
    assert grammar.warnings == []
    assert accepts(grammar, letters, '{"k1": 1, "k0": 2}') and not accepts(grammar, letters, '{"k1": 1, "k1": 2}')


@pytest.mark.parametrize(
    ("option", "error"),
    [
        ({"whitespace": "wide"}, ValueError),
        ({"whitespace": 1}, TypeError),
        ({"format_assertion": "yes"}, TypeError),
        ({"max_whitespace": -1}, ValueError),
        ({"max_whitespace": "4"}, TypeError),
        ({"limits": 3}, TypeError),
        ({"limits": {"depth": "9"}}, TypeError),
        ({"limits": {"depth": -9}}, ValueError),
        ({"colour": "red"}, TypeError),
        ({"registry": []}, TypeError),
        ({"registry": {1: {}}}, TypeError),
    ],
)
def test_bad_options(option, error, letters):
    with pytest.raises(error) as caught:
        Grammar.from_json_schema({}, **option)
    names = {**option, **option.get("limits", {})} if isinstance(option.get("limits"), dict) else option
    assert any(name in str(caught.value) for name in names)
    with pytest.raises(error):
        Constraint.from_json_schema({}, letters, **option)


def test_schema_errors_have_pointer_and_keyword():
    with pytest.raises(SchemaError) as caught:
        Grammar.from_json_schema({"properties": {"a/b": {"minimum": "zero"}}})
    error = caught.value
    assert (error.pointer, error.keyword, error.category) == ("/properties/a~1b", "minimum", "invalid")
    assert isinstance(error, ValueError)


def test_schemas_that_are_not_json():
    with pytest.raises(SchemaError) as caught:
        Grammar.from_json_schema('{"a":\n 1,,}')
    assert (caught.value.category, caught.value.line) == ("syntax", 2)
    assert caught.value.column is not None
    for bad in (b"\xff", "\ud800", {"const": float("nan")}):
        with pytest.raises(SchemaError):
            Grammar.from_json_schema(bad)
    with pytest.raises(TypeError):
        Grammar.from_json_schema({"const": object()})


def test_deep_schemas_reach_a_limit():
    with pytest.raises(LimitError) as caught:
        Grammar.from_json_schema("[" * 100_000)
    assert caught.value.limit is not None
    assert caught.value.given is not None


def test_limits_of_the_compiler_tell_their_numbers(letters):
    grammar = Grammar.from_glrm('start s; nt s = WIDE; t WIDE = [ab]* "a" [ab]{20};')
    with pytest.raises(LimitError, match="WIDE.*100000 deterministic states") as caught:
        grammar.compile(letters)
    assert (caught.value.given, caught.value.limit) == (100_001, 100_000)


def test_errors_of_a_text_have_place_excerpt_and_diagnostics():
    with pytest.raises(GrammarSyntaxError) as caught:
        Grammar.from_ebnf('start ::= "é" nothing\nb ::= other')
    error = caught.value
    assert (error.line, error.column, error.span) == (1, 15, (15, 22))
    assert error.excerpt == '  1 | start ::= "é" nothing\n    |               ^^^^^^^'
    assert error.diagnostics is not None
    assert [(d.kind, d.line) for d in error.diagnostics] == [("invalid", 1), ("invalid", 2)]
    assert isinstance(error.diagnostics[0], Diagnostic)
    with pytest.raises(GrammarSyntaxError):
        Grammar.from_glrm("start")
    with pytest.raises(GrammarSyntaxError, match="Unicode"):
        Grammar.from_glrm("\ud800")


@pytest.mark.parametrize("make", [Grammar.from_glrm, Grammar.from_ebnf])
def test_a_source_is_text(make):
    with pytest.raises(TypeError, match="source must be str, not bytes"):
        make(b'start ::= "a"')


def test_errors_can_be_pickled():
    with pytest.raises(GrammarSyntaxError) as caught:
        Grammar.from_glrm("start")
    again = pickle.loads(pickle.dumps(caught.value))
    assert type(again) is GrammarSyntaxError
    assert (str(again), again.line, again.diagnostics) == (
        str(caught.value),
        caught.value.line,
        caught.value.diagnostics,
    )


def test_only_known_attributes():
    assert GlrmaskError("m", limit=3).limit == 3
    assert GlrmaskError().line is None
    with pytest.raises(TypeError, match="colour"):
        SchemaError("m", colour="red")


def test_the_exception_family():
    family = [GrammarSyntaxError, SchemaError, LimitError, glrmask.ArtifactError, glrmask.CancelledError]
    assert all(issubclass(error, GlrmaskError) for error in family)
    assert issubclass(GlrmaskError, ValueError)


def test_glrm_is_written_and_read_back(accepts, letters):
    grammar = Grammar.from_ebnf('start ::= "a"+ ("b" | "c")')
    again = Grammar.from_glrm(grammar.to_glrm())
    for text in ("ab", "aac", "b", "a"):
        assert accepts(grammar, letters, text) == accepts(again, letters, text) == (text in ("ab", "aac"))


def test_copies_are_independent_handles(accepts, letters):
    grammar = Grammar.from_ebnf('start ::= "a"')
    for other in (grammar.clone(), copy.copy(grammar), copy.deepcopy(grammar)):
        assert other is not grammar
        assert accepts(other, letters, "a")


def test_an_empty_language_does_not_compile(letters):
    with pytest.raises(GlrmaskError):
        Grammar.from_ebnf('start ::= "a" start').compile(letters)


def test_a_vocabulary_that_cannot_write_the_language_gives_empty_masks(hello):
    state = Grammar.from_ebnf('start ::= "x"').compile(hello).start()
    assert not state.mask().any()


def test_every_optimization_has_the_same_language(letters):
    grammar = Grammar.from_ebnf('start ::= "a"+')
    for mode in (None, Optimization.AUTO, Optimization.BALANCED, Optimization.FAST_BUILD, Optimization.FAST_RUNTIME):
        constraint = grammar.compile(letters, optimization=mode, threads=2)
        assert type(constraint) is Constraint
        assert constraint.start().mask().nonzero()[0].tolist() == [97]
    assert Optimization.AUTO != Optimization.BALANCED
    assert {Optimization.AUTO: 1}[Optimization.AUTO] == 1
    assert repr(Optimization.FAST_BUILD) == "Optimization.FAST_BUILD"


def test_compile_refuses_wrong_types(letters):
    grammar = Grammar.from_ebnf('start ::= "a"')
    with pytest.raises(TypeError):
        grammar.compile({0: b"a"})
    with pytest.raises(TypeError):
        grammar.compile(letters, end_tokens=5)
    with pytest.raises(TypeError):
        grammar.compile(letters, end_tokens=["</s>"])
    with pytest.raises(TypeError):
        grammar.compile(letters, optimization="fast")
    with pytest.raises(GlrmaskError):
        grammar.compile(letters, end_tokens=[-1])


def test_other_threads_run_while_compiling(letters):
    """If compiling held the interpreter, the ticks during one compilation would be none."""
    schema = {"type": "string", "pattern": "^(a|b)*a(a|b){11}$"}
    ticks, most = 0, 0
    done = threading.Event()

    def tick():
        nonlocal ticks
        while not done.is_set():
            ticks += 1
            time.sleep(0.0005)

    ticker = threading.Thread(target=tick)
    ticker.start()
    for _ in range(5):
        before = ticks
        Grammar.from_json_schema(schema).compile(letters)
        most = max(most, ticks - before)
    done.set()
    ticker.join()
    assert most > 2


def test_a_single_text_is_not_taken_for_a_list_of_its_characters():
    for text in ("abc", b"abc"):
        with pytest.raises(TypeError, match="choices must be an iterable of str or bytes"):
            Grammar.from_choices(text)
    with pytest.raises(GlrmaskError, match="not Unicode"):
        Grammar.from_choices(["\ud800"])


@pytest.mark.parametrize(
    ("read", "text"),
    [(Grammar.from_lark, 'a: "x"'), (Grammar.from_gbnf, 'a ::= "x"'), (Grammar.from_ebnf, ""), (Grammar.from_glrm, "")],
)
def test_what_is_missing_is_said_to_be_missing_at_the_beginning(read, text):
    with pytest.raises(GrammarSyntaxError, match="no rule|no start") as error:
        read(text)
    assert (error.value.line, error.value.column, error.value.span) == (1, 1, (0, 0))
