"""The examples of the README and of the package's docstring run as they stand, in order, in one namespace."""

import re
from pathlib import Path

import glrmask

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)


def test_examples_of_the_readme():
    blocks = BLOCK.findall((ROOT / "README.md").read_text(encoding="utf-8"))
    assert len(blocks) == 5
    namespace: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, "README.md", "exec"), namespace)


def test_example_of_the_docstring():
    (block,) = BLOCK.findall(glrmask.__doc__ or "")
    exec(compile(block, "docstring", "exec"), {})
