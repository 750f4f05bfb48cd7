"""Compares the layer table of ARCHITECTURE.md with the dependencies that cargo sees.

Every package of the workspace must be in the table, depend only on workspace packages that its row allows, and every
package allowed in a row must stand in a row above it. Development dependencies are free, except that they must exist.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ROW = re.compile(r"^\| `(?P<package>[\w-]+)` \| `(?P<folder>[\w/-]+)` \| (?P<uses>[^|]*) \|")


def main() -> int:
    table = read_table((ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8"))
    problems = check_order(table) + check_packages(table, workspace_packages())
    for problem in problems:
        print(f"layers: {problem}", file=sys.stderr)
    if not problems:
        print(f"layers: {len(table)} rows agree with cargo")
    return bool(problems)


def read_table(text: str) -> dict[str, tuple[str, set[str]]]:
    """Package → (folder, packages it may use), in the order of the rows."""
    rows = filter(None, map(ROW.match, text.splitlines()))
    return {row["package"]: (row["folder"], set(re.findall(r"`([\w-]+)`", row["uses"]))) for row in rows}


def workspace_packages() -> dict[str, tuple[str, set[str]]]:
    """Package → (folder, workspace packages it depends on when used)."""
    command = ["cargo", "metadata", "--format-version=1", "--no-deps"]
    packages = json.loads(subprocess.check_output(command, cwd=ROOT))["packages"]
    names = {package["name"] for package in packages}
    return {package["name"]: (folder(package), used(package) & names) for package in packages}


def folder(package: dict[str, str]) -> str:
    return Path(package["manifest_path"]).parent.relative_to(ROOT).as_posix()


def used(package: dict[str, list[dict[str, str]]]) -> set[str]:
    return {dependency["name"] for dependency in package["dependencies"] if dependency["kind"] != "dev"}


def check_order(table: dict[str, tuple[str, set[str]]]) -> list[str]:
    above: set[str] = set()
    problems = []
    for package, (_, allowed) in table.items():
        problems += [f"{package} may use {name}, which is not above it" for name in sorted(allowed - above)]
        above.add(package)
    return problems


def check_packages(table: dict[str, tuple[str, set[str]]], packages: dict[str, tuple[str, set[str]]]) -> list[str]:
    problems = [f"{name} is in the table but not in the workspace" for name in table.keys() - packages.keys()]
    for name, (where, dependencies) in packages.items():
        if name not in table:
            problems.append(f"{name} is not in the table")
            continue
        expected, allowed = table[name]
        problems += [f"{name} depends on {other}" for other in sorted(dependencies - allowed)]
        if where != expected:
            problems.append(f"{name} is in {where}, not in {expected}")
    return sorted(problems)


if __name__ == "__main__":
    sys.exit(main())
