"""Compiling: modes, limits, cancelling, the background, and saving what came of it."""

import pickle
import threading

import glrmask
import pytest
from glrmask import (
    ArtifactError,
    CancelledError,
    Constraint,
    DynamicConstraint,
    Grammar,
    LimitError,
    Limits,
    Optimization,
    Vocab,
)

SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "maxLength": 9},
        "age": {"type": "integer"},
        "tags": {"enum": ["a", "ab"]},
    },
    "required": ["name"],
}
TEXT = '{"name": "Ada", "age": 36, "tags": "ab"}'
MODES = [Optimization.AUTO, Optimization.BALANCED, Optimization.FAST_BUILD, Optimization.FAST_RUNTIME]


@pytest.fixture(scope="module")
def vocab():
    words = ['{"', '"name": "', '": ', '", "', '"age": ', "12", "Ad", 'a", ', '"}', "ab", "tags"]
    tokens = {i: bytes([i]) for i in range(256)}
    return Vocab.from_id_to_bytes(tokens | {256 + i: word.encode() for i, word in enumerate(words)})


def masks(constraint):
    state = constraint.start()
    seen = []
    for byte in TEXT.encode():
        seen.append(state.mask().tolist())
        state.commit_token(byte)
    assert state.is_accepting()
    return seen


@pytest.fixture(scope="module")
def wanted(vocab):
    return masks(DynamicConstraint.from_json_schema(SCHEMA, vocab))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("limits", [None, Limits(states=30), Limits(memory=1)])
def test_modes_and_limits_change_no_mask(vocab, wanted, mode, limits):
    constraint = Grammar.from_json_schema(SCHEMA).compile(vocab, optimization=mode, limits=limits, threads=2)
    assert masks(constraint) == wanted
    stats = constraint.stats
    assert list(stats.stages)[:2] == ["terminals", "normalize"] and all(time >= 0 for time in stats.stages.values())
    assert (stats.filled is None) == (mode == Optimization.FAST_BUILD)
    if limits is None:
        assert constraint.is_complete == (mode != Optimization.FAST_BUILD)
    if constraint.is_complete:
        assert stats.filled.profiles > 0 and stats.filled.masks > 0 and stats.filled.bytes > 0


def test_a_strict_limit_is_an_error(vocab):
    grammar = Grammar.from_json_schema(SCHEMA)
    with pytest.raises(LimitError, match="30 units of work") as error:
        grammar.compile(vocab, optimization=Optimization.FAST_RUNTIME, limits=Limits(states=30), strict=True)
    assert error.value.limit == 30
    with pytest.raises(LimitError, match="time"):
        grammar.compile(vocab, limits=Limits(seconds=0), strict=True)
    with pytest.raises(ValueError, match="seconds"):
        grammar.compile(vocab, limits=Limits(seconds=-1))
    with pytest.raises(TypeError, match="limits must be a Limits, not dict"):
        grammar.compile(vocab, limits={"seconds": 1})  # type: ignore[arg-type]


def test_a_set_event_cancels(vocab):
    event = threading.Event()
    grammar = Grammar.from_json_schema(SCHEMA)
    assert masks(grammar.compile(vocab, cancel=event))
    event.set()
    with pytest.raises(CancelledError, match="cancelled"):
        grammar.compile(vocab, cancel=event)
    with pytest.raises(TypeError, match="is_set"):
        grammar.compile(vocab, cancel=True)


def test_what_the_event_raises_is_raised(vocab):
    class Broken:
        def is_set(self):
            raise ZeroDivisionError("broken")

    with pytest.raises(ZeroDivisionError, match="broken"):
        Grammar.from_json_schema(SCHEMA).compile(vocab, cancel=Broken())


def test_in_the_background(vocab, wanted):
    constraint = Grammar.from_json_schema(SCHEMA).compile(
        vocab, optimization=Optimization.FAST_RUNTIME, background=True
    )
    assert masks(constraint) == wanted
    assert constraint.wait(timeout=60)
    assert constraint.is_complete
    assert masks(constraint) == wanted
    assert constraint.stats.filled.masks > 0
    assert Grammar.from_json_schema(SCHEMA).compile(vocab, optimization=Optimization.FAST_BUILD).wait()
    with pytest.raises(ValueError, match="timeout"):
        constraint.wait(-1)


def test_what_fails_in_the_background_is_raised_by_waiting(vocab, wanted):
    grammar = Grammar.from_json_schema(SCHEMA)

    def filling(**options):
        return grammar.compile(vocab, optimization=Optimization.FAST_RUNTIME, background=True, **options)

    limited = filling(limits=Limits(states=30), strict=True)
    for _ in range(2):
        with pytest.raises(LimitError, match="30 units of work"):
            limited.wait()
    assert filling(limits=Limits(states=30)).wait(), "not strict: the rest is left to decoding"
    assert not limited.is_complete
    assert masks(limited) == wanted


def test_a_completion_in_the_background_is_cancelled():
    """Long enough to be asked more than once: Python is asked every 20 ms."""
    vocab = Vocab.from_id_to_bytes({i: bytes([i % 256, i // 256]) for i in range(30_000)})
    grammar = Grammar.builtin("javascript")
    main = threading.main_thread()

    class Event:
        def __init__(self, answer):
            self.answer = answer

        def is_set(self):
            return threading.current_thread() is not main and self.answer()

    def failing():
        raise ZeroDivisionError("broken")

    for answer, error in [(lambda: True, CancelledError), (failing, ZeroDivisionError)]:
        constraint = grammar.compile(
            vocab, optimization=Optimization.FAST_RUNTIME, background=True, cancel=Event(answer)
        )
        for _ in range(2):
            with pytest.raises(error):
                constraint.wait()
        assert not constraint.is_complete
        assert any(constraint.start().mask())


@pytest.mark.parametrize("mode", MODES)
def test_saving_and_loading(vocab, wanted, mode):
    constraint = Constraint.from_json_schema(SCHEMA, vocab, end_token_ids=[400], optimization=mode)
    masks(constraint)
    whole, external = constraint.save(), constraint.save(external_vocab=True)
    assert len(external) < len(whole)
    for loaded in [Constraint.load(whole), Constraint.load(whole, vocab), Constraint.load(external, vocab)]:
        assert loaded.is_complete == constraint.is_complete
        assert loaded.end_token_ids == [400] and loaded.vocab == vocab
        assert [mask[:400] for mask in masks(loaded)] == [mask + [False] * (400 - len(mask)) for mask in wanted]
        assert loaded.stats.stages == {}
    dynamic = DynamicConstraint.load(external, vocab)
    assert isinstance(dynamic, DynamicConstraint) and masks(dynamic) == masks(constraint)


def test_what_cannot_be_loaded(vocab):
    saved = Constraint.from_json_schema(SCHEMA, vocab).save(external_vocab=True)
    other = Vocab.from_id_to_bytes({0: b"a"})
    damaged = bytearray(saved)
    damaged[-1] ^= 1
    for data, given, message in [
        (saved, None, "without its vocabulary"),
        (saved, other, "another vocabulary"),
        (saved[:-1], vocab, "cut short"),
        (bytes(damaged), vocab, "checksum"),
        (saved + b"x", vocab, "beyond the end"),
        (b"", vocab, "cut short"),
        (pickle.dumps(saved), vocab, "not a glrmask artifact"),
    ]:
        with pytest.raises(ArtifactError, match=message):
            Constraint.load(data, given)
    with pytest.raises(TypeError):
        Constraint.load("text", vocab)


def test_threads_share_what_is_loaded(vocab, wanted):
    constraint = Constraint.load(Constraint.from_json_schema(SCHEMA, vocab).save(external_vocab=True), vocab)
    results = []
    threads = [threading.Thread(target=lambda: results.append(masks(constraint) == wanted)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [True] * 8


def test_names_are_exported():
    assert {"Limits", "FilledStats"} <= set(glrmask.__all__)
