"""Grammars of JSON texts that come up again and again: any value, one of several schemas, calls of tools.

Each helper has a twin that gives the schema instead of the grammar, to validate with or to build on. A schema is
whatever `Grammar.from_json_schema` takes: a dict, a Boolean, JSON text, a Pydantic model, a dataclass, a `TypedDict`.

```python
import glrmask.json

weather = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
grammar = glrmask.json.tool_calls({"get_weather": weather, "get_time": True})
```

accepts `{"name": "get_weather", "arguments": {"city": "Rome"}}`.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any, Unpack

from glrmask._glrmask import Grammar
from glrmask.schemas import json_schema
from glrmask.types import JsonSchemaOptions

__all__ = [
    "alternatives",
    "alternatives_schema",
    "any_object",
    "any_value",
    "tool_calls",
    "tool_calls_schema",
]

Tools = Mapping[str, Any] | Iterable[Any]
"""Schemas of arguments by name; or a list of descriptions as APIs have them, and of Python types, named by themselves.

A description is `{"name": …, "parameters": schema}`, with `input_schema` or `inputSchema` for `parameters` if need be,
or such a dict under the key `"function"`. Without a schema the arguments are any object.
"""


def any_value(**options: Unpack[JsonSchemaOptions]) -> Grammar:
    """Any JSON value."""
    return Grammar.from_json_schema(True, **options)


def any_object(**options: Unpack[JsonSchemaOptions]) -> Grammar:
    """Any JSON object."""
    return Grammar.from_json_schema({"type": "object"}, **options)


def alternatives(schemas: Iterable[Any], **options: Unpack[JsonSchemaOptions]) -> Grammar:
    """A value that satisfies at least one of the schemas.

    Raises `SchemaError`, `LimitError` as `Grammar.from_json_schema` does; `ValueError` if there is no schema, or if
    they name different dialects in `$schema`.
    """
    return Grammar.from_json_schema(alternatives_schema(schemas), **options)


def alternatives_schema(schemas: Iterable[Any]) -> dict[str, Any]:
    """The schema of `alternatives`. References inside of a schema keep their meaning."""
    return _document(list(schemas), "anyOf", lambda embedded: {"anyOf": embedded})


def tool_calls(
    tools: Tools,
    *,
    parallel: bool = False,
    min_calls: int = 1,
    max_calls: int | None = None,
    name_key: str = "name",
    arguments_key: str = "arguments",
    **options: Unpack[JsonSchemaOptions],
) -> Grammar:
    """A call of one of the tools, `{"name": …, "arguments": …}`; with `parallel` a list of such calls.

    The list has `min_calls` to `max_calls` calls. `name_key` and `arguments_key` are the keys of the envelope.

    Raises `SchemaError`, `LimitError` as `Grammar.from_json_schema` does; `ValueError` if there is no tool, or if the
    schemas name different dialects in `$schema`; `TypeError` for a tool that is not understood.
    """
    schema = tool_calls_schema(
        tools,
        parallel=parallel,
        min_calls=min_calls,
        max_calls=max_calls,
        name_key=name_key,
        arguments_key=arguments_key,
    )
    return Grammar.from_json_schema(schema, **options)


def tool_calls_schema(
    tools: Tools,
    *,
    parallel: bool = False,
    min_calls: int = 1,
    max_calls: int | None = None,
    name_key: str = "name",
    arguments_key: str = "arguments",
) -> dict[str, Any]:
    """The schema of `tool_calls`. References inside of a tool's schema keep their meaning."""
    named = [*tools.items()] if isinstance(tools, Mapping) else [_named(tool) for tool in tools]

    def envelope(name: str, arguments: Any) -> dict[str, Any]:
        return {
            "type": "object",
            "properties": {name_key: {"const": name}, arguments_key: arguments},
            "required": [name_key, arguments_key],
            "additionalProperties": False,
        }

    def calls(embedded: list[Any]) -> dict[str, Any]:
        call = {"anyOf": [envelope(name, arguments) for (name, _), arguments in zip(named, embedded, strict=True)]}
        if not parallel:
            return call
        limit = {} if max_calls is None else {"maxItems": max_calls}
        return {"type": "array", "items": call, "minItems": min_calls, **limit}

    return _document([schema for _, schema in named], "tools", calls)


def _named(tool: Any) -> tuple[str, Any]:
    """Name and schema of a tool that describes itself."""
    if isinstance(tool, type):
        return tool.__name__, tool
    description = tool.get("function", tool) if isinstance(tool, Mapping) else None
    if not isinstance(description, Mapping) or not isinstance(description.get("name"), str):
        raise TypeError(f"a tool must be a class or a dict with a name, not {tool!r}")
    found = (description[key] for key in ("parameters", "input_schema", "inputSchema") if key in description)
    return description["name"], next(found, {"type": "object"})


def _document(schemas: list[Any], kind: str, combine: Any) -> dict[str, Any]:
    """One document out of several, each a resource of its own with its own root."""
    plain = [_plain(schema) for schema in schemas]
    if not plain:
        raise ValueError("there must be at least one schema")
    dialects = {schema["$schema"] for schema in plain if isinstance(schema, dict) and "$schema" in schema}
    if len(dialects) > 1:
        raise ValueError(f"the schemas name different dialects: {', '.join(sorted(map(str, dialects)))}")
    embedded = [_resource(schema, f"glrmask://{kind}/{i}") for i, schema in enumerate(plain)]
    return {**({"$schema": dialects.pop()} if dialects else {}), **combine(embedded)}


def _plain(schema: Any) -> Any:
    if isinstance(schema, (str, bytes)):
        return json.loads(schema)
    return json_schema(schema)


def _resource(schema: Any, uri: str) -> Any:
    """The schema with an identifier, unless it has one or needs none."""
    if not isinstance(schema, dict) or not {"$id", "id"}.isdisjoint(schema) or not _refers(schema):
        return schema
    dialect = str(schema.get("$schema", ""))
    if "$ref" in schema and any(f"draft-0{n}" in dialect for n in (4, 6, 7)):
        # There a reference hides what stands beside it, an identifier too.
        definitions = {key: schema[key] for key in ("definitions", "$defs") if key in schema}
        schema = {**definitions, "allOf": [{"$ref": schema["$ref"]}]}
    return {"id" if "draft-04" in dialect else "$id": uri, **schema}


def _refers(schema: Any) -> bool:
    """Whether there is a reference anywhere inside."""
    pending = [schema]
    while pending:
        node = pending.pop()
        if isinstance(node, dict):
            if not {"$ref", "$dynamicRef", "$recursiveRef"}.isdisjoint(node):
                return True
            pending.extend(node.values())
        elif isinstance(node, list):
            pending.extend(node)
    return False
