"""The compiled part of ``weighted_gss``."""

from collections.abc import Callable, Hashable, Iterable
from typing import Any, Generic, Self, TypeVar, final

_S = TypeVar("_S", bound=Hashable)
_W = TypeVar("_W")
_T = TypeVar("_T", bound=Hashable)
_V = TypeVar("_V")

@final
class WeightedGSS(Generic[_S, _W]):
    """A persistent set of stacks of hashable values, each with one weight.

    A value stands for a finite map from stacks to weights, and every method is defined by that map. Equal stacks are
    one stack, whose weight is the join of theirs. Objects never change: methods return new ones, which share structure
    with the old. They may be used from several threads.

    Weights may be any objects. How two of them are joined is decided by ``join(a, b)`` if that was given, else by
    ``a.join(b)``; it must be associative, commutative and idempotent. Whether two are interchangeable is decided by
    identity, then by ``equal(a, b)`` if that was given, else by ``a == b`` (where that gives an array: equal shapes,
    and all elements equal, so that NumPy arrays serve as they are). Results inherit ``join`` and ``equal`` from their
    operands, the left one first.

    Stack values are compared as dictionary keys are: by hash, then identity or ``==``.

    Exceptions raised by ``join``, ``equal``, ``==`` or a function passed in reach the caller; operands stay intact.

    >>> a = WeightedGSS.from_stack([0, 1, 5], frozenset("a"), join=frozenset.union)
    >>> b = WeightedGSS.from_stack([0, 2, 5], frozenset("b"), join=frozenset.union)
    >>> both = a.merge(b)
    >>> both.top()
    5
    >>> reduced = both.popn(2).push(7)
    >>> [(stack, sorted(weight)) for stack, weight in reduced.to_stacks()]
    [((0, 7), ['a', 'b'])]
    """

    def __new__(
        cls, *, join: Callable[[_W, _W], _W] | None = None, equal: Callable[[_W, _W], bool] | None = None
    ) -> Self:
        """The empty set: no stack at all (which is not the same as the one empty stack)."""

    @classmethod
    def from_stack(
        cls,
        stack: Iterable[_T],
        weight: _V,
        *,
        join: Callable[[_V, _V], _V] | None = None,
        equal: Callable[[_V, _V], bool] | None = None,
    ) -> WeightedGSS[_T, _V]:
        """One stack, bottom to top."""

    @classmethod
    def from_stacks(
        cls,
        stacks: Iterable[tuple[Iterable[_T], _V]],
        *,
        join: Callable[[_V, _V], _V] | None = None,
        equal: Callable[[_V, _V], bool] | None = None,
    ) -> WeightedGSS[_T, _V]:
        """These stacks, each bottom to top with its weight. Linear in the number of values."""

    @classmethod
    def from_unweighted(
        cls,
        stacks: Iterable[Iterable[_T]],
        weight: _V,
        *,
        join: Callable[[_V, _V], _V] | None = None,
        equal: Callable[[_V, _V], bool] | None = None,
    ) -> WeightedGSS[_T, _V]:
        """These stacks, each bottom to top, all with the same weight."""

    @classmethod
    def merge_all(
        cls,
        sets: Iterable[WeightedGSS[_T, _V]],
        *,
        join: Callable[[_V, _V], _V] | None = None,
        equal: Callable[[_V, _V], bool] | None = None,
    ) -> WeightedGSS[_T, _V]:
        """The stacks of all sets. Faster than merging one after the other.

        ``join`` and ``equal`` are taken from the sets where they are not given.
        """

    def with_stack(self, stack: Iterable[_S], weight: _W) -> WeightedGSS[_S, _W]:
        """This set and one more stack, bottom to top."""

    def merge(self, other: WeightedGSS[_S, _W]) -> WeightedGSS[_S, _W]:
        """The stacks of both; the weights of equal stacks are joined."""

    def push(self, value: _S) -> WeightedGSS[_S, _W]:
        """With ``value`` on top of every stack. Constant time."""

    def pop(self) -> WeightedGSS[_S, _W]:
        """Every non-empty stack without its top. Constant time unless tops differ."""

    def popn(self, count: int) -> WeightedGSS[_S, _W]:
        """Every stack of at least ``count`` values without its topmost ``count``."""

    def top(self) -> _S | None:
        """The value on top of every stack; ``None`` when tops differ, the empty stack is there, or no stack is."""

    def tops(self) -> set[_S]:
        """The distinct values on top."""

    def has_empty_stack(self) -> bool:
        """Whether the empty stack is in the set."""

    def retain_top(self, value: _S) -> WeightedGSS[_S, _W]:
        """The stacks with ``value`` on top."""

    def retain_empty(self) -> WeightedGSS[_S, _W]:
        """The empty stack alone, if it is there."""

    def pop_top(self, value: _S) -> WeightedGSS[_S, _W]:
        """The stacks with ``value`` on top, without it."""

    def pop_branches(self) -> list[tuple[_S, WeightedGSS[_S, _W]]]:
        """The distinct values on top, each with what lies below it. The empty stack has no top and is left out."""

    def joined_weight(self) -> _W | None:
        """The join of all weights; ``None`` when there is no stack."""

    def empty_weight(self) -> _W | None:
        """The weight of the empty stack; ``None`` when it is not in the set."""

    def map_weights(
        self,
        function: Callable[[_W], _V],
        *,
        join: Callable[[_V, _V], _V] | None = None,
        equal: Callable[[_V, _V], bool] | None = None,
    ) -> WeightedGSS[_S, _V]:
        """Replaces every weight by ``function`` of it.

        ``function`` is called once for each *stored* weight, not for each stack, and should be pure; the stacks stay
        shared. ``join`` and ``equal`` are for the new weights; by default they are inherited.
        """

    def filter_map_weights(
        self,
        function: Callable[[_W], _V | None],
        *,
        join: Callable[[_V, _V], _V] | None = None,
        equal: Callable[[_V, _V], bool] | None = None,
    ) -> WeightedGSS[_S, _V]:
        """Like :meth:`map_weights`; stacks whose weight becomes ``None`` go."""

    def to_stacks(self, max_stacks: int = 4096) -> list[tuple[tuple[_S, ...], _W]]:
        """All stacks, each as ``(values bottom to top, weight)``.

        A small graph may hold exponentially many stacks: raises ``ValueError`` when there are more than
        ``max_stacks``.
        """

    def is_empty(self) -> bool:
        """Whether there is no stack."""

    def max_depth(self) -> int:
        """Length of the longest stack; 0 when there is none."""

    def to_dot(self) -> str:
        """The graph in Graphviz's language; values and weights are written by ``repr``."""

    def __bool__(self) -> bool:
        """Whether there is a stack."""

    def __eq__(self, other: object, /) -> bool:
        """Whether both stand for the same map."""

    __hash__: None  # type: ignore[assignment]

    def __class_getitem__(cls, key: Any) -> Any: ...
