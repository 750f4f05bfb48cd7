"""Many states in one call."""

import os
import sys
import threading

import glrmask
import numpy as np
import pytest


@pytest.fixture(scope="module")
def constraints(letters):
    schemas = [{"type": "integer"}, {"enum": ["left", "right"]}, {"type": "array", "items": {"type": "boolean"}}]
    return [glrmask.Constraint.from_json_schema(schema, letters, end_token_ids=[300]) for schema in schemas]


def alone(state, width):
    row = np.zeros(width, dtype=np.int32)
    state.fill_mask(row)
    return row


def test_each_row_is_the_mask_of_its_state(constraints):
    states = [constraint.start() for constraint in constraints * 20]
    width = constraints[0].mask_len() + 2
    bitmask = np.full((60, width), -1, dtype=np.int32)
    glrmask.fill_masks(states, bitmask)
    for row, state in zip(bitmask, states, strict=True):
        assert (row == alone(state, width)).all()


def test_rows_that_are_not_named_are_left_alone(constraints):
    state, other = constraints[0].start(), constraints[1].start()
    bitmask = np.full((5, constraints[0].mask_len()), 77, dtype=np.int32)
    glrmask.fill_masks(iter([state, other, state]), bitmask, rows=(4, 0, 2))
    assert (bitmask[[1, 3]] == 77).all()
    assert (bitmask[[4, 2]] == alone(state, bitmask.shape[1])).all()
    assert (bitmask[0] == alone(other, bitmask.shape[1])).all()
    glrmask.fill_masks([], bitmask)
    glrmask.fill_masks([], np.zeros((0, 0), dtype=np.int32), rows=[])


class Tensor:
    """Memory of another library: knows only how to be looked at as an array."""

    def __init__(self, array):
        self.array = array

    def __array__(self, dtype=None, copy=None):
        assert not copy
        return self.array


def test_other_memory_is_written_through(constraints):
    state = constraints[0].start()
    expected = alone(state, constraints[0].mask_len())
    array = np.zeros((1, constraints[0].mask_len()), dtype=np.int32)
    glrmask.fill_masks([state], Tensor(array))
    assert (array == expected).all()
    array[:] = 0
    glrmask.fill_masks([state], memoryview(array))
    assert (array == expected).all()


@pytest.mark.parametrize(
    ("make", "rows", "kind", "message"),
    [
        (lambda n: np.zeros((2, n), dtype=np.int64), None, TypeError, "int32"),
        (lambda n: [[0] * n] * 2, None, TypeError, "NumPy array of int32"),
        (lambda n: None, None, TypeError, "NumPy array of int32"),
        (lambda n: np.zeros(n, dtype=np.int32), None, ValueError, "two dimensions, not 1"),
        (lambda n: np.zeros((2, n - 1), dtype=np.int32), None, ValueError, "words of 32 bits"),
        (lambda n: np.zeros((2, 2 * n), dtype=np.int32)[:, ::2], None, ValueError, "contiguous"),
        (lambda n: np.zeros((1, n), dtype=np.int32), None, ValueError, "row 1 is beyond the 1 rows"),
        (lambda n: np.zeros((2, n), dtype=np.int32), [0, 0], ValueError, "row 0 is given twice"),
        (lambda n: np.zeros((2, n), dtype=np.int32), [0, -1], ValueError, "no row -1"),
        (lambda n: np.zeros((2, n), dtype=np.int32), [0], ValueError, "2 states, but 1 rows"),
        (lambda n: np.zeros((2, n), dtype=np.int32), ["0", 1], TypeError, "a row must be int"),
        (lambda n: np.zeros((2, n), dtype=np.int32), 5, TypeError, "rows must be"),
    ],
)
def test_unusable_arguments_write_nothing(constraints, make, rows, kind, message):
    bitmask = make(constraints[0].mask_len())
    with pytest.raises(kind, match=message):
        glrmask.fill_masks([constraints[0].start(), constraints[1].start()], bitmask, rows)
    assert not isinstance(bitmask, np.ndarray) or not bitmask.any()


def test_read_only_memory_is_refused(constraints):
    bitmask = np.zeros((1, constraints[0].mask_len()), dtype=np.int32)
    bitmask.flags.writeable = False
    with pytest.raises(ValueError, match="writable"):
        glrmask.fill_masks([constraints[0].start()], bitmask)
    for wrong in [5, [5], [None]]:
        with pytest.raises(TypeError, match="ConstraintState"):
            glrmask.fill_masks(wrong, np.zeros((1, 20), dtype=np.int32))


def test_commits_go_to_their_states_and_errors_come_back(constraints):
    integer, word, array = (constraint.start() for constraint in constraints)
    errors = glrmask.commit_tokens_batch([integer, word, array, integer], [ord("1"), b'"left"', b"[tru", [ord("2")]])
    assert errors == [None] * 4
    errors = glrmask.commit_tokens_batch([integer, word, array, word], [ord("x"), [300], [ord("e"), -1], ord("a")])
    assert [type(error) for error in errors] == [glrmask.GlrmaskError, type(None)] + [glrmask.GlrmaskError] * 2
    assert (errors[0].token_id, errors[0].committed_tokens) == (ord("x"), 0)
    assert errors[2].token_id == -1 and "ended" in str(errors[3])
    assert integer.is_rejected() and word.is_terminated() and word.is_accepting()
    assert array.history_len == 4  # The unknown id kept the rest out.
    assert glrmask.commit_tokens_batch([], []) == []


def test_unusable_commits_change_nothing(constraints):
    state = constraints[0].start()
    for tokens, kind in [([1, 2], ValueError), (5, TypeError), (["a"], TypeError), ([[None]], TypeError)]:
        with pytest.raises(kind):
            glrmask.commit_tokens_batch([state], tokens)
    assert state.history_len == 0


def test_one_state_many_times_commits_in_order(letters):
    constraint = glrmask.Constraint.from_ebnf(
        "start ::= " + " ".join(f'"{chr(97 + i % 26)}"' for i in range(200)), letters
    )
    state = constraint.start()
    tokens = [97 + i % 26 for i in range(200)]
    assert glrmask.commit_tokens_batch([state] * 200, tokens) == [None] * 200
    assert state.is_accepting()


def test_threads_fill_overlapping_batches(constraints):
    states = [constraint.start() for constraint in constraints * 8]
    width = constraints[0].mask_len()
    expected = np.stack([alone(state, width) for state in states])
    failures = []

    def work(shift):
        order = np.roll(np.arange(len(states)), shift)
        for _ in range(50):
            bitmask = np.zeros((len(states), width), dtype=np.int32)
            glrmask.fill_masks([states[i] for i in order], bitmask, rows=order)
            if not (bitmask == expected).all():
                failures.append(shift)

    threads = [threading.Thread(target=work, args=(shift,)) for shift in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


@pytest.mark.skipif(sys.platform != "linux", reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_has_threads_of_its_own(constraints):
    states = [constraint.start() for constraint in constraints * 8]
    width = constraints[0].mask_len()
    bitmask = np.zeros((len(states), width), dtype=np.int32)
    glrmask.fill_masks(states, bitmask)
    child = os.fork()
    if child == 0:
        again = np.zeros_like(bitmask)
        glrmask.fill_masks(states, again)
        os._exit(0 if (again == bitmask).all() else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
