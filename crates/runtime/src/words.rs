//! Terminals and explanations in words.

use std::fmt;

use glrmask_automata::{Dfa, Symbol, TerminalId};

use crate::completion::shortest_matches;
use crate::constraint::Constraint;
use crate::explain::{Explanation, LexemeSpan, Outcome, Reading, RuleBroken, Verdict};
use crate::token_ids::TokenIds;

/// Terminals named in one line.
const NAMED: usize = 6;
/// Bytes shown of one text, and the longest word that is recognised as the only one of a terminal.
const SHOWN: usize = 60;

impl Constraint {
    /// A terminal for people: its text if it has only one, otherwise its id and a short text that it matches. (Names
    /// belong to grammars and are gone after compiling.) Linear in the terminal's automaton.
    pub fn describe(&self, terminal: TerminalId) -> String {
        if let Some(ids) = self.inner().events.ids(self.lexer(), terminal) {
            return event(ids);
        }
        let component = self.lexer().component_of(terminal).map(|id| self.lexer().component(id));
        let label = component.and_then(|c| c.terminals().iter().position(|&t| t == terminal));
        let (Some(component), Some(label)) = (component, label) else { return terminal.to_string() };
        if let Some(word) = only_word(component.dfa(), label as u32) {
            return quoted(&word);
        }
        let matches = shortest_matches(component, component.dfa().start());
        match matches.into_iter().find(|(t, _)| *t == terminal) {
            Some((_, text)) => format!("{terminal} (such as {})", quoted(&text)),
            None => terminal.to_string(),
        }
    }

    fn describe_all(&self, terminals: &[TerminalId]) -> String {
        let mut words: Vec<String> = terminals.iter().take(NAMED).map(|&t| self.describe(t)).collect();
        if terminals.len() > NAMED {
            words.push(format!("{} more", terminals.len() - NAMED));
        }
        match words.as_slice() {
            [] => "nothing".to_owned(),
            [only] => only.clone(),
            [most @ .., last] => format!("{} or {last}", most.join(", ")),
        }
    }
}

/// A token event, by its ids.
fn event(ids: &TokenIds) -> String {
    let mut words: Vec<String> = ids.iter().take(NAMED).map(|id| id.0.to_string()).collect();
    if ids.iter().nth(NAMED).is_some() {
        words.push("…".to_owned());
    }
    format!("@token({})", words.join(", "))
}

/// The word with this label if there is only one, and it is not long.
fn only_word(dfa: &Dfa, label: u32) -> Option<Vec<u8>> {
    let (mut word, mut state) = (Vec::new(), dfa.start());
    while word.len() <= SHOWN {
        if dfa.labels(state).contains(&label) {
            return (!dfa.future(state).contains(&label)).then_some(word);
        }
        let mut ways = dfa.transitions(state).filter(|&(_, next)| dfa.live(next).contains(&label));
        let (bytes, next) = ways.next()?;
        if ways.next().is_some() || bytes.len() != 1 {
            return None;
        }
        word.extend(bytes.first());
        state = next;
    }
    None
}

/// Text in quotes; what is not printable is escaped, the end of what is long is left out.
fn quoted(bytes: &[u8]) -> String {
    let shown = &bytes[..bytes.len().min(SHOWN)];
    let mut text = String::from("\"");
    for chunk in shown.utf8_chunks() {
        chunk.valid().chars().for_each(|c| match c {
            '"' | '\\' => text.extend(['\\', c]),
            c if c.is_control() => text.extend(c.escape_default()),
            c => text.push(c),
        });
        chunk.invalid().iter().for_each(|byte| text += &format!("\\x{byte:02x}"));
    }
    if shown.len() < bytes.len() {
        text.push('…');
    }
    text + "\""
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let id = self.token.0;
        match self.verdict {
            Verdict::Unknown => return write!(f, "There is no token {id}."),
            Verdict::Over => return write!(f, "Token {id} is not allowed: the sequence is over."),
            Verdict::End if self.allowed => return write!(f, "End token {id} is allowed: the text is complete."),
            Verdict::End => return write!(f, "End token {id} is not allowed: the text is not complete."),
            Verdict::NoBytes => return write!(f, "Token {id} is not allowed: it has no bytes."),
            Verdict::Text => {}
        }
        write!(f, "Token {id}, {}, is {}allowed:", quoted(&self.bytes), if self.allowed { "" } else { "not " })?;
        for reading in &self.readings {
            write!(f, "\n- ")?;
            self.write_reading(f, reading)?;
        }
        if self.is_cut {
            write!(f, "\n- and more readings than are told")?;
        }
        match self.rule_text() {
            None => Ok(()),
            Some(rule) => write!(f, "\n- but {rule}"),
        }
    }
}

impl Explanation {
    /// The explanation as text: one line, and one more for each reading.
    pub fn text(&self) -> String {
        self.to_string()
    }

    /// The [`rule`](Self::rule) in words.
    pub fn rule_text(&self) -> Option<String> {
        Some(match self.rule.as_ref()? {
            RuleBroken::Repeats { at, what } => format!("with {}, {what}", self.byte(*at)),
            RuleBroken::NothingElseLeft => {
                "every text from there repeats an item or key that must not be there twice".into()
            }
            RuleBroken::NothingFound => {
                "a search for a text from there without a repeated item or key ended by its bounds".into()
            }
        })
    }

    fn write_reading(&self, f: &mut fmt::Formatter<'_>, reading: &Reading) -> fmt::Result {
        let describe = |terminal| self.constraint.describe(terminal);
        for span in &reading.lexemes {
            let is_event = self.constraint.lexer().token_terminals().contains(&span.terminal);
            let part = if is_event { "the token itself".to_owned() } else { self.part(*span) };
            write!(f, "{part} is read as {}; ", describe(span.terminal))?;
        }
        let rest = self.rest(reading.open_start);
        match &reading.outcome {
            Outcome::Allowed { open } if open.is_empty() => write!(f, "nothing is open, and the text can go on"),
            Outcome::Allowed { open } => write!(f, "{rest} can become {}", self.constraint.describe_all(open)),
            Outcome::NoLexeme { at, inside } if inside.is_empty() => {
                write!(f, "no terminal begins with {}", self.byte(*at))
            }
            Outcome::NoLexeme { at, inside } => {
                write!(f, "{} does not go on with {}", self.constraint.describe_all(inside), self.byte(*at))
            }
            Outcome::Refused { terminals, after, expected, .. } => {
                let (refused, expected) = (self.constraint.describe_all(terminals), expected.as_slice());
                write!(f, "the parser does not take {refused} {}", self.place(*after))?;
                write!(f, "; it would take {}", self.constraint.describe_all(expected))
            }
            Outcome::LongerMatch { at, terminal } => {
                write!(f, "longest match forbids it: with {} a longer {} matches", self.byte(*at), describe(*terminal))
            }
            Outcome::NothingCompletes { open, pending } => {
                write!(f, "no text completes it")?;
                if !open.is_empty() {
                    write!(f, ": {rest} could be {}", self.constraint.describe_all(open))?;
                }
                match pending.is_empty() {
                    true => Ok(()),
                    false => write!(f, ", but {} must not match longer", self.constraint.describe_all(pending)),
                }
            }
        }
    }

    fn place(&self, after: Option<Symbol>) -> String {
        match after {
            None => "at the start of the text".to_owned(),
            Some(Symbol::Terminal(t)) => format!("after {}", self.constraint.describe(t)),
            Some(Symbol::Nonterminal(n)) => format!("after a whole {n}"),
        }
    }

    fn part(&self, span: LexemeSpan) -> String {
        let bytes = self.bytes.get(span.start.unwrap_or(0)..span.end).unwrap_or_default();
        match span.start {
            Some(_) => quoted(bytes),
            None if bytes.is_empty() => "what came before".to_owned(),
            None => format!("what came before with {}", quoted(bytes)),
        }
    }

    fn rest(&self, start: Option<usize>) -> String {
        self.part(LexemeSpan { terminal: TerminalId(0), start, end: self.bytes.len() })
    }

    fn byte(&self, at: usize) -> String {
        quoted(self.bytes.get(at..=at).unwrap_or_default())
    }
}
