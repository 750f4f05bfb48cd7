"""A third opinion on the random EBNF of `compare_peer_random.py`: Earley's algorithm over characters.

It knows the notation that is generated there and no more: quoted words, `[ab]`, names, groups, `|`, `? * +`. EBNF
has no longest match, so a text can go on with a token exactly if some item is left after it (every rule has an end).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

LEXEME = re.compile(r'"[^"]*"|\[ab\]|\w+|[()|?*+]')
Symbol = str
Rules = dict[Symbol, list[list[Symbol]]]
Item = tuple[Symbol, int, int, int]
"""Rule, alternative, dot, column of origin."""


class Judge:
    """Characters are themselves with a quote in front, everything else is the name of a rule."""

    def __init__(self, source: str) -> None:
        self.rules: Rules = {}
        for line in source.splitlines():
            name, body = line.split(" ::= ")
            self.lexemes: Iterator[str] = iter([*LEXEME.findall(body), ""])
            self.next = next(self.lexemes)
            self.rules[name] = self.choice()

    def verdict(self, text: bytes) -> tuple[bool, bool]:
        """Whether the text can go on or is complete, and whether it is complete."""
        columns: list[set[Item]] = [{("start", i, 0, 0) for i in range(len(self.rules["start"]))}]
        self.close(columns)
        for character in text.decode("latin-1"):
            moved = {(n, i, d + 1, o) for n, i, d, o in columns[-1] if self.after(n, i, d) == "'" + character}
            if not moved:
                return False, False
            columns.append(moved)
            self.close(columns)
        ends = any(n == "start" and o == 0 and self.after(n, i, d) is None for n, i, d, o in columns[-1])
        return True, ends

    def close(self, columns: list[set[Item]]) -> None:
        """Prediction and completion until nothing is new; plain, so that empty rules need no care."""
        here, size = columns[-1], -1
        while size != len(here):
            size = len(here)
            for name, index, dot, origin in list(here):
                symbol = self.after(name, index, dot)
                if symbol is None:
                    waiting = [item for item in columns[origin] if self.after(*item[:3]) == name]
                    here.update((n, i, d + 1, o) for n, i, d, o in waiting)
                elif symbol in self.rules:
                    here.update((symbol, i, 0, len(columns) - 1) for i in range(len(self.rules[symbol])))

    def after(self, name: Symbol, index: int, dot: int) -> Symbol | None:
        alternative = self.rules[name][index]
        return alternative[dot] if dot < len(alternative) else None

    def advance(self) -> str:
        lexeme, self.next = self.next, next(self.lexemes, "")
        return lexeme

    def choice(self) -> list[list[Symbol]]:
        alternatives = [self.sequence()]
        while self.next == "|":
            self.advance()
            alternatives.append(self.sequence())
        return alternatives

    def sequence(self) -> list[Symbol]:
        symbols: list[Symbol] = []
        while self.next not in ("", "|", ")"):
            symbols += self.postfix()
        return symbols

    def postfix(self) -> list[Symbol]:
        atom = self.atom()
        if self.next not in ("?", "*", "+"):
            return atom
        repeat = self.fresh([])
        again = [] if self.next == "?" else [repeat]
        self.rules[repeat] = [[*atom, *again], atom if self.next == "+" else []]
        self.advance()
        return [repeat]

    def atom(self) -> list[Symbol]:
        lexeme = self.advance()
        if lexeme == "(":
            alternatives = self.choice()
            self.advance()
            return [self.fresh(alternatives)]
        if lexeme == "[ab]":
            return [self.fresh([["'a"], ["'b"]])]
        return ["'" + character for character in lexeme[1:-1]] if lexeme[0] == '"' else [lexeme]

    def fresh(self, alternatives: list[list[Symbol]]) -> Symbol:
        name = f"#{len(self.rules)}"
        self.rules[name] = alternatives
        return name
