"""The stubs name exactly what the binary has, with a docstring on every public member."""

import ast
import inspect
from pathlib import Path

import glrmask
import pytest
from glrmask import _glrmask

STUB = ast.parse((Path(glrmask.__file__).parent / "__init__.pyi").read_text(encoding="utf-8"))


def is_setter(function):
    """Whether it only says that a property can be set."""
    return any(ast.unparse(d).endswith(".setter") for d in function.decorator_list)


CLASSES = {node.name: node for node in STUB.body if isinstance(node, ast.ClassDef)}


def test_the_classes_are_those_of_the_binary():
    assert set(CLASSES) == {name for name, value in vars(_glrmask).items() if inspect.isclass(value)}
    assert all(name in glrmask.__all__ for name in CLASSES)
    assert all(hasattr(glrmask, name) for name in glrmask.__all__)


@pytest.mark.parametrize("name", CLASSES)
def test_members_are_those_of_the_binary(name):
    stub = {n.name for n in CLASSES[name].body if isinstance(n, ast.FunctionDef)}
    stub |= {n.target.id for n in CLASSES[name].body if isinstance(n, ast.AnnAssign)}
    binary = {member for member in vars(getattr(_glrmask, name)) if not member.startswith("_")}
    assert {member for member in stub if not member.startswith("_")} == binary
    assert all(hasattr(getattr(_glrmask, name), member) for member in stub)


@pytest.mark.parametrize("name", CLASSES)
def test_public_members_are_documented(name):
    assert ast.get_docstring(CLASSES[name])
    for node in CLASSES[name].body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_") and not is_setter(node):
            assert ast.get_docstring(node), node.name


@pytest.mark.parametrize("name", [n for n in CLASSES if n not in ("Optimization", "BoundaryTriggerDetail")])
def test_signatures_are_those_of_the_binary(name):
    for node in CLASSES[name].body:
        if not isinstance(node, ast.FunctionDef) or node.name.startswith("_"):
            continue
        if is_setter(node) or any(ast.unparse(d) == "property" for d in node.decorator_list):
            continue
        parameters = inspect.signature(getattr(getattr(_glrmask, name), node.name)).parameters
        stub = [a.arg for a in [*node.args.posonlyargs, *node.args.args]]
        keyword = [a.arg for a in node.args.kwonlyargs] + ([node.args.kwarg.arg] if node.args.kwarg else [])
        assert [*stub, *keyword] == list(parameters), f"{name}.{node.name}"
