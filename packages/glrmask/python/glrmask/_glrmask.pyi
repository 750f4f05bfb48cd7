"""The native part of glrmask. Its classes are documented in the package, which is where to import them from."""

from glrmask import Constraint, ConstraintState, DynamicConstraint, Grammar, Optimization, Vocab

__all__ = ["Constraint", "ConstraintState", "DynamicConstraint", "Grammar", "Optimization", "Vocab"]
