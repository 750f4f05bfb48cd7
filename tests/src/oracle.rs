//! The exact oracle: is a committed text a prefix of the language?
//!
//! A node is a position in the text with the longest-match conditions pending there; an edge is a lexeme. At the end of
//! the text, edges stand for lexemes of arbitrary further bytes, so that reaching any end node means that a completion
//! exists. No tries, no classes, no LR tables, no ε-elimination: it shares no idea with the engine but the definition.
//! [`Oracle::member_by_definition`] shares not even the conditions: there, longest match is a check on whole strings.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use glrmask_automata::{Id, Symbol, TerminalId};
use glrmask_grammar::{Production, ROOT_SCOPE};

use crate::lexing::{Lexing, Pending, FRESH, NOTHING};
use crate::reach::{reaches, Edges};
use crate::spec::{Spec, SpecPattern, SpecTerminal};
use crate::TooLarge;

/// One unit of committed text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Event {
    /// A byte.
    Byte(u8),
    /// A token that stands for itself, not for its bytes.
    Token(u32),
}

/// `text` as events.
pub fn bytes(text: &[u8]) -> Vec<Event> {
    text.iter().copied().map(Event::Byte).collect()
}

/// Decides prefixes and members of one specification's language.
///
/// ```
/// use glrmask_automata::{NonterminalId, Symbol, TerminalId};
/// use glrmask_tests::{oracle::Oracle, regex_syntax::parse, spec::Spec};
///
/// let rule = glrmask_grammar::Production { lhs: NonterminalId(0), rhs: vec![Symbol::Terminal(TerminalId(0)); 2] };
/// let mut oracle = Oracle::new(Spec::new(vec![("A".into(), parse("a+").unwrap())], 1, vec![rule])).unwrap();
/// // S → A A with A = a+: after one `a`, longest match forbids a second lexeme, whatever follows.
/// assert!(!oracle.viable(b"a").unwrap());
/// ```
pub struct Oracle {
    spec: Spec,
    lexing: Lexing,
    known: FxHashMap<Vec<Event>, bool>,
    /// Per number, the specification in which that marker may also be a terminal.
    picked: FxHashMap<u32, Rc<Spec>>,
}

/// A position and what is pending there.
type Node = (usize, Pending);

/// The most prefixes remembered.
const MEMORY: usize = 50_000;

impl Oracle {
    /// Builds the automata; an error if one is too large.
    pub fn new(spec: Spec) -> Result<Self, TooLarge> {
        let lexing = Lexing::new(&spec)?;
        Ok(Self { spec, lexing, known: FxHashMap::default(), picked: FxHashMap::default() })
    }

    /// The specification.
    pub fn spec(&self) -> &Spec {
        &self.spec
    }

    /// Is `prefix` a prefix of a text of the language?
    pub fn viable(&mut self, prefix: &[u8]) -> Result<bool, TooLarge> {
        self.viable_events(&bytes(prefix))
    }

    /// Is `text` in the language?
    pub fn member(&mut self, text: &[u8]) -> Result<bool, TooLarge> {
        self.member_events(&bytes(text))
    }

    /// [`Oracle::viable`] with token events.
    pub fn viable_events(&mut self, prefix: &[Event]) -> Result<bool, TooLarge> {
        if let Some(&known) = self.known.get(prefix) {
            return Ok(known);
        }
        let viable = self.search(prefix, true)?;
        if self.known.len() < MEMORY {
            self.known.insert(prefix.to_vec(), viable);
        }
        Ok(viable)
    }

    /// [`Oracle::member`] with token events.
    pub fn member_events(&mut self, text: &[Event]) -> Result<bool, TooLarge> {
        self.search(text, false)
    }

    /// The definition, word for word: a lexing of the whole text in which no member of K(t) matches a longer piece.
    pub fn member_by_definition(&self, text: &[Event]) -> Result<bool, TooLarge> {
        let edges = |i: usize| Ok(self.lexemes(text, i));
        reaches(&self.spec, 0, edges, |i| i == text.len())
    }

    /// May a marker with this number stand after the first `place` events of `prefix`, in some text that begins so?
    ///
    /// The marker is a terminal of no width that can be read once, at that place, where a lexeme has ended; it may also
    /// derive nothing, as all others do.
    pub fn marker_may_stand(&mut self, prefix: &[Event], id: u32, place: usize) -> Result<bool, TooLarge> {
        let (spec, lexing) = (&self.spec, &mut self.lexing);
        let with_terminal = self.picked.entry(id).or_insert_with(|| Rc::new(with_terminal(spec, id))).clone();
        let marker = TerminalId::from_usize(spec.terminals.len());
        let edges = |(node, beyond, read): (Node, bool, bool)| {
            let all = edges(spec, lexing, prefix, node, true)?;
            let mut found: Edges<(Node, bool, bool)> =
                all.into_iter().map(|(t, next, past)| (t, (next, beyond || past, read))).collect();
            if node.0 == place && !beyond && !read {
                found.push((marker, (node, beyond, true)));
            }
            Ok(found)
        };
        reaches(&with_terminal, ((0, NOTHING), false, false), edges, |(node, _, read)| read && node.0 == prefix.len())
    }

    fn search(&mut self, text: &[Event], open: bool) -> Result<bool, TooLarge> {
        let (spec, lexing) = (&self.spec, &mut self.lexing);
        let edges =
            |node| Ok(edges(spec, lexing, text, node, open)?.into_iter().map(|(t, next, _)| (t, next)).collect());
        reaches(spec, (0, NOTHING), edges, |(i, _)| i == text.len())
    }

    /// Every lexeme at position `i` of a whole text, as (terminal, end).
    fn lexemes(&self, text: &[Event], i: usize) -> Edges<usize> {
        let run: Vec<u8> =
            text[i..].iter().map_while(|e| if let Event::Byte(b) = e { Some(*b) } else { None }).collect();
        let matches = |t, length: usize| self.lexing.automaton(t).matches(&run[..length]);
        let survives = |t, length| {
            let longer = |&k: &TerminalId| (length + 1..=run.len()).any(|length| matches(k, length));
            matches(t, length) && !self.spec.kills[t].iter().any(longer)
        };
        let lengths = (1..=run.len()).flat_map(|length| self.spec.terminals.ids().map(move |t| (t, length)));
        let mut found: Edges<usize> = lengths.filter(|&(t, n)| survives(t, n)).map(|(t, n)| (t, i + n)).collect();
        if let Some(Event::Token(id)) = text.get(i) {
            found.extend(exact(&self.spec, |ids| ids.contains(id)).map(|t| (t, i + 1)));
        }
        found
    }
}

/// `spec` with one more terminal, which the markers of this number derive beside nothing.
fn with_terminal(spec: &Spec, id: u32) -> Spec {
    let mut spec = spec.clone();
    let name = format!("@mark({id})");
    let marker = spec.terminals.push(SpecTerminal { name, pattern: SpecPattern::Tokens(vec![]), scope: ROOT_SCOPE });
    for &(lhs, _) in spec.marks.iter().filter(|mark| mark.1 == id) {
        spec.productions.push(Production { lhs, rhs: vec![Symbol::Terminal(marker)] });
    }
    spec
}

/// Lexemes that begin at `node`; where the text ends and is `open`, those of any completion too, and whether it is one of
/// those.
fn edges(
    spec: &Spec,
    lexing: &mut Lexing,
    text: &[Event],
    (start, pending): Node,
    open: bool,
) -> Result<Vec<(TerminalId, Node, bool)>, TooLarge> {
    let mut found = Vec::new();
    if let Some(Event::Token(id)) = text.get(start) {
        // The event ends the run of bytes: what was pending can no longer match.
        found.extend(exact(spec, |ids| ids.contains(id)).map(|t| (t, (start + 1, NOTHING), false)));
        return Ok(found);
    }
    let (mut joint, mut pending) = (FRESH, pending);
    for (i, event) in text.iter().enumerate().skip(start) {
        let Event::Byte(byte) = *event else { return Ok(found) };
        match (lexing.step(joint, byte), lexing.advance(pending, byte)) {
            (Some(q), Some(c)) => (joint, pending) = (q, c),
            _ => return Ok(found),
        }
        found.extend(lexing.ends(joint, pending).into_iter().map(|(t, c)| (t, (i + 1, c), false)));
    }
    if open {
        found.extend(lexing.completions(joint, pending)?.iter().map(|&(t, c)| (t, (text.len(), c), true)));
        if start == text.len() {
            found.extend(exact(spec, |ids| !ids.is_empty()).map(|t| (t, (text.len(), NOTHING), true)));
        }
    }
    Ok(found)
}

/// The exact-token terminals whose ids satisfy `wanted`.
fn exact<'a>(spec: &'a Spec, wanted: impl Fn(&[u32]) -> bool + 'a) -> impl Iterator<Item = TerminalId> + 'a {
    let chosen = move |pattern: &SpecPattern| matches!(pattern, SpecPattern::Tokens(ids) if wanted(ids));
    spec.terminals.iter_enumerated().filter(move |(_, terminal)| chosen(&terminal.pattern)).map(|(t, _)| t)
}
