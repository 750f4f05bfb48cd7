"""Replays a corpus through several engines, case by case in turn, and prints percentiles and ratios.

    compare.py corpus PATH... [--engines ours,glrmask,llguidance] [--vocabulary FILE] [--ids FILE] [--out FOLDER]
    compare.py gss [--rounds 7]

Every engine runs in a process and an environment of its own (`--environments FOLDER` has one per peer, made by
`make bench PEERS=1`), and one engine runs at a time: all of them do the first case, then all the second, in an order
that rotates, so that a slow minute of a shared machine falls on all alike. Read ratios, not absolute times.

TTFM: compile, first state and first mask, in milliseconds, without the vocabulary. TBM: mask, test of one bit and
commit of one token, in microseconds, from Python, on one thread. Percentiles are over the cases that all engines
compiled; what only one of them did not is listed, since leaving it out flatters that one.
"""

import argparse
import json
import select
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

import vocabulary
from corpus import SCHEMAS, Case, cases
from engines import PEERS
from replay import CLOCKS
from summary import report

HERE = Path(__file__).resolve().parent
Records = dict[str, dict[str, Any]]
"""Case → what an engine did with it."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--environments", type=Path, default=Path(".cache/peers"))
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("corpus", help="schemas and grammars")
    command.set_defaults(run=run_corpus)
    command.add_argument("path", type=Path, nargs="+")
    command.add_argument("--engines", default="ours")
    command.add_argument("--vocabulary", help="rank file or tekken file; that of mistral-common unless given")
    command.add_argument("--ids", type=Path, help="file with the ids of the cases to take")
    command.add_argument("--seconds", type=float, default=60.0, help="deadline of a case")
    command.add_argument("--clock", choices=CLOCKS, default="wall", help="cpu: time of the process, for a busy machine")
    command.add_argument("--out", type=Path, help="folder for the records, one file an engine")
    command = commands.add_parser("gss", help="the graph-structured stack")
    command.set_defaults(run=run_gss)
    command.add_argument("--rounds", type=int, default=7)
    arguments = parser.parse_args()
    arguments.run(arguments)


def python(environments: Path, engine: str) -> str:
    """The interpreter of an engine; ours is the one that runs this."""
    return str(environments / engine / "bin" / "python") if engine in (*PEERS, "weighted-gss") else sys.executable


class Worker:
    """A process with an engine. One that does not answer in time, or dies, is replaced."""

    def __init__(self, engine: str, arguments: argparse.Namespace) -> None:
        worker = str(HERE / "worker.py")
        self.command = [python(arguments.environments, engine), worker, engine, arguments.vocabulary]
        self.seconds: float = arguments.seconds
        self.how = {"seconds": arguments.seconds, "clock": arguments.clock}
        self.start()

    def start(self) -> None:
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        first = self.answer(120)
        if first is None:
            self.close()
            sys.exit(f"{self.command[2:]} does not start")
        self.version = first["version"]

    def answer(self, seconds: float) -> dict[str, Any] | None:
        assert self.process.stdout is not None
        ready, _, _ = select.select([self.process.stdout], [], [], seconds)
        line = self.process.stdout.readline() if ready else ""
        return json.loads(line) if line else None

    def ask(self, case: Case, texts: list[tuple[list[int], bool]]) -> dict[str, Any]:
        again = case.group != SCHEMAS
        request = {"kind": case.kind, "source": case.source, "texts": texts, "again": again, **self.how}
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
            answer = self.answer(2 * self.seconds + 10)
        except BrokenPipeError:
            answer = None
        if answer is not None:
            return answer
        error = "no answer in time" if self.process.poll() is None else f"died with {self.process.returncode}"
        self.close()
        self.start()
        return {"error": error}

    def close(self) -> None:
        self.process.kill()
        self.process.wait()


def run_corpus(arguments: argparse.Namespace) -> None:
    wanted = set(arguments.ids.read_text().split()) if arguments.ids else None
    arguments.vocabulary = arguments.vocabulary or vocabulary.usual()
    words = vocabulary.load(arguments.vocabulary)
    workers = {name: Worker(name, arguments) for name in arguments.engines.split(",")}
    records: dict[str, dict[str, Records]] = {}
    found = (case for path in arguments.path for case in cases(path) if wanted is None or case.id in wanted)
    for number, case in enumerate(found):
        texts = [(words.encode(text), valid) for text, valid in case.texts]
        names = list(workers)
        for name in names[number % len(names) :] + names[: number % len(names)]:
            answer = workers[name].ask(case, texts)
            records.setdefault(case.group, {name: {} for name in names})[name][case.id] = answer
        if sys.stderr.isatty():
            print(f"\r{number + 1} cases", end="", file=sys.stderr, flush=True)
    print(
        f"{arguments.clock} time; vocabulary of {words.size} ids; "
        + "; ".join(f"{n} {w.version}" for n, w in workers.items())
    )
    for worker in workers.values():
        worker.close()
    for group, of_engines in records.items():
        print(f"\n## {group}\n\n{report(of_engines)}")
        if arguments.out:
            save(arguments.out, group, of_engines)


def save(folder: Path, group: str, of_engines: dict[str, Records]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, records in of_engines.items():
        lines = (json.dumps({"id": id, **record}) for id, record in records.items())
        (folder / f"{group}-{name}.jsonl").write_text("\n".join(lines) + "\n")


def run_gss(arguments: argparse.Namespace) -> None:
    """Medians of interleaved runs."""
    engines = {"this package": "ours", "the other": "weighted-gss"}
    engines = {n: e for n, e in engines.items() if Path(python(arguments.environments, e)).exists()}
    runs: dict[str, list[dict[str, float]]] = {name: [] for name in engines}
    for _ in range(arguments.rounds):
        for name, engine in engines.items():
            command = [python(arguments.environments, engine), str(HERE / "gss.py")]
            runs[name].append(json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout))
    medians = {n: {op: statistics.median(run[op] for run in of) for op in of[0]} for n, of in runs.items()}
    ours, other = medians["this package"], medians.get("the other", {})
    print("| operation, µs | this package | the other | ratio |\n|---|---|---|---|")
    for operation, time in ours.items():
        beside = other.get(operation)
        print(f"| {operation} | {time:.4g} | " + (f"{beside:.4g} | {beside / time:.2f} |" if beside else "| |"))


if __name__ == "__main__":
    main()
