"""An engine in a process of its own: requests on standard input, answers on standard output, a line of JSON each.

    worker.py ENGINE VOCABULARY

Runs in the environment of its engine, and is driven by `compare.py`. The first answer tells the version. A request
has `kind`, `source`, `texts` (tokens and whether they are valid), `seconds` and `clock`; with `again` the texts are
replayed once more.
"""

import json
import os
import sys
from importlib import metadata

import vocabulary
from engines import PEERS, engine
from memory import peak_memory
from replay import CLOCKS, Text, replay, verdict


def main() -> None:
    name, path = sys.argv[1:]
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever an engine prints is no answer
    made = engine(name, vocabulary.load(path))
    print(json.dumps({"version": metadata.version(name if name in PEERS else "glrmask")}), file=answers, flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        texts = [Text(*text) for text in request["texts"]]
        before = peak_memory(forget=True)
        now = CLOCKS[request["clock"]]
        record = replay(made, request["kind"], request["source"], texts, request["seconds"], now)
        record["memory"] = peak_memory() - before
        record["warm"] = []
        if request["again"] and record["error"] is None:
            for text in texts:
                verdict(made, text.tokens, record["warm"], now)
        print(json.dumps(record), file=answers, flush=True)


if __name__ == "__main__":
    main()
