"""Where the files are: `pytest tests/vocabularies --vocabularies FOLDER`, filled by `scripts/fetch_vocabularies.py`."""

from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--vocabularies", type=Path, required=True, help="what scripts/fetch_vocabularies.py filled")


@pytest.fixture(scope="session")
def folder(request: pytest.FixtureRequest) -> Path:
    chosen: Path = request.config.getoption("--vocabularies")
    return chosen
