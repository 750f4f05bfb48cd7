"""Pictures by Graphviz, where it is installed."""

import subprocess

from glrmask.errors import GlrmaskError

__all__ = ["to_svg"]


def to_svg(dot: str) -> str:
    """Draws a graph that `Constraint.to_dot` or `ConstraintState.to_dot` gave, as SVG text.

    Needs the program `dot` of Graphviz (Debian package `graphviz`). Raises `GlrmaskError` if it is not there or cannot
    draw the graph.
    """
    try:
        done = subprocess.run(
            ["dot", "-Tsvg"], input=dot, capture_output=True, text=True, encoding="utf-8", check=False
        )
    except FileNotFoundError:
        raise GlrmaskError("to_svg needs the program 'dot' of Graphviz, which is not installed") from None
    if done.returncode:
        raise GlrmaskError(f"Graphviz cannot draw the graph: {done.stderr.strip()}")
    return done.stdout
