//! Loops around assertions, in the forms that have a solution.
//!
//! Let `A` be the body and `A₀` the body where the assertion never holds, which is an ordinary regular expression.
//!
//! - `(…$…)*`: only the last iteration that matches something can meet the end, so the loop is `A₀*` and then perhaps one
//!   `A`. A later iteration matches nothing, which is possible if the body may match nothing at the end.
//! - `(…^…)*`: only the first iteration stands at the start, if no iteration is empty: `A`, then `A₀*`.
//! - `((?!p)c)*` up to the end of the string, with one character `c`: no place in the string begins with `p`.

use glrmask_automata::Regex;

use super::parser::Ast;
use super::translate::{has, has_assertion, nullable, plain, Translator};

/// A loop.
pub(super) struct Loop<'a> {
    pub(super) inner: &'a Ast,
    pub(super) min: u32,
    pub(super) max: Option<u32>,
}

impl Translator<'_> {
    /// The language of a loop around an assertion and everything behind it. `None`: none of the forms above.
    pub(super) fn around_assertion(&self, around: &Loop<'_>, rest: &Regex, at_start: bool) -> Option<Regex> {
        let has_look = has(around.inner, &|node| matches!(node, Ast::Look { .. }));
        let has_start = has(around.inner, &|node| matches!(node, Ast::Start));
        let has_end = has(around.inner, &|node| matches!(node, Ast::End));
        match (has_look, has_start, has_end) {
            (false, false, true) => self.around_end(around, rest),
            (false, true, false) => self.around_start(around, rest, at_start),
            (true, false, false) => self.around_look(around, rest),
            _ => None,
        }
    }
    fn around_end(&self, around: &Loop<'_>, rest: &Regex) -> Option<Regex> {
        let Loop { inner, min, max } = *around;
        let open = plain(&without_assertions(inner), self.class);
        let last = self.node(inner, rest, false).ok()?;
        let Some(most) = max.map_or(Some(None), |max| max.checked_sub(1).map(Some)) else { return Some(rest.clone()) };
        let mut ways = vec![
            Regex::concat([open.repeat(min, max), rest.clone()]),
            Regex::concat([open.repeat(min.saturating_sub(1), most), last]),
        ];
        let at_end = self.node(inner, &Regex::epsilon(), false).ok()?;
        if rest.matches_empty() && at_end.matches_empty() {
            // However many iterations are missing, they match nothing at the end.
            ways.push(Regex::concat([open.repeat(0, most), at_end]));
        }
        Some(Regex::alternate(ways))
    }
    fn around_start(&self, around: &Loop<'_>, rest: &Regex, at_start: bool) -> Option<Regex> {
        let Loop { inner, min, max } = *around;
        if nullable(inner) || max == Some(0) {
            return None;
        }
        let later = plain(&without_assertions(inner), self.class);
        if !at_start {
            return Some(Regex::concat([later.repeat(min, max), rest.clone()]));
        }
        let more = later.repeat(min.saturating_sub(1), max.map(|max| max - 1));
        let some = self.node(inner, &Regex::concat([more, rest.clone()]), true).ok()?;
        let none = (min == 0).then(|| rest.clone());
        Some(Regex::alternate(none.into_iter().chain([some])))
    }
    fn around_look(&self, around: &Loop<'_>, rest: &Regex) -> Option<Regex> {
        let Ast::Concat(parts) = around.inner else { return None };
        let (character, looks) = parts.split_last()?;
        if !matches!(character, Ast::Class(_)) || around.max.is_some() || *rest != Regex::epsilon() {
            return None;
        }
        let mut language = plain(character, self.class).repeat(around.min, None);
        for look in looks {
            let Ast::Look { inner, negative: true } = look else { return None };
            if has_assertion(inner) || nullable(inner) {
                return None;
            }
            let found = Regex::concat([self.all.clone(), plain(inner, self.class), self.all.clone()]);
            language = language.difference(&found);
        }
        Some(language)
    }
}

/// The node where no assertion ever holds.
fn without_assertions(ast: &Ast) -> Ast {
    let all = |parts: &[Ast]| parts.iter().map(without_assertions).collect();
    match ast {
        Ast::Start | Ast::End | Ast::Look { .. } => Ast::Class(Vec::new()),
        Ast::Concat(parts) => Ast::Concat(all(parts)),
        Ast::Alternate(parts) => Ast::Alternate(all(parts)),
        Ast::Repeat { inner, min, max } => {
            Ast::Repeat { inner: Box::new(without_assertions(inner)), min: *min, max: *max }
        }
        Ast::Empty | Ast::Class(_) => ast.clone(),
    }
}
