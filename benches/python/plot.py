"""Draws growth curves: `plot.py growth.csv FOLDER` writes `growth.svg`, a row of three plots for every family."""

import csv
import math
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import matplotlib
from growth_cases import FAMILIES
from matplotlib import pyplot

PLOTS = {
    "compile and first mask, ms": [("ttfm_ms", "-", "")],
    "one step, µs": [("tbm_max_us", "-", "first visit, max"), ("warm_p99_us", "--", "again, p99")],
    "memory, MB": [("memory_mb", "-", "")],
}
COLOURS = {"ours-fast-build": "#2864a8", "ours": "#2c8a4a", "ours-balanced": "#8a6d2c", "ours-fast-runtime": "#b03a3a"}


def main() -> None:
    with Path(sys.argv[1]).open(newline="") as file:
        rows = list(csv.DictReader(file))
    families = list(dict.fromkeys(row["family"] for row in rows))
    # Text stays text, and the same rows give the same file.
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "growth", "font.size": 8})
    size = (3.2 * len(PLOTS), 2.0 * len(families))
    figure, grid = pyplot.subplots(len(families), len(PLOTS), figsize=size, squeeze=False, layout="constrained")
    for axes, family in zip(grid, families, strict=True):
        draw(axes, family, [row for row in rows if row["family"] == family])
    for axis, title in zip(grid[0], PLOTS, strict=True):
        axis.set_title(title)
    for axis in grid[0]:
        axis.legend(fontsize=6, frameon=False)
    figure.savefig(Path(sys.argv[2]) / "growth.svg", metadata={"Date": None})


def draw(axes: Iterable[Any], family: str, rows: list[dict[str, str]]) -> None:
    engines = dict.fromkeys(row["engine"] for row in rows)
    for axis, curves in zip(axes, PLOTS.values(), strict=True):
        for engine in engines:
            for column, style, what in curves:
                points = [
                    (int(row["size"]), float(row[column])) for row in rows if row["engine"] == engine and row[column]
                ]
                label = " ".join(filter(None, (engine.removeprefix("ours-"), what)))
                axis.plot(
                    *zip(*points, strict=True), style, color=COLOURS[engine], marker=".", markersize=3, label=label
                )
        axis.set_xscale("log")
        axis.set_yscale("log")
        axis.set_xlabel(FAMILIES[family].what)
        low, high = axis.get_ylim()
        axis.set_ylim(10 ** math.floor(math.log10(low)), 10 ** math.ceil(math.log10(high)))  # a tick at either end
        axis.minorticks_off()
        axis.grid(linewidth=0.3)


if __name__ == "__main__":
    main()
