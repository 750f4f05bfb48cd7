"""The API reference that `make docs` builds has every member of the stub, with its documentation."""

import ast
import html
import re
import subprocess
import sys
from pathlib import Path

import glrmask


def documented(stub: Path) -> dict[str, str]:
    """First words of the documentation of every public class, function and member, by qualified name."""
    found: dict[str, str] = {}
    nodes: list[tuple[str, ast.stmt]] = [("", node) for node in ast.parse(stub.read_text(encoding="utf-8")).body]
    for prefix, node in nodes:
        if not isinstance(node, ast.ClassDef | ast.FunctionDef) or node.name.startswith("_"):
            continue
        if text := ast.get_docstring(node):
            found[prefix + node.name] = " ".join(re.findall(r"\w+", text)[:4])
        if isinstance(node, ast.ClassDef):
            nodes += [(f"{prefix}{node.name}.", inner) for inner in node.body]
    return found


def test_every_member_is_in_the_reference(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "pdoc", "--output-directory", str(tmp_path), "glrmask", "glrmask.json"]
    subprocess.run(command, check=True)
    page = (tmp_path / "glrmask.html").read_text(encoding="utf-8")
    members = documented(Path(glrmask.__file__).parent / "__init__.pyi")
    assert len(members) > 50
    words = " ".join(re.findall(r"\w+", html.unescape(re.sub(r"<[^>]+>", " ", page))))
    for member, begin in members.items():
        assert f'id="{member}"' in page, member
        assert begin in words, member
    assert 'id="tool_calls"' in (tmp_path / "glrmask" / "json.html").read_text(encoding="utf-8")
