"""Percentiles and ratios of records, as Markdown."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Times = NDArray[np.float64]
WHAT = ("TTFM ms", "TBM µs", "TBM µs, again")
"""The last: texts replayed once more, where grammars are measured."""
STEPS = (50, 90, 99, 99.9)
COMPILES = (50, 90, 99)


def report(engines: dict[str, dict[str, dict[str, Any]]]) -> str:
    """Verdicts of each engine, percentiles over the cases that all compiled, ratios of the first engine to others."""
    compiled = {name: {id for id, record in of.items() if record["error"] is None} for name, of in engines.items()}
    common = set.intersection(*compiled.values())
    lines = [verdicts(engines), ""]
    lines += [missed(name, compiled) for name in engines if missed(name, compiled)]
    # Where no case was compiled by all, each engine has its own cases, and there is nothing to compare.
    kept = compiled if not common else dict.fromkeys(engines, common)
    lines += [f"Over the {len(common)} cases that all compiled{'' if common else ': none, so each over its own'}:", ""]
    times = {name: collect([of[id] for id in sorted(kept[name])]) for name, of in engines.items() if kept[name]}
    lines.append(percentiles(times))
    if common:
        lines += ["", ratios(times)]
    return "\n".join(lines)


def verdicts(engines: dict[str, dict[str, dict[str, Any]]]) -> str:
    lines = [
        "| engine | cases | not compiled | valid refused | invalid accepted | peak memory MB |",
        "|---|---|---|---|---|---|",
    ]
    for name, of in engines.items():
        done = [record for record in of.values() if record["error"] is None]
        judged = [pair for record in done for pair in zip(record["valid"], record["right"], strict=False)]
        valid, invalid = [right for v, right in judged if v], [right for v, right in judged if not v]
        memory = max((record["memory"] for record in done), default=0) / 1024
        lines.append(
            f"| {name} | {len(of)} | {len(of) - len(done)} | {valid.count(False)}/{len(valid)} "
            f"| {invalid.count(False)}/{len(invalid)} | {memory:.0f} |"
        )
    return "\n".join(lines)


def missed(name: str, compiled: dict[str, set[str]]) -> str:
    """What every other engine compiled."""
    others = [ids for other, ids in compiled.items() if other != name]
    ids = sorted(set.intersection(*others) - compiled[name]) if others else []
    return f"Only {name} did not compile {len(ids)} of them: {', '.join(ids[:8])}\n" if ids else ""


def collect(records: list[dict[str, Any]]) -> dict[str, Times]:
    times = (
        [record["ttfm"] / 1e3 for record in records],
        [time for record in records for time in record["tbm"]],
        [time for record in records for time in record["warm"]],
    )
    return {what: np.array(values) for what, values in zip(WHAT, times, strict=True)}


def points(what: str) -> tuple[float, ...]:
    return COMPILES if what.startswith("TTFM") else STEPS


def percentiles(engines: dict[str, dict[str, Times]]) -> str:
    lines = ["| | engine | mean | p50 | p90 | p99 | p99.9 | max |", "|---|---|---|---|---|---|---|---|"]
    for what in WHAT:
        for name, times in engines.items():
            if not times[what].size:
                continue
            cells = [times[what].mean(), *np.percentile(times[what], STEPS), times[what].max()]
            lines.append(
                f"| {what} | {name} | "
                + " | ".join(f"{cell:.3g}" if cell < 1e3 else f"{cell:.0f}" for cell in cells)
                + " |"
            )
    return "\n".join(lines)


def ratios(engines: dict[str, dict[str, Times]]) -> str:
    """The first engine to each other; below 1 it is faster."""
    (first, ours), *others = engines.items()
    lines = []
    for name, times in others:
        for what in WHAT:
            if not (ours[what].size and times[what].size):
                continue
            cells = (f"p{p:g} {np.percentile(ours[what], p) / np.percentile(times[what], p):.2g}" for p in points(what))
            lines.append(f"- {first} / {name}, {what}: " + ", ".join(cells))
    return "\n".join(lines)
