"""Whatever describes a JSON value, as JSON Schema: schemas themselves, and Python types through Pydantic.

Pydantic is optional. It is asked only for what no JSON value can be: classes, types of `typing`, type adapters.
"""

import json
import sys
import types
import typing
from typing import Any

from glrmask.errors import GlrmaskError, SchemaError

__all__ = ["json_schema", "schema_text"]


def schema_text(source: Any) -> str:
    """A schema as JSON text: of a value that `json.dumps` writes, or of a Python type.

    Raises `SchemaError` for what looks like JSON but is not (NaN, cycles), `TypeError` for anything else.
    """
    try:
        return json.dumps(json_schema(source), allow_nan=False)
    except (ValueError, RecursionError) as error:
        if isinstance(error, GlrmaskError):
            raise
        raise SchemaError(f"the schema is not JSON: {error}") from None


def json_schema(source: Any) -> Any:
    """The JSON Schema of a Pydantic model, dataclass, `TypedDict` or other type; any other value as it is.

    Raises `SchemaError` if Pydantic knows no schema for the type, `TypeError` if Pydantic is not installed.
    """
    return _pydantic_schema(source) if _is_type(source) else source


def _is_type(source: Any) -> bool:
    """Whether it is a class, a type of `typing` (`list[int]`, `int | None`, `Annotated[…]`), or a type adapter."""
    if source is None or isinstance(source, (bool, int, float, str, bytes, list, tuple, dict)):
        return False
    module = type(source).__module__
    return isinstance(source, type) or module in ("typing", "types", "typing_extensions") or _is_adapter(source)


def _is_adapter(source: Any) -> bool:
    return type(source).__module__.startswith("pydantic.") and type(source).__name__ == "TypeAdapter"


def _known_to_pydantic(source: Any, around: tuple[Any, ...] = ()) -> Any:
    """The type with every `TypedDict` of `typing` as one of `typing_extensions`, but for those that hold themselves.

    Before Python 3.12 Pydantic takes no others.
    """
    if sys.version_info >= (3, 12) or any(source is other for other in around):
        return source
    import typing_extensions

    if typing.is_typeddict(source) and type(source).__module__ == "typing":
        hints = typing_extensions.get_type_hints(source, include_extras=True)
        members = {key: _known_to_pydantic(hint, (*around, source)) for key, hint in hints.items()}
        for key in source.__optional_keys__:
            if typing.get_origin(members[key]) not in (typing.NotRequired, typing_extensions.NotRequired):
                members[key] = typing_extensions.NotRequired[members[key]]
        return typing_extensions.TypedDict(source.__name__, members)  # type: ignore[operator]
    arguments = typing.get_args(source)
    known = tuple(_known_to_pydantic(argument, around) for argument in arguments)
    if known == arguments:
        return source
    if typing.get_origin(source) is typing.Annotated:
        return typing.Annotated[known]
    if isinstance(source, types.UnionType):
        return typing.Union[known]  # noqa: UP007
    return source.copy_with(known) if hasattr(source, "copy_with") else typing.get_origin(source)[known]


def _pydantic_schema(source: Any) -> Any:
    try:
        import pydantic
    except ImportError:
        name = getattr(source, "__name__", repr(source))
        raise TypeError(f"the schema of the type {name} takes Pydantic: install glrmask[pydantic]") from None
    try:
        adapter = source if _is_adapter(source) else pydantic.TypeAdapter(_known_to_pydantic(source))
        return adapter.json_schema()
    except pydantic.errors.PydanticUserError as error:
        raise SchemaError(f"Pydantic has no schema for it: {error}") from error
