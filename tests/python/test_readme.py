"""Executes the Python examples of the README and the guide: each file in one namespace, from top to bottom.

A block that cannot run everywhere (it needs a model, say) is opened with ```python no-run. The packages
test their own READMEs.
"""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def examples(path: Path) -> list[tuple[int, str]]:
    """(Line before the first, source) of every block."""
    text = path.read_text(encoding="utf-8")
    return [(text.count("\n", 0, block.start(1)), block[1]) for block in BLOCK.finditer(text)]


PAGES = [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]


@pytest.mark.parametrize(
    "page", [page for page in PAGES if examples(page)], ids=lambda page: str(page.relative_to(ROOT))
)
def test_examples_run(page: Path) -> None:
    namespace: dict[str, object] = {"__name__": "example"}
    for line, source in examples(page):
        code = compile("\n" * line + source, str(page), "exec")
        exec(code, namespace)


def test_the_readme_has_examples() -> None:
    assert examples(ROOT / "README.md")
