"""A small run of `scripts/random_walks.py`: walks end in valid documents, and invalid variants are refused."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "random_walks.py"
SCHEMAS = [
    True,
    {"type": "string", "pattern": "^(a|bc)+$", "maxLength": 5},
    {"type": "number", "multipleOf": 0.7, "minimum": -10},
    {"type": "array", "items": {"enum": ["x", 1, None]}, "uniqueItems": True, "minItems": 2},
    {"type": "array", "contains": {"const": 7}, "items": {"type": "integer"}, "maxItems": 4},
    {
        "type": "object",
        "properties": {
            "n": {"type": "integer", "exclusiveMinimum": 3},
            "d": {"format": "date"},
            "t": {"type": "array"},
        },
        "required": ["t", "n"],
        "minProperties": 2,
    },
    {"$defs": {"tree": {"type": "array", "items": {"$ref": "#/$defs/tree"}, "maxItems": 2}}, "$ref": "#/$defs/tree"},
    {"oneOf": [{"type": "integer"}, {"minimum": 5}], "type": "number"},
    {
        "not": {"type": "object"},
        "anyOf": [{"type": "string", "format": "ipv4"}, {"type": "boolean"}, {"type": "object"}],
    },
]


@pytest.mark.parametrize("options", [[], ["--order", "any"], ["--whitespace", "flexible"]])
def test_walks_end_in_valid_documents(options: list[str], tmp_path: Path) -> None:
    corpus = tmp_path / "schemas.jsonl"
    lines = [json.dumps({"id": str(i), "schema": schema}) for i, schema in enumerate(SCHEMAS)]
    corpus.write_text("\n".join(lines))
    command = [sys.executable, str(SCRIPT), str(corpus), "--documents", "6", "--mutants", "5", "--untested", *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"schemas: {len(SCHEMAS)}" in done.stdout
    assert "variant refused: " in done.stdout
