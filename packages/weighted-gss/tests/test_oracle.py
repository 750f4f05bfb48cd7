"""Random sequences of operations against an explicit map from stacks to weights."""

from hypothesis import settings, strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, multiple, rule
from weighted_gss import WeightedGSS

SYMBOLS = st.sampled_from(["a", "b", "c", 0, 1, (1, 2)])
STACKS = st.lists(SYMBOLS, max_size=10)
WEIGHTS = st.frozensets(st.integers(0, 3), max_size=3)
MAX_STACKS = 200


def collect(items):
    """A map from stacks to weights, the weights of equal stacks joined."""
    found = {}
    for stack, weight in items:
        found[stack] = found.get(stack, frozenset()) | weight
    return found


class Operations(RuleBasedStateMachine):
    """Every operation on a set and on the map it stands for."""

    pairs = Bundle("pairs")

    @staticmethod
    def checked(gss, model):
        """The pair, compared in every way; nothing when it has grown too large."""
        if len(model) > MAX_STACKS:
            return multiple()
        stacks = gss.to_stacks()
        assert len(stacks) == len(model) and dict(stacks) == model
        assert bool(gss) == bool(model) and gss.is_empty() == (not model)
        assert gss.max_depth() == max(map(len, model), default=0)
        assert gss.tops() == {stack[-1] for stack in model if stack}
        assert gss.has_empty_stack() == (() in model)
        assert gss.empty_weight() == model.get(())
        tops = {stack[-1:] for stack in model}
        assert gss.top() == (next(iter(tops))[0] if len(tops) == 1 and () not in tops else None)
        assert gss.joined_weight() == (frozenset().union(*model.values()) if model else None)
        assert gss == WeightedGSS.from_stacks(model.items(), join=frozenset.union)
        return gss, model

    @rule(target=pairs, items=st.lists(st.tuples(STACKS, WEIGHTS), max_size=12))
    def from_stacks(self, items):
        model = collect((tuple(stack), weight) for stack, weight in items)
        return self.checked(WeightedGSS.from_stacks(items, join=frozenset.union), model)

    @rule(target=pairs, stacks=st.lists(STACKS, max_size=12), weight=WEIGHTS)
    def from_unweighted(self, stacks, weight):
        gss = WeightedGSS.from_unweighted(stacks, weight, join=frozenset.union)
        return self.checked(gss, {tuple(stack): weight for stack in stacks})

    @rule(target=pairs, pair=pairs, values=st.lists(SYMBOLS, min_size=1, max_size=9))
    def push(self, pair, values):
        gss, model = pair
        for value in values:
            gss = gss.push(value)
        return self.checked(gss, {stack + tuple(values): weight for stack, weight in model.items()})

    @rule(target=pairs, pair=pairs, count=st.integers(0, 8))
    def popn(self, pair, count):
        gss, model = pair
        left = collect((stack[: len(stack) - count], w) for stack, w in model.items() if len(stack) >= count)
        return self.checked(gss.pop() if count == 1 else gss.popn(count), left)

    @rule(target=pairs, left=pairs, right=pairs)
    def merge(self, left, right):
        union = collect([*left[1].items(), *right[1].items()])
        assert (left[0] == right[0]) == (left[1] == right[1])
        return self.checked(left[0].merge(right[0]), union)

    @rule(target=pairs, pair=pairs, value=SYMBOLS)
    def fork_and_merge(self, pair, value):
        gss, model = pair
        pushed = WeightedGSS.merge_all([gss.push(value), gss.push("x"), gss])
        union = collect([(s + (v,), w) for v in (value, "x") for s, w in model.items()] + [*model.items()])
        return self.checked(pushed, union)

    @rule(target=pairs, pair=pairs, stack=STACKS, weight=WEIGHTS)
    def with_stack(self, pair, stack, weight):
        gss, model = pair
        return self.checked(gss.with_stack(stack, weight), collect([*model.items(), (tuple(stack), weight)]))

    @rule(target=pairs, pair=pairs, value=SYMBOLS)
    def retain_top(self, pair, value):
        gss, model = pair
        kept = {stack: weight for stack, weight in model.items() if stack[-1:] == (value,)}
        self.checked(gss.pop_top(value), {stack[:-1]: weight for stack, weight in kept.items()})
        return self.checked(gss.retain_top(value), kept)

    @rule(pair=pairs)
    def look(self, pair):
        gss, model = pair
        self.checked(gss.retain_empty(), {stack: weight for stack, weight in model.items() if not stack})
        for value, tail in gss.pop_branches():
            self.checked(tail, {stack[:-1]: w for stack, w in model.items() if stack[-1:] == (value,)})
        assert len(gss.pop_branches()) == len(gss.tops())
        assert gss.to_dot().startswith("digraph")

    @rule(target=pairs, pair=pairs, mask=WEIGHTS)
    def map_weights(self, pair, mask):
        gss, model = pair
        return self.checked(gss.map_weights(mask.__and__), {stack: mask & weight for stack, weight in model.items()})

    @rule(target=pairs, pair=consumes(pairs), fact=st.integers(0, 3))
    def filter_map_weights(self, pair, fact):
        gss, model = pair
        kept = {stack: weight for stack, weight in model.items() if fact in weight}
        return self.checked(gss.filter_map_weights(lambda weight: weight if fact in weight else None), kept)


TestOperations = Operations.TestCase
TestOperations.settings = settings(max_examples=150, stateful_step_count=30, deadline=None)
