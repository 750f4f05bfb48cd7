"""Explanations, dumps, graphs and pictures."""

import os
import shutil
import threading
import time

import glrmask
import pytest

WORDS = """
    start s; ignore BLANK;
    nt s = ("if" ID ";" | ID ";")+;
    t ID = [a-z]+;
    t BLANK = " "+;
"""


@pytest.fixture(scope="module")
def constraint():
    tokens = [b"if", b"ifx", b" x", b";", b"?", b"", b" if"]
    vocab = glrmask.Vocab.from_id_to_bytes(dict(enumerate(tokens)))
    return glrmask.Constraint.from_glrm(WORDS, vocab, end_token_ids=[77])


def explain(constraint, text, token):
    state = constraint.start()
    state.commit_bytes(text)
    explanation = state.explain(token)
    assert explanation.allowed == (state.validate_tokens([token]) == 1)
    return explanation


@pytest.mark.parametrize(
    ("text", "token", "verdict", "outcome", "words"),
    [
        (b"", 0, "text", "allowed", '"if" can become "if" or t'),
        (b"", 1, "text", "longer match", "longest match forbids it"),
        (b"if", 2, "text", "allowed", 'what came before is read as "if"'),
        (b"if", 4, "text", "no lexeme", 'no terminal begins with "?"'),
        (b"", 3, "text", "refused", "at the start of the text; it would take"),
        (b"if a", 6, "text", "refused", "the parser does not take"),
        (b"if a", 3, "text", "allowed", '";" can become ";"'),
        (b"a;", 77, "end", None, "End token 77 is allowed"),
        (b"", 77, "end", None, "the text is not complete"),
        (b"", 5, "no bytes", None, "it has no bytes"),
        (b"", 50, "unknown", None, "There is no token 50"),
    ],
)
def test_explanations(constraint, text, token, verdict, outcome, words):
    explanation = explain(constraint, text, token)
    assert explanation.verdict == verdict and explanation.token_id == token
    outcomes = [reading.outcome for reading in explanation.readings]
    assert outcome in outcomes if outcome else not outcomes
    assert words in str(explanation), str(explanation)
    assert not explanation.is_cut


def test_readings_have_places(constraint):
    (reading,) = [r for r in explain(constraint, b"if", 2).readings if r.outcome == "allowed"]
    assert reading.lexemes[0] == ('"if"', None, 0)
    assert reading.lexemes[1][1:] == (0, 1)
    assert reading.at is None and reading.expected == []


def test_what_cannot_be_an_id(constraint):
    with pytest.raises(glrmask.GlrmaskError, match="unknown token id -1"):
        constraint.start().explain(-1)
    with pytest.raises(TypeError):
        constraint.start().explain("if")


@pytest.mark.parametrize("optimization", [glrmask.Optimization.FAST_BUILD, glrmask.Optimization.FAST_RUNTIME])
@pytest.mark.parametrize(
    ("view", "line"), [("lexer", "component k0: "), ("classes", "c0: "), ("tables", " states, "), ("rows", "q0 with ")]
)
def test_views(letters, optimization, view, line):
    constraint = glrmask.Constraint.from_json_schema({"type": "integer"}, letters, optimization=optimization)
    constraint.start().mask()
    assert line in constraint.dump(view)
    dot = constraint.to_dot(view)
    assert dot.startswith("digraph ") and dot.rstrip().endswith("}") and (" -> " in dot or view == "classes")


def test_other_views_are_refused(constraint):
    message = "view must be 'lexer' or 'classes' or 'tables' or 'rows' or 'rules', not 'gss'"
    for look in [constraint.dump, constraint.to_dot]:
        with pytest.raises(ValueError, match=message):
            look("gss")


def test_states_show_their_stacks(constraint):
    state = constraint.start()
    assert state.dump().splitlines()[:2] == ["incomplete, 0 commits can be undone", "between lexemes"]
    state.commit_bytes(b"if a")
    assert "inside t" in state.dump() and state.to_dot().startswith("digraph state {")


def test_pictures_need_graphviz(constraint, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(glrmask.GlrmaskError, match="'dot' of Graphviz, which is not installed"):
        glrmask.to_svg(constraint.to_dot("tables"))
    program = tmp_path / "dot"
    program.write_text("#!/bin/sh\necho '<svg/>'\n")
    program.chmod(0o755)
    assert glrmask.to_svg("digraph {}") == "<svg/>\n"
    program.write_text("#!/bin/sh\necho 'syntax error' >&2; exit 1\n")
    with pytest.raises(glrmask.GlrmaskError, match="cannot draw the graph: syntax error"):
        glrmask.to_svg("nonsense")


@pytest.mark.skipif(shutil.which("dot") is None, reason="needs Graphviz")
def test_graphviz_draws_all_graphs(constraint):
    state = constraint.start()
    state.commit_bytes(b"if a")
    state.mask()
    graphs = [constraint.to_dot(view) for view in ("lexer", "classes", "tables", "rows", "rules")]
    for dot in [*graphs, state.to_dot()]:
        assert "</svg>" in glrmask.to_svg(dot)


def test_other_threads_run_during_compiling_cold_fills_and_batches():
    """A thread that counts keeps counting while another is inside the package for long."""
    schema = {"type": "object", "properties": {f"key{i}": {"type": "string", "maxLength": 50 + i} for i in range(150)}}
    tokens = {i: bytes([i]) for i in range(256)} | {i: b"%05d" % i for i in range(256, 20_000)}
    vocab = glrmask.Vocab.from_id_to_bytes(tokens)
    counts = []

    def compile_and_fill():
        for _ in range(3):
            constraint = glrmask.Constraint.from_json_schema(schema, vocab)
            constraint.start().mask()

    worker = threading.Thread(target=compile_and_fill)
    worker.start()
    while worker.is_alive():
        counts.append(time.perf_counter())
        time.sleep(0)
    worker.join()
    # With the interpreter's lock held throughout, this thread would get a turn only between calls.
    assert len(counts) > 50 or os.cpu_count() == 1
