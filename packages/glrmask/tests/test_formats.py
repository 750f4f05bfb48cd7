"""Constructors from text formats: Lark, GBNF, regular expressions, choices, structural tags."""

import json

import pytest
from glrmask import Constraint, DynamicConstraint, GlrmaskError, Grammar, GrammarSyntaxError, LimitError, SchemaError

LARK = """
start: "say " WORD ("," WORD)*
WORD: /[a-z]+/
"""


def test_lark(accepts, letters):
    for grammar in (
        Grammar.from_lark(LARK),
        Constraint.from_lark(LARK, letters),
        DynamicConstraint.from_lark(LARK, letters),
        Grammar.from_lark(LARK, profile="llm"),
    ):
        assert accepts(grammar, letters, "say a,bc")
        assert not accepts(grammar, letters, "say ")
    assert isinstance(DynamicConstraint.from_lark(LARK, letters), DynamicConstraint)


def test_lark_profiles_differ(accepts, letters):
    source = 'start: "n=" %json {"type": "integer"}'
    assert accepts(Grammar.from_lark(source, profile="llm"), letters, "n=-12")
    assert accepts(Constraint.from_lark(source, letters, profile="llm"), letters, "n=7")
    with pytest.raises(GrammarSyntaxError, match="profile `llm`"):
        Grammar.from_lark(source)


def test_lark_end_tokens(letters):
    constraint = Constraint.from_lark('start: "a"', letters, end_token_ids=[9999])
    state = constraint.start()
    state.commit_bytes(b"a")
    assert state.mask()[9999]


def test_token_names():
    source = "start: <|tool|> <eom> NEWLINE\n%declare NEWLINE"
    names = {"<|tool|>": 5, "eom": [7, 9], "NEWLINE": (3,)}
    printed = Grammar.from_lark(source, profile="llm", token_names=names).to_glrm()
    assert all(event in printed for event in ("@token(5)", "@token(7, 9)", "@token(3)"))
    with pytest.raises(GrammarSyntaxError, match="token_names"):
        Grammar.from_lark(source, profile="llm")
    assert "@token(5)" in Grammar.from_gbnf("root ::= <|tool|>", token_names=names).to_glrm()
    tag = {"type": "token", "token": "eom"}
    assert "@token(7, 9)" in Grammar.from_structural_tag(tag, token_names=names).to_glrm()


@pytest.mark.parametrize("names", [[("a", 1)], {1: 2}, {"a": "b"}, {"a": [None]}])
def test_bad_token_names(names):
    with pytest.raises(TypeError):
        Grammar.from_lark(LARK, token_names=names)


def test_bad_arguments():
    with pytest.raises(ValueError, match="profile"):
        Grammar.from_lark(LARK, profile="lalr")
    with pytest.raises(ValueError, match="flavor"):
        Grammar.from_regex("a", flavor="pcre")
    for call in (Grammar.from_lark, Grammar.from_gbnf, Grammar.from_regex, Grammar.from_choices):
        with pytest.raises(TypeError):
            call(7)
    with pytest.raises(TypeError):
        Grammar.from_choices(["a", 7])
    with pytest.raises(TypeError):
        Grammar.from_lark(LARK, profile=7)


def test_errors_have_their_places():
    with pytest.raises(GrammarSyntaxError) as caught:
        Grammar.from_lark("start: a B\nC: /x(?=y)/\nd: C\n")
    assert [(d.kind, d.line) for d in caught.value.diagnostics] == [("invalid", 1), ("invalid", 1), ("unsupported", 2)]
    with pytest.raises(GrammarSyntaxError) as caught:
        Grammar.from_gbnf('root ::= "a"\nb ::= "\\q"\n')
    assert (caught.value.line, caught.value.column) == (2, 8)
    assert "^" in caught.value.excerpt
    with pytest.raises(GrammarSyntaxError) as caught:
        Grammar.from_regex("ab(c")
    assert (caught.value.line, caught.value.column) == (1, 3)
    with pytest.raises(LimitError) as limit:
        Grammar.from_gbnf('root ::= "a"{99999999}')
    assert (limit.value.given, limit.value.limit) == (99999999, 1000000)


def test_gbnf(accepts, letters):
    grammar = Grammar.from_gbnf('root ::= ("- " [^\\n]+ "\\n"){1,2}\n')
    assert accepts(grammar, letters, "- a\n- b c\n")
    assert not accepts(grammar, letters, "- a\n- b\n- c\n")


def test_regular_expressions(accepts, letters):
    assert accepts(Grammar.from_regex(r"[a-c]+\d?"), letters, "abc1")
    assert not accepts(Grammar.from_regex(r"[a-c]+"), letters, "xabc")
    ecma = Grammar.from_regex(r"^(?!ab)\w+$", flavor="ecma")
    assert accepts(ecma, letters, "ba")
    assert not accepts(ecma, letters, "abc")
    for flavor in ("rust", "ecma"):
        with pytest.raises(GrammarSyntaxError):
            Grammar.from_regex(r"(a)\1", flavor=flavor)


def test_choices(accepts, letters):
    grammar = Grammar.from_choices(["yes", "yesterday", b"no"])
    assert all(accepts(grammar, letters, text) for text in ("yes", "yesterday", "no"))
    assert not any(accepts(grammar, letters, text) for text in ("", "yest", "yesno"))
    assert accepts(Grammar.from_choices(str(n) for n in range(1000)), letters, "512")
    with pytest.raises(GlrmaskError, match="no choices"):
        Grammar.from_choices([])


TAG = {
    "type": "structural_tag",
    "format": {
        "type": "triggered_tags",
        "triggers": ["<f="],
        "tags": [
            {
                "type": "tag",
                "begin": "<f=add>",
                "content": {"type": "json_schema", "json_schema": {"type": "integer"}},
                "end": "</f>",
            }
        ],
    },
}


@pytest.mark.parametrize("spec", [TAG, json.dumps(TAG), json.dumps(TAG).encode()])
def test_structural_tags(accepts, letters, spec):
    grammar = Grammar.from_structural_tag(spec)
    assert accepts(grammar, letters, "sum: <f=add>12</f>.")
    assert not accepts(grammar, letters, "<f=add>x</f>")
    assert not accepts(grammar, letters, "<f=sub>1</f>")


def test_structural_tag_errors():
    with pytest.raises(GlrmaskError, match="/elements/0: unknown format"):
        Grammar.from_structural_tag({"type": "sequence", "elements": [{"type": "x"}]})
    with pytest.raises(GrammarSyntaxError, match="not JSON"):
        Grammar.from_structural_tag("{")
    with pytest.raises(TypeError):
        Grammar.from_structural_tag({"type": object()})
    with pytest.raises(SchemaError):
        Grammar.from_structural_tag(b"\xff")


def test_builtin_grammars(accepts, letters):
    assert accepts(Grammar.builtin("json"), letters, '{"a": [1, 2.5e3]}')
    assert accepts(Grammar.builtin("arithmetic"), letters, "-2 ^ (x + 1)")
    assert not accepts(Grammar.builtin("json"), letters, "[1,]")
    assert "nt statement" in Grammar.builtin("javascript").to_glrm()
    with pytest.raises(GlrmaskError, match="json5"):
        Grammar.builtin("cobol")
    with pytest.raises(TypeError):
        Grammar.builtin(None)
