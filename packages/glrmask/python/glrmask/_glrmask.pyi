"""The native part of glrmask. Its members are documented in the package, which is where to import them from."""

from glrmask import (
    Constraint,
    ConstraintState,
    DynamicConstraint,
    Grammar,
    Optimization,
    Vocab,
    commit_tokens_batch,
    fill_masks,
)

__all__ = [
    "Constraint",
    "ConstraintState",
    "DynamicConstraint",
    "Grammar",
    "Optimization",
    "Vocab",
    "commit_tokens_batch",
    "fill_masks",
]
