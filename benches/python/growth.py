"""How compile time, peak memory and step time grow with a schema, a grammar, a text or the vocabulary.

    python growth.py [--families enum,max-length] [--engines ours-fast-build,ours-fast-runtime] [--out FOLDER]

Every point has a process of its own with a deadline and a memory limit, so that a cliff is a row of the table and not
the end of the run. Times are CPU times of all threads, which a shared machine disturbs least. Columns: milliseconds of
compile and first mask (`ttfm`), microseconds of mask and commit of one step in a first replay of the text (`tbm`, with
tables filled on the way) and in a second one (`warm`), and megabytes that the peak of the process grew by. Writes
`growth.csv` and `growth.md`.
"""

import argparse
import csv
import json
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import vocabulary
from growth_cases import FAMILIES
from memory import peak_memory

TIMES = ["p50_us", "p99_us", "max_us"]
COLUMNS = ["family", "size", "engine", "ttfm_ms", *(f"tbm_{t}" for t in TIMES), "tbm_sum_ms"]
COLUMNS += [*(f"warm_{t}" for t in TIMES), "steps", "memory_mb", "error"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--families", default=",".join(FAMILIES))
    parser.add_argument("--engines", default="ours-fast-build")
    parser.add_argument("--largest", type=int, default=10**9, help="leave out sizes above")
    parser.add_argument("--vocabulary", help="rank file or tekken file; that of mistral-common unless given")
    parser.add_argument("--seconds", type=float, default=60.0, help="deadline of a point")
    parser.add_argument("--gigabytes", type=float, default=6.0, help="memory limit of a point")
    parser.add_argument("--out", type=Path, default=Path("target/growth"))
    parser.add_argument("--point", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    arguments.vocabulary = arguments.vocabulary or vocabulary.usual()
    if arguments.point:
        print(json.dumps(measured(arguments)))
        return
    rows = []
    for family in arguments.families.split(","):
        for engine in arguments.engines.split(","):
            for size in FAMILIES[family].sizes:
                if size <= arguments.largest:
                    rows.append(point(family, size, engine, arguments))
                    print(" ".join(f"{shown(rows[-1][column]):>12}" for column in COLUMNS), flush=True)
    write(rows, arguments.out)


def point(family: str, size: int, engine: str, arguments: argparse.Namespace) -> dict[str, Any]:
    """Runs one measurement in a process of its own."""
    row = dict.fromkeys(COLUMNS, "") | {"family": family, "size": size, "engine": engine}
    command = [sys.executable, __file__, "--point", f"{family}:{size}:{engine}", "--seconds", str(arguments.seconds)]
    command += ["--gigabytes", str(arguments.gigabytes), "--vocabulary", arguments.vocabulary]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=arguments.seconds * 2 + 30, check=False)
    except subprocess.TimeoutExpired:
        return row | {"error": f"more than {arguments.seconds * 2 + 30:g} s"}
    if done.returncode:
        return row | {"error": (done.stderr.strip() or f"exit {done.returncode}").splitlines()[-1][:200]}
    row.update(json.loads(done.stdout))
    return row


def measured(arguments: argparse.Namespace) -> dict[str, Any]:
    """One measurement, in this process."""
    family, size, engine = arguments.point.split(":")
    from engines import engine as make
    from replay import CPU, OutOfTime, Text, deadline, replay, verdict

    base = vocabulary.load(arguments.vocabulary)
    case = FAMILIES[family].case(int(size))
    if family == "vocabulary":
        base = base.resized(int(size))
    tokens = base.encode_greedily(case.text.encode())
    made = make(engine, base)
    limit = int(arguments.gigabytes * 2**30)
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    before = peak_memory(forget=True)
    record = replay(made, case.kind, case.source, [Text(tokens, True)], arguments.seconds, CPU)
    row: dict[str, Any] = {"error": record["error"] or ("" if record["right"] == [True] else "text refused")}
    if record["ttfm"] is not None:
        row["ttfm_ms"] = record["ttfm"] / 1e3
    if record["tbm"]:
        row |= percentiles("tbm", record["tbm"]) | {"tbm_sum_ms": sum(record["tbm"]) / 1e3, "steps": len(record["tbm"])}
    row["memory_mb"] = (peak_memory() - before) / 1024
    if not row["error"]:
        warm: list[float] = []
        try:
            with deadline(arguments.seconds):
                verdict(made, tokens, warm, CPU)
        except OutOfTime as error:
            row["error"] = f"warm: {error}"
        row |= percentiles("warm", warm)
    return row


def percentiles(name: str, times: list[float]) -> dict[str, float]:
    p50, p99, most = np.percentile(times, (50, 99, 100))
    return {f"{name}_p50_us": float(p50), f"{name}_p99_us": float(p99), f"{name}_max_us": float(most)}


def write(rows: list[dict[str, Any]], out: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    with (out / "growth.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows({column: shown(row[column]) for column in COLUMNS} for row in rows)
    lines = ["| " + " | ".join(COLUMNS) + " |", "|---" * len(COLUMNS) + "|"]
    lines += ["| " + " | ".join(shown(row[column]) for column in COLUMNS) + " |" for row in rows]
    (out / "growth.md").write_text("\n".join(lines) + "\n")


def shown(value: Any) -> str:
    """Three figures are as many as the machine has."""
    return (
        f"{value:.3g}"
        if isinstance(value, float) and value < 1000
        else f"{value:.0f}"
        if isinstance(value, float)
        else str(value)
    )


if __name__ == "__main__":
    main()
