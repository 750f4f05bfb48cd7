"""The listings of the article about GLRMask that use the weighted GSS, in the syntax of Python 3.11.

Automaton, constraint and mask are the article's code; the tests compare them with a direct computation.
"""

from __future__ import annotations

import itertools
import operator
from dataclasses import dataclass
from typing import Generic, Protocol, Self, TypeVar

import numpy as np
from hypothesis import given, strategies as st
from weighted_gss import WeightedGSS


class Semiring(Protocol):
    def __add__(self, other: Self) -> Self: ...
    def __mul__(self, other: Self) -> Self: ...


T = TypeVar("T")
W = TypeVar("W")

LexerState = int
LRState = int
Terminal = int
State = int
TokenMask = np.ndarray
Weight = np.ndarray
Condition = tuple[LexerState, Terminal]
Conditions = frozenset[Condition]


@dataclass
class DWA(Generic[T, W]):
    start: State
    transitions: dict[State, dict[T, tuple[State, W]]]
    final_weights: dict[State, W]

    def run_weighted_gss(self, input: WeightedGSS[T, W]) -> W:
        def visit(gss: WeightedGSS[T, W], state: State) -> W:
            out = gss.joined_weight() * self.final_weights[state]

            for x, tail in gss.pop_branches():
                next_state, edge_weight = self.transitions[state][x]
                tail = tail.map_weights(lambda active_weight: active_weight * edge_weight)
                out += visit(tail, next_state)

            return out

        return visit(input, self.start)


ParserDWA = DWA


@dataclass
class Constraint:
    parser_dwa: ParserDWA
    state: dict[LexerState, WeightedGSS[LRState, Conditions]]
    possible_matches: dict[tuple[LexerState, Terminal], TokenMask]
    lexer_state_count: int
    token_count: int

    def initialize_weights(
        self,
        lexer_state: LexerState,
        gss: WeightedGSS[LRState, Conditions],
    ) -> WeightedGSS[LRState, Weight]:
        """WeightedGSS[LRState, Conditions] -> WeightedGSS[LRState, Weight]"""

        def initial_weight(conditions: Conditions) -> Weight:
            w = np.zeros((self.lexer_state_count, self.token_count), dtype=bool)
            w[lexer_state, :] = True

            for q, t in conditions:
                w[lexer_state] &= ~self.possible_matches[q, t]

            return w

        return gss.map_weights(initial_weight)

    def get_mask(self) -> TokenMask:
        mask = np.zeros(self.token_count, dtype=bool)

        for lexer_state, gss in self.state.items():
            gss = self.initialize_weights(lexer_state, gss)
            mask |= self.parser_dwa.run_weighted_gss(gss)[lexer_state]

        return mask


LEXER_STATES, TOKENS, LR_STATES, DWA_STATES = 2, 5, 3, 4
SHAPE = (LEXER_STATES, TOKENS)


def random_constraint(seed: int) -> tuple[Constraint, dict[LexerState, list]]:
    """A total automaton, and stacks with conditions for each lexer state."""
    rng = np.random.default_rng(seed)
    transitions = {
        q: {x: (int(rng.integers(DWA_STATES)), rng.random(SHAPE) < 0.7) for x in range(LR_STATES)}
        for q in range(DWA_STATES)
    }
    dwa = DWA(0, transitions, {q: rng.random(SHAPE) < 0.3 for q in range(DWA_STATES)})
    matches = {(q, t): rng.random(TOKENS) < 0.3 for q in range(LEXER_STATES) for t in range(2)}
    stacks = {}
    for q in range(LEXER_STATES):
        lengths = rng.integers(0, 5, size=6)
        conditions = [frozenset(c for c in matches if rng.random() < 0.3) for _ in lengths]
        stacks[q] = [(rng.integers(LR_STATES, size=n).tolist(), c) for n, c in zip(lengths, conditions)]
    # In the article `+` joins masks; `|` joins them as well as sets of conditions.
    state = {q: WeightedGSS.from_stacks(listed, join=operator.or_) for q, listed in stacks.items()}
    return Constraint(dwa, state, matches, LEXER_STATES, TOKENS), stacks


def mask_by_definition(constraint: Constraint, stacks: dict[LexerState, list]) -> TokenMask:
    """Runs the automaton over every stack apart."""
    merged: dict[tuple, Conditions] = {}
    for q, listed in stacks.items():
        for stack, conditions in listed:
            key = (q, tuple(stack))
            merged[key] = merged.get(key, frozenset()) | conditions
    mask = np.zeros(TOKENS, dtype=bool)
    dwa = constraint.parser_dwa
    for (q, stack), conditions in merged.items():
        active = np.ones(TOKENS, dtype=bool)
        for condition in conditions:
            active &= ~constraint.possible_matches[condition]
        at = dwa.start
        mask |= active & dwa.final_weights[at][q]
        for x in reversed(stack):
            at, weight = dwa.transitions[at][x]
            active = active & weight[q]
            mask |= active & dwa.final_weights[at][q]
    return mask


@given(st.integers(0, 2**32))
def test_masks_of_the_article(seed):
    constraint, stacks = random_constraint(seed)
    assert constraint.get_mask().tolist() == mask_by_definition(constraint, stacks).tolist()


def test_masks_differ_between_constraints():
    masks = [tuple(random_constraint(seed)[0].get_mask().tolist()) for seed in range(20)]
    assert len(set(masks)) > 3
    assert any(a != b for a, b in itertools.pairwise(masks))
