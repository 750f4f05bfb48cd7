//! From the tree of formats to a grammar.
//!
//! [`Follow`] is what is known of the text after a format. A format that is told its delimiters also derives them, so
//! that free text and delimiter can be one terminal. Regular text becomes a terminal where longest match cannot
//! change anything: nothing follows, or what follows does not begin with a byte that would make the match longer.
//! Otherwise it is made of single bytes, by productions along the states of its automaton.

use glrmask_automata::{AutomataError, ByteSet, Limits, ParseConfig, Regex};

use super::format::{End, Format, Kind, Mark, Tag, Token, Triggered};
use super::{text, Options};
use crate::builder::GrammarBuilder;
use crate::diagnostic::{DiagnosticKind, GrammarError};
use crate::expr::Expr;
use crate::gbnf;
use crate::ir::{Grammar, Pattern};

type Result<T> = std::result::Result<T, GrammarError>;

/// Largest number of repetitions.
const MAX_REPEAT: u32 = 1_000_000;

/// What comes after a format.
#[derive(Clone)]
enum Follow {
    /// Nothing, or a token event: no byte.
    Nothing,
    /// One of these texts, which the format derives as well.
    Delimiter(Vec<String>),
    /// A byte out of these.
    Byte(ByteSet),
}

/// The grammar of a format.
pub(super) fn grammar(format: &Format, options: &Options<'_>) -> Result<Grammar> {
    let mut builder = GrammarBuilder::new();
    builder.keywords(false);
    let start = builder.nonterminal("start");
    let mut tags = Tags { builder, options };
    let body = tags.format(format, &Follow::Nothing)?;
    tags.builder.define(start, body);
    tags.builder.build(start)
}

struct Tags<'o> {
    builder: GrammarBuilder,
    options: &'o Options<'o>,
}

impl Tags<'_> {
    /// A format and, if it has been told some, a delimiter after it.
    fn format(&mut self, format: &Format, follow: &Follow) -> Result<Expr> {
        let pointer = &format.pointer;
        match &format.kind {
            Kind::AnyText { excludes, max_chars } => self.any_text(excludes, *max_chars, follow, pointer),
            Kind::Triggered(triggered) => self.triggered(triggered, follow, pointer),
            Kind::Regex(pattern) => {
                let regex = Regex::parse(pattern, &ParseConfig::default()).map_err(|e| bad_pattern(pointer, &e))?;
                let expr = self.regular(regex, follow, pointer)?;
                Ok(self.delimited(expr, follow))
            }
            Kind::Sequence(elements) => self.sequence(elements, follow),
            Kind::Or(elements) => Ok(Expr::Choice(self.all(elements, follow)?)),
            Kind::Repeat { content, min: 0, max: Some(1) } => {
                let content = self.format(content, follow)?;
                let nothing = self.delimited(Expr::Epsilon, follow);
                Ok(Expr::Choice(vec![content, nothing]))
            }
            Kind::Repeat { content, min, max } => {
                if max.unwrap_or(*min) > MAX_REPEAT {
                    return Err(GrammarError::limit(
                        "repetitions",
                        MAX_REPEAT as usize,
                        max.unwrap_or(*min) as usize,
                        None,
                    ));
                }
                let again = Follow::Byte(first(content).union(&first_of(follow)));
                let content = self.format(content, &again)?;
                Ok(self.delimited(content.repeat(*min, *max), follow))
            }
            Kind::TagsWithSeparator { tags, separator, at_least_one, stop_after_first } => {
                let tags = tags.iter().map(|tag| self.tag(tag)).collect::<Result<Vec<_>>>()?;
                let separator = self.literal(separator);
                let occurs = if *stop_after_first { crate::Occurs::One } else { crate::Occurs::Plus };
                let list =
                    Expr::Separated { separator: Box::new(separator), items: vec![(Expr::Choice(tags), occurs)] };
                let list = if *at_least_one { list } else { list.optional() };
                Ok(self.delimited(list, follow))
            }
            Kind::Tag(tag) => {
                let tag = self.tag(tag)?;
                Ok(self.delimited(tag, follow))
            }
            Kind::Literal(value) => {
                let literal = self.literal(value);
                Ok(self.delimited(literal, follow))
            }
            Kind::JsonSchema(schema, any_order) => {
                let Some(read) = self.options.json_schema else {
                    return Err(GrammarError::unsupported(
                        format!("{pointer}: no reader of JSON Schemas was given"),
                        None,
                    ));
                };
                let grammar = read(schema, *any_order).map_err(|e| at(pointer, &e))?;
                let json = self.builder.embed("json", &grammar).into();
                Ok(self.delimited(json, follow))
            }
            Kind::Grammar(source) => {
                let grammar = gbnf::parse(source, &self.options.token_names).map_err(|e| at(pointer, &e))?;
                let inner = self.builder.embed("grammar", &grammar).into();
                Ok(self.delimited(inner, follow))
            }
            Kind::Token(token) => {
                let token = self.token(token, pointer)?;
                Ok(self.delimited(token, follow))
            }
        }
    }
    fn all(&mut self, formats: &[Format], follow: &Follow) -> Result<Vec<Expr>> {
        formats.iter().map(|format| self.format(format, follow)).collect()
    }
    fn sequence(&mut self, elements: &[Format], follow: &Follow) -> Result<Expr> {
        let mut parts = Vec::with_capacity(elements.len());
        for (i, element) in elements.iter().enumerate() {
            let rest = elements.get(i + 1..).unwrap_or_default();
            let after = if rest.is_empty() { follow.clone() } else { Follow::Byte(first_of_sequence(rest, follow)) };
            parts.push(self.format(element, &after)?);
        }
        match elements.is_empty() {
            true => Ok(self.delimited(Expr::Epsilon, follow)),
            false => Ok(Expr::Sequence(parts)),
        }
    }
    fn literal(&mut self, text: &str) -> Expr {
        match text.is_empty() {
            true => Expr::Epsilon,
            false => self.builder.literal(text).into(),
        }
    }
    /// The expression, and then the delimiter.
    fn delimited(&mut self, expr: Expr, follow: &Follow) -> Expr {
        match follow {
            Follow::Delimiter(ends) => {
                let ends = ends.iter().map(|end| self.literal(end)).collect();
                Expr::Sequence(vec![expr, Expr::Choice(ends)])
            }
            _ => expr,
        }
    }
    fn token(&mut self, token: &Token, pointer: &str) -> Result<Expr> {
        let ids = match token {
            Token::Id(id) => vec![*id],
            Token::Name(name) => match self.options.token_names.get(name) {
                Some(ids) => ids.clone(),
                None => {
                    let message = format!("{pointer}: the token \"{name}\" has no ids in `token_names`");
                    return Err(GrammarError::invalid(message, None));
                }
            },
        };
        Ok(self.builder.terminal("token", Pattern::ExactTokens(ids)).into())
    }
    /// A tag without a delimiter after it.
    fn tag(&mut self, tag: &Tag) -> Result<Expr> {
        let begin = match &tag.begin {
            Mark::Text(text) => self.literal(text),
            Mark::Token(token) => self.token(token, &tag.content.pointer)?,
        };
        let mut parts = vec![begin];
        match &tag.end {
            End::Texts(ends) => parts.push(self.format(&tag.content, &Follow::Delimiter(ends.clone()))?),
            End::Token(token) => {
                parts.push(self.format(&tag.content, &Follow::Nothing)?);
                parts.push(self.token(token, &tag.content.pointer)?);
            }
        }
        Ok(Expr::Sequence(parts))
    }

    fn any_text(&mut self, excludes: &[String], max: Option<u32>, follow: &Follow, pointer: &str) -> Result<Expr> {
        let excludes: Vec<&str> = excludes.iter().map(String::as_str).collect();
        let shorter = |regex: Regex, longest: Option<usize>| match (max, longest) {
            (Some(max), Some(end)) => {
                let chars =
                    Regex::any_char().repeat(0, Some(max.saturating_add(u32::try_from(end).unwrap_or(u32::MAX))));
                regex.intersect(&chars)
            }
            _ => regex,
        };
        if let Follow::Delimiter(ends) = follow {
            if ends.iter().all(|end| !end.is_empty()) {
                return self.text_up_to(ends, &excludes, &[], |regex, end| shorter(regex, Some(end.chars().count())));
            }
        }
        let text = shorter(text::without(&excludes), Some(0));
        let expr = self.regular(text, follow, pointer)?;
        Ok(self.delimited(expr, follow))
    }
    /// Text up to one of the ends, a terminal for each; the first of all marks counts.
    fn text_up_to(
        &mut self,
        ends: &[String],
        excludes: &[&str],
        triggers: &[&str],
        bound: impl Fn(Regex, &str) -> Regex,
    ) -> Result<Expr> {
        let mut parts = Vec::new();
        for end in ends {
            let others = ends.iter().map(String::as_str).filter(|other| *other != end.as_str());
            // A text that is excluded because it is the end is the end.
            let marks = excludes.iter().chain(triggers).copied().filter(|mark| mark != end);
            let others: Vec<&str> = others.chain(marks).collect();
            let regex = bound(text::up_to(&[end], &others), end);
            parts.push(self.builder.terminal("TEXT", Pattern::Regex(regex)).into());
        }
        Ok(Expr::Choice(parts))
    }
    fn triggered(&mut self, triggered: &Triggered, follow: &Follow, pointer: &str) -> Result<Expr> {
        let Triggered { rules, first, goes_on, excludes } = triggered;
        let triggers: Vec<&str> = rules.iter().map(|(trigger, _)| trigger.as_str()).collect();
        let excludes: Vec<&str> = excludes.iter().map(String::as_str).collect();
        // Any byte may come after a part: the free text.
        let after = if *goes_on { Follow::Byte(ByteSet::FULL) } else { Follow::Byte(first_of(follow)) };
        let mut parts = Vec::new();
        for (i, (trigger, formats)) in rules.iter().enumerate() {
            let blockers: Vec<&str> = match follow {
                Follow::Delimiter(ends) => ends.iter().map(String::as_str).collect(),
                _ => Vec::new(),
            };
            let others = triggers.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, other)| *other);
            let others: Vec<&str> = others.chain(excludes.iter().copied()).chain(blockers).collect();
            let up_to = text::up_to(&[trigger], &others);
            let head = self.builder.terminal("TEXT", Pattern::Regex(up_to)).into();
            let rest = Expr::Choice(self.all(formats, &after)?);
            parts.push(Expr::Sequence(vec![head, rest]));
        }
        let part = Expr::Choice(parts);
        let tail = match follow {
            Follow::Delimiter(ends) if ends.iter().all(|end| !end.is_empty()) => {
                self.text_up_to(ends, &excludes, &triggers, |regex, _| regex)?
            }
            _ => {
                let marks: Vec<&str> = triggers.iter().chain(&excludes).copied().collect();
                let text = self.regular(text::without(&marks), follow, pointer)?;
                self.delimited(text, follow)
            }
        };
        let done = self.delimited(Expr::Epsilon, follow);
        let first = match first {
            Some(formats) => Some(Expr::Choice(self.all(formats, &after)?)),
            None => None,
        };
        Ok(match (first, goes_on) {
            (Some(first), true) => Expr::Sequence(vec![first, part.star(), tail]),
            (Some(first), false) => Expr::Sequence(vec![first, done]),
            (None, true) => Expr::Sequence(vec![part.star(), tail]),
            (None, false) => Expr::Choice(vec![Expr::Sequence(vec![part, done]), tail]),
        })
    }

    /// Regular text, without a delimiter after it.
    fn regular(&mut self, regex: Regex, follow: &Follow, pointer: &str) -> Result<Expr> {
        let dfa = regex.compile(&Limits::default());
        let dfa = dfa.map_err(|e| GrammarError::unsupported(format!("{pointer}: {e}"), None))?;
        let longer = dfa.states().filter(|state| dfa.is_accepting(*state)).map(|state| dfa.next_bytes(state));
        let longer = longer.fold(ByteSet::EMPTY, |all, set| all.union(&set));
        let clash = match follow {
            Follow::Nothing => false,
            _ => !longer.intersection(&first_of(follow)).is_empty(),
        };
        Ok(match clash {
            true => self.builder.linear(&dfa).into(),
            false => self.builder.terminal("TEXT", Pattern::Regex(regex)).into(),
        })
    }
}

/// An error inside a format.
fn at(pointer: &str, error: &GrammarError) -> GrammarError {
    let message = format!("{pointer}: {error}");
    match error.kind() {
        DiagnosticKind::Unsupported => GrammarError::unsupported(message, None),
        _ => GrammarError::invalid(message, None),
    }
}

fn bad_pattern(pointer: &str, error: &AutomataError) -> GrammarError {
    let message = format!("{pointer}: {error}");
    match error.is_unsupported() || error.is_limit() {
        true => GrammarError::unsupported(message, None),
        false => GrammarError::invalid(message, None),
    }
}

/// First bytes of what follows, all of them where that is not known.
fn first_of(follow: &Follow) -> ByteSet {
    match follow {
        Follow::Nothing => ByteSet::EMPTY,
        Follow::Delimiter(ends) => ends.iter().fold(ByteSet::EMPTY, |set, end| set.union(&first_of_text(end))),
        Follow::Byte(set) => *set,
    }
}

/// The first byte of a text; an empty one says nothing.
fn first_of_text(text: &str) -> ByteSet {
    text.bytes().next().map_or(ByteSet::FULL, ByteSet::single)
}

fn first_of_sequence(formats: &[Format], follow: &Follow) -> ByteSet {
    formats.first().map_or_else(|| first_of(follow), first)
}

/// First bytes of a format: exact for what begins with a text, all of them otherwise.
fn first(format: &Format) -> ByteSet {
    match &format.kind {
        Kind::Literal(text) => first_of_text(text),
        Kind::Tag(tag) => match &tag.begin {
            Mark::Text(text) => first_of_text(text),
            Mark::Token(_) => ByteSet::EMPTY,
        },
        Kind::Token(_) => ByteSet::EMPTY,
        Kind::Or(elements) => elements.iter().map(first).fold(ByteSet::EMPTY, |all, set| all.union(&set)),
        Kind::Sequence(elements) => elements.first().map_or(ByteSet::FULL, first),
        _ => ByteSet::FULL,
    }
}
