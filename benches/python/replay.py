"""One case through one engine, step by step, with the time each step takes."""

import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from engines import Engine

Clock = Callable[[], int]
"""Nanoseconds of some time."""
WALL: Clock = time.perf_counter_ns
CPU: Clock = time.process_time_ns
"""Of all threads together; reading it costs about 0.3 µs."""
CLOCKS = {"wall": WALL, "cpu": CPU}


class OutOfTime(Exception):
    """A case took longer than it may."""


class Text(NamedTuple):
    """A text as tokens, and whether it belongs to the language."""

    tokens: Sequence[int]
    valid: bool


def replay(
    engine: Engine, kind: str, source: str, texts: Sequence[Text], seconds: float, now: Clock = WALL
) -> dict[str, Any]:
    """Compile and first mask (`ttfm`), then for every token: fill the mask, test the bit, commit (`tbm`); microseconds.

    `right` tells text by text whether the engine's verdict is the expected one; `error` why there is none.
    """
    record: dict[str, Any] = {"ttfm": None, "tbm": [], "right": [], "valid": [], "error": None}
    try:
        with deadline(seconds):
            start = now()
            engine.compile(kind, source)
            engine.start()
            engine.mask()
            record["ttfm"] = (now() - start) / 1e3
            for text in texts:
                record["right"].append(verdict(engine, text.tokens, record["tbm"], now) == text.valid)
                record["valid"].append(text.valid)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # a panic in an engine is no Exception
        record["error"] = f"{type(error).__name__}: {error}"[:300]
    return record


def verdict(engine: Engine, tokens: Sequence[int], times: list[float], now: Clock = WALL) -> bool:
    """Whether the engine takes the text; appends the time of each step that was allowed."""
    engine.start()
    for token in tokens:
        start = now()
        allowed = int(engine.mask()[token >> 5]) >> (token & 31) & 1
        if not allowed:
            return False
        engine.commit(token)
        times.append((now() - start) / 1e3)
    return engine.accepting()


@contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """Raises `OutOfTime` in the body; a call into an engine is left to end first."""

    def expire(*_: object) -> None:
        raise OutOfTime(f"more than {seconds:g} s")

    before = signal.signal(signal.SIGALRM, expire)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
