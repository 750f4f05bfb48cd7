"""Cases to replay: schemas with instances, grammars with texts.

A corpus is a path to
- a file `*.jsonl` or `*.jsonl.gz` with a case on each line, or a folder of `*.json` files with a case each, as
  MaskBench (guidance-ai/jsonschemabench) has them: `{"schema": …, "tests": [{"valid": true, "data": …}, …]}`, and `id`
  if any;
- a grammar `NAME.lark`, `NAME.ebnf` or `NAME.glrm` beside a folder `NAME` of texts, or a folder of such grammars.
"""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

FORMATS = {".lark": "lark", ".ebnf": "ebnf", ".glrm": "glrm"}
SCHEMAS = "schemas"


class Case(NamedTuple):
    """Something to compile, with texts that belong to its language or do not."""

    group: str
    """Cases of a group are summed up together."""
    id: str
    kind: str
    source: str
    texts: list[tuple[str, bool]]


def cases(path: Path) -> Iterator[Case]:
    """All cases of a corpus, in a fixed order."""
    if path.is_dir():
        for file in sorted(path.rglob("*.json")):
            yield schema(json.loads(file.read_text(encoding="utf-8")), file.stem)
        for file in sorted(path.glob("*")):
            if file.suffix in FORMATS:
                yield grammar(file)
    elif path.suffix in FORMATS:
        yield grammar(path)
    else:
        with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines):
                yield schema(json.loads(line), str(number))


def schema(case: dict[str, Any], name: str) -> Case:
    texts = [(json.dumps(test["data"], ensure_ascii=False), bool(test["valid"])) for test in case["tests"]]
    return Case(SCHEMAS, case.get("id", name), "json_schema", json.dumps(case["schema"]), texts)


def grammar(file: Path) -> Case:
    folder = file.with_suffix("")
    files = sorted(folder.iterdir()) if folder.is_dir() else []
    texts = [(text.read_text(encoding="utf-8"), True) for text in files]
    return Case(file.stem, file.stem, FORMATS[file.suffix], file.read_text(encoding="utf-8"), texts)
