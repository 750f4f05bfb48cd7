//! Word boundaries, as look-ahead behind a character that is known to be a word character or none.
//!
//! `\b` asks about the character before it and the one after. What stands before it in the pattern is split by its last
//! character, and what comes after is then a matter of look-ahead; `w` are the word characters, `n` all others:
//!
//! ```text
//! c \b      →  (c ∩ w)(?!w) | (c ∩ n)(?=w)                   a class; alternatives and groups likewise, each by its end
//! p+ \b     →  p* (p \b)
//! q p? \b   →  q (p \b) | (q \b)                             what may be empty, back to what may not
//! ^ \b      →  ^(?=w)
//! \b p      →  (^(?=w) | w(?!w) | n(?=w)) p                  at the start of a pattern that is searched for
//! ```
//!
//! `\B` is the same with the two kinds of look-ahead exchanged. Where the character before could be anything else (at the start
//! of a group, behind another assertion), the pattern is refused; so are patterns with loops around boundaries in which each
//! level would copy twice what is inside.

use super::class;
use super::parser::Ast;
use super::translate::nullable;

/// Parts that may be empty in a row before a boundary.
const MAX_OPTIONAL: usize = 16;
/// Nodes and ranges of classes that the boundaries of one pattern may copy.
pub(super) const MAX_COPIED: usize = 100_000;

/// A boundary (`\b`), or a place that is none (`\B`).
pub(super) struct Boundary<'p> {
    pub(super) is_boundary: bool,
    /// How much may still be copied in the pattern.
    pub(super) left: &'p mut usize,
}

impl Boundary<'_> {
    /// A sequence that ends with this assertion. `None`: it cannot be told what stands before, or too much is copied.
    pub(super) fn after(&mut self, mut parts: Vec<Ast>) -> Option<Vec<Ast>> {
        let start = parts.iter().rposition(|part| !nullable(part) || matches!(part, Ast::Start))?;
        let mut optional = parts.split_off(start + 1);
        let first = parts.pop()?;
        if optional.len() > MAX_OPTIONAL {
            return None;
        }
        let mut variants = Vec::new();
        while let Some(last) = optional.pop() {
            let Ast::Repeat { inner, max, .. } = &last else { return None };
            let some = self.behind_some(inner, 0, *max)?;
            let before: Option<Vec<Ast>> = [&first].into_iter().chain(&optional).map(|part| self.copy(part)).collect();
            variants.push(Ast::Concat(before?.into_iter().chain([some]).collect()));
        }
        variants.push(match first {
            Ast::Start => Ast::Concat(vec![Ast::Start, self.look(false)]),
            first => self.behind(&first)?,
        });
        parts.push(Ast::Alternate(variants));
        Some(parts)
    }

    /// The assertion where a pattern begins that is searched for.
    pub(super) fn at_start_of_search(&mut self) -> Ast {
        let any = Ast::Class(class::complement(&[]));
        let at_start = Ast::Concat(vec![Ast::Start, self.look(false)]);
        Ast::Alternate([at_start].into_iter().chain(self.behind(&any)).collect())
    }

    /// A node that is not empty, with the assertion behind it.
    fn behind(&mut self, ast: &Ast) -> Option<Ast> {
        match ast {
            Ast::Class(ranges) => {
                let others = class::complement(class::WORD);
                let word = Ast::Concat(vec![Ast::Class(both(ranges, class::WORD)), self.look(true)]);
                let other = Ast::Concat(vec![Ast::Class(both(ranges, &others)), self.look(false)]);
                Some(Ast::Alternate(vec![word, other]))
            }
            Ast::Concat(parts) => {
                let parts: Option<Vec<Ast>> = parts.iter().map(|part| self.copy(part)).collect();
                self.after(parts?).map(Ast::Concat)
            }
            Ast::Alternate(parts) => {
                parts.iter().map(|part| self.behind(part)).collect::<Option<_>>().map(Ast::Alternate)
            }
            Ast::Repeat { inner, min: min @ 1.., max } => self.behind_some(inner, min - 1, *max),
            Ast::Empty | Ast::Start | Ast::End | Ast::Look { .. } | Ast::Repeat { .. } => None,
        }
    }

    /// So many copies of a node and one more, with the assertion behind that.
    fn behind_some(&mut self, inner: &Ast, min: u32, max: Option<u32>) -> Option<Ast> {
        if nullable(inner) || max == Some(0) {
            return None;
        }
        let before = Ast::Repeat { inner: Box::new(self.copy(inner)?), min, max: max.map(|max| max - 1) };
        Some(Ast::Concat(vec![before, self.behind(inner)?]))
    }

    /// What has to come behind a word character, or behind another or none.
    fn look(&self, behind_word: bool) -> Ast {
        let inner = Box::new(Ast::Class(class::WORD.to_vec()));
        Ast::Look { inner, negative: behind_word == self.is_boundary }
    }

    fn copy(&mut self, ast: &Ast) -> Option<Ast> {
        *self.left = self.left.checked_sub(size(ast))?;
        Some(ast.clone())
    }
}

/// Nodes, and ranges of classes.
fn size(ast: &Ast) -> usize {
    match ast {
        Ast::Class(ranges) => 1 + ranges.len(),
        Ast::Concat(parts) | Ast::Alternate(parts) => 1 + parts.iter().map(size).sum::<usize>(),
        Ast::Repeat { inner, .. } | Ast::Look { inner, .. } => 1 + size(inner),
        Ast::Empty | Ast::Start | Ast::End => 1,
    }
}

/// Characters in both.
fn both(a: &[(u32, u32)], b: &[(u32, u32)]) -> Vec<(u32, u32)> {
    let without = class::complement(&[class::complement(a), class::complement(b)].concat());
    class::normalize(without)
}

#[cfg(test)]
mod tests {
    use super::super::in_utf8;
    use glrmask_automata::{Dfa, Limits};

    fn automaton(pattern: &str) -> Dfa {
        in_utf8(pattern).unwrap().compile(&Limits::default()).unwrap()
    }

    /// All strings of up to five characters, of which `a` only is a word character.
    fn strings() -> Vec<String> {
        let mut all = vec![String::new()];
        for from in 0.. {
            match all.get(from) {
                Some(text) if text.len() < 5 => all.extend(["a", "-"].map(|c| format!("{text}{c}"))),
                Some(_) => {}
                None => return all,
            }
        }
        all
    }

    /// Whether `before` matches up to some place of the kind asked for, and `after` from there on.
    fn found(text: &str, before: &Dfa, after: &Dfa, is_boundary: bool) -> bool {
        (0..=text.len()).any(|at| {
            let (head, tail) = text.split_at(at);
            let here = head.ends_with('a') != tail.starts_with('a');
            let ends = (0..=at).any(|from| before.accepts(&head.as_bytes()[from..]));
            here == is_boundary && ends && after.accepts(tail.as_bytes())
        })
    }

    #[test]
    fn boundaries_behind_nested_loops_copy_no_more_than_is_allowed() {
        let nested = |levels: usize| format!("^{}a{}$", "(".repeat(levels), "){1,2}\\b-".repeat(levels));
        assert!(in_utf8(&nested(2)).is_ok());
        assert!(in_utf8(&nested(90)).is_err());
    }

    #[test]
    fn like_trying_every_place() {
        for before in ["a", "-", "a-?", "a?-?", "(a|-)", "[a-]{1,2}", "(a|-a)+", "(-|aa?)-{0,2}", ""] {
            for after in ["", "a", "-", "a?", "[a-]{2}", "a*-"] {
                let (whole, begins) = (automaton(&format!("^({before})$")), automaton(&format!("^({after})")));
                for (sign, is_boundary) in [("\\b", true), ("\\B", false)] {
                    let pattern = format!("{before}{sign}{after}");
                    let Ok(language) = in_utf8(&pattern) else {
                        assert_eq!(before, "a?-?", "{pattern} is refused");
                        continue;
                    };
                    let dfa = language.compile(&Limits::default()).unwrap();
                    for text in strings() {
                        let expected = found(&text, &whole, &begins, is_boundary);
                        assert_eq!(dfa.accepts(text.as_bytes()), expected, "{pattern} in {text:?}");
                    }
                }
            }
        }
    }
}
