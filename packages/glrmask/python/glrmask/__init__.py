"""Grammar-constrained decoding for LLMs: exact next-token masks for JSON Schema and any context-free grammar.

A `Vocab` holds the model's token ids and their bytes, a `Grammar` says which texts are wanted. Compiling the one for
the other gives a `Constraint`, and `Constraint.start` a `ConstraintState` for each sequence to generate: ask for the
mask, sample an allowed token, commit it.

```python
import glrmask

vocab = glrmask.Vocab.from_id_to_bytes({0: b"hello", 1: b" ", 2: b"world"})
grammar = glrmask.Grammar.from_ebnf('start ::= "hello" " " "world"')
constraint = grammar.compile(vocab)
state = constraint.start()
assert state.mask().tolist() == [True, False, False]
state.commit_token(0)
```

Constraints may be shared by any number of threads. A state may be used from any thread too; its calls then take turns.
"""

from glrmask._glrmask import (
    BoundaryTriggerDetail,
    Constraint,
    ConstraintState,
    DynamicConstraint,
    ExactTokens,
    Grammar,
    Optimization,
    PreparedGrammar,
    Token,
    Vocab,
    commit_tokens_batch,
    fill_masks,
)
from glrmask.errors import (
    ArtifactError,
    CancelledError,
    GlrmaskError,
    GrammarSyntaxError,
    LimitError,
    SchemaError,
)
from glrmask.graphviz import to_svg
from glrmask.types import (
    Diagnostic,
    Explanation,
    FilledStats,
    JsonSchemaLimits,
    JsonSchemaOptions,
    Limits,
    Reading,
    Requirement,
    SchemaWarning,
    Stats,
    TokenCompletion,
)

__all__ = [
    "ArtifactError",
    "BoundaryTriggerDetail",
    "CancelledError",
    "Constraint",
    "ConstraintState",
    "Diagnostic",
    "DynamicConstraint",
    "ExactTokens",
    "Explanation",
    "FilledStats",
    "GlrmaskError",
    "Grammar",
    "GrammarSyntaxError",
    "JsonSchemaLimits",
    "JsonSchemaOptions",
    "LimitError",
    "Limits",
    "Optimization",
    "PreparedGrammar",
    "Reading",
    "Requirement",
    "SchemaError",
    "SchemaWarning",
    "Stats",
    "Token",
    "TokenCompletion",
    "Vocab",
    "commit_tokens_batch",
    "fill_masks",
    "to_svg",
]

__version__ = "0.1.0"
