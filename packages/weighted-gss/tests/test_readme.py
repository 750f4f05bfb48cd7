"""The examples of the README and of the stub run as they stand."""

import ast
import doctest
import re
from pathlib import Path

import pytest
import weighted_gss

ROOT = Path(__file__).parents[1]
EXAMPLES = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)


@pytest.mark.parametrize("source", EXAMPLES)
def test_example_of_the_readme(source):
    exec(compile(source, "README.md", "exec"), {})


def test_the_readme_has_examples():
    assert len(EXAMPLES) == 2


def test_example_of_the_stub():
    stub = ast.parse((ROOT / "python/weighted_gss/_weighted_gss.pyi").read_text())
    (cls,) = [node for node in stub.body if isinstance(node, ast.ClassDef)]
    test = doctest.DocTestParser().get_doctest(ast.get_docstring(cls), vars(weighted_gss).copy(), "stub", None, 0)
    assert doctest.DocTestRunner().run(test) == (0, 6)


def test_the_stub_names_what_there_is():
    stub = ast.parse((ROOT / "python/weighted_gss/_weighted_gss.pyi").read_text())
    (cls,) = [node for node in stub.body if isinstance(node, ast.ClassDef)]
    methods = {node.name: node for node in cls.body if isinstance(node, ast.FunctionDef)}
    public = {name for name in dir(weighted_gss.WeightedGSS) if not name.startswith("_")}
    assert {name for name in methods if not name.startswith("_")} == public
    assert all(ast.get_docstring(node) for name, node in methods.items() if name in public)
