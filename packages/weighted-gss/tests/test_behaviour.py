"""What the map does not show: kinds of weights and values, exceptions, depth, threads."""

import operator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from weighted_gss import WeightedGSS


class Bits:
    """A weight with a join of its own."""

    def __init__(self, bits):
        self.bits = bits

    def join(self, other):
        return Bits(self.bits | other.bits)

    def __eq__(self, other):
        return self.bits == other.bits


class Trap:
    """A weight that cannot be joined."""

    def join(self, other):
        raise KeyError("no join")


class BadValue:
    """A value that cannot be compared."""

    def __hash__(self):
        return 1

    def __eq__(self, other):
        raise ZeroDivisionError("no comparison")


def stacks(gss):
    return dict(gss.to_stacks())


def test_weights_with_a_join_of_their_own():
    gss = WeightedGSS.from_stacks([([1, 2], Bits(1)), ([1, 3], Bits(2)), ([1, 3], Bits(4))])
    assert gss.joined_weight().bits == 7
    assert gss.pop().to_stacks()[0][1].bits == 7


def test_numpy_weights():
    rows = np.eye(3, dtype=bool)
    gss = WeightedGSS.from_stacks([([0, i], rows[i]) for i in range(3)], join=np.logical_or)
    ((stack, weight),) = gss.pop().to_stacks()
    assert stack == (0,) and weight.tolist() == [True, True, True]
    assert gss == WeightedGSS.from_stacks([([0, i], rows[i].copy()) for i in range(3)])
    assert gss != gss.map_weights(np.logical_not)
    other_shape = WeightedGSS.from_stack([1], np.array([True]))
    assert other_shape != WeightedGSS.from_stack([1], np.array([True, True]))


def test_equality_by_a_callable():
    near = WeightedGSS.from_stack([1], 1.0, join=max, equal=lambda a, b: abs(a - b) < 0.1)
    assert near == WeightedGSS.from_stack([1], 1.05)
    assert near != WeightedGSS.from_stack([1], 1.2)
    assert near != "something else"


def test_rules_are_inherited_and_can_be_changed():
    gss = WeightedGSS.from_stacks([("ab", {1}), ("ac", {2})], join=set.union)
    lengths = gss.map_weights(lambda weight: 10 + max(weight), join=min)
    assert stacks(lengths.pop()) == {("a",): 11}
    assert stacks(gss.pop()) == {("a",): {1, 2}}
    assert stacks(WeightedGSS(join=max).merge(WeightedGSS.from_stack("a", 1)).with_stack("a", 2)) == {("a",): 2}
    assert stacks(WeightedGSS.merge_all([gss, gss.map_weights(lambda _: {3})]).popn(2)) == {(): {1, 2, 3}}
    assert not WeightedGSS.merge_all([])


def test_exceptions_of_join_reach_the_caller_and_leave_operands_intact():
    left, right = WeightedGSS.from_stack([1, 2], Trap()), WeightedGSS.from_stack([1, 2], Trap())
    before = left.to_stacks()
    with pytest.raises(KeyError, match="no join"):
        left.merge(right)
    with pytest.raises(KeyError, match="no join"):
        left.with_stack([1, 2], Trap())
    forked = left.merge(WeightedGSS.from_stack([1, 3], Trap()))
    for operation in (forked.pop, forked.joined_weight, lambda: forked.popn(2)):
        with pytest.raises(KeyError, match="no join"):
            operation()
    assert left.to_stacks() == before and len(forked.to_stacks()) == 2
    with pytest.raises(AttributeError):
        WeightedGSS.from_stacks([([1], 1), ([1], 2)])


def test_exceptions_of_functions_and_comparisons_reach_the_caller():
    gss = WeightedGSS.from_stacks([([1, 2], 1), ([1, 3], 2)], join=max)
    with pytest.raises(ZeroDivisionError):
        gss.map_weights(lambda weight: 1 // (weight - 2))
    with pytest.raises(ZeroDivisionError):
        WeightedGSS.from_stack([BadValue()], 1).merge(WeightedGSS.from_stack([BadValue()], 1))
    with pytest.raises(ZeroDivisionError):
        WeightedGSS.from_stack([BadValue()], 1).pop_top(BadValue())

    def unequal(a, b):
        raise RuntimeError("no equality")

    with pytest.raises(RuntimeError):
        WeightedGSS.from_stacks([([1], 1), ([2], 2)], join=max, equal=unequal)
    assert WeightedGSS.from_stack([1], 1) == WeightedGSS.from_stack([1], 1)


def test_stacks_of_every_length_are_listed_bottom_to_top():
    listed = {tuple(f"value {i}" for i in range(depth)): depth for depth in range(20)}
    gss = WeightedGSS.from_stacks(listed.items(), join=max)
    assert stacks(gss) == listed
    assert [type(stack) for stack, _ in gss.to_stacks()] == [tuple] * 20


def test_wrong_arguments():
    with pytest.raises(TypeError):
        WeightedGSS.from_stack([[]], 1)
    with pytest.raises(TypeError):
        WeightedGSS.from_stack([1], 1).push({})
    with pytest.raises(TypeError):
        WeightedGSS.from_stack(1, 1)
    with pytest.raises(TypeError):
        WeightedGSS.merge_all([1])
    with pytest.raises(TypeError):
        hash(WeightedGSS())
    with pytest.raises(OverflowError):
        WeightedGSS.from_stack([1], 1).popn(-1)
    with pytest.raises(ValueError, match="more than 1 stacks"):
        WeightedGSS.from_stacks([([1], 1), ([2], 1)]).to_stacks(max_stacks=1)


def test_values_are_compared_as_dictionary_keys_are():
    gss = WeightedGSS.from_stacks([([1], {1}), ([True], {2}), ([1.0], {3})], join=operator.or_)
    assert stacks(gss) == {(1,): {1, 2, 3}}
    assert gss.retain_top(1.0) and not gss.retain_top("1")
    nan = float("nan")
    assert WeightedGSS.from_stack([nan], 1).retain_top(nan)


def test_iterators_serve_as_stacks():
    gss = WeightedGSS.from_stacks(((iter(text), 1) for text in ("ab", "ac")), join=max)
    assert gss == WeightedGSS.from_unweighted(["ab", "ac"], 1)


def test_joins_may_use_the_module():
    def join(a, b):
        return WeightedGSS.from_stack([BadValue()], a).top() and a | b

    gss = WeightedGSS.from_stacks([("ab", {1}), ("ac", {2})], join=join)
    assert stacks(gss.pop()) == {("a",): {1, 2}}


def test_a_million_values():
    deep = WeightedGSS.from_stack(range(1_000_000), 1, join=max)
    assert deep.max_depth() == 1_000_000 and deep.popn(999_999).top() == 0
    assert deep == WeightedGSS.from_stack(range(1_000_000), 1)
    forks = WeightedGSS.from_stacks([("a", 0), ("b", 1)], join=max)
    for level in range(100_000):
        forks = forks.push(2 * level).merge(forks.push(2 * level + 1))
    assert forks.joined_weight() == 1
    assert forks.map_weights(lambda weight: 1 - weight).popn(100_001).to_stacks() == [((), 1)]
    del forks, deep


def test_exponentially_many_stacks():
    gss = WeightedGSS.from_stack([], frozenset(), join=frozenset.union)
    for level in range(64):
        gss = gss.push(2 * level).merge(gss.push(2 * level + 1))
    assert gss.max_depth() == 64
    assert gss.popn(64).to_stacks() == [((), frozenset())]
    with pytest.raises(ValueError):
        gss.to_stacks()


def test_the_weights_of_a_deep_stack_map_in_one_call():
    calls = []
    WeightedGSS.from_stack(range(512), 1).map_weights(lambda weight: calls.append(weight) or 2)
    assert calls == [1]


def test_repr_and_picture():
    gss = WeightedGSS.from_stacks([("ab", 1), ("c", 2)], join=max)
    assert eval(repr(gss)) == gss
    assert repr(WeightedGSS.from_unweighted(range(20) and [[i] for i in range(20)], 1)).endswith("...])")
    assert "'c' : 2" in gss.to_dot()


def test_generic_alias():
    assert WeightedGSS[int, str].__origin__ is WeightedGSS


def test_threads_share_values():
    gss = WeightedGSS.from_stack([], frozenset([0]), join=frozenset.union)
    for level in range(12):
        gss = gss.push(level).merge(gss.push(-level - 1).map_weights(lambda w: w | {level}))

    def work(number):
        own = gss
        for step in range(300):
            own = own.push(step).merge(own.push(number + 1000)).pop()
        return own == gss and own.joined_weight()

    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(work, range(8))) == {gss.joined_weight()}
