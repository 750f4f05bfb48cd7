//! The grammar of Python out of its template: levels of indentation written out, expressions once more for the inside
//! of brackets.
//!
//! A context-free grammar has no indentation to count, but up to a level each can have rules of its own. Inside
//! brackets lines mean nothing, so expressions there are a second copy (names end in `_in`) in which the ends of lines
//! may follow any terminal; what only stands inside brackets has no other copy. Every opening bracket may be followed
//! by them.
//!
//! The template is GLRM in sections, each headed by `//@` and how its rules are copied. In the sections of a level,
//! `$d` is the level and `$e` the next one.

use std::collections::HashSet;

/// The template.
pub(super) const TEMPLATE: &str = include_str!("python.glrm");

/// The deepest level of indentation.
const LEVELS: usize = 8;

/// The grammar of the template.
pub(super) fn expand(template: &str) -> String {
    let sections = sections(template);
    let rules =
        |heading| -> HashSet<&str> { sections.iter().filter(|s| s.0 == heading).flat_map(|s| names(s.1)).collect() };
    let names = Names { twice: rules("outer and inner"), inside: rules("inner") };
    let mut text = String::new();
    for (heading, body) in sections {
        match heading {
            "once" => names.copy(body, false, &mut text),
            "outer and inner" => [false, true].iter().for_each(|&inside| names.copy(body, inside, &mut text)),
            "inner" => names.copy(body, true, &mut text),
            "level" => (0..=LEVELS).for_each(|level| names.copy(&at(body, level), false, &mut text)),
            "level with blocks" => (0..LEVELS).for_each(|level| names.copy(&at(body, level), false, &mut text)),
            "last level" => names.copy(&at(body, LEVELS), false, &mut text),
            _ => text.push_str(body),
        }
    }
    text
}

/// Headings and bodies.
fn sections(template: &str) -> Vec<(&str, &str)> {
    template.split("//@ ").map(|section| section.split_once('\n').unwrap_or((section, ""))).collect()
}

/// The names of the rules of a section.
fn names(section: &str) -> impl Iterator<Item = &str> {
    section.lines().filter_map(|line| line.strip_prefix("nt ")?.split_once(" =")).map(|(name, _)| name)
}

/// The rules of a level.
fn at(section: &str, level: usize) -> String {
    section.replace("$d", &level.to_string()).replace("$e", &(level + 1).to_string())
}

/// Rules that there are inside brackets.
struct Names<'a> {
    /// Those that there are outside as well.
    twice: HashSet<&'a str>,
    /// Those that there are only there.
    inside: HashSet<&'a str>,
}

impl Names<'_> {
    /// Adds a copy of rules.
    fn copy(&self, mut rest: &str, inside: bool, to: &mut String) {
        while let Some(first) = rest.chars().next() {
            let (atom, after) = rest.split_at(length(rest, first));
            match first {
                '/' => {}
                '"' if inside || matches!(atom, "\"(\"" | "\"[\"" | "\"{\"") => to.extend(["(", atom, " nl)"]),
                'A'..='Z' if inside => to.extend(["(", atom, " nl)"]),
                'a'..='z' if self.inside.contains(atom) || inside && self.twice.contains(atom) => {
                    to.extend([atom, "_in"]);
                }
                _ => to.push_str(atom),
            }
            rest = after;
        }
    }
}

/// The length of a comment, a literal, a name or a character of anything else, in bytes. Literals of this template have
/// no escapes.
fn length(text: &str, first: char) -> usize {
    let end = |found: Option<usize>, extra| found.map_or(text.len(), |at| at + extra);
    match first {
        '/' => end(text.find('\n'), 0),
        '"' => end(text.get(1..).and_then(|rest| rest.find('"')), 2),
        'a'..='z' | 'A'..='Z' => end(text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_'), 0),
        _ => first.len_utf8(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_and_copies_are_written_out() {
        let text = expand(
            "//@ once\nnt a = b \"(\" c? \")\"; // d\n//@ outer and inner\nnt b = \"x\"+ b T;\n//@ inner\nnt c = b;\n\
             //@ last level\nnt e$d = f$e;\n//@ terminals\nt T = \"(\";\n",
        );
        let expected = "nt a = b (\"(\" nl) c_in? \")\"; \nnt b = \"x\"+ b T;\nnt b_in = (\"x\" nl)+ b_in (T nl);\n\
                        nt c_in = b_in;\nnt e8 = f9;\nt T = \"(\";\n";
        assert_eq!(text, expected);
    }
}
