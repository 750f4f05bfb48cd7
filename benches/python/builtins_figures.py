"""What the grammars that come with glrmask cost: compile times, and mask and commit on the sentences of their tests.

    python benches/python/builtins_figures.py [RANKS]

Two replays of all accepted sentences of a grammar, tokenized greedily: in the first, what the mode has left of tables
is filled on the way, in the second it is there. One thread. RANKS: a rank file or tekken file; that of mistral-common
unless given.
"""

import sys
import time
import tomllib
from pathlib import Path

import glrmask
import numpy as np
from vocabulary import load, usual

SENTENCES = Path(__file__).parents[2] / "crates/glrmask/tests/formats/builtin.toml"
MODES = ["FAST_BUILD", "AUTO", "FAST_RUNTIME"]


def main() -> None:
    tokens = load(sys.argv[1] if len(sys.argv) > 1 else usual())
    vocab = glrmask.Vocab.from_id_to_bytes(tokens.tokens)
    accepted: dict[str, list[str]] = {}
    for case in tomllib.loads(SENTENCES.read_text())["case"]:
        accepted.setdefault(case["source"], []).extend(case["accept"])
    print("| grammar | mode | compile ms | steps | first replay p50 µs | p99 | again p50 | p99 |")
    print("|---|---|---|---|---|---|---|---|")
    for name, texts in accepted.items():
        for mode in MODES:
            begin = time.perf_counter()
            grammar = glrmask.Grammar.builtin(name)
            constraint = grammar.compile(vocab, optimization=getattr(glrmask.Optimization, mode), threads=1)
            compiled = 1e3 * (time.perf_counter() - begin)
            sentences = [tokens.encode_greedily(text.encode()) for text in texts]
            first, again = replay(constraint, sentences), replay(constraint, sentences)
            figures = " | ".join(f"{np.percentile(times, p):.1f}" for times in (first, again) for p in (50, 99))
            print(f"| `{name}` | `{mode}` | {compiled:.1f} | {len(first)} | {figures} |", flush=True)


def replay(constraint: glrmask.Constraint, sentences: list[list[int]]) -> list[float]:
    """Microseconds of mask and commit, step by step."""
    words = np.zeros(constraint.mask_len(), dtype=np.int32)
    times = []
    for sentence in sentences:
        state = constraint.start()
        for token in sentence:
            begin = time.perf_counter_ns()
            state.fill_mask(words)
            state.commit_token(token)
            times.append((time.perf_counter_ns() - begin) / 1e3)
        if not state.is_accepting():
            raise SystemExit(f"not accepted: {sentence}")
    return times


if __name__ == "__main__":
    main()
