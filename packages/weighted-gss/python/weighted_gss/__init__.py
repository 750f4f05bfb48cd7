"""A persistent weighted graph-structured stack: a finite set of stacks, each with one weight."""

from weighted_gss._weighted_gss import WeightedGSS

__all__ = ["WeightedGSS"]
