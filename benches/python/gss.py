"""Operations of `weighted_gss.WeightedGSS`: medians in microseconds, as JSON.

Runs against any package with this class, so that two of them can be compared, each in an environment of its own:
`compare.py gss` does that. `map_weights`, which not every such package has, is timed beside the same on a dictionary
from stacks to weights.
"""

from __future__ import annotations  # the class of a peer may have no parameters

import json
import statistics
import time
from collections.abc import Callable

from weighted_gss import WeightedGSS


class Bits:
    """A weight with a join of its own."""

    __slots__ = ("bits",)

    def __init__(self, bits: int) -> None:
        self.bits = bits

    def join(self, other: Bits) -> Bits:
        return Bits(self.bits | other.bits)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Bits) and self.bits == other.bits


def turned(weight: Bits) -> Bits:
    return Bits(weight.bits ^ 3)


def grown(rounds: int) -> WeightedGSS[int, Bits]:
    """Two stacks, doubled in every round: 2 ** (rounds + 1) stacks with two weights."""
    gss = WeightedGSS.from_stack([0], Bits(1)).merge(WeightedGSS.from_stack([1], Bits(2)))
    for level in range(rounds):
        gss = gss.push(2 * level + 2).merge(gss.push(2 * level + 3))
    return gss


def median(operation: Callable[[], object], calls: int) -> float:
    times = []
    for _ in range(calls):
        start = time.perf_counter_ns()
        operation()
        times.append((time.perf_counter_ns() - start) / 1e3)
    return round(statistics.median(times), 2)


def main() -> None:
    deep, wide = WeightedGSS.from_stack(list(range(512)), Bits(1)), grown(11)
    stacks = [([i & 1, i >> 1 & 3, i >> 3 & 7, i], Bits(i & 3)) for i in range(1024)]
    listed = WeightedGSS.from_stacks(stacks)
    explicit = {tuple(stack): weight for stack, weight in wide.to_stacks(4096)}
    times = {
        "grow to 131 072 stacks in 16 rounds": median(lambda: grown(16), 60),
        "pop of 4096 stacks": median(wide.pop, 400),
        "push on a stack of 512": median(lambda: deep.push(7), 800),
        "popn(100) of a stack of 512": median(lambda: deep.popn(100), 400),
        "two forks of a stack of 512": median(lambda: (deep.push(1), deep.push(2)), 400),
        "pop_branches": median(wide.pop_branches, 200),
        "from_stacks, 1024 stacks": median(lambda: WeightedGSS.from_stacks(stacks), 20),
        "to_stacks, 1024 stacks": median(lambda: listed.to_stacks(4096), 40),
        "the next on a dictionary": median(lambda: {stack: turned(w) for stack, w in explicit.items()}, 20),
    }
    if hasattr(wide, "map_weights"):
        times["map_weights on 4096 stacks"] = median(lambda: wide.map_weights(turned), 100)
    print(json.dumps(times))


if __name__ == "__main__":
    main()
