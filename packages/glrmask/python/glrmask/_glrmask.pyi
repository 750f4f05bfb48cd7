"""The native part of glrmask. Its members are documented in the package, which is where to import them from."""

from glrmask import (
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

__all__ = [
    "BoundaryTriggerDetail",
    "Constraint",
    "ConstraintState",
    "DynamicConstraint",
    "ExactTokens",
    "Grammar",
    "Optimization",
    "PreparedGrammar",
    "Token",
    "Vocab",
    "commit_tokens_batch",
    "fill_masks",
]
