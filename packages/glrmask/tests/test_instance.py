"""Unique items and counted keys without bound: what is remembered while decoding."""

import itertools
import json
import random

import glrmask
import glrmask.json
import jsonschema
import numpy as np
import pytest
from glrmask import Constraint, DynamicConstraint, GlrmaskError, Grammar

STRINGS = {"type": "array", "items": {"type": "string"}, "uniqueItems": True}
NUMBERS = {"type": "array", "items": {"type": "number"}, "uniqueItems": True}
OBJECTS = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {"id": {"type": "integer"}, "tag": {"type": "string"}},
        "required": ["id"],
        "additionalProperties": False,
    },
    "uniqueItems": True,
}
COUNTED = {"type": "object", "additionalProperties": {"type": "integer"}, "minProperties": 3}

PIECES = [
    b'"a"',
    b'", "',
    b'"]',
    b", ",
    b'{"id": ',
    b'", "tag": "',
    b'"tag": "',
    b"1.0",
    b"10",
    b"}, {",
    b'": 1',
    b'": 1, "',
    b"[[",
    b"]]",
]


@pytest.fixture(scope="module")
def vocab():
    return glrmask.Vocab.from_id_to_bytes(dict(enumerate([bytes([i]) for i in range(256)] + PIECES)))


def without_repetition(pairs):
    assert len(dict(pairs)) == len(pairs)
    return dict(pairs)


@pytest.mark.parametrize(
    ("schema", "good", "bad"),
    [
        (STRINGS, ["[]", '["a", "b"]', '["a", "ab"]'], ['["a", "a"]', '["\\u0061", "a"]']),
        (NUMBERS, ["[1, 2]", "[1, 10, 1.5]"], ["[1, 1.0]", "[10, 1e1]", "[0, -0.0]"]),
        (
            OBJECTS,
            ['[{"id": 1}, {"id": 1, "tag": "a"}]', '[{"id": 1}, {"id": 2}]'],
            ['[{"id": 1}, {"id": 1.0}]', '[{"id": 1, "tag": "a"}, {"id": 2}, {"id": 1, "tag": "\\u0061"}]'],
        ),
        (COUNTED, ['{"a": 1, "b": 1, "c": 1}'], ['{"a": 1, "b": 1}', '{"a": 1, "b": 1, "a": 1, "c": 1}']),
    ],
)
@pytest.mark.parametrize("kind", [Constraint, DynamicConstraint])
def test_texts(accepts, vocab, kind, schema, good, bad):
    constraint = kind.from_json_schema(schema, vocab)
    loaded = kind.load(constraint.save(), vocab)
    for text in good:
        assert accepts(constraint, text) and accepts(loaded, text), text
    for text in bad:
        assert not accepts(constraint, text) and not accepts(loaded, text), text


def test_masks_leave_out_what_repeats(vocab):
    constraint = Constraint.from_json_schema(STRINGS, vocab)
    state = constraint.start()
    state.commit_bytes(b'["a", "')
    assert state.mask()[ord("a")] and state.mask()[ord("b")]
    state.commit_bytes(b"a")
    mask = state.mask()
    assert not mask[ord('"')] and mask[ord("b")]
    assert not mask[256 + PIECES.index(b'", "')] and not mask[256 + PIECES.index(b'"]')]
    explanation = state.explain(ord('"'))
    assert not explanation.allowed and '"a" is in the array already' in explanation.text
    assert explanation.rule is not None and explanation.rule in explanation.text
    assert state.explain(ord("b")).rule is None
    assert "no two items equal" in constraint.dump("rules")
    assert "no two items equal" in constraint.to_dot("rules")
    state.rollback(1)
    assert state.mask()[ord('"')]


def test_many_keys_in_any_order(vocab):
    """Twenty required keys have a million sets, which no grammar could tell apart."""
    keys = [f"k{i}" for i in range(20)]
    properties = {key: {"type": "boolean"} for key in keys}
    schema = {"type": "object", "properties": properties, "required": keys, "additionalProperties": False}
    constraint = Constraint.from_json_schema(schema, vocab, property_order="any")
    state = constraint.start()
    state.commit_bytes(json.dumps(dict.fromkeys(keys[:0:-1], True))[:-1].encode())
    assert not state.mask()[ord("}")] and 'must have a member "k0"' in state.explain(ord("}")).rule
    state.commit_bytes(b', "k0": false')
    assert state.mask()[ord("}")] and not state.mask()[ord(",")]
    state.commit_bytes(b"}")
    assert state.is_accepting()
    with pytest.raises(GlrmaskError):
        constraint.start().commit_bytes(b'{"k1": true, "k1": true')
    rest = constraint.start().shortest_completion()
    assert set(json.loads(rest)) == set(keys)


def test_batches_and_buffers_agree(vocab):
    constraint = Constraint.from_json_schema(OBJECTS, vocab)
    state = constraint.start()
    state.commit_bytes(b'[{"id": 1}, {"id": 1')
    matrix = np.zeros((3, constraint.mask_len()), dtype=np.int32)
    glrmask.fill_masks([state, state.clone(), constraint.start()], matrix)
    words = np.zeros(constraint.mask_len(), dtype=np.int32)
    state.fill_mask(words)
    assert (matrix[0] == words).all() and (matrix[1] == words).all()
    assert not words[ord("}") // 32] >> (ord("}") % 32) & 1
    assert words[ord(",") // 32] >> (ord(",") % 32) & 1


@pytest.mark.parametrize("schema", [STRINGS | {"minItems": 3}, NUMBERS | {"minItems": 4}, OBJECTS, COUNTED])
def test_random_walks_end_in_valid_documents(vocab, schema):
    chance = random.Random(7)
    constraint = Constraint.from_json_schema(schema, vocab)
    for _ in range(20):
        state, text = constraint.start(), b""
        for _ in range(chance.randrange(40)):
            allowed = np.flatnonzero(state.mask())
            if not len(allowed):
                break
            tokens = [int(token) for token in allowed]
            token = chance.choice([t for t in tokens if t >= 256] or tokens)
            state.commit_token(token)
            text += vocab.token_bytes(token)
        text += state.shortest_completion()
        value = json.loads(text, object_pairs_hook=without_repetition)
        if isinstance(value, list) and "items" in schema:
            assert all(first != second for i, first in enumerate(value) for second in value[:i]), text


def test_documents_in_other_texts(accepts, vocab):
    grammar = Grammar.from_json_schema(STRINGS)
    outer = Grammar.from_glrm('start s; extern grammar inner; nt s = "<" inner ">" inner;')
    outer.bind("inner", grammar)
    lark = Grammar.from_lark(f'start: "<" doc ">" doc\ndoc: %json {json.dumps(STRINGS)}', profile="llm")
    for one in (outer, lark):
        constraint = one.compile(vocab)
        assert accepts(constraint, '<["a", "b"]>["a", "b"]')
        assert not accepts(constraint, '<["a", "a"]>["a", "b"]') and not accepts(constraint, '<["a"]>["b", "b"]')
    state = outer.compile(vocab).start()
    state.commit_bytes(b'<["a", "a')
    refused = state.explain(ord('"'))
    assert not refused.allowed and '"a"' in refused.rule
    state.commit_bytes(state.shortest_completion())
    assert state.is_accepting()


def test_a_crowded_object_in_a_slot(accepts, vocab):
    keys = [f"k{i}" for i in range(20)]
    schema = {"properties": {key: {"type": "integer"} for key in keys}, "required": keys, "additionalProperties": False}
    outer = Grammar.from_glrm('start s; extern grammar inner; nt s = "<" inner ">";')
    outer.bind("inner", Grammar.from_json_schema({"type": "object"} | schema, property_order="any"))
    assert outer.warnings == []
    constraint = outer.compile(vocab)
    members = [f'"{key}": 1' for key in reversed(keys)]
    assert accepts(constraint, "<{" + ", ".join(members) + "}>")
    assert not accepts(constraint, "<{" + ", ".join(members[1:]) + "}>")
    assert not accepts(constraint, "<{" + ", ".join([*members, members[0]]) + "}>")
    state = constraint.start()
    state.commit_bytes(b'<{"k3": 1')
    state.commit_bytes(state.shortest_completion())
    assert state.is_accepting()


def test_rules_have_no_glrm(accepts, vocab):
    grammar = Grammar.from_json_schema(STRINGS)
    outer = Grammar.from_glrm('start s; extern grammar inner; nt s = "<" inner ">";')
    outer.bind("inner", grammar)
    for one in (grammar, outer):
        with pytest.raises(GlrmaskError, match="beside the grammar"):
            one.to_glrm()
    weakened = Grammar.from_json_schema(STRINGS, unsupported="weaken")
    assert weakened.warnings == [] and not accepts(weakened.compile(vocab), '["a", "a"]')
    assert accepts(Grammar.from_glrm(weakened.to_glrm()).compile(vocab), '["a", "a"]')


def test_what_may_run_into_a_document_is_refused():
    outer = Grammar.from_glrm(r'start s; extern grammar inner; t WORD = /a(\["x)?/; nt s = WORD inner;')
    outer.bind("inner", Grammar.from_json_schema(STRINGS))
    with pytest.raises(GlrmaskError, match="the lexeme WORD before it may go on into it"):
        outer.compile(glrmask.Vocab.from_id_to_bytes({i: bytes([i]) for i in range(256)}))


def test_prepared_grammars_keep_the_rules(accepts, vocab):
    prepared = Grammar.from_json_schema(STRINGS).prepare(vocab)
    loaded = glrmask.PreparedGrammar.load(prepared.save())
    for one in (prepared, loaded):
        constraint = one.link()
        assert accepts(constraint, '["a", "b"]') and not accepts(constraint, '["a", "a"]')


def test_tool_calls(accepts, vocab):
    grammar = glrmask.json.tool_calls(
        {"tag": {"type": "object", "properties": {"names": STRINGS}, "additionalProperties": False}}
    )
    constraint = grammar.compile(vocab)
    text = '{"name": "tag", "arguments": {"names": ["a", "%s"]}}'
    assert accepts(constraint, text % "b") and not accepts(constraint, text % "a")


def test_an_envelope_with_rules_inside(vocab):
    """Calls of several tools, by themselves and in a slot, with items that differ and many keys in any order."""
    keys = [f"k{i}" for i in range(16)]
    many = {"properties": {key: {"type": "integer"} for key in keys}, "required": keys, "additionalProperties": False}
    tag = {"properties": {"names": STRINGS | {"minItems": 2}}, "required": ["names"], "additionalProperties": False}
    tools = {"many": {"type": "object"} | many, "tag": {"type": "object"} | tag}
    chance = random.Random(3)
    for order, parallel in itertools.product(("schema", "any"), (False, True)):
        grammar = glrmask.json.tool_calls(tools, parallel=parallel, property_order=order)
        judge = jsonschema.Draft202012Validator(glrmask.json.tool_calls_schema(tools, parallel=parallel))
        outer = Grammar.from_glrm('start s; extern grammar call; nt s = "<call>" call "</call>";')
        outer.bind("call", grammar)
        for one, before, after in ((grammar, b"", b""), (outer, b"<call>", b"</call>")):
            constraint = one.compile(vocab)
            for _ in range(10):
                state, text = constraint.start(), b""
                for _ in range(chance.randrange(60)):
                    allowed = [int(token) for token in np.flatnonzero(state.mask())]
                    if not allowed:
                        break
                    token = chance.choice([token for token in allowed if token >= 256] or allowed)
                    state.commit_token(token)
                    text += vocab.token_bytes(token)
                text += state.shortest_completion()
                document = text.removeprefix(before).removesuffix(after)
                judge.validate(json.loads(document, object_pairs_hook=without_repetition))
