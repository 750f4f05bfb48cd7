//! From a pattern to the language of the strings in which it is found.
//!
//! Every node is translated together with the language `rest` of everything that follows it in the string, so an
//! assertion is an operation on `rest`: `$` keeps its empty string, `(?=p)` intersects it with "begins with p", `(?!p)`
//! subtracts that. `^` needs to know whether the node stands at the start of the string (`at_start`). Parts without
//! assertions are ordinary regular expressions put in front of `rest`. Of loops around assertions, short ones are
//! unrolled and common forms are solved (`assertion_loop.rs`); others are refused.

use std::cell::Cell;

use glrmask_automata::Regex;

use super::assertion_loop::Loop;
use super::parser::Ast;
use super::PatternError;

/// Longest loop around an assertion that is unrolled.
const MAX_UNROLLED: u32 = 4;
/// Work for one pattern, in parts without assertions: unrolled loops in unrolled loops multiply.
const MAX_WORK: usize = 1_000_000;
/// Work for a node with assertions.
const NODE: usize = 16;

type Result<T> = std::result::Result<T, PatternError>;

/// Writes a character out of a class.
pub(super) type Class<'c> = dyn Fn(&[(u32, u32)]) -> Regex + 'c;

/// Every code point.
const ALL: [(u32, u32); 1] = [(0, 0x10_ffff)];

/// Strings that match the pattern from end to end.
pub(super) fn whole(ast: &Ast, class: &Class<'_>) -> Result<Regex> {
    Translator::new(class).node(ast, &Regex::epsilon(), true)
}

/// Strings in which the pattern is found.
pub(super) fn search(ast: &Ast, class: &Class<'_>) -> Result<Regex> {
    let any = class(&ALL);
    let translator = Translator::new(class);
    let found_at_start = translator.node(ast, &translator.all, true)?;
    if never_floats(ast) {
        return Ok(found_at_start);
    }
    let found_later = translator.node(ast, &translator.all, false)?;
    if !has(ast, &|node| matches!(node, Ast::Start)) {
        return Ok(Regex::concat([any.star(), found_later]));
    }
    Ok(Regex::alternate([found_at_start, Regex::concat([any.plus(), found_later])]))
}

pub(super) struct Translator<'c> {
    /// All strings.
    pub(super) all: Regex,
    pub(super) class: &'c Class<'c>,
    /// Work that may still be done.
    left: Cell<usize>,
}

impl<'c> Translator<'c> {
    fn new(class: &'c Class<'c>) -> Self {
        Self { all: class(&ALL).star(), class, left: Cell::new(MAX_WORK) }
    }

    pub(super) fn node(&self, ast: &Ast, rest: &Regex, at_start: bool) -> Result<Regex> {
        if !has_assertion(ast) {
            return Ok(Regex::concat([plain(ast, self.class), rest.clone()]));
        }
        self.spend(NODE)?;
        Ok(match ast {
            Ast::Start if at_start => rest.clone(),
            Ast::Start => Regex::empty(),
            Ast::End if matches_empty(rest) => Regex::epsilon(),
            Ast::End => Regex::empty(),
            Ast::Look { inner, negative } => {
                let begins = self.node(inner, &self.all, at_start)?;
                if *negative {
                    rest.difference(&begins)
                } else {
                    rest.intersect(&begins)
                }
            }
            Ast::Concat(parts) => self.sequence(parts, rest, at_start)?,
            Ast::Alternate(parts) => {
                // What needs no care shares one `rest`: n copies of "anything" would be 2ⁿ sets of copies under way.
                let (careful, plainly): (Vec<_>, Vec<_>) = parts.iter().partition(|part| has_assertion(part));
                let plainly = Regex::alternate(plainly.into_iter().map(|part| plain(part, self.class)));
                let careful: Result<Vec<_>> = careful.iter().map(|part| self.node(part, rest, at_start)).collect();
                Regex::alternate(careful?.into_iter().chain([Regex::concat([plainly, rest.clone()])]))
            }
            Ast::Repeat { inner, min, max: Some(max) } if *max <= MAX_UNROLLED => {
                let counts = (*min..=*max).map(|n| {
                    let copies = vec![(**inner).clone(); n as usize];
                    self.sequence(&copies, rest, at_start)
                });
                Regex::alternate(counts.collect::<Result<Vec<_>>>()?)
            }
            Ast::Repeat { inner, min, max } => {
                let around = Loop { inner, min: *min, max: *max };
                self.around_assertion(&around, rest, at_start)
                    .ok_or_else(|| PatternError::Unsupported("an assertion inside a loop".into()))?
            }
            Ast::Empty | Ast::Class(_) => Regex::concat([plain(ast, self.class), rest.clone()]),
        })
    }
    fn spend(&self, work: usize) -> Result<()> {
        let left = self.left.get().checked_sub(work);
        self.left.set(left.ok_or_else(|| PatternError::Unsupported("so many parts around assertions".into()))?);
        Ok(())
    }
    /// Parts one after the other, the last first: patterns are long, and nothing recurses from part to part.
    fn sequence(&self, parts: &[Ast], rest: &Regex, at_start: bool) -> Result<Regex> {
        if !at_start || parts.is_empty() {
            return self.later(parts, rest);
        }
        let last_start = parts.iter().rposition(|part| has(part, &|node| matches!(node, Ast::Start))).unwrap_or(0);
        // A part that may match nothing is passed where a `^` comes later.
        let is_passed = |i: usize, part: &Ast| i < last_start && nullable(part);
        let goes_on = |(i, part): (usize, &Ast)| is_assertion(part) || is_passed(i, part);
        let starting = parts.iter().enumerate().position(|part| !goes_on(part)).map_or(parts.len(), |i| i + 1);
        let (starting, later) = parts.split_at(starting);
        let first_reading = starting.iter().position(|part| !is_assertion(part)).unwrap_or(starting.len());
        // What comes after the part at hand, where the string has begun and where it starts there.
        let (mut behind, mut from_start) = (self.later(later, rest)?, rest.clone());
        for (i, part) in starting.iter().enumerate().rev() {
            from_start = match is_assertion(part) {
                true => self.node(part, &from_start, true)?,
                false if !is_passed(i, part) => self.node(part, &behind, true)?,
                false if has_assertion(part) => {
                    return Err(PatternError::Unsupported("\"^\" after an optional assertion".into()));
                }
                false => Regex::alternate([from_start, self.node(part, &behind, true)?]),
            };
            if i > first_reading {
                behind = self.node(part, &behind, false)?;
            }
        }
        Ok(from_start)
    }
    /// Parts that do not stand at the start of the string.
    fn later(&self, parts: &[Ast], rest: &Regex) -> Result<Regex> {
        let mut rest = rest.clone();
        for run in parts.chunk_by(|a, b| !has_assertion(a) && !has_assertion(b)).rev() {
            self.spend(run.len())?;
            rest = match run {
                [part] => self.node(part, &rest, false)?,
                run => Regex::concat(run.iter().map(|part| plain(part, self.class)).chain([rest])),
            };
        }
        Ok(rest)
    }
}

fn is_assertion(ast: &Ast) -> bool {
    matches!(ast, Ast::Start | Ast::End | Ast::Look { .. })
}

/// Whether the pattern can only be found at the start.
fn never_floats(ast: &Ast) -> bool {
    match ast {
        Ast::Start => true,
        Ast::Concat(parts) => parts.first().is_some_and(never_floats),
        Ast::Alternate(parts) => parts.iter().all(never_floats),
        Ast::Repeat { inner, min, .. } => *min > 0 && never_floats(inner),
        _ => false,
    }
}

pub(super) fn has(ast: &Ast, test: &dyn Fn(&Ast) -> bool) -> bool {
    test(ast)
        || match ast {
            Ast::Concat(parts) | Ast::Alternate(parts) => parts.iter().any(|part| has(part, test)),
            Ast::Repeat { inner, .. } | Ast::Look { inner, .. } => has(inner, test),
            _ => false,
        }
}

pub(super) fn has_assertion(ast: &Ast) -> bool {
    has(ast, &|node| matches!(node, Ast::Start | Ast::End | Ast::Look { .. }))
}

/// Whether the node may match nothing (assertions count as nothing).
pub(super) fn nullable(ast: &Ast) -> bool {
    match ast {
        Ast::Class(_) => false,
        Ast::Concat(parts) => parts.iter().all(nullable),
        Ast::Alternate(parts) => parts.iter().any(nullable),
        Ast::Repeat { inner, min, .. } => *min == 0 || nullable(inner),
        Ast::Empty | Ast::Start | Ast::End | Ast::Look { .. } => true,
    }
}

fn matches_empty(regex: &Regex) -> bool {
    regex.matches_empty()
}

/// A node without assertions.
pub(super) fn plain(ast: &Ast, class: &Class<'_>) -> Regex {
    let all = |parts: &[Ast]| parts.iter().map(|part| plain(part, class)).collect::<Vec<_>>();
    match ast {
        Ast::Class(ranges) => class(ranges),
        Ast::Concat(parts) => Regex::concat(all(parts)),
        Ast::Alternate(parts) => Regex::alternate(all(parts)),
        Ast::Repeat { inner, min, max } => plain(inner, class).repeat(*min, *max),
        Ast::Empty | Ast::Start | Ast::End | Ast::Look { .. } => Regex::epsilon(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{compile, PatternError};
    use crate::spell::Spelling;
    use glrmask_automata::Limits;

    fn found(pattern: &str, text: &str) -> bool {
        let dfa = compile(pattern, Spelling::default()).unwrap().compile(&Limits::default()).unwrap();
        dfa.accepts(Spelling::default().canonical(text).as_bytes())
    }

    #[test]
    fn long_patterns_and_nested_loops_end() {
        let literal = "a".repeat(20_000);
        let language = compile(&format!("^{literal}(?!b)"), Spelling::default());
        assert!(language.is_ok_and(|language| language.size() > 20_000));
        assert!(compile(&"a(?=b|a)".repeat(5_000), Spelling::default()).is_ok());
        let nested = format!("^{}a(?=b){}", "(".repeat(60), "b){1,4}c".repeat(60));
        assert!(matches!(compile(&nested, Spelling::default()), Err(PatternError::Unsupported(_))));
    }

    #[test]
    fn searches_like_ecma_script() {
        let table: &[(&str, &[&str], &[&str])] = &[
            ("", &["", "x"], &[]),
            ("b", &["b", "abc"], &["", "a"]),
            ("^b", &["b", "bc"], &["ab"]),
            ("b$", &["b", "ab"], &["bc"]),
            ("^b$", &["b"], &["ab", "bc", "b\n"]),
            ("^a|b$", &["ax", "xb", "a", "b"], &["xa", "bx"]),
            ("^(a|b$)", &["ax", "b"], &["bx", "xb"]),
            ("^(?:a?)^b", &["b"], &["ab", "xb"]),
            ("x*^b", &["b", "bx"], &["xb"]),
            ("a.c", &["abc", "a\tc", "aéc", "a\"c", "a\\c"], &["a\nc", "a\u{2028}c", "ac"]),
            ("^\\d+$", &["0", "42"], &["٣", "", "4a"]),
            ("^\\w\\W\\s\\S$", &["a- b", "_é\u{a0}\"", "a\"\n\\"], &["a-bb", "é- b"]),
            ("^[^a-c\\]]$", &["d", "\"", "\\", "\n", "é", "😀"], &["a", "]", "", "dd"]),
            ("^[a-\\d-]$", &["a", "-", "7"], &["b"]),
            ("^[\\ud83d\\ude00-\\u{1F602}]$", &["😀", "😂"], &["😃"]),
            ("^\\p{Lu}\\P{L}$", &["A1", "É-"], &["a1", "AB"]),
            ("^a{2,3}$", &["aa", "aaa"], &["a", "aaaa"]),
            ("^a{2}b{1,}c{,3}$", &["aabc{,3}"], &["aabccc"]),
            ("^x{a}$", &["x{a}"], &["xa"]),
            ("^a+?b*?$", &["a", "aab"], &["b"]),
            ("^(?<year>\\d{4})$", &["2024"], &["24"]),
            ("^[]$|^[^]$", &["a", "\n"], &["", "ab"]),
            ("^\\/\\-\\cJ\\x41\\0\\t$", &["/-\nA\0\t"], &["x"]),
            ("^(?!.*--)[a-z-]+$", &["a-b", "abc"], &["a--b", "--"]),
            ("^(?=.*\\d)(?=.*[a-z]).{3,}$", &["ab1", "1aa"], &["abc", "123", "a1"]),
            ("^(?=a$|b)\\w*$", &["a", "bcd"], &["ab", ""]),
            ("a(?!b)", &["ac", "abac", "a"], &["ab", "b"]),
            ("^list|date|time|ends$|int", &["lists", "a date", "xints", "sends"], &["a list", "dat", "endss"]),
            ("(^a|b)c", &["ac", "xbc", "bc"], &["xac"]),
            ("^(a$)?(b)?$", &["", "a", "b"], &["ab"]),
            ("^(\\/?([a-z]*)($|\\/))*$", &["", "a", "a/b", "/a/", "//"], &["A", "a b"]),
            ("^([^,]+(,|$)){3,}$", &["a,b,c", "a,b,c,", "aa,b,c,d"], &["a,b", "a,,b,c", ",a,b,c", ""]),
            ("^(x|$){5}", &["x", "", "xxxxxq", "xxx"], &["xq", "xxxxq"]),
            ("^(a(,|$)){5,6}$", &["a,a,a,a,a", "a,a,a,a,a,a", "a,a,a,a,a,"], &["a,a,a,a", "a,a,a,a,a,a,a"]),
            ("^(?:(?:^\\*|[a-z])\\.)*x$", &["x", "*.x", "*.a.x", "a.b.x"], &["a.*.x", "*x", "*.*.x"]),
            ("^(a|^b)*c$", &["c", "bac", "aac", "bc"], &["abc", "bbc"]),
            ("\\bfoo\\b", &["foo", "a foo", "foo-bar", "éfoo"], &["food", "afoo", "_foo", "fo"]),
            ("foo\\B", &["food", "afoo_"], &["foo", "foo-"]),
            ("\\B-", &["-", "a--", " -"], &["a-", "a-b"]),
            ("^\\bx?\\.", &["x."], &[".", "x"]),
            ("^a-?b?\\b-c?$", &["ab-", "a-b-c", "a-c", "a-"], &["a--", "a--c", "ab"]),
            ("^(a|-)+\\b[a-]*$", &["a-", "-a", "-a-", "a"], &["-", "--"]),
            ("^h\\.[a-z()]{1,3}\\b([a-z/]*)$", &["h.abc", "h.ab/x", "h.a", "h.(a"], &["h.", "h.(", "h.a)", "h.ab("]),
            ("^(?:\\w+\\b,? ?){1,2}$", &["ab, c", "ab", "a c"], &["", "a, b, c"]),
            ("^(?=a)x?(?!ab)^a?b?", &["a", "ac"], &["ab", "xa", "b"]),
            ("a?b?^c(?!d)", &["c", "ce"], &["ac", "bc", "cd", "abc"]),
            ("^((?!mode)(?!Mode).)*$", &["", "mod", "a b", "mdoe"], &["mode", "a Mode", "xmodes", "a\nb"]),
        ];
        for (pattern, good, bad) in table {
            for text in *good {
                assert!(found(pattern, text), "{pattern} finds {text:?}");
            }
            for text in *bad {
                assert!(!found(pattern, text), "{pattern} does not find {text:?}");
            }
        }
    }

    #[test]
    fn many_words_and_an_anchor_stay_small() {
        let words = "list|date|time|string|enum|int|double|long|boolean|number|array|object|null|uuid";
        let limits = Limits { states: 2_000, ..Limits::default() };
        assert!(compile(&format!("^{words}$"), Spelling::default()).unwrap().compile(&limits).is_ok());
    }

    #[test]
    fn refuses_other_assertions_in_loops() {
        assert!(matches!(compile("((?=a)b|c)*d", Spelling::default()), Err(PatternError::Unsupported(_))));
    }
}
