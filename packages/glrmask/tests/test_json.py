"""Schemas from Python types, and the grammars of `glrmask.json`."""

import dataclasses
import json
import subprocess
import sys
import typing
from typing import Annotated, Literal

import glrmask
import glrmask.json
import jsonschema
import pydantic
import pytest
from glrmask import Constraint, DynamicConstraint, GlrmaskError, Grammar, SchemaError
from typing_extensions import TypedDict


class Address(pydantic.BaseModel):
    street: str
    zip_code: Annotated[str, pydantic.Field(pattern="^[0-9]{5}$", alias="zip")]


class Person(pydantic.BaseModel):
    name: str
    age: Annotated[int, pydantic.Field(ge=0, le=150)]
    address: Address | None = None
    friends: list["Person"] = []


@dataclasses.dataclass
class Point:
    x: int
    y: int = 0


class Movie(TypedDict):
    title: str
    year: int


class Role(typing.TypedDict, total=False):
    actor: typing.Required[str]
    lines: int


class Cast(typing.TypedDict):
    """As Pydantic does not take it before Python 3.12."""

    lead: Role | None
    others: list[Role]
    by_name: typing.NotRequired[dict[str, Annotated[Role, "once"]]]


def accepts(grammar: Grammar, vocab: glrmask.Vocab, value: object) -> bool:
    state = grammar.compile(vocab).start()
    try:
        state.commit_bytes(json.dumps(value).encode())
    except GlrmaskError:
        return False
    return state.is_accepting()


BOB = {"name": "Bob", "age": 5, "address": None, "friends": []}
CASES = [
    (
        Person,
        [{"name": "Ann", "age": 40, "address": {"street": "x", "zip": "12345"}, "friends": [BOB]}, BOB],
        [{"name": "Ann", "age": 200}, {"name": "Ann", "age": 1, "address": {"street": "x", "zip": "1"}}, {}],
    ),
    (Point, [{"x": 1, "y": 2}, {"x": 1}], [{"y": 2}, {"x": "1"}]),
    (Movie, [{"title": "Heat", "year": 1995}], [{"title": "Heat"}]),
    (Cast, [{"lead": None, "others": [{"actor": "a"}]}], [{"lead": None}, {"lead": {"lines": 1}, "others": []}]),
    (dict[str, Role], [{"a": {"actor": "x", "lines": 1}}], [{"a": {}}]),
    (list[int], [[], [1, 2]], [["x"], 1]),
    (int | None, [1, None], ["x"]),
    (Annotated[int, pydantic.Field(ge=3)], [3], [2]),
    (Literal["a", "b"], ["a"], ["c"]),
    (pydantic.TypeAdapter(dict[str, Point]), [{}, {"p": {"x": 1}}], [{"p": {}}]),
]


@pytest.mark.parametrize(("source", "good", "bad"), CASES)
def test_types_are_schemas(source, good, bad, letters):
    grammar = Grammar.from_json_schema(source)
    for value in good:
        assert accepts(grammar, letters, value), value
    for value in bad:
        assert not accepts(grammar, letters, value), value


def test_types_wherever_a_schema_is(letters):
    for kind in (Constraint, DynamicConstraint):
        state = kind.from_json_schema(Point, letters).start()
        state.commit_bytes(b'{"x": 1}')
        assert state.is_accepting()


@pytest.mark.parametrize("source", [object(), {1, 2}, {"type": {1}}, lambda: 0])
def test_other_objects_are_type_errors(source):
    with pytest.raises(TypeError):
        Grammar.from_json_schema(source)


def test_types_without_a_schema():
    class Opaque:
        pass

    with pytest.raises(SchemaError, match="Pydantic"):
        Grammar.from_json_schema(Opaque)


def test_what_is_missing_without_pydantic():
    code = """
import sys
sys.modules["pydantic"] = None
import glrmask, glrmask.json
glrmask.Grammar.from_json_schema({"type": "string"})
try:
    glrmask.Grammar.from_json_schema(list[int])
except TypeError as error:
    assert "glrmask[pydantic]" in str(error), error
else:
    raise AssertionError
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_any_json(letters):
    for value in ({"a": [1, None]}, [], "x", 1.5):
        assert accepts(glrmask.json.any_value(), letters, value)
        assert accepts(glrmask.json.any_object(), letters, value) == isinstance(value, dict)


def test_alternatives(letters):
    tree = {"$ref": "#/$defs/n", "$defs": {"n": {"type": "array", "items": {"$ref": "#/$defs/n"}}}}
    chain = '{"type": "object", "properties": {"next": {"$ref": "#"}}, "additionalProperties": false}'
    grammar = glrmask.json.alternatives([tree, chain, Point, {"const": 7}])
    for value in ([[], [[]]], {"next": {"next": {}}}, {"x": 1, "y": 2}, 7):
        assert accepts(grammar, letters, value), value
    for value in ([1], {"next": 1}, {"next": []}, 8, {"next": {"x": 1}}):
        assert not accepts(grammar, letters, value), value


def test_references_of_older_drafts(letters):
    draft = "http://json-schema.org/draft-07/schema#"
    schema = {
        "$schema": draft,
        "$ref": "#/definitions/n",
        "definitions": {"n": {"type": "array", "items": {"$ref": "#/definitions/n"}}},
    }
    grammar = glrmask.json.alternatives([schema, {"$schema": draft, "type": "null"}])
    assert accepts(grammar, letters, [[], [[]]]) and accepts(grammar, letters, None)
    assert not accepts(grammar, letters, [None])
    with pytest.raises(ValueError, match="dialects"):
        glrmask.json.alternatives([schema, {"$schema": "https://json-schema.org/draft/2020-12/schema"}])
    with pytest.raises(ValueError, match="at least one"):
        glrmask.json.alternatives([])


WEATHER = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}
ROME = {"name": "weather", "arguments": {"city": "Rome"}}
MOVE = {"name": "Point", "arguments": {"x": 3}}


@pytest.mark.parametrize(
    "tools",
    [
        {"weather": WEATHER, "Point": Point},
        [{"name": "weather", "parameters": WEATHER}, Point],
        [
            {"type": "function", "function": {"name": "weather", "parameters": WEATHER}},
            {"name": "Point", "input_schema": Point},
        ],
    ],
)
def test_tool_calls(tools, letters):
    one = glrmask.json.tool_calls(tools)
    assert accepts(one, letters, ROME) and accepts(one, letters, MOVE)
    for bad in ([ROME], {**ROME, "name": "Point"}, {"name": "weather"}, {**MOVE, "arguments": {}}, {}):
        assert not accepts(one, letters, bad), bad
    several = glrmask.json.tool_calls(tools, parallel=True, max_calls=2)
    assert accepts(several, letters, [ROME]) and accepts(several, letters, [MOVE, ROME])
    for bad in (ROME, [], [ROME, ROME, ROME], [{"name": "weather", "arguments": {"x": 3}}]):
        assert not accepts(several, letters, bad), bad


def test_tool_envelopes(letters):
    schema = glrmask.json.tool_calls_schema([{"name": "now"}], name_key="tool", arguments_key="input")
    call = {"tool": "now", "input": {"any": 1}}
    jsonschema.validate(call, schema)
    assert accepts(Grammar.from_json_schema(schema), letters, call)
    assert accepts(
        glrmask.json.tool_calls({"now": True}, whitespace="spaced"), letters, {"name": "now", "arguments": 1}
    )
    for bad in (["now"], [{"parameters": {}}], [{"name": 3}]):
        with pytest.raises(TypeError, match="tool"):
            glrmask.json.tool_calls(bad)
    with pytest.raises(ValueError, match="at least one"):
        glrmask.json.tool_calls({})
